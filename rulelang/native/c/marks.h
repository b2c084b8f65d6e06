/* Marks: variables that end by themselves. `g->marked` lists the cells that hold one, so that ending those of an event does
   not look at all. An entry may be out of date; `g->marks` is -1 where the list is not known: at the beginning of a game,
   after a rule was tried that sets marks, when it is full. */

/* Note that a cell was given a mark. */
static inline void note_mark(G *g, W cell) {
    if (g->marks < 0) return;
    if (LIKELY(g->marks < MARKED))
        g->marked[g->marks++] = (int32_t)cell;
    else
        g->marks = -1;
}

/* End the mark of a cell if it has one of two values; whether one is left. */
static inline bool mark_left(G *g, W cell, W one, W other, W site) {
    const W value = g->s.v[cell];
    if (value == one || value == other) {
        g->s.v[cell] = 0;
        if (LOGS(g)) log_set(g, site, cell, value);
    }
    return value && value != one && value != other;
}

/* Ends the marks with these values. `runs`: how many; then where the cells of marks begin, and where they end. */
KEPT void clear_marks(G *g, W one, W other, const W *runs, W site) {
    if (LIKELY(g->marks >= 0 && !LOGS(g))) { /* the log has them in order */
        W left = 0;
        for (W i = 0; i < g->marks; i++)
            if (mark_left(g, g->marked[i], one, other, site)) g->marked[left++] = g->marked[i];
        g->marks = left;
        return;
    }
    W left = 0;
    for (W i = 0; i < runs[0]; i++)
        for (W cell = runs[1 + 2 * i]; cell < runs[2 + 2 * i]; cell++)
            if (mark_left(g, cell, one, other, site)) {
                if (left < MARKED) g->marked[left] = (int32_t)cell;
                left++;
            }
    g->marks = left <= MARKED ? left : -1;
}
