/* Bags, costs with wildcards, and every way to pay them: rulelang/runtime/payments.py says what is meant.

   `width` is how many resources there are. What only answers takes no scratch space, so that it may be asked while a
   list grows there. What lists ways lists as many as there is fuel for, at most MOST_WAYS, and burns one for each. */

#define MOST_WAYS 20000
#define COST_PARTS 128
#define COVERING_STEPS 20000
#define WAYS_PER_BAG 16
#define FEW_WILDS 5
#define WIDEST 62   /* resources: masks have 64 bits */
#define WILDS 192   /* wilds of a cost that is summed up or checked; the interpreter plays what has more */
#define WILD 3      /* words of one: count, mask, identical */

#define WILDS_OF(cost, width) ((cost)[width])
#define FIRST_WILD(cost, width) ((cost) + (width) + 1)

/* ---- bags ---- */

KEPT inline W a_bag(G *g, const W *from, W width) {
    W *found = alloc(g, width);
    for (W k = 0; k < width; k++) found[k] = from[k];
    return ADDRESS(found);
}

KEPT inline W *a_zeros(G *g, W width) {
    W *found = alloc(g, width);
    for (W k = 0; k < width; k++) found[k] = 0;
    return found;
}

/* A resource by its number, or a failure. */
KEPT inline W resource_(G *g, W kind, W width, W site) {
    if (UNLIKELY((U)kind >= (U)width)) fail(g, site);
    return kind;
}

KEPT inline void bag_grow(G *g, W *total, const W *bag, W width, W site) {
    for (W k = 0; k < width; k++) total[k] = add_(g, total[k], bag[k], site);
}

KEPT W a_bag_add(G *g, const W *a, const W *b, W width, W site) {
    W *found = alloc(g, width);
    for (W k = 0; k < width; k++) found[k] = add_(g, a[k], b[k], site);
    return ADDRESS(found);
}

/* How much more one number is than another, at least nothing. */
KEPT inline W beyond(G *g, W a, W b, W site) { return a > b ? sub_(g, a, b, site) : 0; }

KEPT W a_bag_sub(G *g, const W *a, const W *b, W width, W site) {
    W *found = alloc(g, width);
    for (W k = 0; k < width; k++) found[k] = beyond(g, a[k], b[k], site);
    return ADDRESS(found);
}

KEPT W a_bag_scale(G *g, W number, const W *bag, W width, W site) {
    W *found = alloc(g, width);
    for (W k = 0; k < width; k++) {
        found[k] = mul_(g, number, bag[k], site);
        if (UNLIKELY(found[k] == INT64_MIN)) fail(g, site);
    }
    return ADDRESS(found);
}

KEPT inline bool bag_has(const W *a, const W *b, W width) {
    W lacks = 0; /* a branch for each would be guessed wrong often */
    for (W k = 0; k < width; k++) lacks |= a[k] < b[k];
    return !lacks;
}

KEPT inline W bag_size(G *g, const W *bag, W width, W site) {
    W found = 0;
    for (W k = 0; k < width; k++) found = add_(g, found, bag[k], site);
    return found;
}

/* `limits` is NULL where there are none. */
KEPT W a_bag_clamp(G *g, const W *bag, W each, const W *limits, W width) {
    W *found = alloc(g, width);
    for (W k = 0; k < width; k++) {
        const W cut = each < 0 ? bag[k] : least(bag[k], each);
        found[k] = limits && limits[k] >= 0 ? least(cut, limits[k]) : cut;
    }
    return ADDRESS(found);
}

/* The resources of which there are any, as a mask and as a set. */
KEPT inline U bag_mask(const W *bag, W width) {
    U found = 0;
    for (W k = 0; k < width; k++) found |= (U)(bag[k] != 0) << k;
    return found;
}

KEPT W a_bag_kinds(G *g, const W *bag, W width) {
    W *found = a_list(g, width);
    for (W k = 0; k < width; k++)
        if (bag[k]) PUSH(found, k);
    return ADDRESS(found);
}

/* ---- rows: bags that are found one after another, at the top of scratch space ---- */

typedef struct {
    W *at;
    W n, width, full; /* when there are so many, those that are the same become one */
} Rows;

