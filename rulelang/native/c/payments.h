/* Every way to pay a cost from purses (see bags.h). */

#define COVERING_STEPS 20000
#define WIDEST 62   /* resources: masks have 64 bits */
#define MOST_HELD ((U)1 << 40) /* of a resource, in purses whose payments are found: so that their sums have 64 bits */
#define LOOSE 12    /* wilds of any resources, each of other kinds, of which each set is looked at */
#define WILDS 192   /* wilds of a cost that is summed up or checked; the interpreter plays what has more */

/* ---- purses: a purse is its first cell ---- */

/* The purses of one: a list with its first cell. */
KEPT W a_purse(G *g, W cell) { return a_copied(g, (const W[]){1, cell}, 2); }

/* The purses of pieces: a variable of `width` cells for each, from `base` on. */
KEPT W a_purses_of(G *g, W items, W base, W width) {
    W *result = a_list(g, COUNT(items));
    for (W i = 0; i < COUNT(items); i++) PUSH(result, base + AT(items, i) * width);
    return ADDRESS(result);
}

/* The purses of several sets, each once, in order. */
KEPT W a_purses(G *g, const W *sets, W n) {
    W room = 0;
    for (W i = 0; i < n; i++) room += COUNT(sets[i]);
    W *result = a_list(g, room);
    for (W i = 0; i < n; i++)
        for (W place = 0; place < COUNT(sets[i]); place++)
            if (!member(AT(sets[i], place), ADDRESS(result))) PUSH(result, AT(sets[i], place));
    return ADDRESS(result);
}

/* Set `held` to what purses hold together. */
KEPT void sum_purses(G *g, W *held, W purses, W width, W site) {
    for (W k = 0; k < width; k++) held[k] = 0;
    for (W i = 0; i < COUNT(purses); i++) bag_grow(g, held, &g->s.v[AT(purses, i)], width, site);
}

/* What purses hold together, as a bag. */
KEPT W a_holdings(G *g, W purses, W width, W site) {
    W *result = alloc(g, width);
    sum_purses(g, result, purses, width, site);
    return ADDRESS(result);
}

/* ---- payments that are counted, not listed ---- */

/* What purses hold together, then of each resource how many purses have some. Nothing in them is below 0, nor so much
   that a sum could be too large. */
static inline void stock_grow(G *g, W *stock, W cell, W width) {
    const W *const there = &g->s.v[cell];
    for (W k = 0; k < width; k++) {
        stock[k] += there[k];
        stock[width + k] += there[k] > 0;
    }
}

/* The stock of purses: see `stock_grow`. */
KEPT W a_stock(G *g, W purses, W width) {
    W *const result = a_zeros(g, 2 * width);
    for (W i = 0; i < COUNT(purses); i++) stock_grow(g, result, AT(purses, i), width);
    return ADDRESS(result);
}

/* What each purse holds of one resource; room for as many numbers follows. */
KEPT W *a_resource_holdings(G *g, W purses, W k) {
    const W n = COUNT(purses);
    W *const room = alloc(g, 2 * n);
    for (W purse = 0; purse < n; purse++) room[purse] = g->s.v[AT(purses, purse) + k];
    return room;
}

/* The same number, by enumeration: for several purses that hold more than is taken. */
COLD KEPT W count_spreads(G *g, W purses, W k, W count, W site) {
    const W n = COUNT(purses);
    W *const room = a_resource_holdings(g, purses, k);
    W ways = 0;
    for (bool more = spread_first(room, n, count, room + n); more; more = spread_next(room, n, room + n))
        if (UNLIKELY(++ways > MOST_WAYS)) fail(g, site);
    g->top = room;
    return ways;
}

/* In how many ways so much of a resource can be taken out of purses. */
static inline W count_withdrawals(G *g, W purses, const W *stock, W k, W count, W width, W site) {
    if (count <= 1) {
        if (UNLIKELY(count < 0)) fail(g, site);
        return count ? stock[width + k] : 1;
    }
    if (UNLIKELY((stock[k] > count) & (stock[width + k] > 1))) return count_spreads(g, purses, k, count, site);
    return stock[k] >= count;
}

