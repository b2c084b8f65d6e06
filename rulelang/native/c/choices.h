/* Decisions: how many options there are, and the one that is taken.

   Selections: every distinct sub-multiset of a sorted list with `low` to `high` elements, by size, then with more of
   earlier elements first. They are counted by what each class of equal elements may give; where fewer are left out than
   are taken, by what is left out.

   What guards let through goes to the upper end of scratch space, downwards (`push_upper`), so that what is read meanwhile may
   take from the lower end. The first value kept after `kept = g->limit` is `kept[-1]`, the next one `kept[-2]`. */

#define COUNTED ((W)1 << 62)
#define SELECTION_TABLE 1000000
/* Of lists of up to so many all selections are in a table. */
#define SHORT 8
#define SHORT_SELECTIONS 15759

/* End the game at the decision that exceeds the limit of decisions. */
KEPT COLD _Noreturn void end_at_limit(G *g, W over) {
    not_directly(g);
    g->s.winners = 0;
    g->s.capped = 1;
    finish(g, over);
}

/* Count a decision that is asked, and refill the fuel. */
static inline void count_decision(G *g) {
    not_directly(g);
    g->s.decisions++;
    g->fuel = FUEL;
}

/* Push a value on the upper end of the arena. */
static inline void push_upper(G *g, W x) {
    if (UNLIKELY(g->limit <= g->top)) fail(g, -1);
    *--g->limit = x;
}

/* ---- numbers of options ---- */

/* The sum of two numbers of options; fails above COUNTED. */
static inline W add_counts(G *g, W a, W b, W site) {
    if (UNLIKELY(a > COUNTED - b)) fail(g, site);
    return a + b;
}

/* The product of two numbers of options; fails above COUNTED. */
static inline W multiply_counts(G *g, W a, W b, W site) {
    W result;
    if (UNLIKELY(__builtin_mul_overflow(a, b, &result) || result > COUNTED)) fail(g, site);
    return result;
}

/* How many numbers there are from `low` to `high`. */
static inline W range_count(G *g, W low, W high, W site) {
    if (low > high) return 0;
    if (UNLIKELY((U)high - (U)low >= (U)COUNTED)) fail(g, site);
    return (W)((U)high - (U)low + 1);
}

/* The index of the bit of a mask that has k set bits below it. */
static inline W nth_bit(U mask, W k) {
    for (; k; k--) mask &= mask - 1;
    return __builtin_ctzll(mask);
}

/* ---- lists ---- */

/* Move a value down to `mark`, where the arena is released to. */
static inline W a_lowered(G *g, W *mark, W value, W words) {
    if (UNLIKELY(words > g->limit - mark)) fail(g, -1);
    (memmove)(mark, LIST(value), (size_t)words * sizeof(W)); /* without a guard: across blocks, downwards */
    g->top = mark + words;
    MERGED(g, mark);
    return ADDRESS(mark);
}

KEPT W a_sorted_list(G *g, W set);

/* A sorted list: the list itself if it is sorted already, as what lies in a zone is. */
static inline W a_sorted(G *g, W set) {
    const W n = COUNT(set);
    const W *from = LIST(set) + 1;
    W falls = 0;
    for (W i = 1; i < n; i++) falls += from[i - 1] > from[i];
    return LIKELY(!falls) ? set : a_sorted_list(g, set);
}

/* A sorted copy of a list. */
KEPT W a_sorted_list(G *g, W set) {
    const W n = COUNT(set), list = a_copied(g, LIST(set), n + 1);
    W *const at = LIST(list) + 1;
    SHELLSORT(W, at, n);
    return list;
}

/* ---- selections ---- */

/* All selections of short lists, as bits, the last element's lowest. Which elements are equal to those before them is a
   list's `equal_bits`; its selections begin at `short_start[equal_bits][0]`, those with more elements later. */
