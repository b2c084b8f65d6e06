/* Pools of pieces that nobody has seen: the same results as rulelang/runtime/pools.py. */

/* Moves what is left of the pools to the beginning of their array. */
KEPT COLD void compact_pools(G *g) {
    Z kept[MEMBERS + 1];
    W used = 0;
    for (W pool = 0; pool < g->s.pools; pool++) {
        const W n = g->s.pool_length[pool];
        memcpy(kept + used, g->s.members + g->s.pool_start[pool], (size_t)n * sizeof(Z));
        g->s.pool_start[pool] = (int32_t)used;
        used += n;
    }
    memcpy(g->s.members, kept, (size_t)used * sizeof(Z));
    g->s.members_used = (int32_t)used;
}

/* The number of a pool that is empty, the first one, now with room for so many. */
KEPT W new_pool(G *g, W n) {
    W pool = 0;
    while (pool < g->s.pools && g->s.pool_length[pool]) pool++;
    if (pool == g->s.pools) {
        if (UNLIKELY(pool >= POOLS)) fail(g, NO_ROOM);
        g->s.pool_length[pool] = 0;
        g->s.pool_start[pool] = 0;
        g->s.pools++;
    }
    if (COUNTED_POOLS) {
        g->s.pool_length[pool] = (int32_t)n;
        return pool;
    }
    if (g->s.members_used + n > MEMBERS) compact_pools(g);
    if (UNLIKELY(g->s.members_used + n > MEMBERS)) fail(g, NO_ROOM);
    g->s.pool_start[pool] = g->s.members_used;
    g->s.pool_length[pool] = (int32_t)n;
    g->s.members_used += (int32_t)n;
    return pool;
}

/* `shuffle` for pools that are stored as packed counts. */
static inline void shuffle_counted(G *g, W zone, W site) {
    const W n = g->s.length[zone];
    Z *const here = contents(g, zone);
    int32_t inside[POOLS + 1];
    U all = 0;
    bool hidden = false;
    for (W i = 0; i < n; i++) {
        if (here[i] >= 0) {
            all += count_unit_at(g, here[i] - POOL_ITEM);
            continue;
        }
        if (!hidden) memset(inside, 0, (size_t)g->s.pools * sizeof(int32_t));
        hidden = true;
        inside[-1 - here[i]]++;
    }
    for (W pool = 0; hidden && pool < g->s.pools; pool++) {
        if (!inside[pool]) continue;
        if (UNLIKELY(inside[pool] != g->s.pool_length[pool])) fail(g, site);
        all += g->s.pool_counts[pool];
        g->s.pool_length[pool] = 0;
    }
    W member = POOL_ITEM + (W)lowest(all);
    if (!only_one_kind(all)) {
        const W pool = new_pool(g, n);
        g->s.pool_counts[pool] = all;
        member = -1 - pool;
    }
    for (W i = 0; i < n; i++) here[i] = (Z)member;
}

/* The order of a pile becomes unknown: its known pieces and the pools that lie wholly in it become one pool. */
KEPT void shuffle(G *g, W zone, W site) {
    const W n = g->s.length[zone];
    BURN(n, site);
    if (!n) return;
    if (COUNTED_POOLS) {
        shuffle_counted(g, zone, site);
        return;
    }
    Z *const here = contents(g, zone);
    int32_t inside[POOLS + 1], counts[ITEMS + 1];
    W low = INT64_MAX, high = -1;
    bool hidden = false;
    for (W i = 0; i < n; i++) {
        if (here[i] < 0) {
            if (!hidden) memset(inside, 0, (size_t)g->s.pools * sizeof(int32_t));
            hidden = true;
            inside[-1 - here[i]]++;
        } else {
            low = least(low, here[i]);
            high = greatest(high, here[i]);
        }
    }
    for (W pool = 0; hidden && pool < g->s.pools; pool++) {
        if (!inside[pool]) continue;
        if (UNLIKELY(inside[pool] != g->s.pool_length[pool])) fail(g, site);
        const Z *const items = g->s.members + g->s.pool_start[pool];
        low = least(low, items[0]);
        high = greatest(high, items[inside[pool] - 1]);
    }
    memset(counts, 0, (size_t)(high - low + 1) * sizeof(int32_t));
    for (W i = 0; i < n; i++)
        if (here[i] >= 0) counts[here[i] - low]++;
    for (W pool = 0; hidden && pool < g->s.pools; pool++) {
        if (!inside[pool]) continue;
        const Z *const items = g->s.members + g->s.pool_start[pool];
        for (W i = 0; i < inside[pool]; i++) counts[items[i] - low]++;
        g->s.pool_length[pool] = 0;
    }
    const bool identity = zone_identity[zone];
    if (low == high) {
        for (W i = 0; i < n; i++) here[i] = (Z)low;
        if (identity) g->s.where[low] = (int32_t)zone;
        return;
    }
    const W pool = new_pool(g, n);
    Z *items = g->s.members + g->s.pool_start[pool];
    for (W item = low; item <= high; item++) {
        for (int32_t left = counts[item - low]; left > 0; left--) *items++ = (Z)item;
        if (identity && counts[item - low]) g->s.where[item] = -1;
    }
    for (W i = 0; i < n; i++) here[i] = (Z)(-1 - pool);
}

