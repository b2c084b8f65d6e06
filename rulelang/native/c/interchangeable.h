/* Interchangeable individuals, which nothing tells apart: the same classes as rulelang/runtime/pools.py finds. Where no two individuals of
   any kind may be interchangeable this is left out. The generated text before this defines

     ITEM_SORT[ITEMS]     definition and seat: individuals of different sorts are never interchangeable
     SORT_CELLS           of each sort: how many piece variables it has; then for each what is to be added to `width * item`
                          to find its cells, and the width
     SAME_CELLS(v, a, b)  whether two individuals of one sort have the same values in them

   `g->references` says how often something refers to each individual. Who waits for others holds what it refers to meanwhile; a
   decision holds what is live where it stands, what variables refer to, and what its binders bound so far. */

/* Something refers to an individual (`more` is 1), or does so no longer (-1). An absent one, -1, is none. */
static inline void refer(G *g, W item, int32_t more) {
    if ((U)item < ITEMS) g->references[item] += more;
}

/* `refer` for the individual of a reaction, if it has one. */
static inline void refer_reaction(G *g, W reaction, int32_t more) {
    refer(g, (reaction & INT64_C(0xFFFFFFFF)) - 1, more);
}

/* `refer` for all individuals in a set. */
static inline void refer_each(G *g, W set, int32_t more) {
    for (W i = 0; i < COUNT(set); i++) refer(g, AT(set, i), more);
}

/* `refer` for the individuals that variables hold. */
static inline void refer_cells(G *g, W first, W cells, int32_t more) {
    for (W cell = first; cell < first + cells; cell++) refer(g, g->s.v[cell], more);
}

/* Whether an individual is like no other because something refers to it, or because it lies in a pile. */
static inline bool distinguishable(const G *g, W item) {
    const W zone = g->s.where[item];
    return g->references[item] || (zone >= 0 && zone_form[zone] == PILED);
}

/* Whether nothing tells two individuals apart. */
static inline bool interchangeable(const G *g, W a, W b) {
    if (a == b) return true;
    if (ITEM_SORT[a] != ITEM_SORT[b] || g->s.where[a] != g->s.where[b]) return false;
    return !distinguishable(g, a) && !g->references[b] && SAME_CELLS(g->s.v, a, b);
}

/* The individual of a reaction, -1 if it has none; any other value is an individual itself. */
static inline W individual_of(W x, bool reactions) {
    if (!reactions) return x;
    const W piece = (x & INT64_C(0xFFFFFFFF)) - 1;
    return piece >= 0 && piece < ITEMS && item_identity[piece] ? piece : -1;
}

/* Whether two elements of a set are interchangeable: reactions of one handler are if their individuals are. */
static inline bool of_one_class(const G *g, W a, W b, bool reactions) {
    if (!reactions) return interchangeable(g, a, b);
    if (a == b) return true;
    if (a >> REACTION_SHIFT != b >> REACTION_SHIFT) return false;
    const W one = individual_of(a, true), other = individual_of(b, true);
    return one >= 0 && other >= 0 && interchangeable(g, one, other);
}

/* A hash that is equal for elements of one class. */
KEPT U class_hash(const G *g, W x, bool reactions) {
    const W item = individual_of(x, reactions);
    if (item < 0) return (U)x * GOLDEN >> 32;
    U result = (U)item;
    if (!distinguishable(g, item)) {
        const int32_t *cells = SORT_CELLS[ITEM_SORT[item]];
        result = ((U)ITEM_SORT[item] << 32) + (U)g->s.where[item];
        for (W left = *cells++; left > 0; left--, cells += 2)
            for (W i = 0; i < cells[1]; i++)
                result = (result ^ result >> 29) * GOLDEN + (U)g->s.v[cells[0] + cells[1] * item + i];
    }
    result = (result ^ result >> 29) * 0xBF58476D1CE4E5B9u;
    return result ^ result >> 32;
}

/* For each of n elements the index of the first one of its class. */
KEPT W *first_of_class(G *g, const W *x, W n, bool reactions) {
    W *const first = alloc(g, n);
    if (!reactions)
        for (W i = 0; i < n; i++)
            if (UNLIKELY((U)x[i] >= ITEMS)) fail(g, -1);
#define OF_ONE_CLASS(a, b) of_one_class(g, x[a], x[b], reactions)
    FIND_FIRSTS(first, n, OF_ONE_CLASS, class_hash(g, x[i], reactions));
    return first;
}

/* Reactions, each once: those without an individual, then handler by handler. */
KEPT W a_by_handler(G *g, W set) {
    set = a_distinct(g, set);
    const W n = COUNT(set);
    W *const result = a_list(g, n), *const mark = g->top;
    bool *const taken = (bool *)alloc(g, n);
    for (W i = 0; i < n; i++)
        if ((taken[i] = individual_of(AT(set, i), true) < 0)) PUSH(result, AT(set, i));
    for (W i = 0; i < n; i++) {
        if (taken[i]) continue;
        const W handler = AT(set, i) >> REACTION_SHIFT;
        for (W j = i; j < n; j++) {
            if (taken[j] || AT(set, j) >> REACTION_SHIFT != handler) continue;
            taken[j] = true;
            PUSH(result, AT(set, j));
        }
    }
    g->top = mark;
    return ADDRESS(result);
}