/* In how many ways a bag can be paid from purses. */
KEPT W count_bag_payments(G *g, const W *bag, W purses, const W *stock, W width, W site) {
    W ways = 1;
    for (W k = 0; k < width; k++)
        if (bag[k]) {
            ways *= count_withdrawals(g, purses, stock, k, bag[k], width, site);
            if (UNLIKELY(ways > MOST_WAYS)) fail(g, site);
            if (!ways) return 0;
        }
    return ways;
}

/* Charge fuel for so many payments, as if they were listed. */
static inline void charge(G *g, W payments, W site) {
    if (UNLIKELY(payments > MOST_WAYS)) fail(g, site);
    BURN(payments, site);
}

static inline bool can_pay(G *g, const W *cost, const W *held, W width, W site);

/* How many payments of a cost there are; more than MOST_WAYS are not counted to the end. */
KEPT W count_listed_payments(G *g, const W *cost, W purses, const W *stock, W width, W site) {
    if (!WILDS_OF(cost, width)) return count_bag_payments(g, cost, purses, stock, width, site);
    W *const base = g->top;
    W ways = 0;
    const Rows bags = a_cost_bags(g, cost, stock, width, most_listed(g), site);
    for (W i = 0; i < bags.n && ways <= MOST_WAYS; i++)
        ways += count_bag_payments(g, bags.at + i * width, purses, stock, width, site);
    g->top = base;
    return ways;
}

/* The same, with a quick test for none, the common case. */
static inline W count_payments(G *g, const W *cost, W purses, const W *stock, W width, W site) {
    if (WILDS_OF(cost, width) == 1 && !can_pay(g, cost, stock, width, site)) return 0;
    return count_listed_payments(g, cost, purses, stock, width, site);
}

/* ---- fused payments, which are spent at once: a list of cells, each followed by how much is taken from it ---- */

/* The fused payment with this number among those of one bag. */
KEPT W a_fused_bag_payment(G *g, const W *bag, W purses, const W *stock, W width, W place, W site) {
    const W n = COUNT(purses), *const cells = LIST(purses) + 1;
    W *const result = alloc(g, 1 + 2 * n * width), *next = result + 1;
    for (W k = width - 1; k >= 0; k--) {
        W count = bag[k], way = 0;
        if (!count) continue;
        if (place) {
            const W ways = count_withdrawals(g, purses, stock, k, count, width, site);
            way = place % ways;
            place /= ways;
        }
        const W *taken = NULL;
        W *const mark = g->top;
        if (way && count > 1) {
            W *const room = a_resource_holdings(g, purses, k);
            spread_first(room, n, count, room + n);
            while (way-- > 0) spread_next(room, n, room + n);
            taken = room + n;
        }
        for (W purse = 0; count > 0 && purse < n; purse++) {
            const W cell = cells[purse] + k, amount = taken ? taken[purse] : least(count, g->s.v[cell]);
            if (!amount || (!taken && way-- > 0)) continue;
            *next++ = cell;
            *next++ = amount;
            count -= amount;
        }
        g->top = mark;
    }
    result[0] = next - result - 1;
    g->top = next;
    return ADDRESS(result);
}

/* The fused payment with this number among those of bags that follow each other; bags beyond it are not read. */
KEPT W a_fused_payment_among(G *g, const W *bag, W purses, const W *stock, W width, W place, W site) {
    for (;; bag += width) {
        const W ways = count_bag_payments(g, bag, purses, stock, width, site);
        if (place < ways) return a_fused_bag_payment(g, bag, purses, stock, width, place, site);
        place -= ways;
    }
}

/* The fused payment with this number among all of a cost. */
KEPT W a_fused_payment(G *g, const W *cost, W purses, const W *stock, W width, W place, W site) {
    if (!WILDS_OF(cost, width)) return a_fused_bag_payment(g, cost, purses, stock, width, place, site);
    const Rows bags = a_cost_bags(g, cost, stock, width, MOST_WAYS, site);
    return a_fused_payment_among(g, bags.at, purses, stock, width, place, site);
}

