/* Costs with wildcards, and the bags that satisfy them (see bags.h). */

#define COST_PARTS 128
#define STEPS_PER_BAG 16
#define WILD 3      /* words of a wild: count, mask, identical */

#define WILDS_OF(cost, width) ((cost)[width])
#define FIRST_WILD(cost, width) ((cost) + (width) + 1)
#define EACH_WILD(wild, cost, width) \
    for (const W *wild = FIRST_WILD(cost, width), *end_ = wild + WILD * WILDS_OF(cost, width); wild < end_; wild += WILD)

/* ---- costs ---- */

/* A bag as a cost without wilds. */
KEPT W a_cost(G *g, const W *bag, W width) {
    W *result = alloc(g, width + 1);
    for (W k = 0; k < width; k++) result[k] = bag[k];
    result[width] = 0;
    return ADDRESS(result);
}

/* A cost of nothing with room for so many wilds: `cost_grow` adds to it, `cost_settled` makes it a cost. */
KEPT W *a_cost_open(G *g, W width, W room) {
    W *result = alloc(g, width + 1 + WILD * room);
    for (W k = 0; k <= width; k++) result[k] = 0;
    return result;
}

/* Append a wild to a cost that has room for it. */
static inline void append_wild(W *cost, W width, W count, W mask, W identical) {
    W *const wild = FIRST_WILD(cost, width) + WILD * WILDS_OF(cost, width)++;
    wild[0] = count;
    wild[1] = mask;
    wild[2] = identical;
}

/* A cost of `count` resources of the kinds of a mask, `identical`: all of one kind. */
KEPT W a_wild(G *g, W count, const W *mask, W identical, W width) {
    W *const result = a_cost_open(g, width, count > 0);
    if (count > 0) append_wild(result, width, count, (W)bag_mask(mask, width), identical);
    return ADDRESS(result);
}

/* Whether a cost is paid by one of several alternatives. */
static inline bool has_alternatives(const W *cost, W width) {
    EACH_WILD(wild, cost, width)
        if (wild[2] > 1) return true;
    return false;
}

/* Add a wild to a cost: to one that is paid alike, if there is any. */
KEPT void wild_grow(G *g, W *total, W room, W count, W mask, W identical, W width, W site) {
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
    append_wild(total, width, count, mask, tight);
}

/* Add a cost to another one, which has room for so many wilds. */
KEPT void cost_grow(G *g, W *total, W room, const W *cost, W width, W site) {
    bag_grow(g, total, cost, width, site);
    if (UNLIKELY(has_alternatives(cost, width))) fail(g, site); /* the interpreter sums them up */
    EACH_WILD(wild, cost, width) wild_grow(g, total, room, wild[0], wild[1], wild[2], width, site);
}

/* Nothing that was made after the cost was opened may be needed any more. */
KEPT W cost_settled(G *g, W *total, W width) {
    W *const first = FIRST_WILD(total, width);
    sort_rows(first, WILDS_OF(total, width), WILD, 1);
    g->top = first + WILD * WILDS_OF(total, width);
    return ADDRESS(total);
}

/* Whether a cost is surely in the form that `cost_settled` gives, so that adding nothing gives the same. */
static inline bool settled(const W *cost, W width) {
    const W *const wild = FIRST_WILD(cost, width);
    return !WILDS_OF(cost, width) || (WILDS_OF(cost, width) == 1 && wild[0] > 0 && (!wild[2] || wild[0] > 1));
}

/* A cost whose wilds stay as they are, and a bag. */
KEPT W a_cost_and_bag(G *g, const W *cost, const W *bag, W width, W site) {
    const W words = width + 1 + WILD * WILDS_OF(cost, width);
    W *const result = alloc(g, words);
    for (W k = 0; k < width; k++) result[k] = add_(g, cost[k], bag[k], site);
    for (W k = width; k < words; k++) result[k] = cost[k];
    return ADDRESS(result);
}

/* ---- alternatives (payments.py says how they are written) ---- */

#define ALTERNATIVE_WORDS (64 + WILD * COST_PARTS) /* of a cost that has alternatives, or is one of them */

/* Writes an alternative of a cost by its number, from 1 on (0: a cost without any); where it ends, or NULL beyond the
   last. Wilds of one resource alone become fixed. */
KEPT W *write_alternative(const W *cost, W number, W width, W *result) {
    bool there = !number;
    for (W k = 0; k < width; k++) result[k] = cost[k];
    WILDS_OF(result, width) = 0;
    EACH_WILD(wild, cost, width) {
        if (wild[2] >> 1 != number) continue;
        there = true;
        if (!wild[0]) continue;
        if (wild[1] && !(wild[2] & 1) && !(wild[1] & (wild[1] - 1))) {
            result[__builtin_ctzll((U)wild[1])] += wild[0];
            continue;
        }
        append_wild(result, width, wild[0], wild[1], wild[2] & 1);
    }
    return there ? FIRST_WILD(result, width) + WILD * WILDS_OF(result, width) : NULL;
}

