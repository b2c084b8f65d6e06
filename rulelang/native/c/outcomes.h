/* Explicit chance: the outcomes of a chance node, each with its weight, in the order in which they are drawn. An outcome is
   listed like an option, its weight as the item; it is chosen by the number that would draw it: the weight of those before.

   The `*_listed` say how many outcomes there are; a certain one is not stopped at. */

/* Whether the game stops at chance nodes: not in lookahead. */
KEPT inline bool explicit_here(const G *g) { return g->step.explicit_chance && g->direct == NULL; }

/* Whether the outcomes of this chance node are to be listed; else the chosen one is set to be drawn next. */
KEPT inline bool outcomes_wanted(G *g) {
    Step *const s = &g->step;
    if (!explicit_here(g)) return false;
    if (s->choice < 0) return true;
    s->drawn = s->choice;
    s->choice = -1;
    return false;
}

/* Stop at a chance node: its listed outcomes are waited for. */
KEPT void stop_at_chance(G *g, W procedure, W block) {
    g->step.stopped = CHANCE;
    g->step.decision = procedure;
    g->step.seats = (U)block;
}

/* List one outcome; how many there are by now. */
KEPT W an_outcome(G *g, W value, W weight) {
    W *const outcome = an_option(g, weight, 1);
    if (outcome != NULL) outcome[0] = value;
    return ++g->step.options;
}

/* Begin a list of outcomes. */
KEPT void no_outcomes(G *g) {
    Step *const s = &g->step;
    s->options = s->listed = 0;
}

/* Note how many outcomes there are without a list of them; returns that number. */
KEPT W too_many_to_list(G *g, W outcomes) {
    g->step.options = outcomes;
    g->step.listed = -1;
    return outcomes;
}

/* List the outcomes of a number between bounds; how many there are. */
KEPT W numbers_listed(G *g, W low, W high) {
    no_outcomes(g);
    if (high < low) return 0;
    if ((U)high - (U)low >= MOST_LISTED) return too_many_to_list(g, MOST_LISTED);
    for (W x = low; x < high; x++) an_outcome(g, x, 1);
    return an_outcome(g, high, 1);
}

/* List one outcome for each class, weighted by its size; `first`: the index where the class of each element begins. */
KEPT W classes_listed(G *g, const W *x, W n, const W *first, bool least_one) {
    no_outcomes(g);
    W *const mark = g->top, *const weight = alloc(g, n + 1), *const value = alloc(g, n + 1);
    for (W i = 0; i < n; i++) {
        const W of = first[i];
        if (of == i) weight[i] = 0;
        value[of] = of == i ? x[i] : least_one ? least(value[of], x[i]) : value[of];
        weight[of]++;
    }
    for (W i = 0; i < n; i++)
        if (first[i] == i) an_outcome(g, value[i], weight[i]);
    g->top = mark;
    return g->step.options;
}

/* List the distinct elements of a set; `refers`: they may be interchangeable individuals. */
KEPT W elements_listed(G *g, W set, bool refers) {
    const W n = COUNT(set), *const x = LIST(set) + 1;
    W *const mark = g->top;
    const W *first = NULL;
#if INTERCHANGEABLE
    if (refers) first = first_of_class(g, x, n, false);
#endif
    (void)refers;
    if (first == NULL) first = first_same(g, x, n, false);
    const W result = classes_listed(g, x, n, first, refers);
    g->top = mark;
    return result;
}

/* List the kinds of which a bag has units, with as many; how many kinds. */
KEPT W units_listed(G *g, const W *bag, W width) {
    no_outcomes(g);
    for (W kind = 0; kind < width; kind++)
        if (bag[kind] > 0) an_outcome(g, kind, bag[kind]);
    return g->step.options;
}

/* List the items that the member of a pool at an index of a zone may be; how many there are. */
KEPT W pool_listed(G *g, W zone, W index) {
    const W pool = -1 - contents(g, zone)[index], n = g->s.pool_length[pool];
    no_outcomes(g);
    if (COUNTED_POOLS) {
        for (U left = g->s.pool_counts[pool], place; left; left &= ~((U)255 << 8 * place)) {
            place = lowest(left);
            an_outcome(g, POOL_ITEM + (W)place, (W)(left >> 8 * place & 255));
        }
        return g->step.options;
    }
    const Z *const items = g->s.members + g->s.pool_start[pool];
    W *const mark = g->top, *const set = a_list(g, n);
    for (W i = 0; i < n; i++) PUSH(set, items[i]);
    const W result = elements_listed(g, ADDRESS(set), INTERCHANGEABLE && n && item_identity[items[0]]);
    g->top = mark;
    return result;
}

/* List what the piece at a place of a zone may be; how many items. */
KEPT W unseen_listed(G *g, W zone, W place, int form) {
    const W index = form == COUNTS ? -1 : position(g, zone, place);
    return index >= 0 && contents(g, zone)[index] < 0 ? pool_listed(g, zone, index) : 0;
}

/* List the outcomes of the next piece that `expose_shared` makes known; whether there are several. */
KEPT bool shared_listed(G *g, W zone, int form, W site) {
    if (form == COUNTS) return false;
    for (W index; (index = shared_member(g, zone)) >= 0;) {
        if (outcomes_wanted(g) && pool_listed(g, zone, index) > 1) return true;
        become_known(g, zone, index, form, SHARED, site);
    }
    return false;
}

/* Whether the pieces at the top of a pile may be several bags of pieces; they are not listed: the interpreter does that. */
KEPT bool several_ways(G *g, W zone, W count, int form) {
    const W n = form == COUNTS ? 0 : g->s.length[zone], top = least(count, n);
    const Z *const here = contents(g, zone);
    for (W i = n - top; i < n; i++) {
        if (here[i] >= 0) continue;
        W members = 0;
        for (W j = n - top; j < n; j++) members += here[j] == here[i];
        if (members == g->s.pool_length[-1 - here[i]] || pool_listed(g, zone, i) < 2) continue;
        too_many_to_list(g, 2);
        return true;
    }
    return false;
}
