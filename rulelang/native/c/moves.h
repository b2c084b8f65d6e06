/* Moves, with the same results as those of rulelang/interpreter/statements.py; and one of several things by
   chance. */

/* A flag that is not known before: the zone's own. */
#define ASK (-2)
#define FORM(flag, zone) ((flag) == ASK ? zone_form[zone] : (flag))
#define ROOM(capacity, zone) ((capacity) == ASK ? (W)zone_capacity[zone] : (capacity))

/* What was counted lies in another zone now. */
static inline void flip_counted(G *g, U counts, W first, W from, W to) {
    if (FLIPS) EACH_COUNTED(x, counts) {
        FLIP(g, from, first + (W)x);
        FLIP(g, to, first + (W)x);
    }
}

/* Whether what lies at the end of a zone is such an item. */
static inline bool lies_on_top(const G *g, W zone, W item) {
    const W n = g->s.length[zone];
    return n && lying_at(g, zone, n - 1, zone_form[zone]) == item;
}

/* Moves an item from one zone to another; false where it does not lie in the first one any more. */
__attribute__((always_inline)) static inline bool transferred(
    G *g, W item, W from, W to, bool identity, int from_form, int to_form, bool top) {
    const bool on_top = NOTED(g) && lies_on_top(g, from, item), was_empty = !g->s.length[to];
    if (!take(g, from, item, FORM(from_form, from))) return false;
    put_into(g, to, item, FORM(to_form, to), top);
    if (identity) g->s.where[item] = (int32_t)to;
    if (NOTED(g)) observe_move(g, from, to, item, on_top, was_empty);
    return true;
}

/* One piece, if it fits and is still where it was found. */
static inline void move_piece(
    G *g, W piece, W to, bool identity, int from_form, int to_form, bool top, W capacity, W site) {
    const W item = identity ? piece : piece & ITEM_MASK;
    const W from = identity ? g->s.where[item] : piece >> ZONE_SHIFT;
    if (identity && UNLIKELY(from < 0)) fail(g, site);
    const W room = ROOM(capacity, to);
    if (room >= 0 && from != to && g->s.length[to] >= room) return;
    BURN((g->s.length[from] + g->s.length[to]) >> 6, site);
    transferred(g, item, from, to, identity, from_form, to_form, top);
}

/* Move a set of pieces, one after another, as many as fit. */
static inline void move_each(G *g, W set, W to, bool identity, int from_form, int to_form, bool top, W room) {
    const W n = COUNT(set);
    for (W i = 0; i < n; i++) {
        const W piece = AT(set, i);
        const W item = identity ? piece : piece & ITEM_MASK;
        const W from = identity ? g->s.where[item] : piece >> ZONE_SHIFT;
        if (room >= 0 && from != to && g->s.length[to] >= room) break;
        if (from >= 0) transferred(g, item, from, to, identity, from_form, to_form, top);
    }
}

static inline void move_set(
    G *g, W set, W to, bool identity, int from_form, int to_form, bool top, W capacity, W site) {
    BURN(4 * COUNT(set), site);
    move_each(g, set, to, identity, from_form, to_form, top, ROOM(capacity, to));
}

/* The same of pieces that were counted, to a zone that is kept so and never full; `first` is a piece of the first
   item in the zone that they were found in. */
static inline void move_counted(G *g, U counts, W first, W to, bool top, W site) {
    const W n = (W)(up_to(counts) >> 56), from = first >> ZONE_SHIFT;
    BURN(4 * n, site);
    const bool there = (((g->s.counts[from] | ABOVE_EACH) - counts) & ABOVE_EACH) == ABOVE_EACH;
    if (LIKELY(!NOTED(g) && zone_form[from] == COUNTS && there && from != to && g->s.length[to] + n <= zone_room[to])) {
        flip_counted(g, counts, first & ITEM_MASK, from, to);
        g->s.counts[from] -= counts;
        g->s.length[from] -= (int32_t)n;
        g->s.counts[to] += counts;
        g->s.length[to] += (int32_t)n;
    } else if (n) {
        W *const mark = g->top;
        move_each(g, a_counted(g, counts, first), to, false, ASK, COUNTS, top, -1);
        g->top = mark;
    }
}