/* An alternative by its number as a cost of its own; a cost without alternatives is its only one. */
KEPT W *an_alternative(G *g, const W *cost, W number, W width) {
    if (!has_alternatives(cost, width) && number-- > 1) return NULL;
    W *const result = alloc(g, width + 1 + WILD * WILDS_OF(cost, width));
    W *const end = write_alternative(cost, number, width, result);
    g->top = end ? end : result;
    return end ? result : NULL;
}

/* Compare two costs: by their fixed parts, then by their wilds. */
KEPT int cost_order(const W *a, const W *b, W width) {
    const int order = row_order(a, b, width);
    if (order) return order;
    const W wilds = least(WILDS_OF(a, width), WILDS_OF(b, width));
    const int further = row_order(FIRST_WILD(a, width), FIRST_WILD(b, width), WILD * wilds);
    return further ? further : (WILDS_OF(a, width) > wilds) - (WILDS_OF(b, width) > wilds);
}

/* Costs without alternatives of which one is to be paid. */
typedef struct {
    const W **costs;
    W n, room;
} Alternatives;

/* An empty list with room for so many alternatives. */
KEPT Alternatives no_alternatives(G *g, W room) { return (Alternatives){(const W **)alloc(g, room), 0, room}; }

/* Insert a cost, unless an equal one is there, so that the list stays sorted by `cost_order`. */
KEPT void insert_alternative(G *g, Alternatives *list, const W *cost, W width, W site) {
    cost = an_alternative(g, cost, 1, width);
    W place = list->n;
    while (place && cost_order(cost, list->costs[place - 1], width) < 0) place--;
    if (place && !cost_order(cost, list->costs[place - 1], width)) return;
    if (UNLIKELY(list->n >= list->room)) fail(g, site);
    for (W i = list->n++; i > place; i--) list->costs[i] = list->costs[i - 1];
    list->costs[place] = cost;
}

/* The cost of which one of several alternatives is paid. */
KEPT W a_cost_of_alternatives(G *g, const Alternatives *list, W width, W site) {
    if (list->n == 1) return ADDRESS(list->costs[0]);
    W *const result = a_cost_open(g, width, COST_PARTS);
    for (W i = 0; i < list->n; i++) {
        const W *const cost = list->costs[i], *const wilds = FIRST_WILD(cost, width), before = WILDS_OF(result, width);
        const W parts = width + WILDS_OF(cost, width);
        for (W part = 0; part <= parts; part++) {
            const bool nothing = part == parts;
            if (part < width ? !cost[part] : nothing && before < WILDS_OF(result, width)) continue;
            if (UNLIKELY(WILDS_OF(result, width) >= COST_PARTS)) fail(g, site);
            const W *const wild = wilds + WILD * (part - width);
            const W count = nothing ? 0 : part < width ? cost[part] : wild[0];
            const W mask = nothing ? 0 : part < width ? (W)1 << part : wild[1];
            append_wild(result, width, count, mask, (nothing || part < width ? 0 : wild[2]) + 2 * (i + 1));
        }
    }
    return cost_settled(g, result, width);
}

/* The cost of which either of two is paid. */
KEPT W a_cost_either(G *g, const W *a, const W *b, W width, W site) {
    Alternatives list = no_alternatives(g, 2 * COST_PARTS);
    for (W n = 1, *alternative; (alternative = an_alternative(g, a, n, width)); n++)
        insert_alternative(g, &list, alternative, width, site);
    for (W n = 1, *alternative; (alternative = an_alternative(g, b, n, width)); n++)
        insert_alternative(g, &list, alternative, width, site);
    return a_cost_of_alternatives(g, &list, width, site);
}

KEPT W a_cost_add(G *g, const W *a, const W *b, W width, W site);

/* The sum of two costs with alternatives: each of the one with each of the other. */
COLD KEPT W a_sum_of_alternatives(G *g, const W *a, const W *b, W width, W site) {
    Alternatives list = no_alternatives(g, COST_PARTS);
    for (W n = 1, *x; (x = an_alternative(g, a, n, width)); n++)
        for (W m = 1, *y; (y = an_alternative(g, b, m, width)); m++)
            insert_alternative(g, &list, LIST(a_cost_add(g, x, y, width, site)), width, site);
    return a_cost_of_alternatives(g, &list, width, site);
}