static uint16_t short_start[1 << SHORT][SHORT + 2];
static uint8_t short_selections[SHORT_SELECTIONS];
/* For every byte how many of its bits are set below each place, from 0 to 8, four bits each. */
static U bits_below[256];

/* Fill the tables of selections of short lists when the library is loaded. */
__attribute__((constructor)) static void list_short_selections(void) {
    uint16_t used = 0;
    for (U byte = 0; byte < 256; byte++)
        for (W place = 0; place <= 8; place++)
            bits_below[byte] |= (U)__builtin_popcountll(byte & (((U)1 << place) - 1)) << 4 * place;
    for (W n = 1; n <= SHORT; n++)
        for (U equal = 0; equal < (U)1 << (n - 1); equal++) {
            uint16_t *const start = short_start[(U)1 << (n - 1) | equal];
            uint16_t amounts[SHORT + 1] = {0};
            /* Of equal elements the first ones are taken. */
            for (U selection = 0; selection < (U)1 << n; selection++)
                if (!(selection & equal & ~(selection >> 1))) amounts[__builtin_popcountll(selection)]++;
            for (W size = 0; size <= n; size++) {
                start[size] = used;
                used = (uint16_t)(used + amounts[size]);
            }
            start[n + 1] = used;
            uint16_t at[SHORT + 1];
            memcpy(at, start, sizeof at);
            for (U selection = (U)1 << n; selection-- > 0;)
                if (!(selection & equal & ~(selection >> 1)))
                    short_selections[at[__builtin_popcountll(selection)]++] = (uint8_t)selection;
        }
}

/* Of n sorted elements, after a leading 1, a bit for each but the first: whether it equals the one before it. */
static inline U equal_bits(const W *x, W n) {
    U result = 1;
    for (W i = 1; i < n; i++) result = result << 1 | (x[i] == x[i - 1]);
    return result;
}

/* Where the classes of what is counted begin in its list, which has n elements, from its end on. */
static inline U class_starts(U counts, W n) { return (U)n * IN_EACH - (up_to(counts) << 8); }

/* The `equal_bits` of the list that packed counts stand for, which has n elements (1 to SHORT). */
static inline U packed_equal_bits(U counts, W n) {
    const U starts = class_starts(counts, n);
    U first = 0;
#pragma GCC unroll 8
    for (W i = 0; i < 8; i++) first |= (U)1 << (starts >> 8 * i & 255);
    return (((U)1 << n) - 1 ^ first >> 1) | (U)1 << (n - 1);
}

/* Multiply the generating function of some classes (`row`: how many selections of each size up to `reach`) by that of a
   class with so many copies; fails where a number becomes too large. */
KEPT void multiply_row(G *g, const U *row, U *result, W reach, W copies, W site) {
    U sum = 0;
    for (W i = 0; i <= reach; i++) result[i] = sum += row[i];
    for (W i = reach; i > copies; i--) result[i] -= result[i - copies - 1];
    if (UNLIKELY(sum > (U)COUNTED)) fail(g, site);
}

/* How many elements of a sorted list, from index i on, are equal to x[i]. */
static inline W copies_at(const W *x, W n, W i) {
    W j = i + 1;
    while (j < n && x[j] == x[i]) j++;
    return j - i;
}

KEPT W count_long_selections(G *g, W sorted, W low, W high, W site);

/* How many selections of `low` to `high` elements a sorted list has. */
static inline W count_selections(G *g, W sorted, W low, W high, W site) {
    const W n = COUNT(sorted);
    if (low < 0) low = 0;
    if (high > n) high = n;
    if (low > high) return 0;
    if (high == 0) return 1;
    if (UNLIKELY(n > SHORT)) return count_long_selections(g, sorted, low, high, site);
    const uint16_t *const start = short_start[equal_bits(LIST(sorted) + 1, n)];
    return start[high + 1] - start[low];
}