static inline int row_order(const W *a, const W *b, W width) {
    for (W i = 0; i < width; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static inline void swap_rows(W *a, W *b, W width) {
    for (W i = 0; i < width; i++) {
        const W x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

static void sift_row(W *rows, W at, W n, W width, int sign) {
    for (W child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && sign * row_order(rows + child * width, rows + (child + 1) * width, width) < 0) child++;
        if (sign * row_order(rows + at * width, rows + child * width, width) >= 0) return;
        swap_rows(rows + at * width, rows + child * width, width);
    }
}

/* Least first, or greatest first where the sign is -1. */
KEPT void sort_rows(W *rows, W n, W width, int sign) {
    W in_order = 1;
    while (in_order < n && sign * row_order(rows + (in_order - 1) * width, rows + in_order * width, width) <= 0)
        in_order++;
    if (in_order >= n) return;
    for (W at = n / 2 - 1; at >= 0; at--) sift_row(rows, at, n, width, sign);
    for (W last = n - 1; last > 0; last--) {
        swap_rows(rows, rows + last * width, width);
        sift_row(rows, 0, last, width, sign);
    }
}

static inline Rows rows_at_top(G *g, W width, W full) { return (Rows){g->top, 0, width, full}; }

/* Each row once, greatest first. */
static void unite(G *g, Rows *rows) {
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

static inline W *new_row(G *g, Rows *rows) {
    if (UNLIKELY(rows->n >= rows->full)) unite(g, rows);
    rows->n++;
    return alloc(g, rows->width);
}

/* Rows go down to where what led to them began. */
static void lower(G *g, Rows *rows, W *base) {
    if (rows->at != base) memmove(base, rows->at, (size_t)(rows->n * rows->width) * sizeof(W));
    rows->at = base;
    g->top = base + rows->n * rows->width;
}

static W a_set_of_rows(G *g, Rows *rows, W *base) {
    lower(g, rows, base);
    W *found = alloc(g, rows->n + 1);
    found[0] = rows->n;
    for (W i = 0; i < rows->n; i++) found[1 + i] = ADDRESS(rows->at + i * rows->width);
    return ADDRESS(found);
}

#define ENDLESS_ROWS INT64_MAX
#define SOME_ROWS 1024

static inline W most_ways(const G *g) { return least(g->fuel, MOST_WAYS); }

/* ---- spreading: every way to take `count` out of `room`, as much as possible of the first places first ---- */

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

KEPT W a_sub_bags(G *g, const W *bag, W low, W high, W width, W site) {
    const W most = most_ways(g);
    const W last = least(high, bag_size(g, bag, width, site));
    for (W k = 0; k < width; k++)
        if (UNLIKELY(bag[k] < 0)) fail(g, site);
    if (UNLIKELY(last > INT32_MAX)) fail(g, site);
    W *const base = g->top, *const taken = alloc(g, width);
    Rows found = rows_at_top(g, width, ENDLESS_ROWS);
    for (W size = greatest(low, 0); size <= last; size++)
        for (bool more = spread_first(bag, width, size, taken); more; more = spread_next(bag, width, taken)) {
            if (UNLIKELY(found.n >= most)) fail(g, site);
            memcpy(new_row(g, &found), taken, (size_t)width * sizeof(W));
        }
    BURN(found.n, site);
    return a_set_of_rows(g, &found, base);
}

/* ---- costs ---- */

KEPT W a_cost(G *g, const W *bag, W width) {
    W *found = alloc(g, width + 1);
    for (W k = 0; k < width; k++) found[k] = bag[k];
    found[width] = 0;
    return ADDRESS(found);
}

KEPT W a_wild(G *g, W count, const W *mask, W identical, W width) {
    W *found = alloc(g, width + 1 + (count > 0 ? WILD : 0));
    for (W k = 0; k < width; k++) found[k] = 0;
    found[width] = count > 0;
    if (count > 0) {
        W *wild = FIRST_WILD(found, width);
        wild[0] = count;
        wild[1] = (W)bag_mask(mask, width);
        wild[2] = identical;
    }
    return ADDRESS(found);
}

/* A cost of nothing with room for so many wilds: `cost_grow` adds to it, `cost_settled` makes it a cost. */
KEPT W *a_cost_open(G *g, W width, W room) {
    W *found = alloc(g, width + 1 + WILD * room);
    for (W k = 0; k <= width; k++) found[k] = 0;
    return found;
}

static void wild_grow(G *g, W *total, W room, W count, W mask, W identical, W width, W site) {
    W *const first = FIRST_WILD(total, width), *const end = first + WILD * WILDS_OF(total, width);
    const bool tight = identical && count > 1;
    W alike = 0;
    for (W *wild = first; wild < end; wild += WILD) {
        if (!tight && !wild[2] && wild[1] == mask) {
            wild[0] = add_(g, wild[0], count, site);
            return;
        }
        alike += wild[2];
    }
    if (UNLIKELY((tight && alike >= COST_PARTS) || WILDS_OF(total, width) >= room)) fail(g, site);
    end[0] = count;
    end[1] = mask;
    end[2] = tight;
    WILDS_OF(total, width)++;
}

KEPT void cost_grow(G *g, W *total, W room, const W *cost, W width, W site) {
    bag_grow(g, total, cost, width, site);
    const W *wild = FIRST_WILD(cost, width);
    for (W n = WILDS_OF(cost, width); n > 0; n--, wild += WILD)
        wild_grow(g, total, room, wild[0], wild[1], wild[2], width, site);
}

/* Nothing that was made after the cost was opened may be needed any more. */
KEPT W cost_settled(G *g, W *total, W width) {
    W *const first = FIRST_WILD(total, width);
    sort_rows(first, WILDS_OF(total, width), WILD, 1);
    g->top = first + WILD * WILDS_OF(total, width);
    return ADDRESS(total);
}

static inline bool no_bag(const W *bag, W width) {
    W found = 0;
    for (W k = 0; k < width; k++) found |= bag[k];
    return !found;
}

/* Whether adding nothing to a cost surely gives the same one. */
static inline bool settled(const W *cost, W width) {
    const W *const wild = FIRST_WILD(cost, width);
    return !WILDS_OF(cost, width) || (WILDS_OF(cost, width) == 1 && wild[0] > 0 && (!wild[2] || wild[0] > 1));
}

KEPT W a_cost_add(G *g, const W *a, const W *b, W width, W site) {
    if (!WILDS_OF(b, width) && no_bag(b, width) && settled(a, width)) return ADDRESS(a);
    const W room = WILDS_OF(a, width) + WILDS_OF(b, width);
    W *const total = a_cost_open(g, width, room);
    cost_grow(g, total, room, a, width, site);
    cost_grow(g, total, room, b, width, site);
    return cost_settled(g, total, width);
}

KEPT W a_cost_sub(G *g, const W *cost, const W *bag, W width, W site) {
    const W wilds = WILDS_OF(cost, width);
    W least_ = 0;
    for (W k = 0; k < width; k++) least_ = least(least_, cost[k]);
    if (!least_ && no_bag(bag, width) && settled(cost, width)) return ADDRESS(cost);
    W *const found = a_cost_open(g, width, wilds), *const spare = alloc(g, width);
    W *next = FIRST_WILD(found, width);
    for (W k = 0; k < width; k++) {
        found[k] = beyond(g, cost[k], bag[k], site);
        spare[k] = beyond(g, bag[k], cost[k], site);
    }
    const W *wild = FIRST_WILD(cost, width);
    for (W n = 0; n < wilds; n++, wild += WILD) {
        W count = wild[0];
        for (W k = 0; k < width; k++) {
            const W used = wild[1] >> k & 1 ? least(spare[k], count) : 0;
            spare[k] -= used;
            count -= used;
        }
        if (!count) continue;
        next[0] = count;
        next[1] = wild[1];
        next[2] = wild[2];
        next += WILD;
        WILDS_OF(found, width)++;
    }
    return cost_settled(g, found, width);
}

KEPT W a_cost_scale(G *g, W number, const W *cost, W width, W site) {
    const W wilds = WILDS_OF(cost, width), *const first = FIRST_WILD(cost, width);
    const W times = greatest(number, 0);
    W tight = 0;
    for (W n = 0; n < wilds; n++) tight += first[WILD * n + 2] != 0;
    if (UNLIKELY(tight && times > COST_PARTS / tight)) fail(g, site);
    const W room = wilds - tight + tight * (tight ? times : 0);
    W *const found = a_cost_open(g, width, room);
    for (W k = 0; k < width; k++) found[k] = mul_(g, times, cost[k], site);
    for (W n = 0; times && n < wilds; n++) {
        const W *wild = first + WILD * n;
        if (!wild[2]) wild_grow(g, found, room, mul_(g, times, wild[0], site), wild[1], 0, width, site);
        for (W again = 0; wild[2] && again < times; again++)
            wild_grow(g, found, room, wild[0], wild[1], 1, width, site);
    }
    return cost_settled(g, found, width);
}

KEPT W cost_size(G *g, const W *cost, W width, W site) {
    W found = bag_size(g, cost, width, site);
    const W *wild = FIRST_WILD(cost, width);
    for (W n = WILDS_OF(cost, width); n > 0; n--, wild += WILD) found = add_(g, found, wild[0], site);
    return found;
}

/* ---- what satisfies a cost ---- */

/* The bags that satisfy a cost with one wild that takes a single resource: the first ones have it in the first places. */
static Rows a_bags_of_one(G *g, const W *cost, const W *limit, W size, W width, W most, W site) {
    const W *const wild = FIRST_WILD(cost, width);
    Rows found = rows_at_top(g, width, ENDLESS_ROWS);
    for (W k = 0; k < width; k++) {
        if (!(wild[1] >> k & 1) || beyond(g, limit ? limit[k] : size, cost[k], site) < wild[0]) continue;
        W *const row = new_row(g, &found);
        for (W other = 0; other < width; other++) row[other] = cost[other];
        row[k] = add_(g, row[k], wild[0], site);
    }
    if (UNLIKELY(found.n > most || found.n + 1 > WAYS_PER_BAG * most)) fail(g, site);
    return found;
}

/* Every distinct bag within `limit` (NULL: any) that satisfies a cost exactly, most of the first resources first. */
static Rows a_cost_bags(G *g, const W *cost, const W *limit, W width, W most, W site) {
    W *const base = g->top;
    const W size = limit ? 0 : cost_size(g, cost, width, site);
    Rows found = rows_at_top(g, width, ENDLESS_ROWS);
    for (W k = 0; k < width; k++)
        if ((limit ? limit[k] : size) < cost[k]) return found;
    const W *wild = FIRST_WILD(cost, width);
    if (WILDS_OF(cost, width) == 1 && (wild[2] || wild[0] == 1))
        return a_bags_of_one(g, cost, limit, size, width, most, site);
    W *const room = alloc(g, width), *const taken = alloc(g, width);
    found.at = g->top;
    W *const row = new_row(g, &found);
    for (W k = 0; k < width; k++) row[k] = cost[k];
    W tries = WAYS_PER_BAG * most;
    for (W n = WILDS_OF(cost, width); n > 0; n--, wild += WILD) {
        Rows grown = rows_at_top(g, width, SOME_ROWS);
        for (W i = 0; i < found.n; i++) {
            const W *const bag = found.at + i * width;
            W ways = 0;
            for (W k = 0; k < width; k++)
                room[k] = wild[1] >> k & 1 ? beyond(g, limit ? limit[k] : size, bag[k], site) : 0;
            if (wild[2]) {
                for (W k = 0; k < width; k++) {
                    if (!(wild[1] >> k & 1) || room[k] < wild[0]) continue;
                    W *const row = new_row(g, &grown);
                    memcpy(row, bag, (size_t)width * sizeof(W));
                    row[k] = add_(g, row[k], wild[0], site);
                    ways++;
                }
            } else {
                for (bool more = spread_first(room, width, wild[0], taken); more;
                     more = spread_next(room, width, taken)) {
                    if (UNLIKELY(++ways > most)) fail(g, site);
                    W *const row = new_row(g, &grown);
                    for (W k = 0; k < width; k++) row[k] = bag[k] + taken[k];
                }
            }
            tries -= ways + 1;
            if (UNLIKELY(ways > most || tries < 0)) fail(g, site);
        }
        if (found.n > 1) unite(g, &grown); /* those of one bag are in order already */
        if (UNLIKELY(grown.n > most)) fail(g, site);
        lower(g, &grown, found.at);
        found.n = grown.n;
    }
    lower(g, &found, base);
    return found;
}

KEPT W a_expansions(G *g, const W *cost, W width, W site) {
    W *const base = g->top;
    Rows found = a_cost_bags(g, cost, NULL, width, most_ways(g), site);
    BURN(found.n, site);
    return a_set_of_rows(g, &found, base);
}

/* Every distinct bag that may be kept of `present` and `added` together. `limits` is NULL where there are none. */
KEPT W a_placements(
    G *g, const W *present, const W *added, W total, W each, const W *limits, W width, W site
) {
    const W most = most_ways(g), all = bag_size(g, present, width, site);
    W *const base = g->top, *const caps = alloc(g, width), *const fits = alloc(g, width), *const taken = alloc(g, width);
    for (W k = 0; k < width; k++) {
        const W own = limits ? limits[k] : -1;
        const W cap = each >= 0 && own >= 0 ? least(each, own) : greatest(each, own);
        caps[k] = cap >= 0 ? greatest(cap, present[k]) : -1;
    }
    const Rows bags = a_cost_bags(g, added, NULL, width, most, site);
    Rows found = rows_at_top(g, width, SOME_ROWS);
    W best = 0;
    for (W i = 0; i < bags.n; i++) {
        W sum = 0;
        for (W k = 0; k < width; k++) {
            const W joined = add_(g, present[k], bags.at[i * width + k], site);
            fits[k] = caps[k] >= 0 ? least(joined, caps[k]) : joined;
            if (UNLIKELY(fits[k] < 0)) fail(g, site);
            sum = add_(g, sum, fits[k], site);
        }
        const W kept = total >= 0 ? least(sum, greatest(total, all)) : sum;
        if (kept > best) {
            best = kept;
            found.n = 0;
            g->top = found.at;
        }
        if (kept < best) continue;
        W ways = 0;
        for (bool more = spread_first(fits, width, kept, taken); more; more = spread_next(fits, width, taken)) {
            if (UNLIKELY(++ways > most)) fail(g, site);
            memcpy(new_row(g, &found), taken, (size_t)width * sizeof(W));
        }
    }
    unite(g, &found);
    BURN(found.n, site);
    return a_set_of_rows(g, &found, base);
}

/* ---- purses: a purse is its first cell ---- */

KEPT W a_purse(G *g, W cell) {
    W *found = alloc(g, 2);
    found[0] = 1;
    found[1] = cell;
    return ADDRESS(found);
}

KEPT W a_purses_of(G *g, W items, W base, W width) {
    const W n = COUNT(items);
    W *found = alloc(g, n + 1);
    found[0] = n;
    for (W i = 0; i < n; i++) found[1 + i] = base + AT(items, i) * width;
    return ADDRESS(found);
}

/* The purses of several sets, each once, in order. */
KEPT W a_purses(G *g, const W *sets, W n) {
    W room = 0, highest = -1;
    for (W i = 0; i < n; i++) room += COUNT(sets[i]);
    W *found = a_list(g, room);
    for (W i = 0; i < n; i++)
        for (W place = 0; place < COUNT(sets[i]); place++) {
            const W cell = AT(sets[i], place);
            if (cell > highest) highest = cell;
            else if (member(cell, ADDRESS(found))) continue;
            PUSH(found, cell);
        }
    return ADDRESS(found);
}

static void hold(G *g, W *held, W purses, W width, W site) {
    for (W k = 0; k < width; k++) held[k] = 0;
    for (W i = 0; i < COUNT(purses); i++) bag_grow(g, held, &g->s.v[AT(purses, i)], width, site);
}

KEPT W a_holdings(G *g, W purses, W width, W site) {
    W *found = alloc(g, width);
    hold(g, found, purses, width, site);
    return ADDRESS(found);
}

/* Every distinct payment, by the bag paid, then most from the first purses first. */
KEPT W a_payments(G *g, const W *cost, W purses, W width, W site) {
    const W most = most_ways(g), n = COUNT(purses);
    W *const base = g->top, *const held = alloc(g, width);
    W *const room = alloc(g, n * width), *const taken = alloc(g, n * width); /* resource by resource */
    hold(g, held, purses, width, site);
    for (W purse = 0; purse < n; purse++)
        for (W k = 0; k < width; k++) {
            const W there = g->s.v[AT(purses, purse) + k];
            if (UNLIKELY(there < 0)) fail(g, site);
            room[k * n + purse] = there;
        }
    const Rows bags = a_cost_bags(g, cost, held, width, most, site);
    Rows found = rows_at_top(g, 1 + n * width, ENDLESS_ROWS);
    for (W i = 0; i < bags.n; i++) {
        const W *const bag = bags.at + i * width;
        bool more = true;
        for (W k = 0; k < width; k++)
            more = spread_first(room + k * n, n, bag[k], taken + k * n) && more;
        /* Only what is below nothing cannot be spread: whether the rest of it is too much is not looked into. */
        if (UNLIKELY(!more && (n > 1 || most < 1))) fail(g, site);
        while (more) {
            if (UNLIKELY(found.n >= most)) fail(g, site);
            W *const row = new_row(g, &found);
            row[0] = n * width;
            for (W purse = 0; purse < n; purse++)
                for (W k = 0; k < width; k++) row[1 + purse * width + k] = taken[k * n + purse];
            W k = n > 1 ? width - 1 : -1;
            while (k >= 0 && !spread_next(room + k * n, n, taken + k * n)) {
                spread_first(room + k * n, n, bag[k], taken + k * n);
                k--;
            }
            more = k >= 0;
        }
    }
    BURN(found.n, site);
    return a_set_of_rows(g, &found, base);
}

/* ---- payments that are counted, not listed ---- */

/* What purses hold together, then of each resource how many purses have some. Nothing in them is below 0, nor so much
   that a sum could be too large. */
KEPT inline void stock_grow(G *g, W *stock, W cell, W width) {
    const W *const there = &g->s.v[cell];
    for (W k = 0; k < width; k++) {
        stock[k] += there[k];
        stock[width + k] += there[k] > 0;
    }
}

KEPT inline bool holds_some(const G *g, W cell, W width) {
    W found = 0;
    for (W k = 0; k < width; k++) found |= g->s.v[cell + k];
    return found != 0;
}

KEPT W a_stock(G *g, W purses, W width) {
    W *const found = a_zeros(g, 2 * width);
    for (W i = 0; i < COUNT(purses); i++) stock_grow(g, found, AT(purses, i), width);
    return ADDRESS(found);
}

/* What purses hold of one resource; room for as many numbers follows. */
static W *a_room(G *g, W purses, W k) {
    const W n = COUNT(purses);
    W *const room = alloc(g, 2 * n);
    for (W purse = 0; purse < n; purse++) room[purse] = g->s.v[AT(purses, purse) + k];
    return room;
}

COLD static W many_ways(G *g, W purses, W k, W count, W site) {
    const W n = COUNT(purses);
    W *const room = a_room(g, purses, k);
    W ways = 0;
    for (bool more = spread_first(room, n, count, room + n); more; more = spread_next(room, n, room + n))
        if (UNLIKELY(++ways > MOST_WAYS)) fail(g, site);
    g->top = room;
    return ways;
}

/* In how many ways so much of a resource can be taken out of purses. */
KEPT inline W ways_to_take(G *g, W purses, const W *stock, W k, W count, W width, W site) {
    if (count <= 1) {
        if (UNLIKELY(count < 0)) fail(g, site);
        return count ? stock[width + k] : 1;
    }
    if (UNLIKELY((stock[k] > count) & (stock[width + k] > 1))) return many_ways(g, purses, k, count, site);
    return stock[k] >= count;
}

static W ways_to_pay(G *g, const W *bag, W purses, const W *stock, W width, W site) {
    W ways = 1;
    for (W k = 0; k < width; k++)
        if (bag[k]) {
            ways *= ways_to_take(g, purses, stock, k, bag[k], width, site);
            if (UNLIKELY(ways > MOST_WAYS)) fail(g, site);
            if (!ways) return 0;
        }
    return ways;
}

/* So many payments cost fuel as if they were listed. */
KEPT inline void charge(G *g, W payments, W site) {
    if (UNLIKELY(payments > MOST_WAYS)) fail(g, site);
    BURN(payments, site);
}

/* How many payments there are; not more than may be. */
KEPT W payment_ways(G *g, const W *cost, W purses, const W *stock, W width, W site) {
    if (!WILDS_OF(cost, width)) return ways_to_pay(g, cost, purses, stock, width, site);
    W *const base = g->top;
    W ways = 0;
    const Rows bags = a_cost_bags(g, cost, stock, width, most_ways(g), site);
    for (W i = 0; i < bags.n && ways <= MOST_WAYS; i++)
        ways += ways_to_pay(g, bags.at + i * width, purses, stock, width, site);
    g->top = base;
    return ways;
}

/* ---- bills: payments as cells, each followed by how much is taken from it ---- */

/* The bill at a place among those of one bag. */
KEPT W a_bill_of(G *g, const W *bag, W purses, const W *stock, W width, W place, W site) {
    const W n = COUNT(purses), *const cells = LIST(purses) + 1;
    W *const found = alloc(g, 1 + 2 * n * width), *next = found + 1;
    for (W k = width - 1; k >= 0; k--) {
        W count = bag[k], way = 0;
        if (!count) continue;
        if (place) {
            const W ways = ways_to_take(g, purses, stock, k, count, width, site);
            way = place % ways;
            place /= ways;
        }
        const W *taken = NULL;
        if (way && count > 1) {
            W *const room = a_room(g, purses, k);
            spread_first(room, n, count, room + n);
            while (way-- > 0) spread_next(room, n, room + n);
            g->top = room;
            taken = room + n;
        }
        for (W purse = 0; count > 0 && purse < n; purse++) {
            const W cell = cells[purse] + k, amount = taken ? taken[purse] : least(count, g->s.v[cell]);
            if (!amount || (!taken && way-- > 0)) continue;
            *next++ = cell;
            *next++ = amount;
            count -= amount;
        }
    }
    found[0] = next - found - 1;
    g->top = next;
    return ADDRESS(found);
}

/* The bill at a place, among those of bags that follow each other (not all of them need be there to be paid). */
KEPT W a_bill_among(G *g, const W *bag, W purses, const W *stock, W width, W place, W site) {
    for (;; bag += width) {
        const W ways = ways_to_pay(g, bag, purses, stock, width, site);
        if (place < ways) return a_bill_of(g, bag, purses, stock, width, place, site);
        place -= ways;
    }
}

/* The bill at a place, among all of a cost. */
KEPT W a_bill(G *g, const W *cost, W purses, const W *stock, W width, W place, W site) {
    if (!WILDS_OF(cost, width)) return a_bill_of(g, cost, purses, stock, width, place, site);
    const Rows bags = a_cost_bags(g, cost, stock, width, MOST_WAYS, site);
    return a_bill_among(g, bags.at, purses, stock, width, place, site);
}

KEPT void spend_bill(G *g, W bill, W site) {
    const W *const end = LIST(bill) + 1 + COUNT(bill);
    for (const W *at = LIST(bill) + 1; at < end; at += 2) {
        if (UNLIKELY((U)at[0] >= VARIABLES || g->s.v[at[0]] < at[1])) fail(g, site);
        g->s.v[at[0]] -= at[1];
    }
}

/* The payment that a bill stands for. */
static W a_paid(G *g, W bill, W purses, W width) {
    const W n = COUNT(purses);
    W *const found = alloc(g, 1 + n * width);
    found[0] = n * width;
    for (W i = 1; i <= n * width; i++) found[i] = 0;
    for (W at = 0; at < COUNT(bill); at += 2)
        for (W purse = 0; purse < n; purse++) {
            const W k = AT(bill, at) - AT(purses, purse);
            if (k >= 0 && k < width) found[1 + purse * width + k] = AT(bill, at + 1);
        }
    return ADDRESS(found);
}

KEPT W a_payment_among(G *g, const W *bag, W purses, const W *stock, W width, W place, W site) {
    return a_paid(g, a_bill_among(g, bag, purses, stock, width, place, site), purses, width);
}

KEPT W a_payment(G *g, const W *cost, W purses, const W *stock, W width, W place, W site) {
    return a_paid(g, a_bill(g, cost, purses, stock, width, place, site), purses, width);
}

KEPT void spend(G *g, W payment, W purses, W site) {
    const W starts = COUNT(purses), width = starts ? COUNT(payment) / starts : 0;
    if (UNLIKELY(starts && COUNT(payment) != width * starts)) fail(g, site);
    for (W purse = 0; purse < starts; purse++)
        for (W k = 0; k < width; k++) {
            const W count = AT(payment, purse * width + k), cell = AT(purses, purse) + k;
            if (!count) continue;
            if (UNLIKELY((U)cell >= VARIABLES || g->s.v[cell] < count)) fail(g, site);
            g->s.v[cell] -= count;
        }
}

/* ---- whether a cost can be paid ---- */

/* Whether what is left covers many wilds of any resources: the greatest flow from resources to wilds. */
COLD static bool covers_many(W *spare, const W *loose, W n, W width) {
    W paid[WILDS * WIDEST], by_wild[WIDEST], by_kind[WILDS], waiting[WILDS];
    memset(paid, 0, (size_t)(n * width) * sizeof(W));
    for (W wanting = 0; wanting < n; wanting++)
        for (W count = loose[WILD * wanting]; count > 0;) {
            /* From the wild to a resource that is left, if need be by letting other wilds take something else. */
            U seen = 0;
            W end = -1, queued = 0;
            for (W wild = 0; wild < n; wild++) by_kind[wild] = -2;
            by_kind[wanting] = -1;
            waiting[queued++] = wanting;
            for (W first = 0; first < queued && end < 0; first++) {
                const W wild = waiting[first];
                for (W k = 0; k < width && end < 0; k++) {
                    if (!(loose[WILD * wild + 1] >> k & 1) || seen >> k & 1) continue;
                    seen |= (U)1 << k;
                    by_wild[k] = wild;
                    if (spare[k] > 0) end = k;
                    for (W other = 0; other < n; other++)
                        if (by_kind[other] == -2 && paid[other * width + k] > 0) {
                            by_kind[other] = k;
                            waiting[queued++] = other;
                        }
                }
            }
            if (end < 0) return false;
            W amount = least(count, spare[end]);
            for (W wild = by_wild[end]; by_kind[wild] >= 0; wild = by_wild[by_kind[wild]])
                amount = least(amount, paid[wild * width + by_kind[wild]]);
            spare[end] -= amount;
            count -= amount;
            for (W k = end;;) {
                const W wild = by_wild[k];
                paid[wild * width + k] += amount;
                k = by_kind[wild];
                if (k < 0) break;
                paid[wild * width + k] -= amount;
            }
        }
    return true;
}

/* Whether what is left covers wilds of any resources. */
static bool covers(const W *left, const W *loose, W n, W width) {
    if (n > FEW_WILDS) {
        W spare[WIDEST];
        memcpy(spare, left, (size_t)width * sizeof(W));
        return covers_many(spare, loose, n, width);
    }
    /* Hall's condition: any group of wilds asks for no more than the resources that one of them admits. */
    for (W group = 1; group < (W)1 << n; group++) {
        W asked = 0, there = 0, masks = 0;
        for (W wild = 0; wild < n; wild++)
            if (group >> wild & 1) {
                asked += loose[WILD * wild];
                masks |= loose[WILD * wild + 1];
            }
        for (W k = 0; k < width; k++) there += masks >> k & 1 ? left[k] : 0;
        if (asked > there) return false;
    }
    return true;
}

/* Whether a cost with one wild can be paid from what holds the rest of it. */
static inline bool wild_payable(G *g, const W *cost, const W *held, W width, W site) {
    const W *const wild = FIRST_WILD(cost, width);
    W there = 0;
    for (W k = 0; k < width; k++) {
        const W left = wild[1] >> k & 1 ? sub_(g, held[k], cost[k], site) : 0;
        if (!wild[2]) there = add_(g, there, left, site);
        else if (left > there) there = left;
    }
    return there >= wild[0];
}

static bool wilds_payable(G *g, const W *cost, const W *held, W width, W site) {
    const W wilds = WILDS_OF(cost, width), *wild = FIRST_WILD(cost, width);
    W left[WIDEST], tight[WILD * WILDS], loose[WILD * WILDS], kind[WILDS + 1];
    if (UNLIKELY(width > WIDEST || wilds > WILDS)) fail(g, site);
    W there = 0, asked = 0, tights = 0, looses = 0;
    for (W k = 0; k < width; k++) {
        left[k] = sub_(g, held[k], cost[k], site);
        there = add_(g, there, left[k], site);
    }
    for (W n = 0; n < wilds; n++, wild += WILD) {
        asked = add_(g, asked, wild[0], site);
        memcpy(wild[2] ? tight + WILD * tights++ : loose + WILD * looses++, wild, WILD * sizeof(W));
    }
    if (there < asked) return false;
    if (!tights) return covers(left, loose, looses, width);
    sort_rows(tight, tights, WILD, -1);
    W depth = 0, steps = 0;
    kind[0] = 0;
    for (;;) {
        if (depth < tights) {
            const W *const now = tight + WILD * depth;
            W k = kind[depth];
            while (k < width && !(now[1] >> k & 1 && left[k] >= now[0])) k++;
            if (k < width) {
                if (UNLIKELY(steps++ == COVERING_STEPS)) fail(g, site);
                left[k] -= now[0];
                kind[depth] = k;
                depth++;
                /* Those that are alike take resources in order: any other way is the same one. */
                kind[depth] = depth < tights && !row_order(now, now + WILD, WILD) ? k : 0;
                continue;
            }
        } else if (covers(left, loose, looses, width)) {
            return true;
        }
        if (!depth) return false;
        depth--;
        left[kind[depth]] += tight[WILD * depth];
        kind[depth]++;
    }
}

KEPT inline bool can_pay(G *g, const W *cost, const W *held, W width, W site) {
    if (!bag_has(held, cost, width)) return false;
    switch (WILDS_OF(cost, width)) {
        case 0: return true;
        case 1: return wild_payable(g, cost, held, width, site);
    }
    return wilds_payable(g, cost, held, width, site);
}

KEPT bool can_pay_from(G *g, const W *cost, W purses, W width, W site) {
    if (COUNT(purses) == 1) return can_pay(g, cost, &g->s.v[AT(purses, 0)], width, site);
    W held[WIDEST];
    if (UNLIKELY(width > WIDEST)) fail(g, site);
    hold(g, held, purses, width, site);
    return can_pay(g, cost, held, width, site);
}
