/* The log of a step: words for each event, how many there are first, then its code, its site and what is below. Python
   makes entries of the log of them (rulelang/native/events.py), as the interpreter writes them. */

enum {
    SET_CELL, /* cell, old and new value */
    MOVED,    /* whether secretly; of each piece: from, to, item */
    SHUFFLED, /* zone */
    REVEALED, /* the type (see `revealed` of events.py), value, seats, the index of where it lies */
    BEGUN,    /* scope, whose */
    PUT_OUT,  /* seat */
    GAME_END, /* how, winners */
    CHOSEN,   /* decision, seat, item, then values, then subjects */
    ANSWERED, /* decision, seat */
    DRAWN,    /* kind, form, value, who is told if not all are */
    EXPOSED,  /* kind, item, zone, index */
    SIZED,    /* first cell of a bag, old and new size */
    PASSED_ON /* first cells of the bag that loses and of the one that gains (-1: none), how much of each resource */
};

/* An event; the words for what is told of it. */
KEPT W *an_event(G *g, W code, W site, W words) {
    Step *const s = &g->step;
    if (UNLIKELY(words + 3 > LOGGED - s->logged)) fail(g, site);
    W *const event = s->log + s->logged;
    s->logged += words + 3;
    event[0] = words + 3;
    event[1] = code;
    event[2] = site;
    return event + 3;
}

KEPT void log_event(G *g, W code, W site, W one, W other) {
    W *const event = an_event(g, code, site, 2);
    event[0] = one;
    event[1] = other;
}

/* A cell that was set. */
static inline void log_set(G *g, W site, W cell, W old) {
    W *const event = an_event(g, SET_CELL, site, 3);
    event[0] = cell;
    event[1] = old;
    event[2] = g->s.v[cell];
}

/* Those of several cells that have changed. */
KEPT void log_cells(G *g, W site, W cell, W cells, const W *old) {
    for (W i = 0; i < cells; i++)
        if (g->s.v[cell + i] != old[i]) log_set(g, site, cell + i, old[i]);
}

/* A bag of so many cells that holds another number of units than it did. */
KEPT void log_size(G *g, W site, W cell, W cells, const W *old) {
    W *const event = an_event(g, SIZED, site, 3);
    event[0] = cell;
    event[1] = event[2] = 0;
    for (W i = 0; i < cells; i++) {
        event[1] += old[i];
        event[2] += g->s.v[cell + i];
    }
}

/* Goods that go from one bag to another. */
KEPT void log_goods(G *g, W site, W from, W to, const W *goods, W width) {
    W *const event = an_event(g, PASSED_ON, site, 2 + width);
    event[0] = from;
    event[1] = to;
    for (W k = 0; k < width; k++) event[2 + k] = goods[k];
}

/* A piece that became known. */
KEPT void log_exposed(G *g, W site, W kind, W item, W zone, W index) {
    W *const event = an_event(g, EXPOSED, site, 4);
    event[0] = kind;
    event[1] = item;
    event[2] = zone;
    event[3] = index;
}

/* What the next pieces are moved by; lookahead that finds out which ones moves others, of which nothing is told. */
static inline void begin_moves(G *g, W site, W secretly) {
    if (!LOGS(g)) return;
    g->step.moving = 2 * site + secretly;
    g->step.moves = -1;
}

/* A piece that moved: of one statement all are one event. */
static inline void log_move(G *g, W from, W to, W item) {
    Step *const s = &g->step;
    if (s->moves < 0) {
        an_event(g, MOVED, s->moving >> 1, 1)[0] = s->moving & 1;
        s->moves = s->logged - 4;
    }
    if (UNLIKELY(3 > LOGGED - s->logged)) fail(g, -1);
    W *const piece = s->log + s->logged;
    s->logged += 3;
    s->log[s->moves] += 3;
    piece[0] = from;
    piece[1] = to;
    piece[2] = item;
}