/* The sum of two costs of which both may have wilds. */
KEPT W a_longer_sum(G *g, const W *a, const W *b, W width, W site) {
    if (!WILDS_OF(b, width) && settled(a, width)) return a_cost_and_bag(g, a, b, width, site);
    if (!WILDS_OF(a, width) && settled(b, width)) return a_cost_and_bag(g, b, a, width, site);
    if (has_alternatives(a, width) || has_alternatives(b, width)) return a_sum_of_alternatives(g, a, b, width, site);
    const W room = WILDS_OF(a, width) + WILDS_OF(b, width);
    W *const total = a_cost_open(g, width, room);
    cost_grow(g, total, room, a, width, site);
    cost_grow(g, total, room, b, width, site);
    return cost_settled(g, total, width);
}

/* The sum of two costs; quick where one of them is nothing, as it mostly is. */
static inline W a_cost_add(G *g, const W *a, const W *b, W width, W site) {
    if (!WILDS_OF(b, width) && no_bag(b, width) && settled(a, width)) return ADDRESS(a);
    return a_longer_sum(g, a, b, width, site);
}

KEPT W a_cost_sub(G *g, const W *cost, const W *bag, W width, W site);

/* What remains of a cost after a bag has paid what it can: first the amounts of single resources, then the wilds. */
KEPT W a_difference(G *g, const W *cost, const W *bag, W width, W site) {
    if (has_alternatives(cost, width)) {
        Alternatives list = no_alternatives(g, COST_PARTS);
        for (W n = 1, *alternative; (alternative = an_alternative(g, cost, n, width)); n++)
            insert_alternative(g, &list, LIST(a_cost_sub(g, alternative, bag, width, site)), width, site);
        return a_cost_of_alternatives(g, &list, width, site);
    }
    W *const result = a_cost_open(g, width, WILDS_OF(cost, width)), *const spare = alloc(g, width);
    for (W k = 0; k < width; k++) {
        result[k] = beyond(g, cost[k], bag[k], site);
        spare[k] = beyond(g, bag[k], cost[k], site);
    }
    EACH_WILD(wild, cost, width) {
        W count = wild[0];
        for (W k = 0; k < width; k++) {
            const W used = wild[1] >> k & 1 ? least(spare[k], count) : 0;
            spare[k] -= used;
            count -= used;
        }
        if (count) append_wild(result, width, count, wild[1], wild[2]);
    }
    return cost_settled(g, result, width);
}

/* A cost less a bag; quick where the bag is empty, as it mostly is. */
static inline W a_cost_sub(G *g, const W *cost, const W *bag, W width, W site) {
    W signs = 0;
    for (W k = 0; k < width; k++) signs |= cost[k];
    if (signs >= 0 && no_bag(bag, width) && settled(cost, width)) return ADDRESS(cost);
    return a_difference(g, cost, bag, width, site);
}

/* A cost a number of times. */
KEPT W a_cost_scale(G *g, W number, const W *cost, W width, W site) {
    const W wilds = WILDS_OF(cost, width), times = greatest(number, 0);
    if (has_alternatives(cost, width)) {
        W sum = ADDRESS(a_cost_open(g, width, 0));
        for (W n = 0; n < times; n++) sum = a_cost_add(g, LIST(sum), cost, width, site);
        return sum;
    }
    W tight = 0;
    EACH_WILD(wild, cost, width) tight += wild[2] != 0;
    if (UNLIKELY(tight && times > COST_PARTS / tight)) fail(g, site);
    const W room = wilds - tight + tight * (tight ? times : 0);
    W *const result = a_cost_open(g, width, room);
    for (W k = 0; k < width; k++) result[k] = mul_(g, times, cost[k], site);
    EACH_WILD(wild, cost, width) {
        if (!times) break;
        if (!wild[2]) wild_grow(g, result, room, mul_(g, times, wild[0], site), wild[1], 0, width, site);
        for (W again = 0; wild[2] && again < times; again++)
            wild_grow(g, result, room, wild[0], wild[1], 1, width, site);
    }
    return cost_settled(g, result, width);
}

/* How many resources a cost asks for; of alternatives the fewest. */
KEPT W cost_size(G *g, const W *cost, W width, W site) {
    W result = bag_size(g, cost, width, site);
    if (has_alternatives(cost, width)) {
        W alternative[ALTERNATIVE_WORDS], fewest = INT64_MAX;
        for (W n = 1; write_alternative(cost, n, width, alternative); n++)
            fewest = least(fewest, cost_size(g, alternative, width, site));
        return fewest;
    }
    EACH_WILD(wild, cost, width) result = add_(g, result, wild[0], site);
    return result;
}

/* ---- what satisfies a cost ---- */