/* Put an item at an index of a zone in place of the slot there. */
static inline void put_at(G *g, W zone, W index, W item) {
    contents(g, zone)[index] = (Z)item;
    if (item_identity[item]) g->s.where[item] = (int32_t)zone;
}

/* Replace the members of a pool in a zone by this item; how many there were. */
KEPT W settle_in(G *g, W zone, W member, W item) {
    if (zone_form[zone] == COUNTS) return 0;
    const Z *const here = contents(g, zone);
    const W n = g->s.length[zone];
    W result = 0;
    for (W i = 0; i < n; i++)
        if (here[i] == member) {
            put_at(g, zone, i, item);
            result++;
        }
    if (result && zone_form[zone] == SORTED) sort_pieces(contents(g, zone), n);
    return result;
}

/* Make the members of a pool known, of which only one item is left; `likely`: the zone where most of them lie. */
KEPT void settle(G *g, W pool, W likely) {
    const W item =
        COUNTED_POOLS ? POOL_ITEM + (W)lowest(g->s.pool_counts[pool]) : (W)g->s.members[g->s.pool_start[pool]];
    W left = g->s.pool_length[pool];
    g->s.pool_length[pool] = 0;
    left -= settle_in(g, likely, -1 - pool, item);
    for (W zone = 0; left > 0 && zone < INSTANCES; zone++) left -= settle_in(g, zone, -1 - pool, item);
}

#if INTERCHANGEABLE
KEPT W draw_class_from_pool(G *g, W pool);
#endif

/* Remove a random item from a pool. */
static inline W draw_from_pool(G *g, W pool) {
    const W n = g->s.pool_length[pool];
    Z *const items = g->s.members + g->s.pool_start[pool];
    if (UNLIKELY(n < 1)) fail(g, NO_ROOM);
#if INTERCHANGEABLE
    if (!WATCHED(g) && !COUNTED_POOLS && item_identity[items[0]]) return draw_class_from_pool(g, pool);
#endif
    const bool watched = WATCHED(g);
    const W k = watched ? replayed_index(g, pool) : uniform(g, n);
    if (COUNTED_POOLS) {
        const U place = watched ? (U)k : nth_counted(up_to(g->s.pool_counts[pool]), (U)k);
        g->s.pool_counts[pool] -= (U)1 << 8 * place;
        g->s.pool_length[pool] = (int32_t)(n - 1);
        return POOL_ITEM + (W)place;
    }
    const W item = items[k];
    memmove(items + k, items + k + 1, (size_t)(n - 1 - k) * sizeof(Z));
    g->s.pool_length[pool] = (int32_t)(n - 1);
    return item;
}

/* Whether a pool, from which `taken` was taken, has become one of a single item. */
static inline bool has_one_item_left(const G *g, W pool, W taken) {
    const W n = g->s.pool_length[pool];
    if (COUNTED_POOLS) {
        const U counts = g->s.pool_counts[pool];
        return !(counts >> 8 * (taken - POOL_ITEM) & 255) && only_one_kind(counts); /* it was not certain before */
    }
    const Z *const items = g->s.members + g->s.pool_start[pool];
    return n && items[0] == items[n - 1];
}

