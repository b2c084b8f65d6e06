/* Bags of resources, and every way to take some out of them: rulelang/runtime/payments.py says what is meant.

   `width` is how many resources there are. What only answers takes no scratch space, so that it may be asked while a
   list grows there. What lists ways lists as many as there is fuel for, at most MOST_WAYS, and burns one for each. */

#define MOST_WAYS 20000

/* ---- bags ---- */

/* A resource by its number, or a failure. */
static inline W resource_(G *g, W kind, W width, W site) {
    if (UNLIKELY((U)kind >= (U)width)) fail(g, site);
    return kind;
}

/* Add a bag to `total`, in place. */
static inline void bag_grow(G *g, W *total, const W *bag, W width, W site) {
    for (W k = 0; k < width; k++) total[k] = add_(g, total[k], bag[k], site);
}

/* The sum of two bags. */
KEPT W a_bag_add(G *g, const W *a, const W *b, W width, W site) {
    W *result = alloc(g, width);
    for (W k = 0; k < width; k++) result[k] = add_(g, a[k], b[k], site);
    return ADDRESS(result);
}

/* How much more one number is than another, at least nothing. */
static inline W beyond(G *g, W a, W b, W site) { return a > b ? sub_(g, a, b, site) : 0; }

/* What bag `a` has more than `b`, of each resource at least 0. */
KEPT W a_bag_sub(G *g, const W *a, const W *b, W width, W site) {
    W *result = alloc(g, width);
    for (W k = 0; k < width; k++) result[k] = beyond(g, a[k], b[k], site);
    return ADDRESS(result);
}

/* A bag a number of times. */
KEPT W a_bag_scale(G *g, W number, const W *bag, W width, W site) {
    W *result = alloc(g, width);
    for (W k = 0; k < width; k++) {
        result[k] = mul_(g, number, bag[k], site);
        if (UNLIKELY(result[k] == INT64_MIN)) fail(g, site);
    }
    return ADDRESS(result);
}

/* Whether bag `a` has at least as much of each resource as `b`. */
static inline bool bag_has(const W *a, const W *b, W width) {
    W lacks = 0; /* a branch for each would be guessed wrong often */
    for (W k = 0; k < width; k++) lacks |= a[k] < b[k];
    return !lacks;
}

/* Whether a bag is empty. */
static inline bool no_bag(const W *bag, W width) {
    W result = 0;
    for (W k = 0; k < width; k++) result |= bag[k];
    return !result;
}

/* The number of resources in a bag, all kinds together. */
static inline W bag_size(G *g, const W *bag, W width, W site) {
    W result = 0;
    for (W k = 0; k < width; k++) result = add_(g, result, bag[k], site);
    return result;
}

/* `limits` is NULL where there are none. */
KEPT W a_bag_clamp(G *g, const W *bag, W each, const W *limits, W width) {
    W *result = alloc(g, width);
    for (W k = 0; k < width; k++) {
        const W cut = each < 0 ? bag[k] : least(bag[k], each);
        result[k] = limits && limits[k] >= 0 ? least(cut, limits[k]) : cut;
    }
    return ADDRESS(result);
}

/* The resources of which there are any, as a mask and as a set. */
static inline U bag_mask(const W *bag, W width) {
    U result = 0;
    for (W k = 0; k < width; k++) result |= (U)(bag[k] != 0) << k;
    return result;
}

/* The kinds of resources that a bag holds, as a list. */
KEPT W a_bag_kinds(G *g, const W *bag, W width) {
    W *result = a_list(g, width);
    for (W k = 0; k < width; k++)
        if (bag[k]) PUSH(result, k);
    return ADDRESS(result);
}

/* ---- rows: bags that are found one after another, at the top of scratch space ---- */

typedef struct {
    W *at;
    W n, width, full; /* when there are so many, those that are the same become one */
} Rows;