/* The same for lists longer than SHORT: by dynamic programming over classes and sizes. */
KEPT W count_long_selections(G *g, W sorted, W low, W high, W site) {
    const W n = COUNT(sorted), *x = LIST(sorted) + 1;
    W classes = 0;
    for (W i = 0; i < n; i += copies_at(x, n, i)) classes++;
    if (UNLIKELY((classes + 1) * (high + 1) > SELECTION_TABLE)) fail(g, site);
    if (low == n) return 1;
    U total = 0;
    const bool left_out = n - low < high;
    const W reach = left_out ? n - low : high;
    W *const mark = g->top;
    U *here = (U *)alloc(g, reach + 1), *next = (U *)alloc(g, reach + 1);
    memset(here, 0, (size_t)(reach + 1) * sizeof(U));
    here[0] = 1;
    for (W i = 0, copies; i < n; i += copies) {
        copies = copies_at(x, n, i);
        multiply_row(g, here, next, reach, copies, site);
        U *const other = here;
        here = next;
        next = other;
    }
    for (W size = low; size <= high; size++) {
        total += here[left_out ? n - size : size]; /* `multiply_row` saw to each of them */
        if (UNLIKELY(total > (U)COUNTED)) fail(g, site);
    }
    g->top = mark;
    return (W)total;
}

/* The classes of a sorted list longer than SHORT, and how many selections of each size those from each on have. */
struct SelectionTable {
    W classes, reach, width;            /* sizes up to `reach`: of what is taken, or left out (`left_out`) if that is less */
    bool left_out;
    W *copies;                          /* by class */
    U *rows;                            /* [class][size] */
};

/* Make this table in the arena. */
KEPT struct SelectionTable a_selection_table(G *g, W sorted, W low, W high, W site) {
    const W n = COUNT(sorted), *x = LIST(sorted) + 1;
    struct SelectionTable t = {.left_out = n - low < high};
    t.reach = t.left_out ? n - low : high, t.width = t.reach + 1;
    for (W i = 0; i < n; i += copies_at(x, n, i)) t.classes++;
    t.copies = alloc(g, t.classes);
    t.rows = (U *)alloc(g, (t.classes + 1) * t.width);
    W class = 0;
    for (W i = 0; i < n; i += t.copies[class++]) t.copies[class] = copies_at(x, n, i);
    memset(t.rows + class * t.width, 0, (size_t)t.width * sizeof(U));
    t.rows[class * t.width] = 1;
    for (W i = class; i-- > 0;) multiply_row(g, t.rows + (i + 1) * t.width, t.rows + i * t.width, t.reach, t.copies[i], site);
    return t;
}

/* How many selections take or leave out so many of all classes from one on. */
static inline U selections_from(const struct SelectionTable *t, W class, W size) {
    return size < 0 || size > t->reach ? 0 : t->rows[class * t->width + size];
}

KEPT W a_long_selection(G *g, W sorted, W low, W high, W k, W site);

/* The k-th of these selections, from 0 on. */
static inline W a_selection(G *g, W sorted, W low, W high, W k, W site) {
    const W n = COUNT(sorted), *x = LIST(sorted) + 1;
    if (low < 0) low = 0;
    if (high > n) high = n;
    if (high == 0) return NOTHING;
    if (UNLIKELY(n > SHORT)) return a_long_selection(g, sorted, low, high, k, site);
    const U selection = short_selections[short_start[equal_bits(x, n)][low] + k];
    W *const result = alloc(g, n + 1);
    W size = 0;
    for (W i = 0; i < n; i++) {
        result[1 + size] = x[i];
        size += selection >> (n - 1 - i) & 1;
    }
    result[0] = size;
    g->top = result + 1 + size;
    return ADDRESS(result);
}