/* All known pieces of a zone, as `move_set` would move them: a pile's from its top. */
static inline void move_known(
    G *g, W from, W to, bool identity, int from_form, int to_form, bool top, W capacity, W site) {
    const int old_form = FORM(from_form, from), new_form = FORM(to_form, to);
    const W n = g->s.length[from], m = g->s.length[to], room = ROOM(capacity, to);
    if (old_form == COUNTS && new_form == COUNTS && LIKELY(!NOTED(g) && from != to && m + n <= (room < 0 ? zone_room[to] : room))) {
        BURN(n, site);
        flip_counted(g, g->s.counts[from], FIRST_ITEM(from), from, to);
        g->s.counts[to] += g->s.counts[from];
        g->s.length[to] = (int32_t)(m + n);
        g->s.counts[from] = 0;
        g->s.length[from] = 0;
        return;
    }
    if (!n) return;
    if (n == 1 && m == 0 && old_form != COUNTS && new_form != COUNTS && from != to && room != 0 && zone_room[to] > 0) {
        const W item = contents(g, from)[0];
        BURN(item >= 0, site);
        if (item < 0) return;
        FLIP(g, from, item);
        FLIP(g, to, item);
        contents(g, to)[0] = (Z)item;
        if (identity) g->s.where[item] = (int32_t)to;
        g->s.length[from] = 0;
        g->s.length[to] = 1;
        if (NOTED(g)) observe_move(g, from, to, item, true, true);
        return;
    }
    W *const mark = g->top;
    const W set = a_pieces(g, from, old_form, identity ? 0 : 1 << ZONE_SHIFT);
    BURN(COUNT(set), site);
    move_each(g, set, to, identity, old_form, new_form, top, room);
    g->top = mark;
}

/* So many as they lie, unknown ones too: from the top of a pile, from the beginning of a bag. */
KEPT void move_slots(
    G *g, W from, W amount, W to, bool identity, int from_form, int to_form, bool top, W capacity, W site) {
    const int old_form = FORM(from_form, from), new_form = FORM(to_form, to);
    const bool pile = old_form == PILED, onto = new_form == PILED;
    W n = least(greatest(amount, 0), g->s.length[from]);
    const W room = ROOM(capacity, to);
    if (room >= 0 && from != to) n = least(n, greatest(room - g->s.length[to], 0));
    if (!n) return;
    BURN(n, site);
    W *const mark = g->top;
    W *const members = alloc(g, n);
    Z *const here = contents(g, from), *const there = contents(g, to);
    W left = g->s.length[from];
    if (old_form == COUNTS) {
        W i = 0;
        EACH_COUNTED(x, g->s.counts[from]) {
            if (i == n) break;
            members[i++] = FIRST_ITEM(from) + (W)x;
            g->s.counts[from] -= (U)1 << 8 * x;
        }
    } else {
        for (W i = 0; i < n; i++) members[i] = here[pile ? left - 1 - i : i];
        if (!pile) memmove(here, here + n, (size_t)(left - n) * sizeof(Z));
    }
    left -= n;
    g->s.length[from] = (int32_t)left;
    const W m = g->s.length[to];
    if (UNLIKELY(m + n > zone_room[to])) fail(g, NO_ROOM);
    if (onto && !top) memmove(there + n, there, (size_t)m * sizeof(Z));
    for (W i = 0; i < n; i++) {
        FLIP(g, from, members[i]);
        FLIP(g, to, members[i]);
        if (new_form == COUNTS)
            g->s.counts[to] += count_unit(g, to, members[i]);
        else
            there[onto && !top ? n - 1 - i : m + i] = (Z)members[i];
        if (identity && members[i] >= 0) g->s.where[members[i]] = (int32_t)to;
    }
    g->s.length[to] = (int32_t)(m + n);
    if (new_form == SORTED) sort_pieces(there, m + n);
    for (W i = 0; NOTED(g) && i < n; i++) observe_move(g, from, to, members[i], pile, !(m + i));
    g->top = mark;
}

