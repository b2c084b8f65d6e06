/* What lies in zones: kept as counts, sorted, or as it lies (state.h).

   `form` and the like are given by who calls: known ones are folded when a function is inlined. */

/* The site of a failure that is not the game's: a zone or table is too small. */
#define NO_ROOM (-2)

/* The slots of a zone. */
static inline Z *contents(G *g, W zone) { return g->s.slots + zone_start[zone]; }

/* ---- counts ---- */

/* The packed counts of one piece of the item at an index. */
static inline U count_unit_at(G *g, W place) {
    if (UNLIKELY((U)place >= 8)) fail(g, NO_ROOM);
    return (U)1 << 8 * place;
}

/* The packed counts of one piece of an item, in the order of a zone's items. */
static inline U count_unit(G *g, W zone, W item) { return count_unit_at(g, item - FIRST_ITEM(zone)); }


/* What lies at an index, whatever the form. */
static inline W lying_at(const G *g, W zone, W index, int form) {
    if (form != COUNTS) return g->s.slots[zone_start[zone] + index];
    U counts = g->s.counts[zone];
    W place = 0;
    for (; index >= (W)(counts & 255); counts >>= 8, place++) index -= (W)(counts & 255);
    return place + FIRST_ITEM(zone);
}

/* ---- contents in order ---- */

/* Puts a member into its place among sorted ones. */
static inline void place_in(Z *here, W n, W member) {
    W i = n;
    for (; i > 0 && here[i - 1] > member; i--) here[i] = here[i - 1];
    here[i] = (Z)member;
}

/* Sort pieces in place: few by insertion, as they are nearly sorted, more by Shell's method. */
KEPT void sort_pieces(Z *here, W n) {
    if (n > 64) SHELLSORT(Z, here, n);
    else for (W i = 1; i < n; i++) place_in(here, i, here[i]);
}

