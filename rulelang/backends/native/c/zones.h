/* Zones, and pools of pieces that nobody has seen: the same results as rulelang/runtime/pools.py and the moves of
   rulelang/backends/interpreter/statements.py.

   `form` and the like are given by who calls: known ones are folded when a function is inlined. */

/* The site of a failure that is not the game's: a zone or table is too small. */
#define NO_ROOM (-2)

KEPT inline Z *contents(G *g, W zone) { return g->s.slots + zone_start[zone]; }

/* A bit for each of some zones in a row, set where nothing lies: of the first 32, four at once. */
KEPT inline U empty_zones(const G *g, W first, W n) {
    typedef int32_t Four __attribute__((vector_size(16)));
    Four bit = {1, 2, 4, 8}, bits = {0, 0, 0, 0}, lengths;
    W i = 0;
    for (; i + 4 <= least(n, 32); i += 4, bit <<= 4) {
        memcpy(&lengths, &g->s.length[first + i], sizeof lengths);
        bits |= (lengths == 0) & bit;
    }
    U found = (uint32_t)((bits[0] | bits[1]) | (bits[2] | bits[3]));
    for (; i < n; i++) found |= (U)(g->s.length[first + i] == 0) << i;
    return found;
}

/* ---- counts ---- */

/* One of the item at a place. */
KEPT inline U one_at(G *g, W place) {
    if (UNLIKELY((U)place >= 8)) fail(g, NO_ROOM);
    return (U)1 << 8 * place;
}

/* One of an item, among the counts of a zone. */
KEPT inline U one_of(G *g, W zone, W item) { return one_at(g, item - FIRST_ITEM(zone)); }


/* What lies at an index, whatever the form. */
KEPT inline W lying_at(const G *g, W zone, W index, int form) {
    if (form != COUNTS) return g->s.slots[zone_start[zone] + index];
    U counts = g->s.counts[zone];
    W place = 0;
    for (; index >= (W)(counts & 255); counts >>= 8, place++) index -= (W)(counts & 255);
    return place + FIRST_ITEM(zone);
}

/* ---- contents in order ---- */

/* Puts a member into its place among sorted ones. */
KEPT inline void place_in(Z *here, W n, W member) {
    W i = n;
    if (n > 12) {
        /* No branches: they could not be foreseen. */
        const Z *low = here;
        for (W left = n; left > 1;) {
            const W half = left >> 1;
            low += low[half - 1] <= member ? half : 0;
            left -= half;
        }
        i = low - here + (*low <= member);
        memmove(here + i + 1, here + i, (size_t)(n - i) * sizeof(Z));
    } else {
        while (i > 0 && here[i - 1] > member) {
            here[i] = here[i - 1];
            i--;
        }
    }
    here[i] = (Z)member;
}

static COLD void sort_by_counting(Z *here, W n) {
    int32_t counts[POOLS + ITEMS + 1];
    W low = here[0], high = here[0];
    for (W i = 1; i < n; i++) {
        low = least(low, here[i]);
        high = greatest(high, here[i]);
    }
    memset(counts, 0, (size_t)(high - low + 1) * sizeof(int32_t));
    for (W i = 0; i < n; i++) counts[here[i] - low]++;
    for (W member = low, i = 0; member <= high; member++)
        for (int32_t left = counts[member - low]; left > 0; left--) here[i++] = (Z)member;
}

/* Mostly they are nearly sorted. */
KEPT void sort_pieces(Z *here, W n) {
    W moved = 0;
    for (W i = 1; i < n; i++) {
        const Z x = here[i];
        W j = i;
        while (j > 0 && here[j - 1] > x) {
            here[j] = here[j - 1];
            j--;
        }
        here[j] = x;
        moved += i - j;
        if (UNLIKELY(moved > 16 * n + 256)) {
            sort_by_counting(here, n);
            return;
        }
    }
}

