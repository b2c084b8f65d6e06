/* What a seat sees of a position, as numbers: the instructions of rulelang/runtime/fields.py in runs that differ in nothing but
   where they read and write (rulelang/native/observing.py). */

#define ITEM_OF(p, i) (*((p) + (i))) /* of memory that the guard build knows nothing of */

/* Runs: how they are begun, then entries of two numbers, where it is written and the zone or cell; of SEE_ROWS of one, the
   kind. */
enum { RUN_OP, RUN_WIDE, RUN_ENTRIES, RUN_FIRST, RUN_SECOND, RUN_THIRD, RUN };
enum { SEE_SIZES, SEE_SUMS, SEE_CONTENTS, SEE_COUNTED, SEE_PILES, SEE_TOPS, SEE_CELLS, SEE_TOTALS, SEE_ROWS };
/* How a cell is told: whether it is set; itself; the nearest number of 32 bits; what may be absent; by a table; a piece by its
   definition. */
enum { OF_MARK, OF_PLAIN, OF_NUMBER, OF_OPTIONAL_NUMBER, OF_OPTIONAL_BOOL, OF_VALUE, OF_PIECE };
enum { SEEN_BY_ALL = 1, SEEN_BY_OWNER = 2, SEEN_BY_OTHERS = 4 };
/* A kind of individuals: where its rows are written, their items in order of definitions, the numbers of a row, its columns; a
   definition of which there are several: its kind, the place and number of its rows. */
enum { KIND_AT, KIND_ITEMS, KIND_COUNT, KIND_WIDTH, KIND_COLUMNS, KIND_SORTED, KIND_SORTED_COUNT, KIND };
enum { DEFINED_KIND, DEFINED_AT, DEFINED_ROWS, DEFINITION };
enum { COLUMN_CELL, COLUMN_STRIDE, COLUMN_OF, COLUMN_LOW, COLUMN_VALUES, COLUMN_SEEN, COLUMN_UNSEEN, COLUMN };
enum { NUMBER_LIMIT = INT32_MAX };

/* What a seat is told by. `zones`: of each 1 + its number as the seat has it, 0 where what lies there is not seen, less than 0
   where only the top is. `rows_of`: of each item its definition, -1: it has no row. */
typedef struct {
    W seat;
    const int32_t *runs, *end, *parties, *sorts, *zones, *rows_of, *kinds, *definitions, *items, *columns, *values;
} Seer;

static inline int32_t clipped(W value) {
    return (int32_t)(value > NUMBER_LIMIT ? NUMBER_LIMIT : value < -NUMBER_LIMIT ? -NUMBER_LIMIT : value);
}

/* A cell of a variable, as `Relative.cell` has it. */
static inline int32_t cell_told(const Seer *seer, W value, W of, W low, W values) {
    switch (of) {
    case OF_MARK: return value != 0;
    case OF_PLAIN: return (int32_t)value;
    case OF_NUMBER: return clipped(value);
    case OF_OPTIONAL_NUMBER: return clipped(value == ABSENT_NUMBER ? low - 1 : value);
    case OF_OPTIONAL_BOOL: return clipped(value < 0 ? low - 1 : value);
    }
    if (value < 0) return -1;
    return of == OF_VALUE ? ITEM_OF(seer->values, values + value) : ITEM_OF(seer->sorts, value & ITEM_MASK);
}

/* The item on top of a zone; -1: none, or it is not known. */
static W top_item(const State *s, W zone) {
    const W n = zone_form[zone] == COUNTS ? 0 : s->length[zone];
    return n ? s->slots[zone_start[zone] + n - 1] : -1;
}

/* 1 + the zone in which an item is seen; 0: it is not seen. */
static inline int32_t zone_seen(const Seer *seer, const State *s, W item, W zone) {
    const int32_t told = zone < 0 ? 0 : ITEM_OF(seer->zones, zone);
    return told >= 0 ? told : top_item(s, zone) == item ? -told : 0;
}