/* One of each class of two elements or more: see `a_representatives`. */
KEPT W a_compared(G *g, W set, bool reactions) {
    if (reactions) set = a_by_handler(g, set);
    const W n = COUNT(set);
    W *const result = a_list(g, n), *const place = alloc(g, n);
    const W *const first = n > FEW_COMPARED ? first_of_class(g, LIST(set) + 1, n, reactions) : NULL;
    for (W i = 0; i < n; i++) {
        const W x = AT(set, i);
        W at = 1;
        if (!first && !reactions && UNLIKELY((U)x >= ITEMS)) fail(g, -1);
        if (first) at = first[i] == i ? result[0] + 1 : place[first[i]];
        else
            while (at <= result[0] && !of_one_class(g, result[at], x, reactions)) at++;
        place[i] = at;
        if (at > result[0]) PUSH(result, x);
        else result[at] = least(result[at], x);
    }
    if (result[0] == n) {
        g->top = result;
        return set;
    }
    g->top = result + 1 + result[0];
    return ADDRESS(result);
}

/* One of each class, the least, in the order of the first of each; the list itself if no two are interchangeable. */
static inline W a_representatives(G *g, W set, bool reactions) {
    return COUNT(set) < 2 ? set : a_compared(g, set, reactions);
}

/* What several are chosen from: a sorted list of numbers, equal ones for those that are interchangeable, for
   `count_selections` and `a_selection`. A number says where its class begins in the list of individuals that lies
   behind: classes by their least, each sorted. */
KEPT W a_classes(G *g, W set, bool reactions) {
    if (!COUNT(set)) return NOTHING;
    const W x = a_sorted(g, reactions ? a_distinct(g, set) : set), n = COUNT(x);
    W *const result = alloc(g, 2 * n + 1), *const mark = g->top, *const next = alloc(g, n);
    const W *const first = first_of_class(g, LIST(x) + 1, n, reactions);
    memset(next, 0, (size_t)n * sizeof(W));
    for (W i = 0; i < n; i++) next[first[i]]++;
    for (W i = 0, start = 0; i < n; i++) {
        if (first[i] != i) continue;
        for (W k = 0; k < next[i]; k++) result[1 + start + k] = start;
        start += next[i];
        next[i] = start - next[i];
    }
    for (W i = 0; i < n; i++) result[1 + n + next[first[i]]++] = AT(x, i);
    result[0] = n;
    g->top = mark;
    return ADDRESS(result);
}

/* The individuals of a selection from such a list; `result` has room for them. */
static inline void fill_members(W classes, W selection, W *result) {
    const W *const members = LIST(classes) + 1 + COUNT(classes);
    result[0] = 0;
    for (W i = 0, before = -1, at = 0; i < COUNT(selection); i++) {
        at = AT(selection, i) == before ? at + 1 : AT(selection, i);
        before = AT(selection, i);
        PUSH(result, members[at]);
    }
}

/* The individuals of a selection from `a_classes`. */
KEPT W a_members(G *g, W classes, W selection) {
    W *const result = alloc(g, COUNT(selection) + 1);
    fill_members(classes, selection, result);
    return ADDRESS(result);
}

/* The least of a class by its weight; -1: if there is more than one class, k is drawn. */
KEPT W class_at(G *g, const W *x, W n, W k) {
    W *const mark = g->top;
    const W *const first = first_of_class(g, x, n, false);
    bool several = false;
    for (W i = 1; i < n; i++) several |= first[i] != first[0];
    if (k < 0) k = several ? uniform(g, n) : 0;
    const W result = class_by_weight(g, x, n, first, k, true);
    g->top = mark;
    return result;
}

/* The same during a search, where the record or the world says which. */
KEPT W replayed_of_class(G *g, W set) {
    W *const mark = g->top;
    const W n = COUNT(set), *const x = LIST(set) + 1, *const first = first_of_class(g, x, n, false);
    bool several = false;
    for (W i = 1; i < n; i++) several |= first[i] != first[0];
    W result = several ? replayed_element(g, set) : x[0], class = 0;
    for (W i = 0; i < n; i++)
        if (x[i] == result) class = first[i];
    for (W i = 0; i < n; i++)
        if (first[i] == class) result = least(result, x[i]);
    g->top = mark;
    return result;
}

/* One element of a set, those that are interchangeable one outcome. */
KEPT W random_of_class(G *g, W set, W none) {
    if (WATCHED(g) && COUNT(set)) return replayed_of_class(g, set);
    return COUNT(set) ? class_at(g, LIST(set) + 1, COUNT(set), -1) : none;
}

/* Remove a random item from a pool: of an interchangeable class the least. */
KEPT W draw_class_from_pool(G *g, W pool) {
    const W n = g->s.pool_length[pool];
    Z *const items = g->s.members + g->s.pool_start[pool];
    if (UNLIKELY(n < 1)) fail(g, -1);
    /* Those of a sort stand side by side, and so do the weights of their classes. */
    const bool sorts = ITEM_SORT[items[0]] != ITEM_SORT[items[n - 1]];
    const W drawn = sorts ? uniform(g, n) : 0, sort = ITEM_SORT[items[drawn]];
    W first = drawn, end = drawn + 1;
    while (first > 0 && ITEM_SORT[items[first - 1]] == sort) first--;
    while (end < n && ITEM_SORT[items[end]] == sort) end++;
    W k = first, same = first + 1;
    while (same < end && interchangeable(g, items[first], items[same])) same++;
    if (UNLIKELY(same < end)) { /* a sort of several classes */
        W *const x = alloc(g, end - first);
        for (W i = first; i < end; i++) x[i - first] = items[i];
        const W result = class_at(g, x, end - first, sorts ? drawn - first : -1);
        while (items[k] != result) k++;
        g->top = x;
    }
    const W item = items[k];
    memmove(items + k, items + k + 1, (size_t)(n - 1 - k) * sizeof(Z));
    g->s.pool_length[pool] = (int32_t)(n - 1);
    return item;
}