/* Every distinct bag within `limit` (NULL: any) that satisfies a cost exactly, most of the first resources first. */
KEPT Rows a_cost_bags(G *g, const W *cost, const W *limit, W width, W most, W site) {
    W *const base = g->top;
    if (has_alternatives(cost, width)) {
        Rows every = rows_at_top(g, width, ENDLESS_ROWS);
        for (W n = 1, *alternative; (alternative = an_alternative(g, cost, n, width)); n++) {
            Rows more = a_cost_bags(g, alternative, limit, width, most, site);
            lower(g, &more, base + every.n * width);
            every.n += more.n;
        }
        unite(g, &every);
        if (UNLIKELY(every.n > most)) fail(g, site);
        return every;
    }
    const W size = limit ? 0 : cost_size(g, cost, width, site);
    Rows result = rows_at_top(g, width, ENDLESS_ROWS);
    for (W k = 0; k < width; k++)
        if ((limit ? limit[k] : size) < cost[k]) return result;
    W *const room = alloc(g, width), *const taken = alloc(g, width);
    result.at = g->top;
    W *const row = new_row(g, &result);
    for (W k = 0; k < width; k++) row[k] = cost[k];
    W tries = STEPS_PER_BAG * most;
    EACH_WILD(wild, cost, width) {
        Rows grown = rows_at_top(g, width, SOME_ROWS);
        for (W i = 0; i < result.n; i++) {
            const W *const bag = result.at + i * width;
            W bags_made = 0;
            for (W k = 0; k < width; k++)
                room[k] = wild[1] >> k & 1 ? beyond(g, limit ? limit[k] : size, bag[k], site) : 0;
            if (wild[2]) {
                for (W k = 0; k < width; k++) {
                    if (!(wild[1] >> k & 1) || room[k] < wild[0]) continue;
                    W *const row = new_row(g, &grown);
                    memcpy(row, bag, (size_t)width * sizeof(W));
                    row[k] = add_(g, row[k], wild[0], site);
                    bags_made++;
                }
            } else {
                for (bool more = spread_first(room, width, wild[0], taken); more;
                     more = spread_next(room, width, taken)) {
                    if (UNLIKELY(++bags_made > most)) fail(g, site);
                    W *const row = new_row(g, &grown);
                    for (W k = 0; k < width; k++) row[k] = bag[k] + taken[k];
                }
            }
            tries -= bags_made + 1;
            if (UNLIKELY(bags_made > most || tries < 0)) fail(g, site);
        }
        if (result.n > 1) unite(g, &grown); /* those of one bag are in order already */
        if (UNLIKELY(grown.n > most)) fail(g, site);
        lower(g, &grown, result.at);
        result.n = grown.n;
    }
    lower(g, &result, base);
    return result;
}

/* All bags that pay a cost exactly, as a set. */
KEPT W a_expansions(G *g, const W *cost, W width, W site) {
    W *const base = g->top;
    Rows result = a_cost_bags(g, cost, NULL, width, most_listed(g), site);
    BURN(result.n, site);
    return a_set_of_rows(g, &result, base);
}

/* Every distinct bag that may be left when one of the bags of `added` joins `present`. `limits` is NULL where there are
   none. */
KEPT W a_placements(
    G *g, const W *present, const W *added, W total, W each, const W *limits, W width, W site
) {
    const W most = most_listed(g), all = bag_size(g, present, width, site);
    W *const base = g->top, *const caps = alloc(g, width), *const fits = alloc(g, width), *const taken = alloc(g, width);
    for (W k = 0; k < width; k++) {
        const W own = limits ? limits[k] : -1;
        const W cap = each >= 0 && own >= 0 ? least(each, own) : greatest(each, own);
        caps[k] = cap >= 0 ? greatest(cap, present[k]) : -1;
    }
    const Rows bags = a_cost_bags(g, added, NULL, width, most, site);
    Rows result = rows_at_top(g, width, SOME_ROWS);
    W tries = STEPS_PER_BAG * most;
    for (W i = 0; i < bags.n; i++) {
        W sum = 0;
        for (W k = 0; k < width; k++) {
            const W joined = add_(g, present[k], bags.at[i * width + k], site);
            fits[k] = caps[k] >= 0 ? least(joined, caps[k]) : joined;
            if (UNLIKELY(fits[k] < 0)) fail(g, site);
            sum = add_(g, sum, fits[k], site);
        }
        const W kept = total >= 0 ? least(sum, greatest(total, all)) : sum;
        W bags_made = 0;
        for (bool more = spread_first(fits, width, kept, taken); more; more = spread_next(fits, width, taken)) {
            if (UNLIKELY(++bags_made > most || --tries < 0)) fail(g, site);
            memcpy(new_row(g, &result), taken, (size_t)width * sizeof(W));
        }
    }
    unite(g, &result);
    if (UNLIKELY(result.n > most)) fail(g, site);
    BURN(result.n, site);
    return a_set_of_rows(g, &result, base);
}