KEPT inline void put_into(G *g, W zone, W member, int form, bool top) {
    const W n = g->s.length[zone];
    Z *const here = contents(g, zone);
    if (UNLIKELY(n >= zone_room[zone])) fail(g, NO_ROOM);
    if (form == COUNTS) {
        g->s.counts[zone] += one_of(g, zone, member);
    } else if (form == SORTED) {
        place_in(here, n, member);
    } else if (top) {
        here[n] = (Z)member;
    } else {
        memmove(here + 1, here, (size_t)n * sizeof(Z));
        here[0] = (Z)member;
    }
    g->s.length[zone] = (int32_t)(n + 1);
}

/* Where an item lies in a zone: the topmost one of a pile, the last of equal ones of a bag; -1 for nowhere. */
KEPT inline W found_at(G *g, W zone, W item, bool pile) {
    const Z *const here = contents(g, zone);
    W i = (W)g->s.length[zone] - 1;
    if (pile) {
        while (i >= 0 && here[i] != item) i--;
        return i;
    }
    for (W low = 0; i - low > 32;) {
        const W middle = (low + i) / 2;
        if (here[middle] > item)
            i = middle - 1;
        else
            low = middle;
    }
    while (i >= 0 && here[i] > item) i--;
    return i >= 0 && here[i] == item ? i : -1;
}

KEPT inline void remove_at(G *g, W zone, W index) {
    Z *const here = contents(g, zone);
    const W rest = (W)g->s.length[zone] - 1 - index;
    if (rest) memmove(here + index, here + index + 1, (size_t)rest * sizeof(Z));
    g->s.length[zone]--;
}

/* Takes an item out of a zone; false when there is none. */
KEPT inline bool take(G *g, W zone, W item, int form) {
    if (form == COUNTS) {
        const U one = one_of(g, zone, item);
        if (!(g->s.counts[zone] & one * 255)) return false;
        g->s.counts[zone] -= one;
        g->s.length[zone]--;
        return true;
    }
    const W n = g->s.length[zone];
    if (n && contents(g, zone)[n - 1] == item) {
        g->s.length[zone] = (int32_t)(n - 1);
        return true;
    }
    const W index = found_at(g, zone, item, form == PILED);
    if (index < 0) return false;
    remove_at(g, zone, index);
    return true;
}

/* ---- pools ---- */

