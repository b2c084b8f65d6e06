/* Single steps: what Python calls to go on with a game to where it waits next. */

/* What is told of a step. Words of options follow, their parts, then the frames (see frames.h). */
enum { TOLD_STATUS, TOLD_STOPPED, TOLD_DECISION, TOLD_SEATS, TOLD_OPTIONS, TOLD_LISTED, TOLD_FRAMES, TOLD_END, TOLD };

/* How many words `rulelang_step` tells at most. */
EXPORTED W rulelang_told(void) { return TOLD + LISTED + PARTS + 2 + PARTS + ROWS; }

/* Goes on from a state and its frames to where the game waits next: `after` becomes the state there.

   `choice`: the option that is chosen at the node that it waits at; -1: it waits at none; LIST_AGAIN: none is chosen.
   `chooser`: who chooses it, or whose options are told, where several are asked at once. `explicit_chance`: whether it is to
   stop at chance nodes. If it fails nothing of `after` counts. */
EXPORTED void rulelang_step(Machine *machine, const State *before, const W *frames, W choice, W chooser,
                            W explicit_chance, State *after, W *told) {
    G *const g = &machine->game;
    Step *const s = &g->step;
    CALLED(g, );
    BUFFER(told, rulelang_told() * sizeof(W));
    memcpy(&g->s, before, sizeof(State));
    g->floor = (uintptr_t)__builtin_frame_address(0) - STACK;
    begin(machine);
    s->choice = choice;
    s->chooser = chooser;
    s->drawn = -1;
    s->explicit_chance = explicit_chance;
    s->stopped = GOING;
    s->options = s->listed = s->frames = s->rows_used = s->parts.used = s->option_parts.used = 0;
    if (!setjmp(g->out)) go_on(g, frames);
    told[TOLD_STATUS] = g->status;
    if (g->status == FAILED) return;
    if (g->status == OVER) s->frames = s->rows_used = s->parts.used = s->listed = s->option_parts.used = 0;
    told[TOLD_STOPPED] = s->stopped;
    told[TOLD_DECISION] = s->decision;
    told[TOLD_SEATS] = (W)s->seats;
    told[TOLD_OPTIONS] = s->options;
    told[TOLD_LISTED] = s->listed;
    W *to = told + TOLD;
    if (s->listed > 0) {
        to = copied_words(to, s->list, s->listed);
        to = copied_words(to, s->option_parts.words, s->option_parts.used);
    }
    told[TOLD_FRAMES] = to - told;
    to = frames_copied(to, s);
    told[TOLD_END] = to - told;
    memcpy(after, &g->s, sizeof(State));
}

/* Copies of a state what its hash covers but for the frames, so that equal positions have equal bytes. Whether it could: of
   several pools the order is not seen to. It is not called where individuals may be interchangeable. */
EXPORTED W rulelang_position(const State *state, State *key) {
    CALLED(NULL, 0);
    memset(key, 0, sizeof *key);
    key->over = state->over;
    key->winners = state->over && state->over != DECLARED ? 0 : state->winners;
    key->out = state->out;
    key->deferred = state->over ? 0 : state->deferred;
    memcpy(key->v, state->v, VARIABLES * sizeof(W));
    for (W cell = 0; state->over && cell < VARIABLES; cell++) /* what only its course needed (runtime/canonical.py) */
        if (transient_cell[cell]) key->v[cell] = transient_cell[cell] == 2 && key->v[cell];
    for (W pool = 0; pool < state->pools; pool++) {
        const W n = state->pool_length[pool];
        if (!n) continue;
        if (key->pools++) return 0;
        key->pool_length[0] = (int32_t)n;
        if (COUNTED_POOLS)
            key->pool_counts[0] = state->pool_counts[pool];
        else
            memcpy(key->members, state->members + state->pool_start[pool], (size_t)n * sizeof(Z));
    }
    for (W zone = 0; zone < INSTANCES; zone++) {
        if (zone_form[zone] == COUNTS) {
            key->counts[zone] = state->counts[zone];
            continue;
        }
        const W start = zone_start[zone], n = key->length[zone] = state->length[zone];
        for (W i = 0; i < n; i++) key->slots[start + i] = (Z)(state->slots[start + i] < 0 ? -1 : state->slots[start + i]);
    }
    return 1;
}
