/* Groupings: every distinct way to put individuals into groups, counted, and one of them made; the same ones in the same
   order as rulelang/interpreter/groupings.py has.

   Individuals that are interchangeable are a class. A group is a word with one field of bits for each class, the first
   class in the highest: how many of that class it has; above the number each field has a bit that stays free. Groups of a
   grouping stand in falling order of these words, so each holds the first piece that those before it have left.

   Numbers of partitions are memoised at the upper end of scratch space. */

/* So many groups are looked through at most; each class doubles their number at least. */
#define MOST_GROUPS 1000000
#define MOST_CLASSES 20
/* So many groups are looked at, to find the next ones, for one unit of fuel. */
#define STEPS 4

struct Partitions {
    W classes, most, site;              /* how many groups there may be; -1: any number */
    W size[MOST_CLASSES], shift[MOST_CLASSES], radix[MOST_CLASSES];
    U mask[MOST_CLASSES], guards, whole;
    const W *members[MOST_CLASSES];     /* of each class, the least first */
    U *groups[MOST_CLASSES];            /* those that may be, by the class of their first piece, in falling order */
    W count[MOST_CLASSES];
    U *admitted;                        /* a bit for each group: whether it may be */
    W first, given[MOST_CLASSES];       /* the group that is looked at next */
    W index;                            /* its place among all: one less than that of the one before it */
    U group;
    W *list;                            /* its members */
    U *memo;                            /* hash table of numbers of partitions: what is left, bound, groups left, number */
    W places, used;
    W *old;                             /* what the pieces had in the variable before */
};

/* ---- the classes ---- */

/* Whether the class of one piece comes before that of another. */
KEPT bool class_before(const G *g, W a, W b) {
#if INTERCHANGEABLE
    if (ITEM_SORT[a] != ITEM_SORT[b]) return ITEM_SORT[a] < ITEM_SORT[b];
    const int32_t *cells = SORT_CELLS[ITEM_SORT[a]];
    for (W left = *cells++; left > 0; left--, cells += 2)
        for (W i = 0; i < cells[1]; i++) {
            const W one = g->s.v[cells[0] + cells[1] * a + i], other = g->s.v[cells[0] + cells[1] * b + i];
            if (one != other) return one < other;
        }
#endif
    (void)g;
    return a < b;
}

/* For each of n pieces the index of the first one of its class. */
KEPT const W *first_of_classes(G *g, const W *x, W n) {
#if INTERCHANGEABLE
    return first_of_class(g, x, n, false);
#else
    W *const result = alloc(g, n);
    for (W i = 0; i < n; i++) result[i] = i;
    (void)x;
    return result;
#endif
}

/* Finds the classes of pieces. What they have in the variable, at `cell` + item, tells nothing apart. */
KEPT void find_classes(G *g, struct Partitions *p, W set, W cell) {
    const W n = COUNT(set);
    const W sorted = a_sorted(g, set);
    for (W i = 0; i < n; i++) {
        const W item = AT(sorted, i);
        if (UNLIKELY((U)item >= ITEMS || g->s.where[item] < 0 || (i && AT(sorted, i - 1) == item))) fail(g, p->site);
    }
    const bool piled = n && zone_form[g->s.where[AT(set, 0)]] == PILED;
    const W *const x = LIST(piled ? set : sorted) + 1;
    W *const old = p->old = alloc(g, n);
    for (W i = 0; i < n; i++) {
        old[i] = g->s.v[cell + AT(sorted, i)];
        g->s.v[cell + AT(sorted, i)] = 0;
    }
    p->classes = 0;
    const W *const first = first_of_classes(g, x, n);
    for (W i = 0; i < n; i++) {
        if (first[i] != i) continue;
        if (UNLIKELY(p->classes == MOST_CLASSES)) fail(g, p->site);
        W *const members = alloc(g, n - i), size = 0;
        for (W j = i; j < n; j++) {
            if (first[j] != i) continue;
            W at = size++;
            for (; at > 0 && members[at - 1] > x[j]; at--) members[at] = members[at - 1];
            members[at] = x[j];
        }
        g->top = members + size;
        W place = p->classes++;
        for (; !piled && place > 0 && class_before(g, members[0], p->members[place - 1][0]); place--) {
            p->members[place] = p->members[place - 1];
            p->size[place] = p->size[place - 1];
        }
        p->members[place] = members;
        p->size[place] = size;
    }
    for (W i = 0; i < n; i++) g->s.v[cell + AT(sorted, i)] = old[i];
}