/* Spend a fused payment; fails where a cell holds less. */
KEPT void spend_fused(G *g, W fused, W site) {
    const W *const end = LIST(fused) + 1 + COUNT(fused);
    for (const W *at = LIST(fused) + 1; at < end; at += 2) {
        if (UNLIKELY((U)at[0] >= VARIABLES || g->s.v[at[0]] < at[1])) fail(g, site);
        g->s.v[at[0]] -= at[1];
    }
}

/* The payment by purses and resources that a fused one stands for. */
KEPT W a_full_payment(G *g, W fused, W purses, W width) {
    const W n = COUNT(purses);
    W *const result = a_zeros(g, 1 + n * width);
    result[0] = n * width;
    for (W at = 0; at < COUNT(fused); at += 2)
        for (W purse = 0; purse < n; purse++) {
            const W k = AT(fused, at) - AT(purses, purse);
            if (k >= 0 && k < width) result[1 + purse * width + k] = AT(fused, at + 1);
        }
    return ADDRESS(result);
}

/* Every distinct payment, by the bag paid, then most from the first purses first. */
KEPT W a_payments(G *g, const W *cost, W purses, W width, W site) {
    for (W purse = 0; purse < COUNT(purses); purse++)
        for (W k = 0; k < width; k++)
            if (UNLIKELY((U)g->s.v[AT(purses, purse) + k] > MOST_HELD)) fail(g, site);
    const W *const stock = BAG(a_stock(g, purses, width));
    const W n = count_listed_payments(g, cost, purses, stock, width, site);
    charge(g, n, site);
    W *const result = a_list(g, n);
    for (W place = 0; place < n; place++)
        PUSH(result, a_full_payment(g, a_fused_payment(g, cost, purses, stock, width, place, site), purses, width));
    return ADDRESS(result);
}

/* A bag as a payment from one purse. */
KEPT W a_payment_of(G *g, const W *bag, W width) {
    W *const result = a_list(g, width);
    for (W k = 0; k < width; k++) PUSH(result, bag[k]);
    return ADDRESS(result);
}

/* Take a payment out of its purses; fails where there is less. */
KEPT void spend(G *g, W payment, W purses, W site) {
    const W starts = COUNT(purses), width = starts ? COUNT(payment) / starts : 0;
    if (UNLIKELY(starts && COUNT(payment) != width * starts)) fail(g, site);
    for (W purse = 0; purse < starts; purse++)
        for (W k = 0; k < width; k++) {
            const W count = AT(payment, purse * width + k), cell = AT(purses, purse) + k;
            if (!count) continue;
            if (UNLIKELY((U)cell >= VARIABLES || g->s.v[cell] < count)) fail(g, site);
            g->s.v[cell] -= count;
            if (LOGS(g)) log_set(g, site, cell, g->s.v[cell] + count);
        }
}

/* Move a payment from its purses to the first of others, which hold no more than `most` of a resource, or (there is none) to nobody;
   fails where there is less, or would be more. What all see of that for themselves, as `open` says by cell, is logged cell by cell. */
KEPT void pass_on(G *g, W payment, W purses, W others, W most, const W *open, W site) {
    const W starts = COUNT(purses), width = starts ? COUNT(payment) / starts : 0, to = COUNT(others) ? AT(others, 0) : -1;
    if (UNLIKELY(starts && COUNT(payment) != width * starts)) fail(g, site);
    for (W purse = 0; purse < starts; purse++) {
        const W from = AT(purses, purse), *const goods = LIST(payment) + 1 + purse * width;
        W size = 0;
        for (W k = 0; k < width; k++) {
            if (UNLIKELY((U)(from + k) >= VARIABLES || g->s.v[from + k] < goods[k])) fail(g, site);
            size += goods[k];
        }
        if (from == to || !size) continue;
        const bool apart = LOGS(g) && to < 0 && open[from];
        for (W k = 0; k < width; k++) {
            if (!goods[k]) continue;
            g->s.v[from + k] -= goods[k];
            if (apart) log_set(g, site, from + k, g->s.v[from + k] + goods[k]);
            if (to >= 0 && UNLIKELY((g->s.v[to + k] += goods[k]) > most)) fail(g, site);
        }
        if (LOGS(g) && !apart) log_goods(g, site, from, to, goods, width);
    }
}

/* ---- whether a cost can be paid ---- */

