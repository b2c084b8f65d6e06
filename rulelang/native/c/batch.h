/* Batches of games: what Python calls to let all of them go on by a pick each. Each game is a block of single steps
   (steps.h), begun again when it is over. Options are spelled as picks by Python, once each (rulelang/runtime/picks.py): here
   they are known by the words that they consist of. What is seen is written by the instructions of rulelang/runtime/fields.py. */

#define ITEM_OF(p, i) (*((p) + (i))) /* of memory that the guard build knows nothing of */

/* Tables that Python makes (rulelang/native/batch.py), in this order; those by seat lie behind each other. */
enum { BATCH_STARTS, BATCH_INSTRUCTIONS, BATCH_PARTIES, BATCH_SORTS, BATCH_ZONES, BATCH_SIGHT, BATCH_LIKE, BATCH_COLUMNS,
       BATCH_VALUES, BATCH_GAME, BATCH_ARGUMENT_STARTS, BATCH_ARGUMENTS, BATCH_DECISIONS, BATCH_FORMS, BATCH_TABLES };
enum { BATCH_SIZE, BATCH_CONTENTS, BATCH_PILE, BATCH_TOPMOST, BATCH_ROWS, BATCH_CELL };
enum { OF_MARK, OF_NUMBER, OF_OPTIONAL_NUMBER, OF_OPTIONAL_BOOL, OF_SEAT, OF_VALUE, OF_PIECE, OF_ZONE, OF_OTHER };
enum { SEEN_BY_ALL = 1, SEEN_BY_OWNER = 2, SEEN_BY_OTHERS = 4 };
enum { SEES_TOP = 2, SEES_ALL = 3 };
enum { INSTRUCTION = 8, COLUMN = 6, ARGUMENT = 7, NUMBER_LIMIT = INT32_MAX };

/* How a row stands: it waits for a pick; Python has to spell its options; it was given up. */
enum { BATCH_READY, BATCH_UNSPELLED, BATCH_GIVEN_UP };

typedef struct {
    State *block;
    size_t room;
    W options, space, left, at;   /* how many options, room for how many, how many are left, how many picks are made */
    int32_t *spelled, *remaining; /* by option: where its sequence stands (length, picks); the options that are left */
    int32_t *own;                 /* sequences of this position alone; NULL: those that all rows share */
    W seat, chosen, status;
} BatchRow;

typedef struct {
    Machine *machine;
    const State *unbegun;
    const int32_t *tables[BATCH_TABLES];
    BatchRow *rows;
    W games, players, picks, counts, numbers;
    bool all, by_index;           /* what every seat sees is written; a pick is the number of an option */
    U seed;
    W *keys; int32_t *places; W slots, known;      /* hash table: where a key stands in `text`; its sequence */
    W *text, text_used, text_room;
    int32_t *shared; W shared_used, shared_room;
    /* numpy's arrays */
    uint8_t *to_counts, *to_mask, *to_made, *to_end, *to_status;
    int32_t *to_numbers, *to_seat;
    W *to_episode, *to_outcome;
} Batch;

EXPORTED void rulelang_batch_free(Batch *b) {
    for (W i = 0; b->rows != NULL && i < b->games; i++) {
        BatchRow *const row = b->rows + i;
        free(row->block), free(row->spelled), free(row->remaining), free(row->own);
    }
    free(b->rows), free(b->keys), free(b->places), free(b->text), free(b->shared), free(b);
}