/* Put all pieces of the classes from one on into the list of the next group. */
static inline void push_after(struct Partitions *p, W class) {
    for (; class < p->classes; class++)
        for (W k = 0; k < p->size[class]; k++) PUSH(p->list, p->members[class][k]);
}

/* Set up the enumeration of groupings of a set into at most `most` groups. */
KEPT void begin_partitions(G *g, struct Partitions *p, W set, W cell, W most, W site) {
    p->site = site;
    find_classes(g, p, set, cell);
    p->most = most < COUNT(set) ? most : -1;
    p->guards = p->whole = 0;
    W groups = 1, bits = 0;
    for (W i = p->classes; i-- > 0;) {
        const W width = 65 - __builtin_clzll((U)p->size[i]);
        p->radix[i] = groups;
        groups *= p->size[i] + 1;
        if (UNLIKELY(groups > MOST_GROUPS)) fail(g, site);
        p->shift[i] = bits;
        p->mask[i] = ((U)1 << (width - 1)) - 1;
        p->guards |= (U)1 << (bits + width - 1);
        p->whole |= (U)p->size[i] << bits;
        bits += width;
        p->given[i] = p->size[i];
    }
    U *at = (U *)alloc(g, groups);
    for (W i = 0; i < p->classes; i++) p->count[i] = 0;
    for (W i = 0; i < p->classes; i++) {
        p->groups[i] = at;
        at += p->radix[i] * p->size[i]; /* as many begin with this class */
    }
    p->admitted = (U *)alloc(g, groups / 64 + 1);
    memset(p->admitted, 0, (size_t)(groups / 64 + 1) * sizeof(U));
    p->list = a_list(g, COUNT(set));
    p->first = 0;
    p->index = groups - 1;
    p->group = p->whole;
    push_after(p, 0);
    p->memo = NULL;
    p->places = p->used = 0;
}

/* ---- the groups that there can be ---- */

/* The members of the next group, NOTHING after the last one; `work`: the fuel of asking whether it may be. */
static inline W next_candidate(G *g, const struct Partitions *p, W work) {
    if (!p->index) return NOTHING;
    BURN(1 + p->classes / 8 + work, p->site);
    return ADDRESS(p->list);
}

/* Go on to the next group, after storing this one if it may be. */
static inline void admit(struct Partitions *p, bool may_be) {
    if (may_be) {
        p->groups[p->first][p->count[p->first]++] = p->group;
        p->admitted[p->index >> 6] |= (U)1 << (p->index & 63);
    }
    p->index--;
    /* Only the last class that it has any of gets one less; of those behind it all are there again. */
    W i = p->classes - 1;
    for (; !p->given[i]; i--) p->given[i] = p->size[i];
    p->given[i]--;
    p->list[0]--;
    p->group += (p->whole & (((U)1 << p->shift[i]) - 1)) - ((U)1 << p->shift[i]);
    if (i == p->first && !p->given[i]) p->first++;
    push_after(p, i + 1);
}

/* Store all groups: nothing forbids one. */
KEPT void admit_all(G *g, struct Partitions *p) {
    while (p->index) {
        BURN(1 + p->classes / 8, p->site);
        admit(p, true);
    }
}

/* ---- the groups that can come next ---- */

