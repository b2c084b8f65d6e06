/* Single steps: what Python calls to go on with a game to where it waits next.

   A *block* is what Python keeps of a position, as bytes: a state, and words that tell where it waits: these, then the
   listed options with their parts, then the frames (see frames.h). */

/* Where the game waits: 0: nowhere; 1 + 2 * decision; 2 + 2 * procedure: at chance. The bits of the seats; at chance the
   block. How many options or outcomes there are. How many words of them are listed; -1: they are not, so that one is taken
   by its number. The place of the frames. How many words there are. What Python wants. How much of the log is told. */
enum { TOLD_NODE, TOLD_SEATS, TOLD_OPTIONS, TOLD_LISTED, TOLD_FRAMES, TOLD_WORDS, TOLD_FLAGS, TOLD_LENGTH, TOLD };
enum { EXPLICIT = 1, LOGGING = 2 }; /* it stops at chance nodes; events are logged */

/* The words of a block. */
static inline const W *told_of(const State *block) { return (const W *)(const void *)(block + 1); }

/* Let the innermost frame go on behind its decision with a listed option, so that it need not be found again. Whether it
   does: several seats that are asked at once answer by number. The generated text before this has `taking`: for each
   decision the place of its row, 0: several are asked; in that row the block after a pass, the site, the place of the slots that
   tell what it is about, after how many there are; then for each item the place of its own: the block after it, how many
   values, for each its slot and form. */
static bool taken_by_words(G *g, const W *told, W choice, W *row) {
    const W listed = told[TOLD_LISTED];
    if (choice < 0 || listed <= 0 || !(told[TOLD_NODE] & 1)) return false;
    const int32_t *decision = taking + taking[told[TOLD_NODE] >> 1];
    if (decision == taking + 0) return false;
    if (UNLIKELY(choice >= told[TOLD_OPTIONS])) fail(g, -1);
    const W *option = told + TOLD, words = told[TOLD_FRAMES] - TOLD - listed;
    for (;; choice--) {
        const int32_t *const item = option[0] < 0 ? NULL : taking + decision[3 + option[0]];
        if (choice) {
            option += 1 + (item == NULL ? 0 : item[1]);
            continue;
        }
        row[FRAME_BLOCK] = item == NULL ? decision[0] : item[0];
        W *const parts = words ? memcpy(alloc(g, words), told + TOLD + listed, (size_t)words * sizeof(W)) : NULL;
        for (W i = 0; item != NULL && i < item[1]; i++)
            row[FRAME_LOCALS + item[2 + 2 * i]] = placed(item[3 + 2 * i], option[1 + i], parts);
        if (LOGS(g)) {
            const int32_t *const about = taking + decision[2];
            const W values = item == NULL ? 0 : item[1];
            W *const event = an_event(g, CHOSEN, decision[1], 3 + values + about[0]);
            event[0] = told[TOLD_NODE] >> 1;
            event[1] = (W)__builtin_ctzll((U)told[TOLD_SEATS]);
            event[2] = option[0];
            for (W i = 0; i < values; i++)
                event[3 + i] = written(g, &g->step.log_parts, item[3 + 2 * i], row[FRAME_LOCALS + item[2 + 2 * i]]);
            for (W i = 0; i < about[0]; i++) event[3 + values + i] = row[FRAME_LOCALS + about[1 + i]];
        }
        return true;
    }
}

/* Go on from a block to where the game waits next, or to its end.

   `choice`: the number of the option that is chosen; at chance the number that draws the outcome; -1: it waits nowhere yet;
   LIST_AGAIN: none is chosen. `chooser`: who chooses it, or whose options are listed, where several are asked at once.
   `rng`: another state of its generator, or NULL. */
static void stepped(Machine *machine, const State *block, W choice, W chooser, const U *rng) {
    G *const g = &machine->game;
    Step *const s = &g->step;
    const W *const told = told_of(block);
    BUFFER(block, sizeof(State) + (size_t)told[TOLD_WORDS] * sizeof(W));
    memcpy(&g->s, block, sizeof(State));
    if (rng != NULL) g->s.rng = *rng;
    g->floor = (uintptr_t)__builtin_frame_address(0) - STACK;
    begin(machine);
    s->choice = choice;
    s->chooser = chooser;
    s->drawn = -1;
    s->explicit_chance = told[TOLD_FLAGS] & EXPLICIT;
    s->stopped = GOING;
    s->logs = told[TOLD_FLAGS] & LOGGING;
    s->ending = PLAY_SITE;
    s->logged = s->log_parts.used = 0;
    s->options = s->listed = s->frames = s->rows_used = s->parts.used = s->option_parts.used = 0;
    if (!setjmp(g->out)) {
        const W *const frames = told + told[TOLD_FRAMES];
        W **const rows = a_placed_frames(g, frames);
        if (taken_by_words(g, told, choice, rows[0])) {
            s->choice = -1;
            count_decision(g);
        }
        resumed(g, rows, frames[0]);
    }
    if (g->status == OVER && s->logs) log_event(g, GAME_END, s->ending, g->s.over, g->s.winners);
    if (g->status == OVER) s->frames = s->rows_used = s->parts.used = s->options = s->listed = s->option_parts.used = 0;
}

/* How many words are told of a step. */
static W words_told(const Step *s) {
    return TOLD + (s->listed > 0 ? s->listed + s->option_parts.used : 0) + 2 + s->parts.used + s->rows_used;
}

/* The block after a step; `length`: of what is told of the log. */
static void tell(const G *g, W flags, W length, State *block) {
    const Step *const s = &g->step;
    memcpy(block, &g->s, sizeof(State));
    W *const told = (W *)(void *)(block + 1), *to = told + TOLD;
    told[TOLD_NODE] = g->status == OVER ? 0 : 2 * s->decision + (s->stopped == ASKED ? 1 : 2);
    told[TOLD_SEATS] = g->status == OVER ? 0 : (W)s->seats;
    told[TOLD_OPTIONS] = s->options;
    told[TOLD_LISTED] = s->listed;
    if (s->listed > 0) {
        to = copied_words(to, s->list, s->listed);
        to = copied_words(to, s->option_parts.words, s->option_parts.used);
    }
    told[TOLD_FRAMES] = to - told;
    told[TOLD_WORDS] = frames_copied(to, s) - told;
    told[TOLD_FLAGS] = flags;
    told[TOLD_LENGTH] = length;
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