/* Compare two rows lexicographically: -1, 0 or 1. */
static inline int row_order(const W *a, const W *b, W width) {
    for (W i = 0; i < width; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Exchange two rows, in place. */
static inline void swap_rows(W *a, W *b, W width) {
    for (W i = 0; i < width; i++) {
        const W x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

/* Least first, or greatest first where the sign is -1: Shell's method, as SHELLSORT (state.h). */
KEPT void sort_rows(W *rows, W n, W width, int sign) {
    W in_order = 1;
    while (in_order < n && sign * row_order(rows + (in_order - 1) * width, rows + in_order * width, width) <= 0)
        in_order++;
    if (in_order >= n) return;
    W gap = 1;
    while (gap < n / 3) gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (W i = gap; i < n; i++)
            for (W *at = rows + i * width, *before; at - rows >= gap * width; at = before) {
                before = at - gap * width;
                if (sign * row_order(before, at, width) <= 0) break;
                swap_rows(before, at, width);
            }
}

/* No rows yet; the first one will lie at the top of scratch space. */
static inline Rows rows_at_top(G *g, W width, W full) { return (Rows){g->top, 0, width, full}; }

/* Each row once, greatest first. */
KEPT void unite(G *g, Rows *rows) {
    const W width = rows->width;
    sort_rows(rows->at, rows->n, width, -1);
    W kept = rows->n ? 1 : 0;
    for (W i = 1; i < rows->n; i++)
        if (row_order(rows->at + i * width, rows->at + (kept - 1) * width, width)) {
            if (i != kept) memcpy(rows->at + kept * width, rows->at + i * width, (size_t)width * sizeof(W));
            kept++;
        }
    rows->n = kept;
    rows->full = 2 * kept + 1024;
    g->top = rows->at + kept * width;
}

/* Append a row whose words are not set yet; duplicates are merged first when there are `full`. */
static inline W *new_row(G *g, Rows *rows) {
    if (UNLIKELY(rows->n >= rows->full)) unite(g, rows);
    rows->n++;
    W *const result = alloc(g, rows->width);
    MERGED(g, rows->at);
    return result;
}

/* Rows go down to where what led to them began. */
KEPT void lower(G *g, Rows *rows, W *base) {
    /* without a guard: across blocks, downwards */
    if (rows->at != base) (memmove)(base, rows->at, (size_t)(rows->n * rows->width) * sizeof(W));
    rows->at = base;
    g->top = base + rows->n * rows->width;
    MERGED(g, base);
}

/* The list of rows, after moving them down to `base` in the arena. */
KEPT W a_set_of_rows(G *g, Rows *rows, W *base) {
    lower(g, rows, base);
    W *result = alloc(g, rows->n + 1);
    result[0] = rows->n;
    for (W i = 0; i < rows->n; i++) result[1 + i] = ADDRESS(rows->at + i * rows->width);
    return ADDRESS(result);
}

#define ENDLESS_ROWS INT64_MAX
#define SOME_ROWS 1024

/* The number of ways that may be listed with the fuel that is left. */
static inline W most_listed(const G *g) { return least(g->fuel, MOST_WAYS); }

/* ---- spreading: every way to take `count` out of `room`, as much as possible of the first places first ---- */

/* Take `count` from the places from `from` on, the first ones first; whether there were so many. */
static inline bool spread_from(const W *room, W from, W n, W count, W *taken) {
    for (W i = from; i < n; i++) {
        taken[i] = least(count, room[i]);
        count -= taken[i];
    }
    return count == 0;
}

/* The first way; false if there is none. Nothing in `room` is below 0. */
static inline bool spread_first(const W *room, W n, W count, W *taken) {
    return count >= 0 && spread_from(room, 0, n, count, taken);
}

/* The next way to take as many, in lexicographic order; whether there is one. */
static inline bool spread_next(const W *room, W n, W *taken) {
    bool spare = false;
    W held = 0;
    for (W i = n - 1; i >= 0; i--) {
        if (spare && taken[i] > 0) {
            taken[i]--;
            return spread_from(room, i + 1, n, held + 1, taken);
        }
        spare = spare || taken[i] < room[i];
        held += taken[i];
    }
    return false;
}

/* All bags within a bag of `low` to `high` resources, by size. */
KEPT W a_sub_bags(G *g, const W *bag, W low, W high, W width, W site) {
    const W most = most_listed(g);
    const W last = least(high, bag_size(g, bag, width, site));
    for (W k = 0; k < width; k++)
        if (UNLIKELY(bag[k] < 0)) fail(g, site);
    if (UNLIKELY(last > INT32_MAX)) fail(g, site);
    W *const base = g->top, *const taken = alloc(g, width);
    Rows result = rows_at_top(g, width, ENDLESS_ROWS);
    for (W size = greatest(low, 0); size <= last; size++)
        for (bool more = spread_first(bag, width, size, taken); more; more = spread_next(bag, width, taken)) {
            if (UNLIKELY(result.n >= most)) fail(g, site);
            memcpy(new_row(g, &result), taken, (size_t)width * sizeof(W));
        }
    BURN(result.n, site);
    return a_set_of_rows(g, &result, base);
}

/* All different collections of `size` elements of a list, those that come first in it in as many as can be before fewer. */
KEPT W a_subsets(G *g, W set, W size, W site) {
    const W n = COUNT(set), most = most_listed(g);
    if (size < 0 || size > n) return NOTHING;
    const W *const first = first_same(g, LIST(set) + 1, n, false);
    W *const kinds = alloc(g, n), *const place = alloc(g, n), *const room = alloc(g, n), *const taken = alloc(g, n);
    W k = 0, count = 0;
    for (W i = 0; i < n; i++) {
        place[i] = first[i] == i ? k++ : place[first[i]];
        if (first[i] == i) kinds[place[i]] = AT(set, i), room[place[i]] = 0;
        room[place[i]]++;
    }
    for (bool more = spread_first(room, k, size, taken); more; more = spread_next(room, k, taken))
        if (UNLIKELY(++count > most)) fail(g, site);
    BURN(count, site);
    W *const result = a_list(g, count);
    for (bool more = spread_first(room, k, size, taken); more; more = spread_next(room, k, taken)) {
        W *const one = a_list(g, size);
        for (W j = 0; j < k; j++)
            for (W m = taken[j]; m > 0; m--) PUSH(one, kinds[j]);
        PUSH(result, ADDRESS(one));
    }
    return ADDRESS(result);
}