struct Nexts {
    U rest, bound, group;
    W class, at, index, fields;         /* at: the next of the class's groups; -1: parts of the rest are gone through */
    W field[MOST_CLASSES], given[MOST_CLASSES];
};

/* How many pieces of a class a group has. */
static inline W held_of(const struct Partitions *p, U group, W class) { return (W)(group >> p->shift[class] & p->mask[class]); }

/* Begin the enumeration of the groups that hold the first piece of the rest, none greater than the bound. */
KEPT void begin_nexts(G *g, const struct Partitions *p, struct Nexts *next, U rest, U bound) {
    W within = 1;
    next->rest = rest;
    next->bound = bound;
    next->fields = next->index = 0;
    for (W i = 0; i < p->classes; i++) {
        const W count = held_of(p, rest, i);
        if (!count) continue;
        next->given[next->fields] = count;
        next->field[next->fields++] = i;
        within *= count + 1;
        next->index += count * p->radix[i];
    }
    next->class = next->field[0];
    next->group = rest;
    const W groups = p->count[next->class];
    BURN(1 + least(within, groups) / STEPS, p->site);
    next->at = within > groups ? 0 : -1;
}

/* The next of these groups; 0 after the last. */
KEPT U next_group(const struct Partitions *p, struct Nexts *next) {
    while (next->at >= 0 && next->at < p->count[next->class]) {
        const U group = p->groups[next->class][next->at++];
        if (group <= next->bound && (((next->rest | p->guards) - group) & p->guards) == p->guards) return group;
    }
    if (next->at >= 0) return 0;
    while (next->group) {
        const U group = next->group;
        const bool allowed = p->admitted[next->index >> 6] >> (next->index & 63) & 1;
        W i = next->fields - 1;
        for (; i >= 0 && next->given[i] == !i; i--) {
            const W class = next->field[i], back = held_of(p, next->rest, class) - next->given[i];
            next->given[i] += back;
            next->group += (U)back << p->shift[class];
            next->index += back * p->radix[class];
        }
        if (i >= 0) {
            next->given[i]--;
            next->group -= (U)1 << p->shift[next->field[i]];
            next->index -= p->radix[next->field[i]];
        } else {
            next->group = 0;
        }
        if (allowed && group <= next->bound) return group;
    }
    return 0;
}

/* ---- counting ---- */

/* The entry of a number of partitions in the hash table, or the free one where it goes (linear probing). */
KEPT U *memo_entry(const struct Partitions *p, U rest, U bound, W left) {
    U hash = (rest * GOLDEN ^ bound) * 0xBF58476D1CE4E5B9u + (U)left;
    hash ^= hash >> 31;
    for (W at = (W)(hash & (U)(p->places - 1));; at = (at + 1) & (p->places - 1)) {
        U *const result = p->memo + 4 * at;
        if (!result[0] || (result[0] == rest && result[1] == bound && result[2] == (U)left)) return result;
    }
}

/* Store a number of partitions; the hash table is doubled when it is half full. */
KEPT void memoise(G *g, struct Partitions *p, U rest, U bound, W left, W ways) {
    if (2 * (p->used + 1) > p->places) {
        const U *const before = p->memo;
        const W places = p->places;
        p->places = places ? 2 * places : 64;
        if (UNLIKELY(4 * p->places > g->limit - g->top)) fail(g, p->site);
        g->limit -= 4 * p->places;
        p->memo = (U *)g->limit;
        memset(p->memo, 0, (size_t)(4 * p->places) * sizeof(U));
        for (const U *at = before; at < before + 4 * places; at += 4)
            if (at[0]) memcpy(memo_entry(p, at[0], at[1], (W)at[2]), at, 4 * sizeof(U));
    }
    U *const result = memo_entry(p, rest, bound, left);
    p->used += !result[0];
    result[0] = rest;
    result[1] = bound;
    result[2] = (U)left;
    result[3] = (U)ways;
}