/* Moves what is left of the pools to the beginning of their array. */
static COLD void compact_pools(G *g) {
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

/* The same as `shuffle` does. */
KEPT inline void shuffle_counted(G *g, W zone, W site) {
    const W n = g->s.length[zone];
    Z *const here = contents(g, zone);
    int32_t inside[POOLS + 1];
    U all = 0;
    bool hidden = false;
    for (W i = 0; i < n; i++) {
        if (here[i] >= 0) {
            all += one_at(g, here[i] - POOL_ITEM);
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
    if (!all_alike(all)) {
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

KEPT inline void put_at(G *g, W zone, W index, W item) {
    contents(g, zone)[index] = (Z)item;
    if (item_identity[item]) g->s.where[item] = (int32_t)zone;
}

/* The members of a pool in a zone are this item; how many there are. */
KEPT W settle_in(G *g, W zone, W member, W item) {
    if (zone_form[zone] == COUNTS) return 0;
    const Z *const here = contents(g, zone);
    const W n = g->s.length[zone];
    W found = 0;
    for (W i = 0; i < n; i++)
        if (here[i] == member) {
            put_at(g, zone, i, item);
            found++;
        }
    if (found && zone_form[zone] == SORTED) sort_pieces(contents(g, zone), n);
    return found;
}

/* What a pool of which only one item is left holds becomes known, wherever it lies: mostly in one zone. */
KEPT void settle(G *g, W pool, W likely) {
    const W item =
        COUNTED_POOLS ? POOL_ITEM + (W)lowest(g->s.pool_counts[pool]) : (W)g->s.members[g->s.pool_start[pool]];
    W left = g->s.pool_length[pool];
    g->s.pool_length[pool] = 0;
    left -= settle_in(g, likely, -1 - pool, item);
    for (W zone = 0; left > 0 && zone < INSTANCES; zone++) left -= settle_in(g, zone, -1 - pool, item);
}

#if ALIKE
KEPT W drawn_alike(G *g, W pool);
#endif

/* Takes an item out of a pool by chance. */
KEPT inline W drawn(G *g, W pool) {
    const W n = g->s.pool_length[pool];
    Z *const items = g->s.members + g->s.pool_start[pool];
    if (UNLIKELY(n < 1)) fail(g, NO_ROOM);
#if ALIKE
    if (!COUNTED_POOLS && item_identity[items[0]]) return drawn_alike(g, pool);
#endif
    const W k = uniform(g, n);
    if (COUNTED_POOLS) {
        const U place = nth_counted(up_to(g->s.pool_counts[pool]), (U)k);
        g->s.pool_counts[pool] -= (U)1 << 8 * place;
        g->s.pool_length[pool] = (int32_t)(n - 1);
        return POOL_ITEM + (W)place;
    }
    const W item = items[k];
    memmove(items + k, items + k + 1, (size_t)(n - 1 - k) * sizeof(Z));
    g->s.pool_length[pool] = (int32_t)(n - 1);
    return item;
}

/* Whether only one item is left in a pool, from which this one was taken. */
KEPT inline bool certain(const G *g, W pool, W taken) {
    const W n = g->s.pool_length[pool];
    if (COUNTED_POOLS) {
        const U counts = g->s.pool_counts[pool];
        return !(counts >> 8 * (taken - POOL_ITEM) & 255) && all_alike(counts); /* it was not certain before */
    }
    const Z *const items = g->s.members + g->s.pool_start[pool];
    return n && items[0] == items[n - 1];
}

/* The member of a pool at an index of a zone becomes known by chance. */
KEPT void become_known(G *g, W zone, W index, int form) {
    const W pool = -1 - contents(g, zone)[index];
    const W item = drawn(g, pool);
    put_at(g, zone, index, item);
    if (certain(g, pool, item)) settle(g, pool, zone);
    if (form == SORTED) sort_pieces(contents(g, zone), g->s.length[zone]);
}

/* The index of what lies at a place from the top (0 the top, -1 the bottom); -1 for none. */
KEPT inline W position(const G *g, W zone, W place) {
    const W n = g->s.length[zone];
    const W index = place >= 0 ? n - 1 - place : -1 - place;
    return index >= 0 && index < n ? index : -1;
}

KEPT inline void expose(G *g, W zone, W place, int form) {
    if (form == COUNTS) return;
    const W index = position(g, zone, place);
    if (index >= 0 && contents(g, zone)[index] < 0) become_known(g, zone, index, form);
}

KEPT inline W piece_at(G *g, W zone, W place, bool identity) {
    const W index = position(g, zone, place);
    const W item = index >= 0 ? lying_at(g, zone, index, zone_form[zone]) : -1;
    return item < 0 || identity ? item : item + (zone << ZONE_SHIFT);
}

/* The index nearest the top of a piece whose pool has members elsewhere; -1 for none. */
KEPT W shared_member(G *g, W zone) {
    const Z *const here = contents(g, zone);
    const W n = g->s.length[zone];
    W within = 0;
    for (W i = n - 1; i >= 0; i--) {
        const W member = here[i];
        if (member >= 0 || member == within) continue;
        W found = 0;
        for (W j = 0; j < n; j++) found += here[j] == member;
        if (found < g->s.pool_length[-1 - member]) return i;
        within = member;
    }
    return -1;
}

KEPT void expose_shared(G *g, W zone, int form) {
    if (form == COUNTS) return;
    for (W index; (index = shared_member(g, zone)) >= 0;) become_known(g, zone, index, form);
}

/* Members of pools that lie wholly in a zone become known in the order of items: their order is of no matter. */
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
        W found = 0;
        for (W j = i; j < n; j++) found += here[j] == member;
        /* What was counted before is not counted again: then fewer are found than there are. */
        if (found != g->s.pool_length[pool]) {
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

/* ---- reading ---- */

/* `shift` is 0 for individuals, else 1 << ZONE_SHIFT. */
KEPT inline W a_pieces(G *g, W zone, int form, W shift) {
    if (form == COUNTS) return a_counted(g, g->s.counts[zone], FIRST_ITEM(zone) + zone * shift);
    const Z *const here = contents(g, zone);
    const W n = g->s.length[zone], base = zone * shift;
    if (!n) return NOTHING;
    W *found = a_list(g, n);
    for (W i = 0; i < n; i++) {
        const W item = here[form == PILED ? n - 1 - i : i];
        if (item >= 0) PUSH(found, item + base);
    }
    return ADDRESS(found);
}

/* Of zones that follow each other. */
KEPT W a_family(G *g, W start, W zones, int form, W shift) {
    W room = 0;
    for (W zone = start; zone < start + zones; zone++) room += g->s.length[zone];
    W *found = a_list(g, room);
    for (W zone = start; zone < start + zones; zone++) {
        const W n = g->s.length[zone], base = zone * shift;
        for (W i = 0; i < n; i++) {
            const W item = lying_at(g, zone, form == PILED ? n - 1 - i : i, form);
            if (item >= 0) PUSH(found, item + base);
        }
    }
    return ADDRESS(found);
}

/* The pieces that are wanted in a list of zones, each in the order of items. */
KEPT W a_active(G *g, const W *zones, const int8_t *wanted, W shift) {
    W room = 0;
    for (W k = 1; k <= zones[0]; k++) room += g->s.length[zones[k]];
    W *found = a_list(g, room);
    for (W k = 1; k <= zones[0]; k++) {
        const W zone = zones[k], before = found[0];
        for (W i = 0; i < g->s.length[zone]; i++) {
            const W item = lying_at(g, zone, i, zone_form[zone]);
            if (item < 0 || !wanted[item]) continue;
            const W piece = item + zone * shift;
            W at = ++found[0];
            for (; at - 1 > before && found[at - 1] > piece; at--) found[at] = found[at - 1];
            found[at] = piece;
        }
    }
    return ADDRESS(found);
}

KEPT inline W end_piece(G *g, W zone, bool from_top, W shift, W site) {
    const W n = g->s.length[zone];
    if (!n) return -1;
    const W item = lying_at(g, zone, from_top ? n - 1 : 0, zone_form[zone]);
    if (UNLIKELY(item < 0)) fail(g, site);
    return item + zone * shift;
}

KEPT W a_ends(G *g, W zone, bool from_top, W amount, W shift, W site) {
    const W n = g->s.length[zone], wanted = least(greatest(amount, 0), n);
    W *found = a_list(g, wanted);
    for (W i = 0; i < wanted; i++) {
        const W item = lying_at(g, zone, from_top ? n - 1 - i : i, zone_form[zone]);
        if (UNLIKELY(item < 0)) fail(g, site);
        PUSH(found, item + zone * shift);
    }
    return ADDRESS(found);
}

/* Whether an item of no individual lies in a zone. */
KEPT inline bool holds(G *g, W zone, W item, int form, W site) {
    BURN(g->s.length[zone] >> 4, site);
    if (form == COUNTS) return g->s.counts[zone] & one_of(g, zone, item) * 255;
    return found_at(g, zone, item, form == PILED) >= 0;
}

KEPT inline W relocated(W piece, W zone) { return piece < 0 ? piece : (piece & ITEM_MASK) + (zone << ZONE_SHIFT); }

KEPT W a_relocated(G *g, W set, W zone) {
    const W n = COUNT(set);
    W *found = a_list(g, n);
    for (W i = 0; i < n; i++) PUSH(found, (AT(set, i) & ITEM_MASK) + (zone << ZONE_SHIFT));
    return ADDRESS(found);
}

/* ---- moves ---- */

/* A flag that is not known before: the zone's own. */
#define ASK (-2)
#define FORM(flag, zone) ((flag) == ASK ? zone_form[zone] : (flag))
#define ROOM(capacity, zone) ((capacity) == ASK ? (W)zone_capacity[zone] : (capacity))

/* One piece, if it fits and is still where it was found. */
KEPT inline void move_piece(
    G *g, W piece, W to, bool identity, int from_form, int to_form, bool top, W capacity, W site) {
    const W item = identity ? piece : piece & ITEM_MASK;
    const W from = identity ? g->s.where[item] : piece >> ZONE_SHIFT;
    if (identity && UNLIKELY(from < 0)) fail(g, site);
    const W room = ROOM(capacity, to);
    if (room >= 0 && from != to && g->s.length[to] >= room) return;
    BURN((g->s.length[from] + g->s.length[to]) >> 6, site);
    if (!take(g, from, item, FORM(from_form, from))) return;
    put_into(g, to, item, FORM(to_form, to), top);
    if (identity) g->s.where[item] = (int32_t)to;
}

/* As many as fit, one after another. */
KEPT inline void move_each(G *g, W set, W to, bool identity, int from_form, int to_form, bool top, W room) {
    const W n = COUNT(set);
    for (W i = 0; i < n; i++) {
        const W piece = AT(set, i);
        const W item = identity ? piece : piece & ITEM_MASK;
        const W from = identity ? g->s.where[item] : piece >> ZONE_SHIFT;
        if (room >= 0 && from != to && g->s.length[to] >= room) break;
        if (from < 0 || !take(g, from, item, FORM(from_form, from))) continue;
        put_into(g, to, item, FORM(to_form, to), top);
        if (identity) g->s.where[item] = (int32_t)to;
    }
}

/* Moves pieces that all lie in one zone to another, both of them kept as counts; else nothing, and false. */
KEPT inline bool moved_at_once(G *g, W set, W to) {
    const W n = COUNT(set), from = AT(set, 0) >> ZONE_SHIFT;
    U moved = 0, odd = 0;
    for (W i = 0; i < n; i++) {
        const W piece = AT(set, i);
        const U place = (U)((piece & ITEM_MASK) - FIRST_ITEM(to));
        odd |= (U)(piece >> ZONE_SHIFT ^ from) | (place & ~(U)7);
        moved += (U)1 << 8 * (place & 7);
    }
    if (UNLIKELY(odd || n > 127 || (((g->s.counts[from] | ABOVE_EACH) - moved) & ABOVE_EACH) != ABOVE_EACH)) return false;
    if (UNLIKELY(from == to || g->s.length[to] + n > zone_room[to])) return false;
    g->s.counts[from] -= moved;
    g->s.length[from] -= (int32_t)n;
    g->s.counts[to] += moved;
    g->s.length[to] += (int32_t)n;
    return true;
}

KEPT inline void move_set(
    G *g, W set, W to, bool identity, int from_form, int to_form, bool top, W capacity, W site) {
    BURN(4 * COUNT(set), site);
    if (from_form == COUNTS && to_form == COUNTS && capacity == -1 && moved_at_once(g, set, to)) return;
    move_each(g, set, to, identity, from_form, to_form, top, ROOM(capacity, to));
}

/* The same of pieces that were counted, to a zone that is kept so too and never full; `first` is a piece of the first
   item in the zone that they were found in. */
KEPT inline void move_counted(G *g, U counts, W first, W to, bool top, W site) {
    const W n = (W)(up_to(counts) >> 56), from = first >> ZONE_SHIFT;
    BURN(4 * n, site);
    const bool there = (((g->s.counts[from] | ABOVE_EACH) - counts) & ABOVE_EACH) == ABOVE_EACH;
    if (LIKELY(zone_form[from] == COUNTS && there && from != to && g->s.length[to] + n <= zone_room[to])) {
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
KEPT inline void move_known(
    G *g, W from, W to, bool identity, int from_form, int to_form, bool top, W capacity, W site) {
    const int old_form = FORM(from_form, from), new_form = FORM(to_form, to);
    const W n = g->s.length[from], m = g->s.length[to], room = ROOM(capacity, to);
    if (old_form == COUNTS && new_form == COUNTS && LIKELY(from != to && m + n <= (room < 0 ? zone_room[to] : room))) {
        BURN(n, site);
        g->s.counts[to] += g->s.counts[from];
        g->s.length[to] = (int32_t)(m + n);
        g->s.counts[from] = 0;
        g->s.length[from] = 0;
        return;
    }
    if (n == 1 && m == 0 && old_form != COUNTS && new_form != COUNTS && from != to && room != 0 && zone_room[to] > 0) {
        const W item = contents(g, from)[0];
        BURN(identity ? 4 * (item >= 0) : 1, site);
        if (item < 0) return;
        contents(g, to)[0] = (Z)item;
        if (identity) g->s.where[item] = (int32_t)to;
        g->s.length[from] = 0;
        g->s.length[to] = 1;
        return;
    }
    if (old_form == COUNTS || new_form == COUNTS || UNLIKELY(from == to)) {
        W *const mark = g->top;
        const W set = a_pieces(g, from, old_form, identity ? 0 : 1 << ZONE_SHIFT);
        BURN(from == to || identity ? 4 * COUNT(set) : n, site);
        move_each(g, set, to, identity, old_form, new_form, top, room);
        g->top = mark;
        return;
    }
    Z *const here = contents(g, from), *const there = contents(g, to);
    const bool pile = old_form == PILED, onto = new_form == PILED;
    W known = 0;
    if (pile)
        for (W i = 0; i < n; i++) known += here[i] >= 0;
    else
        for (known = n; known && here[n - known] < 0;) known--;
    BURN(identity ? 4 * known : n, site);
    const W moved = room < 0 ? known : least(known, greatest(room - m, 0));
    if (!moved) return;
    if (UNLIKELY(m + moved > zone_room[to])) fail(g, NO_ROOM);
    Z *const first = here + (n - known); /* of the known ones of a bag */
    if (onto && !top) memmove(there + moved, there, (size_t)m * sizeof(Z));
    if (!onto && !pile) {
        for (W i = m - 1, j = moved - 1, k = m + moved - 1; j >= 0; k--)
            there[k] = i >= 0 && there[i] > first[j] ? there[i--] : first[j--];
        if (identity)
            for (W j = 0; j < moved; j++) g->s.where[first[j]] = (int32_t)to;
    } else {
        W j = 0;
        for (W i = 0; j < moved; i++) {
            const Z item = pile ? here[n - 1 - i] : first[i];
            if (item < 0) continue;
            there[onto && !top ? moved - 1 - j : m + j] = item;
            if (identity) g->s.where[item] = (int32_t)to;
            j++;
        }
        if (!onto) sort_pieces(there, m + moved);
    }
    if (!pile) {
        memmove(first, first + moved, (size_t)(known - moved) * sizeof(Z));
    } else if (moved < n) {
        W i = n;
        for (W left = moved; left; left -= here[i] >= 0) i--;
        for (W k = i; i < n; i++)
            if (here[i] < 0) here[k++] = here[i];
    }
    g->s.length[from] = (int32_t)(n - moved);
    g->s.length[to] = (int32_t)(m + moved);
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
        if (new_form == COUNTS)
            g->s.counts[to] += one_of(g, to, members[i]);
        else
            there[onto && !top ? n - 1 - i : m + i] = (Z)members[i];
        if (identity && members[i] >= 0) g->s.where[members[i]] = (int32_t)to;
    }
    g->s.length[to] = (int32_t)(m + n);
    if (new_form == SORTED) sort_pieces(there, m + n);
    g->top = mark;
}

/* The first one of them to a zone that is never full. */
KEPT inline void move_slot(G *g, W from, W to, bool identity, int from_form, int to_form, bool top, W site) {
    const W n = g->s.length[from];
    if (!n) return;
    BURN(1, site);
    const int form = FORM(from_form, from);
    const W index = form == PILED ? n - 1 : 0, member = lying_at(g, from, index, form);
    if (form == COUNTS)
        take(g, from, member, form);
    else
        remove_at(g, from, index);
    put_into(g, to, member, FORM(to_form, to), top);
    if (identity && member >= 0) g->s.where[member] = (int32_t)to;
}

/* The same, of a pile whose top becomes known first. */
KEPT inline void deal(G *g, W from, W to, bool identity, int to_form, bool top, W site) {
    const W n = g->s.length[from];
    if (!n) return;
    BURN(1, site);
    W item = contents(g, from)[n - 1];
    g->s.length[from] = (int32_t)(n - 1);
    if (item < 0) {
        const W pool = -1 - item;
        item = drawn(g, pool);
        if (certain(g, pool, item)) settle(g, pool, from);
    }
    put_into(g, to, item, FORM(to_form, to), top);
    if (identity) g->s.where[item] = (int32_t)to;
}

/* ---- chance ---- */

KEPT inline W number_drawn(G *g, W low, W high, W site) {
    W n;
    if (UNLIKELY(high < low || __builtin_sub_overflow(high, low, &n) || n == INT64_MAX)) fail(g, site);
    return low + uniform(g, n + 1);
}

static int by_value_and_place(const void *a, const void *b) {
    const W *x = a, *y = b;
    const int byte = x[0] == y[0] ? 1 : 0;
    return x[byte] < y[byte] ? -1 : x[byte] > y[byte];
}

/* The element in which the weight of equal ones, each at the first of them, comes to `k`. */
static COLD W weighted_of_many(G *g, W set, W k) {
    W *const mark = g->top;
    const W n = COUNT(set);
    W *const pairs = alloc(g, 2 * n), *const weights = alloc(g, n);
    for (W i = 0; i < n; i++) {
        pairs[2 * i] = AT(set, i);
        pairs[2 * i + 1] = i;
        weights[i] = 0;
    }
    qsort(pairs, (size_t)n, 2 * sizeof(W), by_value_and_place);
    for (W i = 0, first = 0; i < n; i++) {
        if (pairs[2 * i] != pairs[2 * first]) first = i;
        weights[pairs[2 * first + 1]]++;
    }
    W i = 0;
    for (; k >= weights[i]; i++) k -= weights[i];
    g->top = mark;
    return AT(set, i);
}

/* One element of a set of words, all equally likely: equal ones are one outcome, at the place of the first. */
KEPT W picked(G *g, W set, W none) {
    const W n = COUNT(set);
    if (!n) return none;
    bool rises = true, same = true;
    for (W i = 1; i < n; i++) {
        rises &= AT(set, i) > AT(set, i - 1);
        same &= AT(set, i) == AT(set, 0);
    }
    if (same) return AT(set, 0);
    W k = uniform(g, n);
    if (rises) return AT(set, k);
    if (n > 64) return weighted_of_many(g, set, k);
    for (W i = 0; i < n; i++) {
        const W x = AT(set, i);
        W j = 0, weight = 0;
        while (AT(set, j) != x) j++;
        if (j < i) continue;
        for (; j < n; j++) weight += AT(set, j) == x;
        if (k < weight) return x;
        k -= weight;
    }
    fail(g, NO_ROOM);
}