/* Put a member into a zone: of a pile on `top` or at the bottom, else into its place in the order. */
static inline void put_into(G *g, W zone, W member, int form, bool top) {
    const W n = g->s.length[zone];
    Z *const here = contents(g, zone);
    if (UNLIKELY(n >= zone_room[zone])) fail(g, NO_ROOM);
    FLIP(g, zone, member);
    if (form == COUNTS) {
        g->s.counts[zone] += count_unit(g, zone, member);
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
static inline W found_at(G *g, W zone, W item, bool pile) {
    const Z *const here = contents(g, zone);
    W i = (W)g->s.length[zone] - 1;
    while (i >= 0 && (pile ? here[i] != item : here[i] > item)) i--;
    return i >= 0 && here[i] == item ? i : -1;
}

/* Remove the member at an index of a zone. */
static inline void remove_at(G *g, W zone, W index) {
    Z *const here = contents(g, zone);
    FLIP(g, zone, here[index]);
    const W rest = (W)g->s.length[zone] - 1 - index;
    if (rest) memmove(here + index, here + index + 1, (size_t)rest * sizeof(Z));
    g->s.length[zone]--;
}

/* Takes an item out of a zone; false when there is none. */
__attribute__((always_inline)) static inline bool take(G *g, W zone, W item, int form) {
    if (form == COUNTS) {
        const U one = count_unit(g, zone, item);
        if (!(g->s.counts[zone] & one * 255)) return false;
        g->s.counts[zone] -= one;
        g->s.length[zone]--;
        FLIP(g, zone, item);
        return true;
    }
    const W n = g->s.length[zone];
    if (n && contents(g, zone)[n - 1] == item) {
        g->s.length[zone] = (int32_t)(n - 1);
        FLIP(g, zone, item);
        return true;
    }
    const W index = found_at(g, zone, item, form == PILED);
    if (index < 0) return false;
    remove_at(g, zone, index);
    return true;
}

/* ---- reading ---- */

/* Appends the known pieces of a zone to a list; `shift` is 0 for individuals, else 1 << ZONE_SHIFT. */
static inline void push_pieces(const G *g, W *list, W zone, int form, W shift) {
    const W n = g->s.length[zone], base = zone * shift;
    for (W i = 0; i < n; i++) {
        const W item = lying_at(g, zone, form == PILED ? n - 1 - i : i, form);
        if (item >= 0) PUSH(list, item + base);
    }
}

/* The known pieces of a zone as a set, of a pile from the top on. */
static inline W a_pieces(G *g, W zone, int form, W shift) {
    if (form == COUNTS) return a_counted(g, g->s.counts[zone], FIRST_ITEM(zone) + zone * shift);
    if (!g->s.length[zone]) return NOTHING;
    W *result = a_list(g, g->s.length[zone]);
    push_pieces(g, result, zone, form, shift);
    return ADDRESS(result);
}

/* The known pieces of zones that follow each other, as a set. */
KEPT W a_family(G *g, W start, W zones, int form, W shift) {
    W room = 0;
    for (W zone = start; zone < start + zones; zone++) room += g->s.length[zone];
    W *result = a_list(g, room);
    for (W zone = start; zone < start + zones; zone++) push_pieces(g, result, zone, form, shift);
    return ADDRESS(result);
}

/* The pieces of a list of zones that are `wanted`, zone by zone in the order of items. */
KEPT W a_active(G *g, const W *zones, const int8_t *wanted, W shift) {
    W room = 0;
    for (W k = 1; k <= zones[0]; k++) room += g->s.length[zones[k]];
    W *result = a_list(g, room);
    for (W k = 1; k <= zones[0]; k++) {
        const W zone = zones[k], before = result[0];
        for (W i = 0; i < g->s.length[zone]; i++) {
            const W item = lying_at(g, zone, i, zone_form[zone]);
            if (item < 0 || !wanted[item]) continue;
            const W piece = item + zone * shift;
            W at = ++result[0];
            for (; at - 1 > before && result[at - 1] > piece; at--) result[at] = result[at - 1];
            result[at] = piece;
        }
    }
    return ADDRESS(result);
}

/* The top or bottom piece of a zone, -1 if it is empty; fails where it is unknown. */
static inline W end_piece(G *g, W zone, bool from_top, W shift, W site) {
    const W n = g->s.length[zone];
    if (!n) return -1;
    const W item = lying_at(g, zone, from_top ? n - 1 : 0, zone_form[zone]);
    if (UNLIKELY(item < 0)) fail(g, site);
    return item + zone * shift;
}

/* The `amount` pieces at the top or bottom of a zone, or all; fails where one is unknown. */
KEPT W a_ends(G *g, W zone, bool from_top, W amount, W shift, W site) {
    const W n = g->s.length[zone], wanted = least(greatest(amount, 0), n);
    W *result = a_list(g, wanted);
    for (W i = 0; i < wanted; i++) {
        const W item = lying_at(g, zone, from_top ? n - 1 - i : i, zone_form[zone]);
        if (UNLIKELY(item < 0)) fail(g, site);
        PUSH(result, item + zone * shift);
    }
    return ADDRESS(result);
}

/* Whether a piece without identity lies in a zone. */
static inline bool holds(G *g, W zone, W item, int form, W site) {
    BURN(g->s.length[zone] >> 4, site);
    if (form == COUNTS) return g->s.counts[zone] & count_unit(g, zone, item) * 255;
    return found_at(g, zone, item, form == PILED) >= 0;
}

/* The handle of a piece that lies in another zone now. */
static inline W relocated(W piece, W zone) { return piece < 0 ? piece : (piece & ITEM_MASK) + (zone << ZONE_SHIFT); }

/* The handles of pieces that lie in another zone now. */
KEPT W a_relocated(G *g, W set, W zone) {
    const W n = COUNT(set);
    W *result = a_list(g, n);
    for (W i = 0; i < n; i++) PUSH(result, (AT(set, i) & ITEM_MASK) + (zone << ZONE_SHIFT));
    return ADDRESS(result);
}