/* The same for lists longer than SHORT. */
KEPT W a_long_selection(G *g, W sorted, W low, W high, W k, W site) {
    const W n = COUNT(sorted), *x = LIST(sorted) + 1;
    if (low == n) return sorted;
    W *const result = alloc(g, high + 1);
    const struct SelectionTable t = a_selection_table(g, sorted, low, high, site);
    U rest = (U)k;
    W size = low;
    for (U some; size < high && rest >= (some = selections_from(&t, 0, t.left_out ? n - size : size)); size++) rest -= some;
    result[0] = 0;
    for (W i = 0, at = 0; size && i < t.classes; at += t.copies[i++]) {
        const W after = n - at - t.copies[i];
        W taken = least(t.copies[i], size);
        for (; taken; taken--) {
            const U some = selections_from(&t, i + 1, t.left_out ? after - (size - taken) : size - taken);
            if (rest < some) break;
            rest -= some;
        }
        for (W j = 0; j < taken; j++) PUSH(result, x[at]);
        size -= taken;
    }
    g->top = result + 1 + result[0];
    return ADDRESS(result);
}

/* How many selections packed counts have; `begin` is set to where those of its list begin, if it is short. */
static inline W count_packed_selections(G *g, U counts, W low, W high, const uint16_t **begin, W site) {
    const W n = (W)(up_to(counts) >> 56);
    if (low < 0) low = 0;
    if (high > n) high = n;
    if (low > high) return 0;
    if (high == 0) return 1;
    if (UNLIKELY(n > SHORT)) {
        W *const mark = g->top;
        const W result = count_long_selections(g, a_counted(g, counts, 0), low, high, site);
        g->top = mark;
        return result;
    }
    *begin = short_start[packed_equal_bits(counts, n)];
    return (*begin)[high + 1] - (*begin)[low];
}

/* The k-th of these selections, as packed counts. */
static inline U packed_selection(G *g, U counts, W low, W high, const uint16_t *begin, W k, W site) {
    const W n = (W)(up_to(counts) >> 56);
    if (low < 0) low = 0;
    if (high > n) high = n;
    if (high == 0) return 0;
    if (UNLIKELY(n > SHORT)) {
        W *const mark = g->top;
        const W selection = a_long_selection(g, a_counted(g, counts, 0), low, high, k, site);
        U result = 0;
        for (W i = 0; i < COUNT(selection); i++) result += (U)1 << 8 * AT(selection, i);
        g->top = mark;
        return result;
    }
    const U below = bits_below[short_selections[begin[low] + k]], starts = class_starts(counts, n) << 2;
    U result = 0; /* taken of each class and those after it */
#pragma GCC unroll 8
    for (W i = 0; i < 8; i++) result |= (below >> (starts >> 8 * i & 255) & 15) << 8 * i;
    return result - (result >> 8);
}

/* The counts of pieces in a list, all found in one zone, which is told by `base`, what is added to the place of each.
   `item`: the first one of their kind. */
static inline U packed(const W *list, W item, W *base) {
    U result = 0;
    for (W i = 1; i <= list[0]; i++) {
        *base = (list[i] & ~(W)ITEM_MASK) + item;
        result += (U)1 << 8 * (list[i] - *base);
    }
    return result;
}

/* The first selection of `low` elements; `selection` has room for as many as are ever chosen. */
static inline void first_selection(W sorted, W *selection, W low) {
    memcpy(selection + 1, LIST(sorted) + 1, (size_t)low * sizeof(W));
    selection[0] = low;
}

/* Change a selection, in place, to the next one of its size or the first one of the next size; whether there is one. */
KEPT bool next_selection(W sorted, W *selection, W high) {
    const W n = COUNT(sorted), size = selection[0], *x = LIST(sorted) + 1;
    W *const at = selection + 1;
    for (W i = size; i-- > 0;) {
        W from = n - size + i;
        if (at[i] >= x[from]) continue;
        while (from > 0 && x[from - 1] > at[i]) from--;
        memcpy(at + i, x + from, (size_t)(size - i) * sizeof(W));
        return true;
    }
    if (size >= high) return false;
    first_selection(sorted, selection, size + 1);
    return true;
}