/* Whether what is left covers wilds of any resources (Hall's theorem): of what any of them can take there is as much as
   they want together, for each set of them. */
KEPT bool covers(const W *left, const W *loose, W n, W width) {
    for (U some = 1; some < (U)1 << n; some++) {
        U kinds = 0;
        W spare = 0;
        for (W wild = 0; wild < n; wild++) {
            if (!(some >> wild & 1)) continue;
            kinds |= (U)loose[WILD * wild + 1];
            spare -= loose[WILD * wild];
        }
        for (W k = 0; k < width; k++) spare += kinds >> k & 1 ? left[k] : 0;
        if (spare < 0) return false;
    }
    return true;
}

/* The same where some wilds, sorted, take one resource each: the first of them one from `from` on. */
KEPT bool covers_tight(
    G *g, W *left, const W *tight, W tights, W from, const W *loose, W n, W width, W *steps, W site
) {
    if (!tights) return covers(left, loose, n, width);
    bool result = false;
    for (W k = from; k < width && !result; k++) {
        if (!(tight[1] >> k & 1) || left[k] < tight[0]) continue;
        if (UNLIKELY((*steps)++ == COVERING_STEPS)) fail(g, site);
        /* Those that are alike take resources in order: any other way is the same one. */
        const W next = tights > 1 && !row_order(tight, tight + WILD, WILD) ? k : 0;
        left[k] -= tight[0];
        result = covers_tight(g, left, tight + WILD, tights - 1, next, loose, n, width, steps, site);
        left[k] += tight[0];
    }
    return result;
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

KEPT bool wilds_payable(G *g, const W *cost, const W *held, W width, W site);

/* Whether one of the alternatives of a cost can be paid. */
COLD KEPT bool some_alternative_payable(G *g, const W *cost, const W *held, W width, W site) {
    W alternative[ALTERNATIVE_WORDS];
    for (W n = 1; write_alternative(cost, n, width, alternative); n++)
        if (bag_has(held, alternative, width) && wilds_payable(g, alternative, held, width, site)) return true;
    return false;
}

/* Whether a cost with wilds can be paid from what holds its fixed part. */
KEPT bool wilds_payable(G *g, const W *cost, const W *held, W width, W site) {
    if (UNLIKELY(has_alternatives(cost, width))) return some_alternative_payable(g, cost, held, width, site);
    const W wilds = WILDS_OF(cost, width), *wild = FIRST_WILD(cost, width);
    W left[WIDEST], tight[WILD * WILDS], loose[WILD * WILDS];
    if (UNLIKELY(width > WIDEST || wilds > WILDS)) fail(g, site);
    W there = 0, asked = 0, tights = 0, looses = 0, steps = 0;
    for (W k = 0; k < width; k++) {
        left[k] = sub_(g, held[k], cost[k], site);
        there = add_(g, there, left[k], site);
    }
    for (W n = 0; n < wilds; n++, wild += WILD) {
        asked = add_(g, asked, wild[0], site);
        memcpy(wild[2] ? tight + WILD * tights++ : loose + WILD * looses++, wild, WILD * sizeof(W));
    }
    if (there < asked) return false;
    if (UNLIKELY(looses > LOOSE)) fail(g, site);
    sort_rows(tight, tights, WILD, -1);
    return covers_tight(g, left, tight, tights, 0, loose, looses, width, &steps, site);
}

/* Whether what is held pays a cost. */
static inline bool can_pay(G *g, const W *cost, const W *held, W width, W site) {
    if (!bag_has(held, cost, width)) return false;
    switch (WILDS_OF(cost, width)) {
        case 0: return true;
        case 1: return wild_payable(g, cost, held, width, site);
    }
    return wilds_payable(g, cost, held, width, site);
}

/* Whether purses pay a cost together. */
KEPT bool can_pay_from(G *g, const W *cost, W purses, W width, W site) {
    if (COUNT(purses) == 1) return can_pay(g, cost, &g->s.v[AT(purses, 0)], width, site);
    W held[WIDEST];
    if (UNLIKELY(width > WIDEST)) fail(g, site);
    sum_purses(g, held, purses, width, site);
    return can_pay(g, cost, held, width, site);
}