/* The first one of them. */
static inline void move_slot(
    G *g, W from, W to, bool identity, int from_form, int to_form, bool top, W capacity, W site) {
    const W n = g->s.length[from], room = ROOM(capacity, to);
    if (!n || (room >= 0 && from != to && g->s.length[to] >= room)) return;
    BURN(1, site);
    const int form = FORM(from_form, from);
    const W index = form == PILED ? n - 1 : 0, member = lying_at(g, from, index, form);
    if (form == COUNTS)
        take(g, from, member, form);
    else
        remove_at(g, from, index);
    const bool was_empty = !g->s.length[to];
    put_into(g, to, member, FORM(to_form, to), top);
    if (identity && member >= 0) g->s.where[member] = (int32_t)to;
    if (NOTED(g)) observe_move(g, from, to, member, form == PILED, was_empty);
}

/* The same, of a pile whose top becomes known first. */
__attribute__((always_inline)) static inline void deal(G *g, W from, W to, bool identity, int to_form, bool top, W site) {
    const W n = g->s.length[from];
    if (!n) return;
    BURN(1, site);
    W item = contents(g, from)[n - 1];
    g->s.length[from] = (int32_t)(n - 1);
    if (item < 0) {
        const W pool = -1 - item;
        item = draw_from_pool(g, pool);
        if (has_one_item_left(g, pool, item)) settle(g, pool, from);
    }
    put_into(g, to, item, FORM(to_form, to), top);
    if (identity) g->s.where[item] = (int32_t)to;
}

/* ---- chance ---- */

/* A number between bounds that chance draws, all equally likely. */
static inline W random_number(G *g, W low, W high, W site) {
    W n;
    if (UNLIKELY(high < low || __builtin_sub_overflow(high, low, &n) || n == INT64_MAX)) fail(g, site);
    if (WATCHED(g) && n) return replayed_number(g, low, high);
    return low + uniform(g, n + 1);
}

/* The first of the class in which the weight of those before it and its own comes to more than k, or the least of it;
   `first`: where the class of each of n elements begins. */
KEPT W class_by_weight(G *g, const W *x, W n, const W *first, W k, bool least_one) {
    W *const weight = a_zeros(g, n);
    for (W i = 0; i < n; i++) weight[first[i]]++;
    W i = 0;
    for (; k >= weight[i]; i++) k -= weight[i];
    W result = x[i];
    for (W j = i; least_one && j < n; j++)
        if (first[j] == i) result = least(result, x[j]);
    g->top = weight;
    return result;
}

/* The kind of the unit at an index of a bag. */
KEPT W kind_at(const W *bag, W width, W unit) {
    W kind = 0;
    for (; kind < width - 1 && unit >= bag[kind]; kind++) unit -= bag[kind];
    return kind;
}

/* The kind of a random unit of a bag, all equally likely; -1 of an empty bag. */
KEPT W random_unit(G *g, const W *bag, W width) {
    W units = 0, kinds = 0, last = -1;
    for (W kind = 0; kind < width; kind++)
        if (bag[kind] > 0) units += bag[kind], kinds++, last = kind;
    if (kinds < 2) return last;
    if (WATCHED(g)) return replayed_unit(g, bag, width, units);
    return kind_at(bag, width, uniform(g, units));
}

/* A random element of a set of words; equal ones are one outcome, at the index of the first. */
KEPT W random_element(G *g, W set, W none) {
    const W n = COUNT(set);
    if (!n) return none;
    bool same = true;
    for (W i = 1; i < n; i++) same &= AT(set, i) == AT(set, 0);
    if (same) return AT(set, 0);
    if (WATCHED(g)) return replayed_element(g, set);
    const W k = uniform(g, n);
    W *const mark = g->top;
    const W result = class_by_weight(g, LIST(set) + 1, n, first_same(g, LIST(set) + 1, n, false), k, false);
    g->top = mark;
    return result;
}