static inline void put_number(uint8_t *counts, int32_t *numbers, W wide, W at, W value) {
    if (wide) ITEM_OF(numbers, at) = clipped(value);
    else ITEM_OF(counts, at) = (uint8_t)value;
}

static inline void add(uint8_t *counts, int32_t *numbers, W wide, W at, W more) {
    if (wide) ITEM_OF(numbers, at) += (int32_t)more;
    else ITEM_OF(counts, at) += (uint8_t)more;
}

/* Write the rows of some individuals of a kind, behind each other: of each its zone, then its variables. */
static void write_rows(const Seer *seer, const State *s, const int32_t *kind, const int32_t *items, W n, int32_t *to) {
    const W width = ITEM_OF(kind, KIND_WIDTH);
    for (W i = 0; i < n; i++) ITEM_OF(to, i * width) = zone_seen(seer, s, ITEM_OF(items, i), s->where[ITEM_OF(items, i)]);
    const int32_t *column = seer->columns + COLUMN * ITEM_OF(kind, KIND_COLUMNS);
    for (W k = 1; k < width; k++, column += COLUMN) {
        const W *const cells = s->v + ITEM_OF(column, COLUMN_CELL);
        const W stride = ITEM_OF(column, COLUMN_STRIDE), of = ITEM_OF(column, COLUMN_OF), low = ITEM_OF(column, COLUMN_LOW);
        const W values = ITEM_OF(column, COLUMN_VALUES);
        const int32_t seen = ITEM_OF(column, COLUMN_SEEN), unseen = ITEM_OF(column, COLUMN_UNSEEN);
        int32_t *row = to;
        if (seen & SEEN_BY_ALL && of <= OF_PLAIN) {
            for (W i = 0; i < n; i++, row += width) {
                const W value = ITEM_OF(cells, ITEM_OF(items, i) * stride);
                ITEM_OF(row, k) = !*row ? unseen : of == OF_MARK ? value != 0 : (int32_t)value;
            }
            continue;
        }
        for (W i = 0; i < n; i++, row += width) {
            const W item = ITEM_OF(items, i);
            bool shown = *row;
            if (shown && !(seen & SEEN_BY_ALL)) {
                const W owner = item_seat[item] >= 0 ? item_seat[item] : zone_owner[s->where[item]];
                shown = owner >= 0 && seen & (owner == seer->seat ? SEEN_BY_OWNER : SEEN_BY_OTHERS);
            }
            ITEM_OF(row, k) = shown ? cell_told(seer, ITEM_OF(cells, item * stride), of, low, values) : unseen;
        }
    }
}

/* Whether a row stands before another, or, if they may be equal, not behind it. */
static inline bool row_before(const int32_t *row, const int32_t *other, W width, bool equal) {
    for (W k = 0; k < width; k++)
        if (ITEM_OF(row, k) != ITEM_OF(other, k)) return ITEM_OF(row, k) < ITEM_OF(other, k);
    return equal;
}

/* Sort the rows of a definition; `space`: for one of them. */
static void order_rows(int32_t *rows, W n, W width, int32_t *space) {
    for (W i = 1; i < n; i++) {
        int32_t *const row = rows + i * width;
        W j = i;
        while (j && !row_before(rows + (j - 1) * width, row, width, true)) j--;
        if (j == i) continue; /* it moves up to its place */
        for (W k = 0; k < width; k++) ITEM_OF(space, k) = ITEM_OF(row, k);
        memmove(rows + (j + 1) * width, rows + j * width, (size_t)((i - j) * width) * sizeof(int32_t));
        for (W k = 0; k < width; k++) ITEM_OF(rows, j * width + k) = ITEM_OF(space, k);
    }
}

