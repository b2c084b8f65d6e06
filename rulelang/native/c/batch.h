/* Batches of games: what Python calls to let all of them go on by a pick each. Each game is a block of single steps
   (steps.h), begun again when it is over. An option is spelled as picks by those of its parts, which Python tells once each
   (rulelang/runtime/picks.py), like the payoffs of an end. What is seen is written as
   sight.h has it. */

/* Tables that Python makes (rulelang/native/batch.py, and of what is seen observing.py), in this order; those by seat lie behind
   each other. */
enum { BATCH_STARTS, BATCH_RUNS, BATCH_PARTIES, BATCH_SORTS, BATCH_ZONES, BATCH_ROWS_OF, BATCH_KINDS, BATCH_DEFINITIONS,
       BATCH_ITEMS, BATCH_COLUMNS, BATCH_VALUES, BATCH_GAME, BATCH_ARGUMENT_STARTS, BATCH_ARGUMENTS, BATCH_DECISIONS, BATCH_PARTS,
       BATCH_NAMED, BATCH_BOTS, BATCH_TABLES };
enum { ARGUMENT = 7 };

/* How a row stands: it waits for a pick or an outcome; Python has to tell the picks of parts of its options, or of the
   options; it was given up; a bot of Python's is to choose; Python has to count the outcomes of chance. Added to it: Python
   has to tell the payoffs of the game that has ended. */
enum { BATCH_READY, BATCH_UNKNOWN, BATCH_UNSPELLED, BATCH_GIVEN_UP, BATCH_BOT, BATCH_UNCOUNTED, BATCH_UNPAID = 8 };

enum { PLAYS_AT_RANDOM = 1, PLAYS_BY_PYTHON }; /* of BATCH_BOTS, by seat */

enum { PASSING, DONE_PICK, FIRST_ROW };   /* of BATCH_NAMED */
enum { PART_VALUE, PART_MEMBERS, PART_UNITS, PART_WHOLE, PART_GROUPS }; /* how the picks of a part follow from what is known */
enum { PAYOFFS = 1 };                     /* by this ends are known; parts by the numbers behind it */
enum { BATCH_KEY = 1 << 10, BATCH_MEMBERS = 1 << 8, BATCH_LONGEST = 1 << 6, BATCH_KNOWN = 1 << 20 };

typedef struct {
    State *block;
    size_t room;
    W options, space, left, at;   /* how many options, room for how many, how many are left, how many picks are made */
    int32_t *spelled, *remaining; /* by option: where its sequence stands (length, picks); each option that is left, its next pick */
    int32_t *sequences;
    W used, sequence_room, seat, chosen, status;
} BatchRow;

/* What Python has told of the words of a part: `of`: which kind of part and whose, 0: the place is free; the word, or a hash
   of the words that stand at `text` after how many there are (-1: it is one word); where its sequence stands;
   the pick if it is a single one. */
typedef struct { W of, value; int32_t text, place, single; } BatchKnown;

typedef struct {
    Machine *machine;
    const State *unbegun;
    const int32_t *tables[BATCH_TABLES];
    Seer seers[PARTIES];          /* by seat */
    BatchRow *rows;
    W games, players, picks, counts, numbers;
    W decided;                    /* how many options were chosen by picks */
    bool all, by_index;           /* what every seat sees is written; a pick is the number of an option */
    U seed;
    BatchKnown *known; W slots, entries;
    W *text, text_used, text_room;
    int32_t *shared; W shared_used, shared_room;
    W outcome[ROW];               /* what payoffs hang on */
    /* of one position: the individuals that are offered, by item how many of its likes stand before it in the order of rows
       (-1: it is not among them), and the number of its row */
    W offered; int32_t offers[ITEMS + 1], before[ITEMS + 1], rank[ITEMS + 1], *row;
    /* numpy's arrays */
    uint8_t *to_counts, *to_mask, *to_made, *to_end, *to_status;
    int32_t *to_numbers, *to_seat, *to_outcomes;
    W *to_episode;
    float *to_reward;
    U *bots;                                       /* of each row and seat the generator of a bot that plays at random */
    W *outcomes;                                   /* of each row the outcome of the game that has ended */
} Batch;

EXPORTED void rulelang_batch_free(Batch *b) {
    for (W i = 0; b->rows != NULL && i < b->games; i++) {
        BatchRow *const row = b->rows + i;
        free(row->block), free(row->spelled), free(row->remaining), free(row->sequences);
    }
    free(b->rows), free(b->known), free(b->text), free(b->shared), free(b->row), free(b->bots), free(b->outcomes), free(b);
}

