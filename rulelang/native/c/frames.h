/* Values outside of a game that runs: the locals of procedures that wait, and options. An address is the number of a word
   among the *parts*, plus one. Frames are words:

     how many frames, how many words of parts, the parts, then for each frame, the innermost first: procedure, block, the
     slot of the one outside of it that takes its value (-1: none), how many locals, the locals

   The generated text before this has `forms`: how values of a type are made up; and `local_forms`: for each procedure the
   forms of its locals, NULL where all are single words. */

enum { WORD, LIST_OF_WORDS, PAYMENT, FIXED, PRICE, LIST_OF_LISTS };
enum { FRAME_PROCEDURE, FRAME_BLOCK, FRAME_SLOT, FRAME_SIZE, FRAME_LOCALS };

#define PENDING (INT64_MIN + 1) /* what is collected of a seat that has still to choose */

/* Whether there is no value yet, or an absent one. */
KEPT inline bool nowhere(W value) { return value == 0 || value == -1 || value == ABSENT_NUMBER || value == PENDING; }

/* A value of outside as one of the game, whose parts lie from `base` on. */
KEPT W placed(W form, W value, W *base) {
    if (forms[form].sort == WORD || nowhere(value)) return value;
    W *const at = base + value - 1;
    const W inner = forms[form].inner;
    if (forms[form].sort == LIST_OF_LISTS)
        for (W i = 1; i <= at[0]; i++) at[i] = placed(inner, at[i], base);
    return ADDRESS(at);
}

/* The rows of frames, the innermost first, copied to scratch space. */
KEPT W **a_placed_frames(G *g, const W *frames) {
    const W n = frames[0], size = frames[1];
    W **const result = (W **)(void *)alloc(g, n + 1);
    W *const base = alloc(g, size + 1);
    memcpy(base, frames + 2, (size_t)size * sizeof(W));
    const W *from = frames + 2 + size;
    for (W i = 0; i < n; i++) {
        const W words = FRAME_LOCALS + from[FRAME_SIZE];
        W *const row = result[i] = alloc(g, words);
        memcpy(row, from, (size_t)words * sizeof(W));
        const uint8_t *const of = local_forms[row[FRAME_PROCEDURE]];
        for (W slot = 0; of && slot < row[FRAME_SIZE]; slot++)
            if (of[slot] && !nowhere(row[FRAME_LOCALS + slot])) /* form 0: a word */
                row[FRAME_LOCALS + slot] = placed(of[slot], row[FRAME_LOCALS + slot], base);
        from += words;
    }
    return result;
}

#ifdef STOPS
/* ---- games that stop where they wait: `g->step` says where and for what ---- */

/* A value of the game as one of outside; its parts follow those that are there. */
KEPT W written(G *g, struct Parts *parts, W form, W value) {
    if (forms[form].sort == WORD || nowhere(value)) return value;
    const W *const from = LIST(value);
    const W width = forms[form].width, inner = forms[form].inner;
    W words;
    switch (forms[form].sort) {
    case FIXED: words = width; break;
    case PRICE: words = width + 1 + 3 * from[width]; break;
    default: words = from[0] + 1;
    }
    if (UNLIKELY(words > PARTS - parts->used)) fail(g, -1);
    const W at = parts->used;
    parts->used += words;
    memcpy(parts->words + at, from, (size_t)words * sizeof(W));
    if (forms[form].sort == LIST_OF_LISTS)
        for (W i = 1; i <= from[0]; i++) parts->words[at + i] = written(g, parts, inner, from[i]);
    return at + 1;
}

/* The locals, all 0, of a procedure that waits: those that it still needs are to be filled in. Who calls it comes next. */
KEPT W *waits_here(G *g, W procedure, W block, W locals) {
    Step *const s = &g->step;
    if (UNLIKELY(FRAME_LOCALS + locals > ROWS - s->rows_used)) fail(g, -1);
    W *const row = s->last = s->rows + s->rows_used;
    s->rows_used += FRAME_LOCALS + locals;
    s->frames++;
    row[FRAME_PROCEDURE] = procedure;
    row[FRAME_BLOCK] = block;
    row[FRAME_SLOT] = -1;
    row[FRAME_SIZE] = locals;
    memset(row + FRAME_LOCALS, 0, (size_t)locals * sizeof(W));
    return row + FRAME_LOCALS;
}

/* Copy words to `to`; where the copy ends. */
KEPT W *copied_words(W *to, const W *from, W words) {
    memcpy(to, from, (size_t)words * sizeof(W));
    return to + words;
}

/* The frames of a game that has stopped; where they end. */
KEPT W *frames_copied(W *to, const Step *s) {
    *to++ = s->frames;
    *to++ = s->parts.used;
    to = copied_words(to, s->parts.words, s->parts.used);
    return copied_words(to, s->rows, s->rows_used);
}

/* Stop at a decision: it is waited for a choice. */
KEPT void stop_asked(G *g, W decision, U seats, W options) {
    Step *const s = &g->step;
    s->stopped = ASKED;
    s->decision = decision;
    s->seats = seats;
    s->options = options;
    s->listed = options > MOST_LISTED ? -1 : 0;
    s->option_parts.used = 0;
}

/* Append an option to the list of options; its values' words, NULL if there is no more room. */
KEPT W *an_option(G *g, W item, W values) {
    Step *const s = &g->step;
    if (s->listed < 0 || values + 1 > LISTED - s->listed) {
        s->listed = -1;
        return NULL;
    }
    W *const result = s->list + s->listed;
    s->listed += values + 1;
    result[0] = item;
    return result + 1;
}

/* What is chosen at the decision that the game was stopped at. */
KEPT W chosen(G *g, W options, W site) {
    const W k = g->step.choice;
    if (UNLIKELY(k >= options)) fail(g, site);
    g->step.choice = -1;
    return k;
}

/* What was collected of the seats that were asked at once, copied to `to`. */
KEPT void collected(G *g, W from, W *to, W site) {
    if (UNLIKELY(nowhere(from) || COUNT(from) != to[0])) fail(g, site);
    memcpy(to, LIST(from), (size_t)(to[0] + 1) * sizeof(W));
}
#endif