/* Write what a seat sees of a position to arrays of 0. */
static void write_sight(const Seer *seer, const State *s, uint8_t *counts, int32_t *numbers, int32_t *space) {
    const int32_t *const sorts = seer->sorts;
    for (const int32_t *run = seer->runs; run < seer->end;) {
        const W wide = ITEM_OF(run, RUN_WIDE), first = ITEM_OF(run, RUN_FIRST), second = ITEM_OF(run, RUN_SECOND);
        const W third = ITEM_OF(run, RUN_THIRD), op = ITEM_OF(run, RUN_OP);
        const int32_t *entry = run + RUN;
        const int32_t *const end = run = entry + (op == SEE_ROWS ? 1 : 2) * ITEM_OF(run, RUN_ENTRIES);
#define EACH(at, zone) for (W at, zone; entry < end && (at = ITEM_OF(entry, 0), zone = ITEM_OF(entry, 1), true); entry += 2)
        switch (op) {
        case SEE_SIZES:
            EACH(at, zone) put_number(counts, numbers, wide, at, s->length[zone]);
            break;
        case SEE_SUMS:
            EACH(at, zone) put_number(counts, numbers, wide, at, (W)(up_to(s->counts[zone]) >> 56));
            break;
        case SEE_CONTENTS: /* `first`: how far definitions stand apart; `second`: the one of unknown pieces */
            EACH(at, zone)
                for (W i = 0; i < s->length[zone]; i++) {
                    const W item = s->slots[zone_start[zone] + i];
                    add(counts, numbers, wide, at + first * (item < 0 ? second : ITEM_OF(sorts, item)), 1);
                }
            break;
        case SEE_COUNTED:
            EACH(at, zone)
                for (U left = s->counts[zone], item = (U)FIRST_ITEM(zone); left; left >>= 8, item++)
                    if (left & 255) add(counts, numbers, wide, at + first * ITEM_OF(sorts, item), (W)(left & 255));
            break;
        case SEE_PILES: /* what is told of a piece is its definition less `first` */
            EACH(at, zone)
                for (W i = 0, n = s->length[zone]; i < n; i++) {
                    const W item = s->slots[zone_start[zone] + n - 1 - i];
                    put_number(counts, numbers, wide, at + i, (item < 0 ? second : ITEM_OF(sorts, item)) - first);
                }
            break;
        case SEE_TOPS:
            EACH(at, zone) {
                const W item = top_item(s, zone), n = zone_form[zone] == COUNTS ? (W)(up_to(s->counts[zone]) >> 56) : s->length[zone];
                put_number(counts, numbers, wide, at, n);
                if (n) put_number(counts, numbers, wide, at + 1, (item < 0 ? second : ITEM_OF(sorts, item)) - first);
            }
            break;
        case SEE_CELLS:
            if (first == OF_PLAIN && !wide) EACH(at, cell) ITEM_OF(counts, at) = (uint8_t)s->v[cell];
            else EACH(at, cell) put_number(counts, numbers, wide, at, cell_told(seer, s->v[cell], first, second, third));
            break;
        case SEE_TOTALS: /* `first`: of so many cells */
            EACH(at, cell) {
                W sum = 0;
                for (W k = 0; k < first; k++) sum += s->v[cell + k];
                put_number(counts, numbers, wide, at, clipped(sum));
            }
            break;
        default:
            for (; entry < end; entry++) {
                const int32_t *const kind = seer->kinds + KIND * ITEM_OF(entry, 0);
                const W width = ITEM_OF(kind, KIND_WIDTH);
                const int32_t *definition = seer->definitions + DEFINITION * ITEM_OF(kind, KIND_SORTED);
                write_rows(seer, s, kind, seer->items + ITEM_OF(kind, KIND_ITEMS), ITEM_OF(kind, KIND_COUNT), numbers + ITEM_OF(kind, KIND_AT));
                for (W k = 0; k < ITEM_OF(kind, KIND_SORTED_COUNT); k++, definition += DEFINITION)
                    order_rows(numbers + ITEM_OF(definition, DEFINED_AT), ITEM_OF(definition, DEFINED_ROWS), width, space);
            }
        }
#undef EACH
    }
}
