/* Positions: what of a state is written down, and how often it was; as runtime/positions.py has it, cell for cell. */

struct Position {
    W base, words, stride, room, times; /* the first cell; words of a position; cells and number of entries; where counts end */
    const W *zones;                     /* how many; of each the instance, its first field, whether its pieces are in order */
    const W *sorts;                     /* of each item its number among those of its kind */
    const W *fields;                    /* word and shift of each */
    void (*pack_cells)(const G *g, W *words); /* adds its cells of variables: generated */
    const W *values;                    /* how many; of each its least value and its field */
};

/* Add a value to the words of a position. */
static inline void pack(const struct Position *p, W *words, W field, U value) {
    const W *const at = p->fields + 2 * field;
    words[at[0]] += (W)(value << at[1]);
}

/* A number from its least value on; one that has a word of its own, as it is. */
static inline U from_least(W value, W low) { return low == INT64_MIN ? (U)value : value < low ? 0 : (U)(value - low); }

/* Add a piece at a place of a zone. */
static inline void pack_piece(const struct Position *p, W *words, const W *zone, W place, W item) {
    const W sort = p->sorts[item];
    pack(p, words, zone[1] + (zone[2] ? place : sort), zone[2] ? (U)sort + 1 : 1);
}

/* The words of the present position, in scratch space; `given`: the values that were worked out. */
static inline W *a_position(G *g, const struct Position *p, const W *given) {
    W *const words = a_zeros(g, p->words);
    for (W i = 0; i < p->zones[0]; i++) {
        const W *const zone = p->zones + 1 + 3 * i, instance = zone[0];
        W place = 0;
        if (zone_form[instance] == COUNTS) {
            EACH_COUNTED(x, g->s.counts[instance]) pack_piece(p, words, zone, place++, FIRST_ITEM(instance) + (W)x);
        } else {
            const Z *const here = contents(g, instance);
            for (; place < g->s.length[instance]; place++) pack_piece(p, words, zone, place, here[place]);
        }
    }
    p->pack_cells(g, words);
    for (W i = 0; i < p->values[0]; i++) pack(p, words, p->values[2 + 2 * i], from_least(given[i], p->values[1 + 2 * i]));
    return words;
}

/* Compare an entry with the words of a position: below 0 where it is less, 0 where it is the same. */
static inline int compared_entry(const struct Position *p, const W *entry, const W *words) {
    for (W i = 0; i < p->words; i++)
        if (entry[i] != words[i]) return entry[i] < words[i] ? -1 : 1;
    return 0;
}

/* The first entry that is not less than the words. */
static inline W *entry_for(G *g, const struct Position *p, const W *words) {
    W *const first = g->s.v + p->base + 1;
    W low = 0, high = g->s.v[p->base];
    while (low < high) {
        const W middle = (low + high) / 2;
        if (compared_entry(p, first + middle * p->stride, words) < 0) low = middle + 1;
        else high = middle;
    }
    return first + low * p->stride;
}

/* How often the present position was written down. */
KEPT W times_seen(G *g, const struct Position *p, const W *given) {
    W *const mark = g->top;
    const W *const words = a_position(g, p, given), *const first = g->s.v + p->base + 1;
    const W *const end = first + g->s.v[p->base] * p->stride;
    W times = 0;
    if (p->stride == p->words) {
        for (const W *entry = first; entry < end; entry += p->stride) times += compared_entry(p, entry, words) == 0;
    } else {
        const W *const entry = entry_for(g, p, words);
        if (entry < end && compared_entry(p, entry, words) == 0) times = entry[p->words];
    }
    g->top = mark;
    return times;
}

/* Write the present position down. */
KEPT void remember_position(G *g, const struct Position *p, const W *given, W site) {
    W *const mark = g->top, *const words = a_position(g, p, given), *const first = g->s.v + p->base + 1;
    W *const end = first + g->s.v[p->base] * p->stride, *entry = end;
    if (p->stride == p->words) {
        if (g->s.v[p->base] == p->room) {
            for (W *to = first; to + p->stride < end; to++) *to = to[p->stride];
            entry -= p->stride;
        } else {
            g->s.v[p->base]++;
        }
    } else {
        entry = entry_for(g, p, words);
        if (entry < end && compared_entry(p, entry, words) == 0) {
            entry[p->words] += !p->times || entry[p->words] < p->times;
            g->top = mark;
            return;
        }
        if (UNLIKELY(g->s.v[p->base] == p->room)) fail(g, site);
        for (W *to = end; to-- > entry;) to[p->stride] = *to;
        entry[p->words] = 1;
        g->s.v[p->base]++;
    }
    for (W i = 0; i < p->words; i++) entry[i] = words[i];
    g->top = mark;
}

/* Forget what was written down. */
static inline void forget_position(G *g, const struct Position *p) {
    W *const at = g->s.v + p->base, *const end = at + 1 + at[0] * p->stride;
    for (W *cell = at; cell < end; cell++) *cell = 0;
}