/* How many partitions of the rest there are into `left` groups at most (-1: any number), none greater than the bound. */
KEPT W count_partitions_of(G *g, struct Partitions *p, U rest, U bound, W left) {
    if (!rest || !left) return !rest;
    if (UNLIKELY((uintptr_t)__builtin_frame_address(0) < g->floor)) fail(g, p->site);
    if (left > 0) {
        W pieces = 0;
        for (W i = 0; i < p->classes; i++) pieces += held_of(p, rest, i);
        left = least(left, pieces);
    }
    if (bound > rest) bound = rest;
    if (p->places) {
        const U *const memo = memo_entry(p, rest, bound, left);
        if (memo[0]) return (W)memo[3];
    }
    struct Nexts next;
    begin_nexts(g, p, &next, rest, bound);
    W result = 0;
    for (U group; (group = next_group(p, &next));)
        result = add_counts(g, result, count_partitions_of(g, p, rest - group, group, left - (left > 0)), p->site);
    memoise(g, p, rest, bound, left, result);
    return result;
}

/* The number of all groupings. */
KEPT W count_partitions(G *g, struct Partitions *p) { return count_partitions_of(g, p, p->whole, p->whole, p->most); }

/* ---- one of them ---- */

/* The pieces of n groups: each takes the next ones of its classes. */
KEPT W a_grouping(G *g, const struct Partitions *p, const U *groups, W n) {
    W used[MOST_CLASSES] = {0};
    W *const result = a_list(g, n);
    for (W k = 0; k < n; k++) {
        W size = 0;
        for (W i = 0; i < p->classes; i++) size += held_of(p, groups[k], i);
        W *const list = a_list(g, size);
        for (W i = 0; i < p->classes; i++)
            for (W taken = held_of(p, groups[k], i); taken > 0; taken--) PUSH(list, p->members[i][used[i]++]);
        PUSH(result, ADDRESS(list));
    }
    return ADDRESS(result);
}

/* How many pieces are grouped. */
KEPT W pieces_in(const struct Partitions *p) {
    W result = 0;
    for (W i = 0; i < p->classes; i++) result += p->size[i];
    return result;
}

/* The grouping with this number. */
KEPT W a_partition(G *g, struct Partitions *p, W place) {
    U *const groups = (U *)alloc(g, pieces_in(p));
    W n = 0, left = p->most;
    U bound = p->whole;
    for (U rest = p->whole; rest;) {
        struct Nexts next;
        begin_nexts(g, p, &next, rest, bound);
        left -= left > 0;
        U group;
        for (W ways; (group = next_group(p, &next)); place -= ways)
            if (place < (ways = count_partitions_of(g, p, rest - group, group, left))) break;
        if (UNLIKELY(!group)) fail(g, p->site);
        groups[n++] = group;
        rest -= group;
        bound = group;
    }
    return a_grouping(g, p, groups, n);
}

/* ---- all of them ---- */

/* The one at a place, its groups' numbers in the variable at `cell` + item; `work`: the fuel of asking whether it may be. It
   was counted already: that takes none. */
KEPT W a_placed_partition(G *g, struct Partitions *p, W place, W cell, W work) {
    const W fuel = g->fuel, result = a_partition(g, p, place);
    g->fuel = fuel;
    BURN(work + COUNT(result), p->site);
    renew_option_search(g);
    for (W k = 0; k < COUNT(result); k++)
        for (W i = 0; i < COUNT(AT(result, k)); i++) g->s.v[cell + AT(AT(result, k), i)] = k + 1;
    return result;
}

/* Give the pieces the values back that they had before `a_placed_partition`. */
KEPT void restore_group_numbers(G *g, const struct Partitions *p, W set, W cell) {
    renew_option_search(g);
    const W sorted = a_sorted(g, set);
    for (W i = 0; i < COUNT(sorted); i++) g->s.v[cell + AT(sorted, i)] = p->old[i];
}