EXPORTED Batch *rulelang_batch_new(Machine *machine, const State *unbegun, const int32_t *const *tables, const W *sizes, void *const *arrays) {
    Batch *const b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->machine = machine;
    b->unbegun = unbegun;
    memcpy(b->tables, tables, sizeof b->tables);
    for (W seat = 0; seat < ITEM_OF(sizes, 1); seat++) {
        const int32_t *const *const of = b->tables, *const starts = b->tables[BATCH_STARTS] + seat, *const runs = of[BATCH_RUNS];
        b->seers[seat] = (Seer){seat, runs + ITEM_OF(starts, 0), runs + ITEM_OF(starts, 1), of[BATCH_PARTIES] + seat * PARTIES,
                                of[BATCH_SORTS] + seat * ITEMS, of[BATCH_ZONES] + seat * INSTANCES, of[BATCH_ROWS_OF] + seat * ITEMS,
                                of[BATCH_KINDS], of[BATCH_DEFINITIONS], of[BATCH_ITEMS], of[BATCH_COLUMNS], of[BATCH_VALUES]};
    }
    b->games = ITEM_OF(sizes, 0), b->players = ITEM_OF(sizes, 1), b->picks = ITEM_OF(sizes, 2);
    b->counts = ITEM_OF(sizes, 3), b->numbers = ITEM_OF(sizes, 4), b->all = ITEM_OF(sizes, 5), b->by_index = ITEM_OF(sizes, 6);
    b->to_counts = ITEM_OF(arrays, 0), b->to_numbers = ITEM_OF(arrays, 1), b->to_mask = ITEM_OF(arrays, 2);
    b->to_made = ITEM_OF(arrays, 3), b->to_seat = ITEM_OF(arrays, 4), b->to_end = ITEM_OF(arrays, 5);
    b->to_episode = ITEM_OF(arrays, 6), b->to_reward = ITEM_OF(arrays, 7), b->to_outcomes = ITEM_OF(arrays, 8);
    b->to_status = ITEM_OF(arrays, 9);
    b->slots = 1 << 12;
    b->rows = calloc((size_t)b->games, sizeof(BatchRow));
    b->known = calloc((size_t)b->slots, sizeof(BatchKnown));
    b->outcomes = calloc((size_t)(b->games * ROW), sizeof(W));
    b->row = calloc((size_t)b->numbers + 1, sizeof(int32_t));
    b->bots = calloc((size_t)(b->games * b->players), sizeof(U));
    if (b->rows == NULL || b->known == NULL || b->outcomes == NULL || b->row == NULL || b->bots == NULL) return rulelang_batch_free(b), NULL;
    memset(b->before, -1, sizeof b->before);
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

/* ---- what Python has told: known by words ---- */

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

static inline U batch_hash(W of, const W *words, W n) {
    U hash = (U)of;
    for (W i = 0; i < n; i++) {
        hash = (hash ^ (U)ITEM_OF(words, i)) * GOLDEN;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The place of what is known of one word, or a free one. */
static inline BatchKnown *batch_place_of_word(const Batch *b, W of, W word) {
    const W key = of << 48 ^ word;
    for (U slot = batch_hash(0, &key, 1);; slot++) {
        BatchKnown *const known = b->known + (slot & (U)(b->slots - 1));
        if (!known->of || (known->of == of && known->value == word && known->text < 0)) return known;
    }
}

/* The place of what is known of these words, or a free one. */
static BatchKnown *batch_place(const Batch *b, W of, const W *words, W n) {
    if (n == 1) return batch_place_of_word(b, of, *words);
    const U hash = batch_hash(of, words, n);
    for (U slot = hash;; slot++) {
        BatchKnown *const known = b->known + (slot & (U)(b->slots - 1));
        if (!known->of) return known;
        if (known->of != of || known->value != (W)hash || known->text < 0) continue;
        if (ITEM_OF(b->text, known->text) == n && !memcmp(b->text + known->text + 1, words, (size_t)n * sizeof(W))) return known;
    }
}

static void batch_forget(Batch *b) {
    memset(b->known, 0, (size_t)b->slots * sizeof(BatchKnown));
    b->entries = b->text_used = b->shared_used = 0;
}

/* Twice as many places. Whether there was memory for them. */
static bool batch_rehashed(Batch *b) {
    BatchKnown *const before = b->known;
    BatchKnown *const after = calloc((size_t)(2 * b->slots), sizeof(BatchKnown));
    if (after == NULL) return false;
    const W slots = b->slots;
    b->known = after;
    b->slots = 2 * slots;
    for (W i = 0; i < slots; i++) {
        const BatchKnown *const known = before + i;
        if (!known->of) continue;
        const bool one = known->text < 0;
        *batch_place(b, known->of, one ? &known->value : b->text + known->text + 1, one ? 1 : ITEM_OF(b->text, known->text)) = *known;
    }
    free(before);
    return true;
}

/* Let words stand for a sequence of so many numbers. Whether there was memory for it. */
static bool batch_told(Batch *b, W of, const W *words, W n, const int32_t *sequence, W numbers) {
    if (batch_place(b, of, words, n)->of) return true;
    if (b->entries >= BATCH_KNOWN) batch_forget(b); /* rows have their own copies */
    if (2 * (b->entries + 1) > b->slots && !batch_rehashed(b)) return false;
    W *const text = batch_grown(b->text, &b->text_room, b->text_used + n + 1, sizeof(W));
    if (text == NULL) return false;
    b->text = text;
    int32_t *const shared = batch_grown(b->shared, &b->shared_room, b->shared_used + numbers + 1, sizeof(int32_t));
    if (shared == NULL) return false;
    b->shared = shared;
    BatchKnown *const known = batch_place(b, of, words, n);
    known->of = of;
    known->place = (int32_t)b->shared_used;
    known->single = numbers == 1 ? *sequence : -1;
    if (n == 1) {
        known->value = *words;
        known->text = -1;
    } else {
        known->value = (W)batch_hash(of, words, n);
        known->text = (int32_t)b->text_used;
        ITEM_OF(text, b->text_used) = n;
        memcpy(text + b->text_used + 1, words, (size_t)n * sizeof(W));
        b->text_used += n + 1;
    }
    ITEM_OF(shared, b->shared_used) = (int32_t)numbers;
    memcpy(shared + b->shared_used + 1, sequence, (size_t)numbers * sizeof(int32_t));
    b->shared_used += numbers + 1;
    b->entries++;
    return true;
}

/* What Python has told of these words: how many numbers, then they; NULL: nothing. */
static const int32_t *batch_known(const Batch *b, W of, const W *words, W n) {
    const BatchKnown *const known = batch_place(b, of, words, n);
    return known->of ? b->shared + known->place : NULL;
}

/* ---- what a seat sees ---- */

/* Write what is asked of whom, and how the game stands. */
static void batch_game(const Batch *b, const State *s, W seat, uint8_t *counts, int32_t *numbers) {
    enum { SEAT_AT, TURN_AT, OVER_AT, OUT_AT, ASKED_AT, QUESTION_AT };
    const int32_t *const game = b->tables[BATCH_GAME], *const parties = b->seers[seat].parties;
    const W *const told = told_of(s);
    const bool asks = told[TOLD_NODE] & 1; /* else it waits for chance */
    const U asked = asks ? (U)told[TOLD_SEATS] : 0;
#define PUT_GAME(which, place, value) put_number(counts, numbers, ITEM_OF(game, 2 * (which)), ITEM_OF(game, 2 * (which) + 1) + (place), value)
    PUT_GAME(SEAT_AT, 0, seat);
    PUT_GAME(TURN_AT, 0, s->turns);
    for (W party = 0; party < PARTIES; party++) {
        PUT_GAME(OUT_AT, ITEM_OF(parties, party), s->out >> party & 1);
        PUT_GAME(ASKED_AT, ITEM_OF(parties, party), (W)(asked >> party & 1));
    }
    const W decision = told[TOLD_NODE] >> 1, *const frames = told + told[TOLD_FRAMES], *const parts = frames + 2;
    const W *const row = parts + ITEM_OF(frames, 1);
    if (asks) PUT_GAME(QUESTION_AT, decision, 1);
#undef PUT_GAME
    if (!(asked >> seat & 1) || row[FRAME_PROCEDURE] != ITEM_OF(b->tables[BATCH_DECISIONS], 3 * decision + 1)) return;
    for (W n = ITEM_OF(b->tables[BATCH_ARGUMENT_STARTS], decision); n < ITEM_OF(b->tables[BATCH_ARGUMENT_STARTS], decision + 1); n++) {
        const int32_t *const argument = b->tables[BATCH_ARGUMENTS] + ARGUMENT * (seat * ITEM_OF(b->tables[BATCH_GAME], 12) + n);
        const W value = row[FRAME_LOCALS + ITEM_OF(argument, 0)], wide = ITEM_OF(argument, 1), at = ITEM_OF(argument, 2);
        const W cells = ITEM_OF(argument, 3), of = ITEM_OF(argument, 4), low = -NUMBER_LIMIT;
        if (of == OF_PIECE && value >= 0) {
            const W item = value & ITEM_MASK;
            if (!zone_seen(b->seers + seat, s, item, item_identity[item] ? s->where[item] : value >> ZONE_SHIFT)) continue;
        }
        if (!cells) {
            put_number(counts, numbers, wide, at, cell_told(b->seers + seat, value, of, low, ITEM_OF(argument, 5)));
            continue;
        }
        for (W k = 0; k < cells && !nowhere(value); k++)
            put_number(counts, numbers, wide, at + k, clipped(ITEM_OF(parts, value - 1 + k)));
    }
}

/* ---- rows ---- */

static const int32_t *batch_sequence(const BatchRow *row, W option) { return row->sequences + ITEM_OF(row->spelled, option); }

/* Make the picks that all options that are left have in common, if there are several; then write masks and picks. */
static void batch_follow(Batch *b, W i) {
    BatchRow *const row = b->rows + i;
    uint8_t *const mask = b->to_mask + i * b->picks, *const made = b->to_made == NULL ? NULL : b->to_made + i * b->picks;
    const int32_t *const first = batch_sequence(row, *row->remaining);
    for (bool same = row->left > 1; same; row->at += same) {
        const int32_t pick = ITEM_OF(first, 1 + row->at);
        for (W k = 1; same && k < row->left; k++)
            same = ITEM_OF(batch_sequence(row, ITEM_OF(row->remaining, 2 * k)), 1 + row->at) == pick;
    }
    memset(mask, 0, (size_t)b->picks);
    for (W k = 0; k < row->left; k++) {
        const int32_t pick = ITEM_OF(batch_sequence(row, ITEM_OF(row->remaining, 2 * k)), 1 + row->at);
        ITEM_OF(row->remaining, 2 * k + 1) = pick;
        ITEM_OF(mask, pick) = 1;
    }
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
    int32_t *const remaining = batch_grown(row->remaining, &room, options, 2 * sizeof(int32_t));
    if (remaining == NULL) return false;
    row->remaining = remaining;
    row->space = room;
    return true;
}

/* Let a row wait for its first pick. */
static void batch_ready(Batch *b, W i) {
    BatchRow *const row = b->rows + i;
    for (W k = 0; k < row->options; k++) ITEM_OF(row->remaining, 2 * k) = (int32_t)k;
    row->left = row->options;
    row->at = 0;
    row->status = BATCH_READY;
    batch_follow(b, i);
}

/* Where so many numbers more stand in a row's sequences; NULL without memory. */
static inline int32_t *batch_more(BatchRow *row, W n) {
    const W from = row->used;
    if (UNLIKELY(from + n > row->sequence_room)) {
        int32_t *const to = batch_grown(row->sequences, &row->sequence_room, from + n, sizeof(int32_t));
        if (to == NULL) return NULL;
        row->sequences = to;
    }
    row->used += n;
    return row->sequences + from;
}

/* Append a number to a row's sequences. Whether there was memory for it. */
static inline bool batch_put_pick(BatchRow *row, int32_t pick) {
    int32_t *const to = batch_more(row, 1);
    if (to != NULL) *to = pick;
    return to != NULL;
}

/* The pick of an individual's row: its place in the order of what is seen of its likes; of those that look the same the
   offered ones count in their order. */
static int32_t batch_rank(Batch *b, W i, W item) {
    const BatchRow *const row = b->rows + i;
    if (b->before[item] < 0) {
        const Seer *const seer = b->seers + row->seat;
        const int32_t number = ITEM_OF(seer->rows_of, item), *const definition = seer->definitions + DEFINITION * number;
        const int32_t *const sorted = b->to_numbers + (b->all ? i * b->players + row->seat : i) * b->numbers + ITEM_OF(definition, DEFINED_AT);
        const int32_t *const kind = seer->kinds + KIND * ITEM_OF(definition, DEFINED_KIND), single = (int32_t)item;
        const W width = ITEM_OF(kind, KIND_WIDTH);
        W before = 0;
        write_rows(seer, row->block, kind, &single, 1, b->row);
        while (before < ITEM_OF(definition, DEFINED_ROWS) && row_before(sorted + before * width, b->row, width, false)) before++;
        W rank = before;
        for (W k = 0; k < b->offered; k++) {
            const W other = b->offers[k];
            rank += ITEM_OF(seer->rows_of, other) == number && b->before[other] == before;
        }
        b->before[item] = (int32_t)before;
        b->rank[item] = (int32_t)rank;
        b->offers[b->offered++] = (int32_t)item;
    }
    return ITEM_OF(b->tables[BATCH_NAMED], FIRST_ROW + b->rank[item]);
}

/* Append picks that are known: how a row stands then. */
static inline W batch_put_known(Batch *b, W i, const BatchKnown *known) {
    if (UNLIKELY(!known->of)) return BATCH_UNKNOWN;
    const int32_t *const picks = b->shared + known->place;
    const W n = *picks;
    int32_t *const to = batch_more(b->rows + i, n);
    if (UNLIKELY(to == NULL)) return BATCH_UNSPELLED;
    for (W k = 0; k < n; k++) {
        const int32_t pick = ITEM_OF(picks, 1 + k);
        ITEM_OF(to, k) = pick >= 0 ? pick : batch_rank(b, i, -1 - pick);
    }
    return BATCH_READY;
}

/* Let the last sequence of a collection's members stand at its place among them: they are sorted as texts are. Where each
   of them ends stands in `ends`, the last one at `n`. */
static bool batch_member_placed(BatchRow *row, W from, W *ends, W n) {
    int32_t *const at = row->sequences, last[BATCH_LONGEST];
    const W start = n ? ends[n - 1] : from, length = ends[n] - start;
    if (length > BATCH_LONGEST) return false;
    W place = n, begin = start;
    for (; place; place--) {
        const W other = place > 1 ? ends[place - 2] : from, size = begin - other, both = size < length ? size : length;
        W k = 0;
        while (k < both && ITEM_OF(at, other + k) == ITEM_OF(at, start + k)) k++;
        if (k < both ? ITEM_OF(at, other + k) < ITEM_OF(at, start + k) : size <= length) break;
        begin = other;
    }
    memcpy(last, at + start, (size_t)length * sizeof(int32_t));
    memmove(at + begin + length, at + begin, (size_t)(start - begin) * sizeof(int32_t));
    memcpy(at + begin, last, (size_t)length * sizeof(int32_t));
    for (W k = n; k > place; k--) ends[k] = ends[k - 1] + length;
    ends[place] = begin + length;
    return true;
}

/* The words of a part that is known by all of them: how many; -1: too many. */
static W batch_whole(const int32_t *part, const W *values, const W *parts, W *key) {
    W *to = key;
    for (W k = 0; k < ITEM_OF(part, 3); k++) to = batch_flat(to, key + BATCH_KEY, ITEM_OF(part, 4 + k), ITEM_OF(values, k), parts);
    return to == NULL ? -1 : to - key;
}

/* The members of a collection, after how many there are. */
static const W *batch_members(W value, const W *parts) {
    static const W none = 0;
    return nowhere(value) ? &none : parts + value - 1;
}

/* By what the parts of a kind are known that a seat names. */
static W batch_of(const Batch *b, const int32_t *part, W seat) { return ITEM_OF(part, 1) * b->players + seat; }

/* The plan of an item of a decision. */
static const int32_t *batch_plan(const Batch *b, W decision, W item) {
    const int32_t *const plans = b->tables[BATCH_PARTS];
    return plans + ITEM_OF(plans, ITEM_OF(b->tables[BATCH_DECISIONS], 3 * decision) + item);
}

/* Append the picks of a bag, or of each purse of a payment: unit by unit, then that it is done. Whether there was memory. */
static bool batch_put_units(const Batch *b, BatchRow *row, const int32_t *part, const W *value) {
    const W width = ITEM_OF(part, 2) - 2, words = forms[ITEM_OF(part, 4)].sort == PAYMENT ? *value++ : width;
    W picks = words <= width ? 1 : (words + width - 1) / width;
    for (W k = 0; k < words; k++) picks += ITEM_OF(value, k);
    int32_t *to = batch_more(row, picks);
    if (to == NULL) return false;
    for (W at = 0; !at || at < words; at += width) {
        for (W k = 0; k < width && at < words; k++)
            for (W unit = 0; unit < ITEM_OF(value, at + k); unit++) *to++ = ITEM_OF(part, 5 + k);
        *to++ = ITEM_OF(b->tables[BATCH_NAMED], DONE_PICK);
    }
    return true;
}

/* Append the picks of each member of groups and of its group, a new one numbered one higher than those before; members are
   sorted. How the row stands then. */
static W batch_put_groups(Batch *b, W i, const int32_t *part, const W *groups, const W *parts) {
    BatchRow *const row = b->rows + i;
    const W from = row->used, of = batch_of(b, part, row->seat);
    W ends[BATCH_MEMBERS], number[BATCH_MEMBERS], n = 0, numbers = 0;
    if (*groups > BATCH_MEMBERS) return BATCH_UNSPELLED;
    for (int32_t group = 0; group < *groups; group++) {
        const W *const members = batch_members(ITEM_OF(groups, 1 + group), parts);
        number[group] = -1;
        for (W m = 0; m < *members; m++, n++) {
            const W status = n < BATCH_MEMBERS ? batch_put_known(b, i, batch_place_of_word(b, of, ITEM_OF(members, 1 + m))) : BATCH_UNSPELLED;
            if (status != BATCH_READY) return status;
            if (!batch_put_pick(row, group)) return BATCH_UNSPELLED;
            ends[n] = row->used;
            if (!batch_member_placed(row, from, ends, n)) return BATCH_UNSPELLED;
        }
    }
    for (W k = 0; k < n; k++) {
        int32_t *const at = row->sequences + ends[k] - 1;
        if (number[ITEM_OF(at, 0)] < 0) number[ITEM_OF(at, 0)] = numbers++;
        ITEM_OF(at, 0) = ITEM_OF(part, 5 + number[ITEM_OF(at, 0)]);
    }
    return BATCH_READY;
}

/* Append the picks of a part that is no single value; how the row stands then. */
static APART W batch_put_part(Batch *b, W i, const int32_t *part, const W *values, const W *parts) {
    BatchRow *const row = b->rows + i;
    const W of = batch_of(b, part, row->seat), from = row->used;
    W key[BATCH_KEY], ends[BATCH_MEMBERS];
    if (*part == PART_UNITS) return batch_put_units(b, row, part, parts + *values - 1) ? BATCH_READY : BATCH_UNSPELLED;
    if (*part == PART_GROUPS) return batch_put_groups(b, i, part, batch_members(*values, parts), parts);
    if (*part == PART_WHOLE) {
        const W words = batch_whole(part, values, parts, key);
        return words < 0 ? BATCH_UNSPELLED : batch_put_known(b, i, batch_place(b, of, key, words));
    }
    const W *const members = batch_members(*values, parts);
    if (*members > BATCH_MEMBERS) return BATCH_UNSPELLED;
    for (W n = 0; n < *members; n++) {
        const W status = batch_put_known(b, i, batch_place_of_word(b, of, ITEM_OF(members, 1 + n)));
        if (status != BATCH_READY) return status;
        ends[n] = row->used;
        if (!batch_member_placed(row, from, ends, n)) return BATCH_UNSPELLED;
    }
    return batch_put_pick(row, ITEM_OF(b->tables[BATCH_NAMED], DONE_PICK)) ? BATCH_READY : BATCH_UNSPELLED;
}

/* Spell the options of a row, of each how many picks it has, then they; how it stands then. */
static W batch_spelled(Batch *b, W i) {
    BatchRow *const row = b->rows + i;
    const W *const told = told_of(row->block), *const parts = told + TOLD + told[TOLD_LISTED], *option = told + TOLD;
    const W decision = told[TOLD_NODE] >> 1, options = told[TOLD_OPTIONS], seat = row->seat;
    const int32_t *const about = b->tables[BATCH_DECISIONS] + 3 * decision, *const plans = b->tables[BATCH_PARTS];
    W status = BATCH_READY;
    row->used = 0;
    row->options = options;
    if (b->by_index ? options > b->picks : told[TOLD_LISTED] < 0 || !ITEM_OF(about, 2)) return BATCH_UNSPELLED;
    if (!batch_space(row, options)) return BATCH_UNSPELLED;
    for (W k = 0; k < options && status == BATCH_READY; k++) {
        const W start = row->used, item = b->by_index ? -1 : *option++;
        const int32_t *const plan = plans + (item < 0 ? 0 : ITEM_OF(plans, ITEM_OF(about, 0) + item)), *part = plan + 2;
        ITEM_OF(row->spelled, k) = (int32_t)start;
        if (item >= 0 && ITEM_OF(plan, 1) == 1 && *part == PART_VALUE && *plan < 0) { /* one pick: by far most options of small games */
            const BatchKnown *const known = batch_place_of_word(b, batch_of(b, part, seat), *option);
            if (LIKELY(known->of && known->single >= 0)) {
                int32_t *const to = batch_more(row, 2);
                if (to == NULL) return BATCH_UNSPELLED;
                ITEM_OF(to, 0) = 1, ITEM_OF(to, 1) = known->single;
                option++;
                continue;
            }
        }
        if (!batch_put_pick(row, 0)) return BATCH_UNSPELLED;
        const W own = b->by_index ? k : item < 0 ? ITEM_OF(b->tables[BATCH_NAMED], PASSING) : *plan;
        if (own >= 0 && !batch_put_pick(row, (int32_t)own)) return BATCH_UNSPELLED;
        for (W left = item < 0 ? 0 : ITEM_OF(plan, 1); left && status == BATCH_READY; left--) {
            if (LIKELY(*part == PART_VALUE)) status = batch_put_known(b, i, batch_place_of_word(b, batch_of(b, part, seat), *option));
            else status = batch_put_part(b, i, part, option, parts);
            option += ITEM_OF(part, 3);
            part += 3 + ITEM_OF(part, 2);
        }
        ITEM_OF(row->sequences, start) = (int32_t)(row->used - start - 1);
    }
    while (b->offered) b->before[b->offers[--b->offered]] = -1;
    return status;
}

/* Find out what a row's position offers and shows. */
static void batch_entered(Batch *b, W i) {
    BatchRow *const row = b->rows + i;
    ITEM_OF(b->to_seat, i) = (int32_t)row->seat;
    for (W seat = 0; seat < b->players; seat++) {
        if (!b->all && seat != row->seat) continue;
        const W place = b->all ? i * b->players + seat : i;
        uint8_t *const counts = b->to_counts + place * b->counts;
        int32_t *const numbers = b->to_numbers + place * b->numbers;
        memset(counts, 0, (size_t)b->counts);
        memset(numbers, 0, (size_t)b->numbers * sizeof(int32_t));
        write_sight(b->seers + seat, row->block, counts, numbers, b->row);
        batch_game(b, row->block, seat, counts, numbers);
    }
    if (row->seat < 0) {
        const W *const told = told_of(row->block);
        memset(b->to_mask + i * b->picks, 0, (size_t)b->picks);
        if (b->to_made != NULL) memset(b->to_made + i * b->picks, 0, (size_t)b->picks);
        if (!b->all) {
            memset(b->to_counts + i * b->counts, 0, (size_t)b->counts);
            memset(b->to_numbers + i * b->numbers, 0, (size_t)b->numbers * sizeof(int32_t));
        }
        ITEM_OF(b->to_outcomes, i) = told[TOLD_LISTED] > 0 ? (int32_t)told[TOLD_OPTIONS] : 0;
        row->status = told[TOLD_LISTED] > 0 ? BATCH_READY : BATCH_UNCOUNTED;
        return;
    }
    ITEM_OF(b->to_outcomes, i) = 0;
    row->status = batch_spelled(b, i);
    if (row->status == BATCH_READY) batch_ready(b, i);
}

/* Let an outcome come true for which a row waits, by its number. */
static void batch_drawn(Batch *b, W i, W outcome) {
    const BatchRow *const row = b->rows + i;
    const W *const told = told_of(row->block), *const weight = told + TOLD;
    W draw = 0;
    if (told[TOLD_LISTED] <= 0) { /* it is none that C could draw */
        b->machine->game.status = FAILED;
        return;
    }
    for (W k = 0; k < outcome; k++) draw += weight[2 * k];
    stepped(b->machine, row->block, draw, -1, NULL);
}

/* Write the payoffs of the game of a row that has ended. Whether they are known. */
static bool batch_paid(Batch *b, W i) {
    memcpy(b->outcome, b->outcomes + i * ROW, sizeof b->outcome);
    b->outcome[ROW_DECISIONS] = b->outcome[ROW_TURNS] = b->outcome[ROW_RNG] = 0;
    const int32_t *const known = batch_known(b, PAYOFFS, b->outcome, ROW);
    if (known != NULL) memcpy(b->to_reward + i * b->players, known + 1, (size_t)b->players * sizeof(float));
    return known != NULL;
}

static void batch_tell_status(Batch *b, W i) {
    const bool unpaid = ITEM_OF(b->to_end, i) && !batch_paid(b, i);
    ITEM_OF(b->to_status, i) = (uint8_t)(b->rows[i].status + (unpaid ? BATCH_UNPAID : 0));
}

/* Begin the next game of a row, by its number in the run. */
static void batch_begun(Batch *b, W i) {
    G *const g = &b->machine->game;
    g->s.rng = b->seed + ((U)i + (U)ITEM_OF(b->to_episode, i) * (U)b->games) * GOLDEN;
    const U seed = draw(g);
    for (W seat = 0; seat < b->players; seat++) {
        g->s.rng = seed + (U)seat;
        ITEM_OF(b->bots, i * b->players + seat) = draw(g);
    }
    b->rows[i].chosen = -1;
    stepped(b->machine, b->unbegun, -1, -1, &seed);
}

/* A number from 0 to n - 1, all equally likely; 1 uses no output, as in `uniform`. */
static W batch_uniform(G *g, U *rng, W count) {
    const U n = (U)count;
    Wide product = 0;
    while (n > 1) {
        g->s.rng = *rng;
        product = (Wide)draw(g) * n;
        *rng = g->s.rng;
        if ((U)product >= n || (U)product >= -n % n) break;
    }
    return (W)(product >> 64);
}

/* Let the single step that was made be a row's position; at the end begin again, and let bots choose. */
static void batch_stepped(Batch *b, W i) {
    BatchRow *const row = b->rows + i;
    G *const g = &b->machine->game;
    for (W ended = 0;;) {
        if (g->status == FAILED || ended > 64) {
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
        tell(g, told_of(b->unbegun)[TOLD_FLAGS], 0, row->block);
        if (g->status == OVER) {
            W nothing[2] = {0, 0};
            play(b->machine, nothing, b->outcomes + i * ROW);
            ITEM_OF(b->to_end, i) = row->block->capped ? 2 : 1;
            ITEM_OF(b->to_episode, i)++;
            ended++;
            batch_begun(b, i);
            continue;
        }
        if (!(told_of(row->block)[TOLD_NODE] & 1)) {
            row->seat = -1;
            break;
        }
        row->seat = __builtin_ctzll((U)told_of(row->block)[TOLD_SEATS]);
        const W bot = ITEM_OF(b->tables[BATCH_BOTS], row->seat);
        if (bot == PLAYS_BY_PYTHON) {
            row->status = BATCH_BOT;
            return;
        }
        if (!bot) break;
        row->chosen = batch_uniform(g, b->bots + i * b->players + row->seat, told_of(row->block)[TOLD_OPTIONS]);
        stepped(b->machine, row->block, row->chosen, row->seat, NULL);
    }
    batch_entered(b, i);
}

/* Begin all games; those numbers of a run's games are theirs that their episodes say. */
EXPORTED void rulelang_batch_reset(Batch *b, U seed) {
    b->seed = seed;
    for (W i = 0; i < b->games; i++) {
        ITEM_OF(b->to_episode, i) = 0;
        batch_begun(b, i);
        batch_stepped(b, i);
        ITEM_OF(b->to_end, i) = 0;
        batch_tell_status(b, i);
    }
    memset(b->to_reward, 0, (size_t)(b->games * b->players) * sizeof(float));
}

/* The first row in which a pick or an outcome is not possible; -1: there is none. */
EXPORTED W rulelang_batch_refused(const Batch *b, const W *picks) {
    for (W i = 0; i < b->games; i++) {
        const W pick = ITEM_OF(picks, i);
        if (pick == -1) continue;
        if (b->rows[i].seat < 0 ? (U)pick >= (U)ITEM_OF(b->to_outcomes, i)
                                : (U)pick >= (U)b->picks || !ITEM_OF(b->to_mask, i * b->picks + pick))
            return i;
    }
    return -1;
}

/* Make a pick in each row, or let an outcome come true, each of them possible; -1: none. */
EXPORTED void rulelang_batch_step(Batch *b, const W *picks) {
    memset(b->to_end, 0, (size_t)b->games);
    memset(b->to_reward, 0, (size_t)(b->games * b->players) * sizeof(float));
    for (W i = 0; i < b->games; i++) {
        BatchRow *const row = b->rows + i;
        const W pick = ITEM_OF(picks, i);
        if (pick == -1) continue;
        if (row->seat < 0) {
            row->chosen = pick;
            batch_drawn(b, i, pick);
            batch_stepped(b, i);
            batch_tell_status(b, i);
            continue;
        }
        W left = 0;
        for (W k = 0; k < row->left; k++)
            if (ITEM_OF(row->remaining, 2 * k + 1) == pick) ITEM_OF(row->remaining, 2 * left++) = ITEM_OF(row->remaining, 2 * k);
        row->left = left;
        row->at++;
        if (left > 1) {
            batch_follow(b, i);
            continue;
        }
        row->chosen = *row->remaining;
        b->decided++;
        stepped(b->machine, row->block, row->chosen, row->seat, NULL);
        batch_stepped(b, i);
        batch_tell_status(b, i);
    }
}

/* How many options were chosen by picks. */
EXPORTED W rulelang_batch_decided(const Batch *b) { return b->decided; }

/* The sequences of a row's options: for each its length and picks, behind each other. Whether there was memory for them. */
EXPORTED W rulelang_batch_spell(Batch *b, W i, W options, const int32_t *sequences, W words) {
    BatchRow *const row = b->rows + i;
    row->used = 0;
    int32_t *const to = batch_space(row, options) ? batch_more(row, words) : NULL;
    if (to == NULL) return 0;
    memcpy(to, sequences, (size_t)words * sizeof(int32_t));
    for (W k = 0, at = 0; k < options; at += 1 + ITEM_OF(sequences, at), k++) ITEM_OF(row->spelled, k) = (int32_t)at;
    row->options = options;
    batch_ready(b, i);
    batch_tell_status(b, i);
    return 1;
}

/* Spell the options of a row again. Whether all that it needs is known now. */
EXPORTED W rulelang_batch_again(Batch *b, W i) {
    b->rows[i].status = batch_spelled(b, i);
    if (b->rows[i].status != BATCH_READY) return 0;
    batch_ready(b, i);
    batch_tell_status(b, i);
    return 1;
}

/* The sequences of the parts of a row's options, of collections those of each member, behind each other. Whether all that
   the row needs is known now. */
EXPORTED W rulelang_batch_learn(Batch *b, W i, W none, const int32_t *sequences, W words) {
    BatchRow *const row = b->rows + i;
    const W *const told = told_of(row->block), *const parts = told + TOLD + told[TOLD_LISTED], *option = told + TOLD;
    const int32_t *const end = sequences + words;
    W key[BATCH_KEY];
    (void)none;
    for (W k = 0; k < told[TOLD_OPTIONS]; k++) {
        const W item = *option++;
        if (item < 0) continue;
        const int32_t *const plan = batch_plan(b, told[TOLD_NODE] >> 1, item), *part = plan + 2;
        for (W n = 0; n < ITEM_OF(plan, 1); n++) {
            const W of = batch_of(b, part, row->seat), count = ITEM_OF(part, 3);
            const W *const groups = *part == PART_GROUPS ? batch_members(*option, parts) : NULL;
            for (W group = 0; group < (groups == NULL ? *part != PART_UNITS : *groups); group++) {
                const W *const members = groups != NULL ? batch_members(ITEM_OF(groups, 1 + group), parts)
                    : *part == PART_MEMBERS ? batch_members(*option, parts) : NULL;
                for (W m = 0; m < (members == NULL ? 1 : *members); m++, sequences += 1 + *sequences) {
                    const W size = *part == PART_WHOLE ? batch_whole(part, option, parts, key) : 1;
                    const W *const value = *part == PART_WHOLE ? key : members == NULL ? option : members + 1 + m;
                    if (sequences >= end || size < 0 || !batch_told(b, of, value, size, sequences + 1, *sequences)) return 0;
                }
            }
            option += count;
            part += 3 + ITEM_OF(part, 2);
        }
    }
    return rulelang_batch_again(b, i);
}

/* What came of the game of a row that has ended, as play.h writes it. */
EXPORTED const W *rulelang_batch_ended(const Batch *b, W i) { return b->outcomes + i * ROW; }

/* The payoffs of that game. Whether there was memory for them. */
EXPORTED W rulelang_batch_pay(Batch *b, W i, const int32_t *payoffs) {
    batch_paid(b, i); /* it puts down what they are known by */
    if (!batch_told(b, PAYOFFS, b->outcome, ROW, payoffs, b->players)) return 0;
    batch_tell_status(b, i);
    return 1;
}

/* Let the bot that is asked in a row choose an option. */
EXPORTED void rulelang_batch_choose(Batch *b, W i, W option) {
    BatchRow *const row = b->rows + i;
    row->chosen = option;
    stepped(b->machine, row->block, option, row->seat, NULL);
    batch_stepped(b, i);
    batch_tell_status(b, i);
}

/* Where a row's block stands; what was chosen or drawn there, and by whom (-1: by chance), where it was given up. */
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
    batch_tell_status(b, i);
}