EXPORTED Batch *rulelang_batch_new(Machine *machine, const State *unbegun, const int32_t *const *tables, const W *sizes, void *const *arrays) {
    Batch *const b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->machine = machine;
    b->unbegun = unbegun;
    memcpy(b->tables, tables, sizeof b->tables);
    b->games = ITEM_OF(sizes, 0), b->players = ITEM_OF(sizes, 1), b->picks = ITEM_OF(sizes, 2);
    b->counts = ITEM_OF(sizes, 3), b->numbers = ITEM_OF(sizes, 4), b->all = ITEM_OF(sizes, 5), b->by_index = ITEM_OF(sizes, 6);
    b->to_counts = ITEM_OF(arrays, 0), b->to_numbers = ITEM_OF(arrays, 1), b->to_mask = ITEM_OF(arrays, 2);
    b->to_made = ITEM_OF(arrays, 3), b->to_seat = ITEM_OF(arrays, 4), b->to_end = ITEM_OF(arrays, 5);
    b->to_episode = ITEM_OF(arrays, 6), b->to_outcome = ITEM_OF(arrays, 7), b->to_status = ITEM_OF(arrays, 8);
    b->slots = 1 << 12;
    b->rows = calloc((size_t)b->games, sizeof(BatchRow));
    b->keys = calloc((size_t)b->slots, sizeof(W));
    b->places = calloc((size_t)b->slots, sizeof(int32_t));
    if (b->by_index && (b->shared = malloc((size_t)(2 * b->picks) * sizeof(int32_t))) != NULL)
        for (W k = 0; k < b->picks; k++) ITEM_OF(b->shared, 2 * k) = 1, ITEM_OF(b->shared, 2 * k + 1) = (int32_t)k;
    if (b->rows == NULL || b->keys == NULL || b->places == NULL || (b->by_index && b->shared == NULL))
        return rulelang_batch_free(b), NULL;
    return b;
}

/* Memory with room for so many things, or NULL; what was there stays. */
static void *batch_grown(void *at, W *room, W needed, size_t size) {
    if (needed <= *room) return at;
    const W more = 2 * needed + 16;
    void *const result = realloc(at, (size_t)more * size);
    if (result != NULL) *room = more;
    return result;
}

/* ---- options: known by their words ---- */

enum { BATCH_KEY = 1 << 10 };

/* Append a value, with all that it refers to, to a key; NULL without room. */
static W *batch_flat(W *to, const W *end, W form, W value, const W *parts) {
    if (to == NULL || to + 2 > end) return NULL;
    *to++ = value;
    if (forms[form].sort == WORD || nowhere(value)) return to;
    const W *const from = parts + value - 1;
    const W width = forms[form].width, inner = forms[form].inner;
    const W words = forms[form].sort == FIXED ? width : forms[form].sort == PRICE ? width + 1 + 3 * ITEM_OF(from, width) : *from + 1;
    *(to - 1) = words;
    for (W i = 0; i < words && to != NULL; i++) {
        if (forms[form].sort == LIST_OF_LISTS && i) {
            to = batch_flat(to, end, inner, ITEM_OF(from, i), parts);
            continue;
        }
        if (to + 1 > end) return NULL;
        *to++ = ITEM_OF(from, i);
    }
    return to;
}