/* Draw which member of a pool lies at an index of a zone, and put it there. `kind`: of chance, as the log tells it. */
#define UNTOLD (-1)
KEPT void become_known(G *g, W zone, W index, int form, W kind, W site) {
    const W pool = -1 - contents(g, zone)[index];
    if (WATCHED(g)) set_known_slot(g, zone, index);
#ifdef STOPPING
    const W draws = g->step.draws;
    const W item = draw_from_pool(g, pool);
    if (LOGS(g) && kind != UNTOLD && (!item_identity[item] || g->step.draws > draws)) log_exposed(g, site, kind, item, zone, index);
#else
    const W item = draw_from_pool(g, pool);
    (void)kind, (void)site;
#endif
    put_at(g, zone, index, item);
    if (has_one_item_left(g, pool, item)) settle(g, pool, zone);
    if (form == SORTED) sort_pieces(contents(g, zone), g->s.length[zone]);
}

/* The index of the slot at a place from the top (0: the top, -1: the bottom); -1 for none. */
static inline W position(const G *g, W zone, W place) {
    const W n = g->s.length[zone];
    const W index = place >= 0 ? n - 1 - place : -1 - place;
    return index >= 0 && index < n ? index : -1;
}

/* Make the piece at a place of a zone known, if it is not. */
static inline void expose(G *g, W zone, W place, int form, W site) {
    if (form == COUNTS) return;
    const W index = position(g, zone, place);
    if (index >= 0 && contents(g, zone)[index] < 0) become_known(g, zone, index, form, EXPOSE, site);
}

/* Make so many pieces at the top of a pile known, from the top on; of a pool that has no members elsewhere no outcome is told. */
KEPT void expose_several(G *g, W zone, W count, int form, W site) {
    const W n = form == COUNTS ? 0 : g->s.length[zone], last = n - least(count, n);
    const Z *const here = contents(g, zone);
    for (W i = n - 1; i >= last; i--) {
        if (here[i] >= 0) continue;
        W members = 0;
        for (W j = last; LOGS(g) && j <= i; j++) members += here[j] == here[i];
        become_known(g, zone, i, form, members == g->s.pool_length[-1 - here[i]] ? UNTOLD : EXPOSE, site);
    }
}

/* The index nearest the top of a piece whose pool has members elsewhere; -1 for none. */
KEPT W shared_member(G *g, W zone) {
    const Z *const here = contents(g, zone);
    const W n = g->s.length[zone];
    W within = 0;
    for (W i = n - 1; i >= 0; i--) {
        const W member = here[i];
        if (member >= 0 || member == within) continue;
        W result = 0;
        for (W j = 0; j < n; j++) result += here[j] == member;
        if (result < g->s.pool_length[-1 - member]) return i;
        within = member;
    }
    return -1;
}

/* Make the pieces of a zone known whose pools have members elsewhere, one after another. */
KEPT void expose_shared(G *g, W zone, int form, W site) {
    if (form == COUNTS) return;
    for (W index; (index = shared_member(g, zone)) >= 0;) become_known(g, zone, index, form, SHARED, site);
}

/* Make the members of pools that lie wholly in a zone known, in the order of items, which is of no matter. */
KEPT void settle_within(G *g, W zone, int form) {
    if (form == COUNTS) return;
    const Z *const here = contents(g, zone);
    const W n = g->s.length[zone];
    W elsewhere = 0;
    bool changed = false;
    for (W i = 0; i < n; i++) {
        const W member = here[i];
        if (member >= 0 || member == elsewhere) continue;
        const W pool = -1 - member;
        W result = 0;
        for (W j = i; j < n; j++) result += here[j] == member;
        /* What was counted before is not counted again: then fewer are found than there are. */
        if (result != g->s.pool_length[pool]) {
            elsewhere = member;
            continue;
        }
        const Z *items = g->s.members + g->s.pool_start[pool];
        U counts = g->s.pool_counts[pool];
        g->s.pool_length[pool] = 0;
        for (W j = i; j < n; j++) {
            if (here[j] != member) continue;
            if (COUNTED_POOLS) {
                const U place = lowest(counts);
                counts -= (U)1 << 8 * place;
                put_at(g, zone, j, POOL_ITEM + (W)place);
            } else {
                put_at(g, zone, j, *items++);
            }
        }
        changed = true;
    }
    if (changed && form == SORTED) sort_pieces(contents(g, zone), n);
}