static U batch_hash(const W *key, W words) {
    U hash = (U)words;
    for (W i = 0; i < words; i++) {
        hash = (hash ^ (U)ITEM_OF(key, i)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The slot of a key, which begins with how many words follow: its own, or a free one. */
static W batch_slot(const Batch *b, const W *key) {
    W slot = (W)(batch_hash(key + 1, *key) & (U)(b->slots - 1));
    for (; ITEM_OF(b->keys, slot); slot = (slot + 1) & (b->slots - 1))
        if (!memcmp(b->text + ITEM_OF(b->keys, slot) - 1, key, (size_t)(*key + 1) * sizeof(W))) break;
    return slot;
}

/* The key of an option of a row's seat; the words behind the option, NULL where it is too long for a key. */
static const W *batch_key(const Batch *b, const W *told, W seat, const W *option, W *key) {
    const int32_t *const forms_of = b->tables[BATCH_FORMS];
    const W decision = told[TOLD_NODE] >> 1, first = ITEM_OF(b->tables[BATCH_DECISIONS], 3 * decision);
    const W *const parts = told + TOLD + told[TOLD_LISTED];
    W *to = key + 1;
    *to++ = decision, *to++ = seat, *to++ = *option;
    if (*option++ >= 0) {
        const int32_t *const item = forms_of + ITEM_OF(forms_of, first + *(option - 1));
        for (W i = 0; i < *item; i++) to = batch_flat(to, key + BATCH_KEY, ITEM_OF(item, 1 + i), *option++, parts);
        if (to == NULL) return NULL;
    }
    *key = to - key - 1;
    return option;
}

/* Let a key stand for a sequence: its length, then its picks. Whether there was memory for it. */
static bool batch_known(Batch *b, const W *key, const int32_t *sequence) {
    if (2 * (b->known + 1) > b->slots) {
        const W before = b->slots;
        W *const keys = b->keys;
        int32_t *const places = b->places;
        b->keys = calloc((size_t)(2 * before), sizeof(W)), b->places = calloc((size_t)(2 * before), sizeof(int32_t));
        if (b->keys == NULL || b->places == NULL) {
            free(b->keys), free(b->places);
            b->keys = keys, b->places = places;
            return false;
        }
        b->slots = 2 * before;
        for (W i = 0; i < before; i++)
            if (ITEM_OF(keys, i)) {
                const W slot = batch_slot(b, b->text + ITEM_OF(keys, i) - 1);
                ITEM_OF(b->keys, slot) = ITEM_OF(keys, i), ITEM_OF(b->places, slot) = ITEM_OF(places, i);
            }
        free(keys), free(places);
    }
    W *const text = batch_grown(b->text, &b->text_room, b->text_used + *key + 1, sizeof(W));
    if (text == NULL) return false;
    b->text = text;
    int32_t *const shared = batch_grown(b->shared, &b->shared_room, b->shared_used + *sequence + 1, sizeof(int32_t));
    if (shared == NULL) return false;
    b->shared = shared;
    const W slot = batch_slot(b, key);
    if (ITEM_OF(b->keys, slot)) return true;
    memcpy(b->text + b->text_used, key, (size_t)(*key + 1) * sizeof(W));
    memcpy(b->shared + b->shared_used, sequence, (size_t)(*sequence + 1) * sizeof(int32_t));
    ITEM_OF(b->keys, slot) = b->text_used + 1, ITEM_OF(b->places, slot) = (int32_t)b->shared_used;
    b->text_used += *key + 1, b->shared_used += *sequence + 1;
    b->known++;
    return true;
}

/* ---- what a seat sees ---- */

static inline int32_t batch_clipped(W value) {
    return (int32_t)(value > NUMBER_LIMIT ? NUMBER_LIMIT : value < -NUMBER_LIMIT ? -NUMBER_LIMIT : value);
}

/* A cell of a variable, as `Relative.cell` has it. */
static int32_t batch_cell(const Batch *b, W seat, W value, W of, W low, W values) {
    switch (of) {
    case OF_MARK: return value != 0;
    case OF_NUMBER: return batch_clipped(value);
    case OF_OPTIONAL_NUMBER: return batch_clipped(value == ABSENT_NUMBER ? low - 1 : value);
    case OF_OPTIONAL_BOOL: return batch_clipped(value < 0 ? low - 1 : value);
    }
    if (value < 0) return -1;
    switch (of) {
    case OF_SEAT: return ITEM_OF(b->tables[BATCH_PARTIES], seat * PARTIES + value);
    case OF_VALUE: return ITEM_OF(b->tables[BATCH_VALUES], values + value);
    case OF_PIECE: return ITEM_OF(b->tables[BATCH_SORTS], seat * ITEMS + (value & ITEM_MASK));
    case OF_ZONE: return ITEM_OF(b->tables[BATCH_ZONES], seat * INSTANCES + value);
    }
    return batch_clipped(value);
}

/* The item on top of a zone; -1: none, or it is not known. */
static W batch_top(const State *s, W zone) {
    const W n = zone_form[zone] == COUNTS ? 0 : s->length[zone];
    return n ? s->slots[zone_start[zone] + n - 1] : -1;
}

static bool batch_sees(const Batch *b, const State *s, W seat, W item, W zone) {
    if (zone < 0) return false;
    const W sight = ITEM_OF(b->tables[BATCH_SIGHT], seat * INSTANCES + zone);
    return sight == SEES_ALL || (sight == SEES_TOP && batch_top(s, zone) == item);
}

static inline void batch_put(uint8_t *counts, int32_t *numbers, W wide, W at, W value) {
    if (wide) ITEM_OF(numbers, at) = batch_clipped(value);
    else ITEM_OF(counts, at) = (uint8_t)value;
}

/* Write the rows of the individuals of one definition, sorted. */
static void batch_rows(const Batch *b, const State *s, W seat, const int32_t *op, int32_t *to) {
    const int32_t *const like = b->tables[BATCH_LIKE] + ITEM_OF(op, 3), *const columns = b->tables[BATCH_COLUMNS] + COLUMN * ITEM_OF(op, 5);
    const W n = ITEM_OF(op, 4), width = 1 + ITEM_OF(op, 6);
    for (W i = 0; i < n; i++) {
        const W item = ITEM_OF(like, i), zone = s->where[item];
        int32_t *const row = to + i * width;
        const bool seen = batch_sees(b, s, seat, item, zone);
        *row = seen ? 1 + ITEM_OF(b->tables[BATCH_ZONES], seat * INSTANCES + zone) : 0;
        for (W k = 0; k + 1 < width; k++) {
            const int32_t *const column = columns + COLUMN * k;
            bool shown = seen;
            if (seen && !(ITEM_OF(column, 5) & SEEN_BY_ALL)) {
                const W owner = item_seat[item] >= 0 ? item_seat[item] : zone_owner[zone];
                shown = owner >= 0 && ITEM_OF(column, 5) & (owner == seat ? SEEN_BY_OWNER : SEEN_BY_OTHERS);
            }
            const W cell = ITEM_OF(column, 0) + item * ITEM_OF(column, 1), low = ITEM_OF(column, 3);
            ITEM_OF(row, 1 + k) = shown ? batch_cell(b, seat, s->v[cell], ITEM_OF(column, 2), low, ITEM_OF(column, 4))
                                        : batch_clipped(low - 1);
        }
        for (W j = i; j; j--) { /* it moves up to its place */
            int32_t *const above = to + (j - 1) * width, *const here = above + width;
            W k = 0;
            while (k < width && ITEM_OF(above, k) == ITEM_OF(here, k)) k++;
            if (k == width || ITEM_OF(above, k) < ITEM_OF(here, k)) break;
            for (k = 0; k < width; k++) {
                const int32_t other = ITEM_OF(above, k);
                ITEM_OF(above, k) = ITEM_OF(here, k);
                ITEM_OF(here, k) = other;
            }
        }
    }
}

/* Write what a seat sees of a position. */
static void batch_see(const Batch *b, const State *s, W seat, uint8_t *counts, int32_t *numbers) {
    memset(counts, 0, (size_t)b->counts);
    memset(numbers, 0, (size_t)b->numbers * sizeof(int32_t));
    const int32_t *const sorts = b->tables[BATCH_SORTS] + seat * ITEMS;
    const int32_t *const starts = b->tables[BATCH_STARTS];
    for (W n = ITEM_OF(starts, seat); n < ITEM_OF(starts, seat + 1); n++) {
        const int32_t *const op = b->tables[BATCH_INSTRUCTIONS] + INSTRUCTION * n;
        const W wide = ITEM_OF(op, 1), at = ITEM_OF(op, 2), zone = ITEM_OF(op, 3), first = ITEM_OF(op, 4), kinds = ITEM_OF(op, 5);
        if (*op == BATCH_CELL) {
            batch_put(counts, numbers, wide, at, batch_cell(b, seat, s->v[zone], first, kinds, ITEM_OF(op, 6)));
            continue;
        }
        if (*op == BATCH_ROWS) {
            batch_rows(b, s, seat, op, numbers + at);
            continue;
        }
        const bool counted = zone_form[zone] == COUNTS;
        const W size = counted ? (W)(up_to(s->counts[zone]) >> 56) : s->length[zone];
        switch (*op) {
        case BATCH_TOPMOST: {
            batch_put(counts, numbers, wide, at, size);
            const W item = batch_top(s, zone);
            if (size) batch_put(counts, numbers, wide, at + 1, 1 + (item < 0 ? kinds : ITEM_OF(sorts, item) - first));
            break;
        }
        case BATCH_SIZE: batch_put(counts, numbers, wide, at, size); break;
        case BATCH_PILE:
            for (W i = 0; i < size; i++) {
                const W item = s->slots[zone_start[zone] + size - 1 - i];
                batch_put(counts, numbers, wide, at + i, 1 + (item < 0 ? kinds : ITEM_OF(sorts, item) - first));
            }
            break;
        default: {
            const W stride = ITEM_OF(op, 6);
            if (counted) {
                for (W k = 0; k < 8; k++) {
                    const W of = (W)(s->counts[zone] >> (8 * k) & 255);
                    if (!of) continue;
                    const W place = at + stride * (ITEM_OF(sorts, FIRST_ITEM(zone) + k) - first);
                    if (wide) ITEM_OF(numbers, place) += (int32_t)of;
                    else ITEM_OF(counts, place) += (uint8_t)of;
                }
                break;
            }
            for (W i = 0; i < size; i++) {
                const W item = s->slots[zone_start[zone] + i];
                const W place = at + stride * (item < 0 ? kinds : ITEM_OF(sorts, item) - first);
                if (wide) ITEM_OF(numbers, place)++;
                else ITEM_OF(counts, place)++;
            }
        }
        }
    }
}

/* Write what is asked of whom, and how the game stands. */
static void batch_game(const Batch *b, const State *s, W seat, uint8_t *counts, int32_t *numbers) {
    enum { SEAT_AT, TURN_AT, OVER_AT, OUT_AT, ASKED_AT, QUESTION_AT };
    const int32_t *const game = b->tables[BATCH_GAME], *const parties = b->tables[BATCH_PARTIES] + seat * PARTIES;
    const W *const told = told_of(s);
#define PUT_GAME(which, place, value) batch_put(counts, numbers, ITEM_OF(game, 2 * (which)), ITEM_OF(game, 2 * (which) + 1) + (place), value)
    PUT_GAME(SEAT_AT, 0, seat);
    PUT_GAME(TURN_AT, 0, s->turns);
    for (W party = 0; party < PARTIES; party++) {
        PUT_GAME(OUT_AT, ITEM_OF(parties, party), s->out >> party & 1);
        PUT_GAME(ASKED_AT, ITEM_OF(parties, party), told[TOLD_SEATS] >> party & 1);
    }
    const W decision = told[TOLD_NODE] >> 1, *const frames = told + told[TOLD_FRAMES], *const parts = frames + 2;
    const W *const row = parts + ITEM_OF(frames, 1);
    PUT_GAME(QUESTION_AT, decision, 1);
#undef PUT_GAME
    if (!(told[TOLD_SEATS] >> seat & 1) || row[FRAME_PROCEDURE] != ITEM_OF(b->tables[BATCH_DECISIONS], 3 * decision + 1)) return;
    for (W n = ITEM_OF(b->tables[BATCH_ARGUMENT_STARTS], decision); n < ITEM_OF(b->tables[BATCH_ARGUMENT_STARTS], decision + 1); n++) {
        const int32_t *const argument = b->tables[BATCH_ARGUMENTS] + ARGUMENT * (seat * ITEM_OF(b->tables[BATCH_GAME], 12) + n);
        const W value = row[FRAME_LOCALS + ITEM_OF(argument, 0)], wide = ITEM_OF(argument, 1), at = ITEM_OF(argument, 2);
        const W cells = ITEM_OF(argument, 3), of = ITEM_OF(argument, 4), low = -NUMBER_LIMIT;
        if (of == OF_PIECE && value >= 0) {
            const W item = value & ITEM_MASK;
            if (!batch_sees(b, s, seat, item, item_identity[item] ? s->where[item] : value >> ZONE_SHIFT)) continue;
        }
        if (!cells) {
            batch_put(counts, numbers, wide, at, batch_cell(b, seat, value, of, low, ITEM_OF(argument, 5)));
            continue;
        }
        for (W k = 0; k < cells && !nowhere(value); k++)
            batch_put(counts, numbers, wide, at + k, batch_clipped(ITEM_OF(parts, value - 1 + k)));
    }
}

/* ---- rows ---- */

static const int32_t *batch_sequence(const Batch *b, const BatchRow *row, W option) {
    return (row->own == NULL ? b->shared : row->own) + ITEM_OF(row->spelled, option);
}

/* Make the picks that all options that are left have in common, if there are several; then write masks and picks. */
static void batch_follow(Batch *b, W i) {
    BatchRow *const row = b->rows + i;
    uint8_t *const mask = b->to_mask + i * b->picks, *const made = b->to_made == NULL ? NULL : b->to_made + i * b->picks;
    const int32_t *const first = batch_sequence(b, row, *row->remaining);
    for (bool same = row->left > 1; same; row->at += same) {
        const int32_t pick = ITEM_OF(first, 1 + row->at);
        for (W k = 1; same && k < row->left; k++)
            same = ITEM_OF(batch_sequence(b, row, ITEM_OF(row->remaining, k)), 1 + row->at) == pick;
    }
    memset(mask, 0, (size_t)b->picks);
    for (W k = 0; k < row->left; k++)
        ITEM_OF(mask, ITEM_OF(batch_sequence(b, row, ITEM_OF(row->remaining, k)), 1 + row->at)) = 1;
    if (made == NULL) return;
    memset(made, 0, (size_t)b->picks);
    for (W k = 0; k < row->at; k++)
        if (ITEM_OF(made, ITEM_OF(first, 1 + k)) < 255) ITEM_OF(made, ITEM_OF(first, 1 + k))++;
}

static bool batch_space(BatchRow *row, W options) {
    W room = row->space;
    int32_t *const spelled = batch_grown(row->spelled, &room, options, sizeof(int32_t));
    if (spelled == NULL) return false;
    row->spelled = spelled;
    room = row->space;
    int32_t *const remaining = batch_grown(row->remaining, &room, options, sizeof(int32_t));
    if (remaining == NULL) return false;
    row->remaining = remaining;
    row->space = room;
    return true;
}

/* Let a row wait for its first pick. */
static void batch_ready(Batch *b, W i) {
    BatchRow *const row = b->rows + i;
    for (W k = 0; k < row->options; k++) ITEM_OF(row->remaining, k) = (int32_t)k;
    row->left = row->options;
    row->at = 0;
    row->status = BATCH_READY;
    batch_follow(b, i);
}

/* Find out what a row's position offers and shows. */
static void batch_entered(Batch *b, W i) {
    BatchRow *const row = b->rows + i;
    const W *const told = told_of(row->block);
    const W decision = told[TOLD_NODE] >> 1;
    ITEM_OF(b->to_seat, i) = (int32_t)(row->seat = __builtin_ctzll((U)told[TOLD_SEATS]));
    for (W seat = 0; seat < b->players; seat++) {
        if (!b->all && seat != row->seat) continue;
        const W place = b->all ? i * b->players + seat : i;
        batch_see(b, row->block, seat, b->to_counts + place * b->counts, b->to_numbers + place * b->numbers);
        batch_game(b, row->block, seat, b->to_counts + place * b->counts, b->to_numbers + place * b->numbers);
    }
    free(row->own);
    row->own = NULL;
    row->options = told[TOLD_OPTIONS];
    row->status = BATCH_UNSPELLED;
    if (b->by_index && row->options <= b->picks && batch_space(row, row->options)) {
        for (W k = 0; k < row->options; k++) ITEM_OF(row->spelled, k) = (int32_t)(2 * k);
        return batch_ready(b, i);
    }
    if (told[TOLD_LISTED] < 0 || ITEM_OF(b->tables[BATCH_DECISIONS], 3 * decision + 2) || !batch_space(row, row->options)) return;
    const W *option = told + TOLD;
    W key[BATCH_KEY + 2];
    for (W k = 0; k < row->options; k++) {
        option = batch_key(b, told, row->seat, option, key);
        if (option == NULL) return;
        const W slot = batch_slot(b, key);
        if (!ITEM_OF(b->keys, slot)) return;
        ITEM_OF(row->spelled, k) = ITEM_OF(b->places, slot);
    }
    batch_ready(b, i);
}

/* Let the single step that was made be a row's position; at the end begin again. */
static void batch_stepped(Batch *b, W i) {
    BatchRow *const row = b->rows + i;
    G *const g = &b->machine->game;
    for (W again = 0;; again++) {
        if (g->status == FAILED || again > 64) {
            row->status = BATCH_GIVEN_UP;
            return;
        }
        const size_t size = sizeof(State) + (size_t)words_told(&g->step) * sizeof(W);
        if (size > row->room) {
            State *const block = realloc(row->block, 2 * size);
            if (block == NULL) {
                row->status = BATCH_GIVEN_UP;
                return;
            }
            row->block = block;
            row->room = 2 * size;
        }
        tell(g, 0, 0, row->block);
        if (g->status != OVER) break;
        W nothing[2] = {0, 0};
        play(b->machine, nothing, b->to_outcome + i * ROW);
        ITEM_OF(b->to_end, i) = row->block->capped ? 2 : 1;
        const U number = (U)i + (U)++ITEM_OF(b->to_episode, i) * (U)b->games;
        g->s.rng = b->seed + number * GOLDEN;
        const U rng = draw(g);
        row->chosen = -1;
        stepped(b->machine, b->unbegun, -1, -1, &rng);
    }
    batch_entered(b, i);
}

/* Begin all games; those numbers of a run's games are theirs that their episodes say. */
EXPORTED void rulelang_batch_reset(Batch *b, U seed) {
    G *const g = &b->machine->game;
    b->seed = seed;
    for (W i = 0; i < b->games; i++) {
        g->s.rng = seed + (U)i * GOLDEN;
        const U rng = draw(g);
        ITEM_OF(b->to_episode, i) = ITEM_OF(b->to_end, i) = 0;
        b->rows[i].chosen = -1;
        stepped(b->machine, b->unbegun, -1, -1, &rng);
        batch_stepped(b, i);
        ITEM_OF(b->to_end, i) = 0;
        ITEM_OF(b->to_status, i) = (uint8_t)b->rows[i].status;
    }
}

/* Make a pick in each row: -1: none. The first row in which that is not possible, before any was made; else -1. */
EXPORTED W rulelang_batch_step(Batch *b, const W *picks) {
    for (W i = 0; i < b->games; i++) {
        const W pick = ITEM_OF(picks, i);
        if (pick != -1 && ((U)pick >= (U)b->picks || !ITEM_OF(b->to_mask, i * b->picks + pick))) return i;
    }
    for (W i = 0; i < b->games; i++) {
        BatchRow *const row = b->rows + i;
        const W pick = ITEM_OF(picks, i);
        ITEM_OF(b->to_end, i) = 0;
        if (pick == -1) continue;
        W left = 0;
        for (W k = 0; k < row->left; k++) {
            const int32_t option = ITEM_OF(row->remaining, k);
            if (ITEM_OF(batch_sequence(b, row, option), 1 + row->at) == pick) ITEM_OF(row->remaining, left++) = option;
        }
        row->left = left;
        row->at++;
        if (left > 1) {
            batch_follow(b, i);
            continue;
        }
        row->chosen = *row->remaining;
        stepped(b->machine, row->block, row->chosen, row->seat, NULL);
        batch_stepped(b, i);
        ITEM_OF(b->to_status, i) = (uint8_t)row->status;
    }
    return -1;
}

/* The sequences of a row's options: for each its length and picks, behind each other. Whether there was memory for them. */
EXPORTED W rulelang_batch_spell(Batch *b, W i, W options, const int32_t *sequences, W words) {
    BatchRow *const row = b->rows + i;
    const W *const told = told_of(row->block);
    if (!batch_space(row, options)) return 0;
    row->own = malloc((size_t)(words + 1) * sizeof(int32_t));
    if (row->own == NULL) return 0;
    memcpy(row->own, sequences, (size_t)words * sizeof(int32_t));
    const bool lasting = told[TOLD_LISTED] >= 0 && !ITEM_OF(b->tables[BATCH_DECISIONS], 3 * (told[TOLD_NODE] >> 1) + 2);
    const W *option = told + TOLD;
    W key[BATCH_KEY + 2], at = 0;
    for (W k = 0; k < options; k++) {
        ITEM_OF(row->spelled, k) = (int32_t)at;
        if (lasting && option != NULL) option = batch_key(b, told, row->seat, option, key);
        if (lasting && option != NULL && !batch_known(b, key, row->own + at)) return 0;
        at += 1 + ITEM_OF(row->own, at);
    }
    row->options = options;
    batch_ready(b, i);
    ITEM_OF(b->to_status, i) = (uint8_t)row->status;
    return 1;
}

/* Where a row's block stands; what was chosen there, and by whom, where it was given up. */
EXPORTED const State *rulelang_batch_block(const Batch *b, W i, W *about) {
    const BatchRow *const row = b->rows + i;
    ITEM_OF(about, 0) = row->block == NULL ? 0 : (W)sizeof(State) + told_of(row->block)[TOLD_WORDS] * (W)sizeof(W);
    ITEM_OF(about, 1) = row->chosen;
    ITEM_OF(about, 2) = row->seat;
    return row->block;
}

/* Let a row go on from a block that Python has made, of a game that may be over. */
EXPORTED void rulelang_batch_enter(Batch *b, W i, const State *block) {
    G *const g = &b->machine->game;
    if (block->over) {
        Step *const s = &g->step;
        memcpy(&g->s, block, sizeof(State));
        begin(b->machine);
        s->frames = s->rows_used = s->parts.used = s->options = s->listed = s->option_parts.used = 0;
        g->status = OVER;
    } else {
        stepped(b->machine, block, LIST_AGAIN, -1, NULL);
    }
    batch_stepped(b, i);
    ITEM_OF(b->to_status, i) = (uint8_t)b->rows[i].status;
}
