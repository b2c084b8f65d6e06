/* Determinized tree search: what Python calls (`search_...`, see ismcts/library.py), worlds and iterations. See pilot.h. `start` and
   `frames` are the state and its frames that games begin at.

   ONE: the greatest utility. Of the search for a first world: runs that come no further before a restart (PATIENCE), restarts before
   the past is reopened (STALLS), steps of the chain that are made before its worlds are used (MIXING). BASES: see `search_world`.
   SELDOM: one time in so many at most the fixed past is drawn again. */

enum { ONE = 1 << VALUE_BITS, PATIENCE = 64, STALLS = 8, MIXING = 32, BASES = 64, SELDOM = 16 };
#define ITEMS_SIZE (MOST_EPOCHS * (ITEMS + 1) * sizeof(int16_t)) /* of a table by epoch and label */

/* A copy of a world: its draws, for each choice its key, the counts of `accepts_world` and where it stood, and how proposals fared from it. */
typedef struct SavedWorld {
    W draws, room, odds, tries[4], fits[4];
    U seed, copies;
    bool reopened;
    Draw *draw;
    Odds *draw_odds;
    U *choices;
} SavedWorld;

/* Free what a saved world refers to. */
static void free_saved_world(SavedWorld *saved) { free(saved->draw), free(saved->draw_odds), free(saved->choices); }

/* Free a checkpoint; runs no longer begin there. */
static void free_checkpoint(Checkpoint *checkpoint) {
    free(checkpoint->frames), free(checkpoint->items);
    *checkpoint = (Checkpoint){0};
}

/* Free the worlds that `search_world` makes others of. */
static void free_bases(Search *s) {
    for (W i = 0; s->bases && i < BASES; i++) free_saved_world(&s->bases[i]);
    free(s->bases);
    s->bases = NULL;
}

/* Free what `compute_needed` allocated for the choices. */
static void free_needed(Search *s) {
    for (W i = 0; i < s->choice_count; i++) free(s->choices[i].needed), s->choices[i].needed = NULL;
}

/* Free what choices were made of. */
static void free_words(Search *s) {
    for (W i = 0; i < s->choice_count; i++) free(s->choices[i].words), s->choices[i].words = NULL;
}

/* Free a search; NULL is allowed. */
EXPORTED void search_free(Search *s) {
    CALLED(NULL, );
    if (s == NULL) return;
    free_needed(s), free_words(s);
    free(s->choices), free(s->departures), free(s->draws), free(s->draw_odds), free(s->run_odds), free(s->kept_choices), free(s->seen), free(s->sightings), free(s->known_items), free(s->reserved);
    free(s->edges), free(s->table), free(s->mast), free(s->trace);
    free_checkpoint(&s->prefix.end), free_checkpoint(&s->fixed), free_checkpoint(&s->recorded);
    free(s->greedy.frames), free(s->waiting), free(s->leaf_end);
    free_bases(s);
    free(s);
}

/* Empty the trees, and forget payoffs, leads and the averages of actions. */
EXPORTED void search_clear(Search *s) {
    CALLED(NULL, );
    s->edge_count = s->lowest = s->highest = s->waiting_count = s->leaf_count = 0;
    s->lead_scale = 256;
    s->moved = false;
    if (s->policy == MAST_POLICY) memset(s->mast, 0, MAST_SIZE * sizeof(Average));
    for (W i = 0; i < s->table_size; i++) s->table[i] = -1;
    for (W o = 0; o < s->observers; o++) s->root[o] = new_edge(s, -1, 0, -1);
}

/* Return a new search; NULL: there is no memory. `observers`: 1, or one for each seat. `policy`: a rollout policy of pilot.h.
   `exploration`: the constant of UCB1, of VALUE_BITS. `regret`: not 0 if seats that choose at once match regrets. `score_share`:
   the part of a utility that the lead has, of 256. `room`: edges of all trees at most. */
EXPORTED Search *search_new(W observers, W policy, W exploration, W regret, W score_share, W room, U seed) {
    CALLED(NULL, NULL);
    Search *const s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->observers = observers;
    s->policy = (int)policy;
    s->exploration = exploration;
    s->regret = regret;
    s->score_share = score_share;
    s->rng = splitmix64(seed);
    s->edge_room = room;
    for (s->table_size = 1024; s->table_size < 2 * room; s->table_size *= 2) {}
    s->edges = malloc((size_t)room * sizeof(Edge));
    s->table = malloc((size_t)s->table_size * sizeof(int32_t));
    s->mast = calloc(MAST_SIZE, sizeof(Average));
    s->known_items = calloc(1, ITEMS_SIZE);
    s->reserved = calloc(1, ITEMS_SIZE);
    s->greedy.frames = malloc((2 + PARTS + ROWS) * sizeof(W));
    if (!s->edges || !s->table || !s->mast || !s->known_items || !s->reserved || !s->greedy.frames) {
        search_free(s);
        return NULL;
    }
    /* ln by squaring: whole numbers are the same on every machine */
    for (U x = 1; x <= 4096; x++) {
        U y = x << 32, log2 = 0;
        while (y >= UINT64_C(2) << 32) y >>= 1, log2 += 1 << 16;
        for (U bit = 1 << 15; bit; bit >>= 1) {
            y = (U)((Wide)y * y >> 32);
            if (y >= UINT64_C(2) << 32) y >>= 1, log2 += bit;
        }
        s->logs[x] = (W)(log2 * 45426 >> 16);
    }
    search_clear(s);
    return s;
}

/* ---- greedy rollouts ---- */

/* Return what a seat has after a trial: its payoff where one is declared, else its points; having won outweighs points, and where a
   rule failed it is INT64_MIN. */
static W trial_gain(Machine *machine, W seat) {
    G *const g = &machine->game;
    W totals[PARTIES + 1], points[PARTIES + 1], ranks[PARTIES + 1];
    const bool over = g->status == OVER;
    if (!over && g->site != TRIAL_ENDED) return INT64_MIN; /* a rule went wrong */
    begin(machine);
    if (setjmp(g->out)) return INT64_MIN;
    payoffs(g, points);
    if (points[seat] != ABSENT_NUMBER) return points[seat];
    scores(g, totals);
    const W own = least(greatest(LOW_WINS ? -totals[seat] : totals[seat], -LARGEST_SCORE), LARGEST_SCORE);
    const W won = over ? winners(g, totals, ranks) : 0;
    return own + (won ? (won >> seat & 1 ? 4 : -4) * LARGEST_SCORE : 0);
}

/* Resume the game at the decision where it stopped, with this option: to the end or to where options are tried next. `rng`: of the
   game's chance. `trial`: stop at the next decision. */
static void resume_with(Machine *machine, Search *s, W option, U rng, bool trial) {
    G *const g = &machine->game;
    GreedyRollout *const greedy = &s->greedy;
    memcpy(&g->s, &greedy->state, sizeof(State));
    g->s.rng = rng;
    begin(machine);
    g->step.stopped = g->step.frames = g->step.rows_used = g->step.parts.used = 0;
    g->step.drawn = -1;
    greedy->chosen = option;
    greedy->trial = trial;
    greedy->resumes = true;
    if (!setjmp(g->out)) {
        go_on(g, greedy->frames);
        if (!g->step.stopped) {
            g->status = OVER;
            longjmp(g->out, 1);
        }
    }
    greedy->trial = greedy->resumes = false;
}

/* Play to the end from a decision at which the game stopped, each time with the option that gains its seat most by the next
   decision (of GREEDY_SAMPLE drawn ones where there are more); among equal ones any. Chance is the same for all options, and not the
   game's own. */
static void roll_out_greedily(Machine *machine, Search *s) {
    G *const g = &machine->game;
    GreedyRollout *const greedy = &s->greedy;
    while (g->status == RUNNING && g->step.stopped) {
        const W seat = greedy->seat, total = greedy->total;
        const U luck = next_random(s);
        W best = 0, best_gain = 0, equal = 0;
        memcpy(&greedy->state, &g->s, sizeof(State));
        frames_copied(greedy->frames, &g->step);
        for (W i = 0; i < least(total, GREEDY_SAMPLE); i++) {
            const W option = total > GREEDY_SAMPLE ? random_below(s, total) : i;
            resume_with(machine, s, option, luck, true);
            const W gained = trial_gain(machine, seat);
            if (!i || gained > best_gain) best_gain = gained, equal = 0;
            if (gained == best_gain && !random_below(s, ++equal)) best = option;
        }
        resume_with(machine, s, best, greedy->state.rng, false);
    }
}

/* Return 1 where a seat's side alone has won the game that is over, -1 where the other has, else 0. */
static int outcome_of(Machine *machine, W seat) {
    G *const g = &machine->game;
    W totals[PARTIES + 1], ranks[PARTIES + 1];
    bool won[2] = {false, false};
    begin(machine);
    if (setjmp(g->out)) return 0;
    scores(g, totals);
    const W winning = winners(g, totals, ranks);
    for (W other = 0; other < PLAYERS; other++)
        if (winning >> other & 1) won[team_of[other] == team_of[seat]] = true;
    return won[1] - won[0];
}

/* Try whether the seat at the leaf has a move that wins at once (decisive moves: Teytaud and Teytaud, "On the huge benefit of decisive
   moves in Monte-Carlo tree search algorithms", 2010): if so the game ends by it, else it goes on by any. */
static void try_decisive_moves(Machine *machine, Search *s) {
    G *const g = &machine->game;
    GreedyRollout *const leaf = &s->greedy;
    memcpy(&leaf->state, &g->s, sizeof(State));
    frames_copied(leaf->frames, &g->step);
    for (W i = 0; i < leaf->total; i++) {
        resume_with(machine, s, i, leaf->state.rng, true);
        if (g->status != OVER || g->s.rng != leaf->state.rng) continue;
        if (outcome_of(machine, leaf->seat) > 0) {
            s->decisive = true;
            g->status = OVER;
            return;
        }
    }
    resume_with(machine, s, random_below(s, leaf->total), leaf->state.rng, false);
}

/* Mark what is proven by an iteration whose last choice wins (1) or loses (-1) for who made it: a node with an option that wins is
   won for its mover, one whose options all lose is lost (MCTS-Solver: Winands, Bjornsson, Saito, "Monte-Carlo tree search solver",
   2008). */
static void prove_path(Search *s, int proven) {
    for (W i = s->path_length - 1; i >= 0 && proven; i--) {
        Edge *const edge = &s->edges[s->path[i].edge];
        edge->proven = proven;
        if (!i || edge->parent != s->path[i - 1].edge) return;
        const Edge *const node = &s->edges[edge->parent];
        if (proven < 0 && node->children != node->options) return;
        for (W e = node->first; proven < 0 && e >= 0; e = s->edges[e].next)
            if (s->edges[e].proven >= 0) return;
        if (team_of[s->path[i].seat] != team_of[s->path[i - 1].seat]) proven = -proven;
    }
}

/* ---- one run ---- */

/* Add `by` to `items` (by epoch and label) for each piece that the world's draws from `first` on give. */
static void add_reserved(const Search *s, int16_t *items, W first, int by) {
    for (W i = first; i < s->world_draws; i++) {
        const Draw *const draw = &s->draws[i];
        if (draw->set && draw->piece) items[draw->epoch * (ITEMS + 1) + draw->world] += (int16_t)by;
    }
}

/* Play one game in a mode of pilot.h, from a checkpoint or else from `start` and `frames`. Return whether it came to its end; else
   `s->mode` tells in which mode it stopped, and `game.site` why. */
static bool run_game(Machine *machine, Search *s, const State *start, const W *frames, int mode) {
    G *const g = &machine->game;
    const Checkpoint *const recorded = s->recorded.frames ? &s->recorded : NULL;
    const Checkpoint *const checkpoint = !s->secrets ? NULL : mode == RECORDS ? recorded : run_origin(s);
    if (checkpoint) start = &checkpoint->state, frames = checkpoint->frames;
    memcpy(&g->s, start, sizeof(State));
    g->floor = (uintptr_t)__builtin_frame_address(0) - STACK;
    begin(machine);
    g->search = s;
    s->mode = mode;
    g->step.stopped = g->step.frames = g->step.rows_used = g->step.parts.used = 0;
    g->step.drawn = -1;
    s->path_length = s->played_count = 0;
    s->subjects = 0;
    s->at_once = s->decisive = s->greedy.chooses = false;
    s->sighted_in = s->sight_step = -1;
    s->depth_left = 1;
    s->seen_item = s->expected_item = s->mismatch_zone = -1;
    s->misplaced = false;
    for (W o = 0; o < s->observers; o++) s->node[o] = s->root[o];
    g->watched = mode == RECORDS || mode == REPLAYS;
    if (checkpoint && g->watched) {
        s->run = checkpoint->run;
    } else {
        s->run = (Run){0};
        for (W i = 0; i < ITEMS; i++) s->run.holder[i] = -1;
    }
    if (mode == REPLAYS) {
        memcpy(s->reserved, checkpoint ? checkpoint->items : s->known_items, ITEMS_SIZE);
        add_reserved(s, s->reserved, s->run.draw, 1);
    } else if (mode == TREE) {
        g->s.rng = s->tree_rng = next_random(s);
    }
    if (!setjmp(g->out)) {
        if (frames[0]) go_on(g, frames);
        if (g->step.stopped && s->mode != ROLLOUT) fail(g, RECORD_ENDED);
        if (!g->step.stopped) {
            g->status = OVER;
            longjmp(g->out, 1);
        }
    }
    if (s->mode == ROLLOUT && g->step.stopped && s->policy == GREEDY_POLICY) roll_out_greedily(machine, s);
    else if (s->mode == ROLLOUT && g->step.stopped && is_solving(s)) try_decisive_moves(machine, s);
    g->watched = false;
    return g->status == OVER;
}

/* Store where a run has stopped in a checkpoint. Return whether it had stopped, and there is memory. */
static bool set_checkpoint(const Machine *machine, const Search *s, Checkpoint *checkpoint) {
    const Step *const step = &machine->game.step;
    W *const frames = malloc((size_t)(2 + step->parts.used + step->rows_used) * sizeof(W));
    if (!checkpoint->items) checkpoint->items = malloc(ITEMS_SIZE);
    free(checkpoint->frames);
    checkpoint->frames = step->stopped && checkpoint->items ? frames : NULL;
    if (!checkpoint->frames) {
        free(frames);
        return false;
    }
    frames_copied(frames, step);
    memcpy(&checkpoint->state, &machine->game.s, sizeof(State));
    memcpy(checkpoint->items, s->reserved, ITEMS_SIZE);
    add_reserved(s, checkpoint->items, s->run.draw, -1);
    checkpoint->run = s->run;
    return true;
}

/* Have runs stop before this choice of the record; before the first one of seats that choose at once, which are asked once more. */
static void set_stop(Search *s, W step) {
    while (step > 0 && step < s->choice_count && choice_flags[s->choices[step].decision] & ALL_AT_ONCE &&
           s->choices[step - 1].decision == s->choices[step].decision && s->choices[step - 1].seat < s->choices[step].seat)
        step--;
    s->stop = step;
}

/* Find the past that all worlds share, and have runs begin where it ends: at the last decision before the first choice or draw that
   the seat does not know. A prefix found for a shorter record still holds. */
static void find_known_prefix(Machine *machine, Search *s, const State *start, const W *frames) {
    Prefix *const prefix = &s->prefix;
    const bool probing = s->probing, stopping = s->stopping;
    const W draws = s->world_draws;
    prefix->searched = true;
    prefix->hidden = false;
    s->probing = s->prefixing = s->stopping = s->thorough = true;
    s->world_draws = 0;
    run_game(machine, s, start, frames, REPLAYS);
    prefix->whole = machine->game.step.stopped;
    set_stop(s, s->run.step - prefix->hidden);
    if (s->stop >= 0 && !prefix->whole) run_game(machine, s, start, frames, REPLAYS);
    if (machine->game.step.stopped) prefix->whole &= set_checkpoint(machine, s, &prefix->end);
    s->stop = s->choice_count;
    s->world_draws = draws;
    s->prefixing = s->thorough = false;
    s->probing = probing, s->stopping = stopping;
}

/* Compute what the chooser must have after a choice, by label: the most that was seen to leave one of its hidden zones by any later
   moment, less what came there by then. */
static void compute_needed(Search *s, Choice *choice) {
    int16_t uses[ITEMS + 1];
    choice->needed = calloc(ITEMS + 1, sizeof(int16_t));
    for (W zone = 0; zone < INSTANCES && choice->needed; zone++) {
        if (zone_owner[zone] != choice->seat || zone_sight[s->watcher][zone] == ALL_SEEN) continue;
        W unseen = 0;
        memset(uses, 0, sizeof uses);
        for (W at = choice->events; at < s->seen_count; at++) {
            const SeenEvent *const seen = &s->seen[at];
            if (seen->kind != MOVED) continue;
            if (seen->into == zone) {
                if (seen->item >= 0) uses[seen->item]--;
                else unseen++;
            }
            if (seen->from != zone || seen->item < 0) continue;
            if (++uses[seen->item] - unseen > choice->needed[seen->item])
                choice->needed[seen->item] = (int16_t)(uses[seen->item] - unseen);
        }
    }
}

/* Return whether zones have the sizes and variables the values of `reached` (sizes first). Where individuals are interchangeable their
   numbers differ, so that only sizes are compared. */
static bool has_reached(const State *state, const W *reached) {
    for (W zone = 0; zone < INSTANCES; zone++)
        if (state->length[zone] != reached[zone]) return false;
    return INTERCHANGEABLE || !memcmp(state->v, reached + INSTANCES, VARIABLES * sizeof(W));
}

/* Compute what is needed after each unknown choice that runs come to. */
static void compute_all_needed(Search *s) {
    for (W i = first_choice(s); i < s->choice_count; i++)
        if (!s->choices[i].known && !s->choices[i].needed) compute_needed(s, &s->choices[i]);
}

/* Have runs begin at the prefix again, not at the fixed past. */
static void free_fixed_past(Search *s) {
    free_checkpoint(&s->fixed);
    compute_all_needed(s);
}

/* Return the choice by which a seat's piece moved: the one at index `last`, or among those who chose at once the seat's own. */
static Choice *find_mover_choice(Search *s, W last, W seat) {
    Choice *const choice = &s->choices[last];
    const W group = choice_flags[choice->decision] & ALL_AT_ONCE ? least(last + 1, PLAYERS) : 0;
    for (W i = last; i > last - group && s->choices[i].decision == choice->decision; i--)
        if (s->choices[i].seat == seat) return &s->choices[i];
    return choice;
}

/* Derive from the events of the record what known draws give by epoch and label (`known_items`), and which pieces were seen to leave
   hidden zones right after a choice: an unknown one must have had them. */
static void analyse_record(Search *s) {
    memset(s->known_items, 0, ITEMS_SIZE);
    memset(s->reserved, 0, ITEMS_SIZE);
    for (W i = 0; i < s->choice_count; i++) s->choices[i].pieces = 0, s->choices[i].pieces_inferred = false;
    W choice = -1;
    for (W at = 0; at < s->seen_count; at++) {
        const SeenEvent *const seen = &s->seen[at];
        if (seen->put >= 0 && seen->item >= 0) s->reserved[seen->put * (ITEMS + 1) + seen->item]++;
        while (choice + 1 < s->choice_count && s->choices[choice + 1].events <= at) choice++;
        if (seen->from < 0 || seen->item < 0 || zone_sight[s->watcher][seen->from] == ALL_SEEN) continue;
        int16_t *const put = &s->reserved[seen->epoch * (ITEMS + 1) + seen->item];
        if (*put > 0)
            --*put; /* the seat knew that it lay there: it is none of the pool's */
        else
            s->known_items[seen->epoch * (ITEMS + 1) + seen->item]++;
        Choice *const before = choice >= 0 ? find_mover_choice(s, choice, zone_owner[seen->from]) : NULL;
        const bool drawn = zone_pooled[seen->from] && (!before || zone_owner[seen->from] != before->seat);
        if (before && !drawn && before->pieces < MOST_PIECES) {
            departures_of(s, before)[before->pieces++] = (Departure){seen->from, (int32_t)seen->item};
        }
    }
    for (W i = 0; i < s->choice_count; i++) {
        Choice *const at = &s->choices[i];
        const Choice *next = at, *const end = s->choices + s->choice_count;
        if (at->pieces) continue;
        while (next < end && next->seat == at->seat && !next->pieces) next++;
        if (next == end || next->seat != at->seat) continue;
        at->pieces = next->pieces;
        at->pieces_inferred = true;
        memcpy(departures_of(s, at), departures_of(s, next), MOST_PIECES * sizeof(Departure));
    }
    compute_all_needed(s);
}

/* Add to a checkpoint the known draws that a longer record has after it. `before`: `known_items` of the shorter record. */
static void extend_checkpoint(const Search *s, Checkpoint *checkpoint, const int16_t *before) {
    for (W i = 0; checkpoint->frames && i < MOST_EPOCHS * (ITEMS + 1); i++)
        checkpoint->items[i] = (int16_t)(checkpoint->items[i] + s->known_items[i] - before[i]);
}

/* Make the record: play the true game once, or on from where the last record ended (`extends`).
   `choices`: `choice_count` rows of decision, seat, key; `truth`: outcomes of all `truth_count` draws, forgotten afterwards; both since
   the last record. `reached`: what it must come to, see `has_reached`. `later`: not 0 if the next world begins with the last one.
   Return 1 if the run came to the node at which the record ends; after 0 nothing can go on from it. */
EXPORTED W search_record(Machine *machine, Search *s, const State *start, const W *frames, W watcher, W choice_count,
                         const W *choices, W truth_count, const W *truth, const W *reached, W extends, W later) {
    CALLED(&machine->game, 0);
    const W before = extends ? s->choice_count : 0;
    int16_t *const items = malloc(ITEMS_SIZE);
    Choice *const longer = realloc(s->choices, (size_t)(before + choice_count + 1) * sizeof(Choice));
    Departure *const left = realloc(s->departures, (size_t)(before + choice_count + 1) * MOST_PIECES * sizeof(Departure));
    if (left) s->departures = left;
    if (longer) s->choices = longer;
    if (!items || !longer || !left) {
        free(items);
        return 0;
    }
    s->watcher = watcher;
    s->secrets = true;
    s->begun = before && later && s->has_world;
    s->has_world = false;
    if (s->reopened || (!s->begun && s->copies)) free_checkpoint(&s->prefix.end);
    s->reopened = false;
    if (!s->begun) {
        s->world_draws = 0;
        s->copies = 0;
    }
    memset(s->tries, 0, sizeof s->tries);
    memset(s->fits, 0, sizeof s->fits);
    free_bases(s);
    if (!extends) {
        free_needed(s), free_words(s);
        s->has_individuals = false;
        free_checkpoint(&s->prefix.end), free_checkpoint(&s->recorded);
        s->seen_count = s->sighting_count = 0;
    }
    if (!s->begun) free_checkpoint(&s->fixed);
    s->choice_count = s->stop = before + choice_count;
    s->prefix.searched = false;
    s->truth_count = truth_count;
    s->truth = truth;
    for (W i = 0; i < choice_count; i++)
        s->choices[before + i] = (Choice){.decision = (int32_t)choices[3 * i], .seat = (int32_t)choices[3 * i + 1],
                                          .key = (U)choices[3 * i + 2], .index_hint = -1};
    s->stopping = true;
    run_game(machine, s, start, frames, RECORDS);
    s->stopping = false;
    s->truth = NULL;
    const bool complete = machine->game.site == RECORD_ENDED && s->run.draw == truth_count && has_reached(&machine->game.s, reached) &&
                          set_checkpoint(machine, s, &s->recorded);
    s->recorded.run.draw = 0;
    memcpy(items, s->known_items, ITEMS_SIZE);
    if (complete) {
        free_needed(s);
        analyse_record(s);
        extend_checkpoint(s, &s->prefix.end, items);
        extend_checkpoint(s, &s->fixed, items);
    }
    free(items);
    for (W i = 0; complete && i < s->choice_count; i++) {
        Choice *const choice = &s->choices[i];
        choice->index_hint = INTERCHANGEABLE ? -1 : choice->true_index; /* where it stands hangs on numbers that nobody sees */
        if (choice->known) continue;
        choice->index_hint = -1, choice->key = 0;
        if (!s->begun) choice->world = 0;
    }
    return complete;
}

/* ---- worlds ---- */

/* Set the outcomes of the world to those that the last run came to. `whole`: the run came to the end of the record. */
static void adopt_run(Search *s, bool whole) {
    for (W i = first_draw(s); i < s->run.draw; i++) {
        Draw *const draw = &s->draws[i];
        draw->world = draw->run_outcome, draw->set = whole || !draw->destination_unknown;
        draw->destination_unknown = false;
        draw->individual = draw->run_individual;
        if (draw->individual >= 0) s->draw_odds[i] = s->run_odds[i];
        if (whole) draw->free = !draw->seen;
    }
    if (whole) s->world_draws = s->run.draw, s->odds = s->run.odds;
}

/* Save the world, from where runs begin. Return whether there was memory; without it what was saved before stays. */
static bool save_world(const Search *s, SavedWorld *saved) {
    const W first = first_draw(s);
    if (saved->choices == NULL) saved->choices = malloc((size_t)(3 * s->choice_count + 1) * sizeof(U));
    if (saved->choices == NULL) return false;
    if (saved->room <= s->draw_room) {
        Odds *const odds = realloc(saved->draw_odds, (size_t)(s->draw_room + 1) * sizeof(Odds));
        if (odds == NULL) return false;
        saved->draw_odds = odds;
        Draw *const draws = realloc(saved->draw, (size_t)(s->draw_room + 1) * sizeof(Draw));
        if (draws == NULL) return false;
        saved->draw = draws;
        saved->room = s->draw_room + 1;
    }
    saved->draws = s->world_draws, saved->odds = s->odds;
    saved->seed = s->seed, saved->copies = s->copies, saved->reopened = s->reopened;
    if (saved->draws > first) memcpy(saved->draw + first, s->draws + first, (size_t)(saved->draws - first) * sizeof(Draw));
    if (s->has_individuals && saved->draws > first)
        memcpy(saved->draw_odds + first, s->draw_odds + first, (size_t)(saved->draws - first) * sizeof(Odds));
    for (W i = first_choice(s); i < s->choice_count; i++) {
        saved->choices[3 * i] = s->choices[i].world;
        saved->choices[3 * i + 1] = (U)s->choices[i].matching << 32 | (U)s->choices[i].eligible;
        saved->choices[3 * i + 2] = (U)s->choices[i].index_hint;
    }
    return true;
}

/* Restore a saved world. */
static void restore_world(Search *s, const SavedWorld *saved) {
    const W first = first_draw(s);
    s->world_draws = saved->draws, s->odds = saved->odds;
    s->seed = saved->seed, s->copies = saved->copies, s->reopened = saved->reopened;
    if (saved->draws > first) memcpy(s->draws + first, saved->draw + first, (size_t)(saved->draws - first) * sizeof(Draw));
    if (s->has_individuals && saved->draws > first)
        memcpy(s->draw_odds + first, saved->draw_odds + first, (size_t)(saved->draws - first) * sizeof(Odds));
    for (W i = first_choice(s); i < s->choice_count; i++) {
        s->choices[i].world = saved->choices[3 * i];
        s->choices[i].matching = (int32_t)(saved->choices[3 * i + 1] >> 32);
        s->choices[i].eligible = (int32_t)(saved->choices[3 * i + 1] & UINT32_MAX);
        s->choices[i].index_hint = (int32_t)saved->choices[3 * i + 2]; /* of options that look alike it says which */
    }
}

/* Which draws `pick_draw` takes. -1 for any: the label of the piece, the epoch that it was drawn from, the zone where it lies, whose
   that is. `unseen`: only those not seen yet; `free`: not learnt by now; `spare`: not needed as they are. */
typedef struct { W label, epoch, zone, seat; bool unseen, free, spare; } DrawFilter;

/* Return the index of one of the draws that a filter passes, all equally likely; -1: there is none. */
static W pick_draw(Search *s, DrawFilter want) {
    W drawn = -1, fits = 0;
    for (W i = first_draw(s); i < least(s->run.draw, s->world_draws); i++) {
        const Draw *const draw = &s->draws[i];
        if ((want.unseen && draw->seen) || (want.free && !draw->free) || (want.spare && draw->needed)) continue;
        if (want.label >= 0 && (!draw->piece || draw->run_outcome != want.label)) continue;
        if (want.epoch >= 0 && draw->epoch != want.epoch) continue;
        if (want.zone >= 0 && draw->current_zone != want.zone) continue;
        if (want.seat >= 0 && (draw->current_zone < 0 || zone_owner[draw->current_zone] != want.seat)) continue;
        if (!random_below(s, ++fits)) drawn = i;
    }
    return drawn;
}

/* Swap the outcomes of two draws. */
static void swap_outcomes(Search *s, W a, W b) {
    const W saved = s->draws[a].world;
    const int32_t individual = s->draws[a].individual;
    s->draws[a].world = s->draws[b].world, s->draws[a].individual = s->draws[b].individual;
    s->draws[b].world = saved, s->draws[b].individual = individual;
}

/* Have a draw of a zone, or of a seat (-1: of any), give a piece of this label, by a swap with a draw of the same pool that gave one;
   draws that are needed as they are rather stay. Return whether there was a draw to change. */
static bool assign_item(Search *s, W label, W zone, W seat) {
    const bool spare = next_random(s) & 7;
    W b = pick_draw(s, (DrawFilter){label, -1, -1, -1, true, false, spare});
    if (b < 0 && spare && (next_random(s) & 1)) b = pick_draw(s, (DrawFilter){label, -1, -1, -1, true, false, false});
    const W epoch = b >= 0 ? s->draws[b].epoch : -1;
    W a = pick_draw(s, (DrawFilter){-1, epoch, zone, seat, true, false, spare});
    if (a < 0) a = pick_draw(s, (DrawFilter){-1, epoch, zone, seat, true, false, false});
    if (a < 0) return false;
    if (b >= 0 && b != a) {
        swap_outcomes(s, a, b);
    } else {
        s->draws[a].world = label;
        s->draws[a].set = true;
    }
    return true;
}

static const DrawFilter ANY_UNSEEN = {-1, -1, -1, -1, true, false, false};

/* Repair a world in which a seat could not make its choice: draw another of its hidden choices again, give it a piece that the choice
   needs, or take one that forbids it. Return whether that is done; else set in `draw` the draw to be unset, -1 for none. */
static bool repair_choice(const G *g, Search *s, const Choice *choice, W *draw) {
    W earlier = -1, count = 0;
    for (W i = first_choice(s); i < s->run.step; i++)
        if (!s->choices[i].known && s->choices[i].seat == choice->seat && !random_below(s, ++count)) earlier = i;
    if (earlier >= 0 && !(next_random(s) & 7)) {
        s->choices[earlier].world = 0;
        s->seed = next_random(s);
        return true;
    }
    const Departure *const left = departures_of(s, choice);
    for (W i = 0; i < choice->pieces; i++) {
        const W label = left[i].item;
        W copies = 0;
        for (W k = 0; k <= i; k++) copies += left[k].zone == left[i].zone && left[k].item == label;
        if (may_lie_in(g, left[i].zone, label, copies)) continue;
        if (next_random(s) & 3 && assign_item(s, label, left[i].zone, -1)) return true;
        if (assign_item(s, label, -1, choice->seat)) return true; /* it may have been there, and gone unseen */
    }
    /* The seat has what it needs, and something that forbids the choice: most likely what it may choose instead. */
    DrawFilter filter = ANY_UNSEEN;
    filter.spare = next_random(s) & 7;
    filter.seat = choice->seat;
    if (next_random(s) & 7) filter.label = s->alternative_item;
    *draw = pick_draw(s, filter);
    const W other = pick_draw(s, ANY_UNSEEN);
    if (*draw < 0 || !(next_random(s) & 3) || other < 0 || !s->draws[other].piece) return false;
    swap_outcomes(s, *draw, other);
    return true;
}

/* Exchange the piece that is in the wrong place (`seen_item`, in `mismatch_zone`) for the one that is lacking there: by a swap with a draw of the
   same pool that gave that, or where no draw did by giving it. Where it lies in the same place another was chosen, and the choices of who has them are made again.
   Return whether a draw had brought the wrong one. */
static bool exchange_misplaced(Search *s) {
    W a = least(s->run.draw, s->world_draws) - 1; /* the last one: an earlier deal may have brought it there too */
    while (a >= first_draw(s) && !(s->draws[a].piece && s->draws[a].run_outcome == s->seen_item && s->draws[a].current_zone == s->mismatch_zone)) a--;
    const W b = pick_draw(s, (DrawFilter){s->expected_item, -1, -1, -1, true, false, false});
    if (a < first_draw(s)) return false;
    if (b >= 0 && s->draws[b].current_zone == s->mismatch_zone) {
        for (W i = first_choice(s); i < s->run.step; i++)
            if (!s->choices[i].known && s->choices[i].seat == zone_owner[s->mismatch_zone]) s->choices[i].world = 0;
        s->seed = next_random(s);
    } else if (b >= 0 && s->draws[b].epoch == s->draws[a].epoch) {
        swap_outcomes(s, a, b);
    } else {
        s->draws[a].world = s->expected_item;
        if (b >= 0) s->draws[b].set = false;
    }
    return true;
}

/* Change a world where its run failed, as `reject_world` tells, by local search (min-conflicts: Minton et al., 1992): give the missing
   piece to a draw that can bring it, else draw something again. */
static void repair_world(const G *g, Search *s) {
    DrawFilter filter = ANY_UNSEEN;
    W draw = -1;
    if (s->seen_item == NO_OPTION && s->run.step < s->choice_count) {
        if (repair_choice(g, s, &s->choices[s->run.step], &draw)) return;
    } else if (s->misplaced && next_random(s) & 7 && exchange_misplaced(s)) {
        return;
    } else if (s->seen_item >= 0) {
        if (next_random(s) & 3 && assign_item(s, s->expected_item, s->mismatch_zone, -1)) return;
        filter.label = s->seen_item;
        filter.unseen = false;
        draw = pick_draw(s, filter);
        if (draw >= 0) {
            s->draws[draw].world = s->expected_item;
            s->draws[draw].set = true;
            return;
        }
    } else if (s->seen_item == NOT_IN_POOL) {
        filter.label = s->expected_item;
        draw = pick_draw(s, filter);
    }
    if (draw < 0) draw = pick_draw(s, ANY_UNSEEN);
    if (draw >= 0) s->draws[draw].set = false;
    if (!(next_random(s) & 3) && draw >= 0) {
        draw = pick_draw(s, ANY_UNSEEN);
        if (draw >= 0) s->draws[draw].set = false;
    }
    for (W i = first_choice(s); i < s->choice_count; i++)
        if (!s->choices[i].known && !(next_random(s) & 3)) s->choices[i].world = 0;
    s->seed = next_random(s);
}

/* Unset each draw and choice of the world from these on with probability 1 / `parts`: the next run draws it again. */
static void unset_part(Search *s, W parts, W draw, W choice) {
    s->seed = next_random(s);
    for (W i = draw; i < s->world_draws; i++)
        if (!random_below(s, parts)) s->draws[i].set = false;
    for (W i = choice; i < s->choice_count; i++)
        if (!s->choices[i].known && !random_below(s, parts)) s->choices[i].world = 0;
}

/* Move where runs begin to a decision at index `step` (-1: the last one) at which no secret was open when the world came there. What
   lies before it says little of what lies behind, so that `next_world` draws it again more seldom: long games are played in rounds, and
   pieces come back. Not while runs are traced, whose traces begin at the start. */
static void fix_past(Machine *machine, Search *s, const State *start, const W *frames, W step) {
    const bool probing = s->probing, stopping = s->stopping;
    if (step < 0) step = s->run.resolved_step;
    if (s->trace_room || s->bases || (!s->thorough && step <= first_choice(s))) return;
    s->probing = s->stopping = true;
    set_stop(s, step);
    run_game(machine, s, start, frames, REPLAYS);
    if (!machine->game.step.stopped || s->run.open_secrets) {
        if (s->thorough) free_fixed_past(s);
    } else {
        for (W i = first_draw(s); i < s->run.draw; i++) {
            Draw *const draw = &s->draws[i];
            draw->world = draw->run_outcome, draw->individual = draw->run_individual, draw->set = true;
        }
        set_checkpoint(machine, s, &s->fixed);
    }
    s->stop = s->choice_count;
    s->probing = probing, s->stopping = stopping;
}

/* Return whether nothing that the last run came to, from where it began, could have come otherwise. */
static bool is_determined(const Search *s) {
    bool determined = s->run.draw == first_draw(s);
    for (W i = first_choice(s); determined && i < s->run.step; i++) determined = s->choices[i].known;
    return determined;
}

/* Have all of the past drawn again: what lay before where runs begin led nowhere. Other copies of pieces come up: rules go through them
   in an order that was seen. */
static void reopen_past(Search *s) {
    if (INTERCHANGEABLE) s->reopened = true, s->copies = next_random(s) | 1;
    free_fixed_past(s);
}

/* Find a first world from the record alone, by local search with restarts: a world is repaired where its run fails; one whose run comes
   less far than the best is dropped. The past is fixed as worlds come further, and reopened once they don't. Return whether
   one was found. */
static bool find_first_world(Machine *machine, Search *s, const State *start, const W *frames, SavedWorld *saved) {
    W best_step = -1, best_at = -1, stalled = 0, stalls = 0, opened = 0, kept = 0, kept_at = 0;
    if (s->begun)
        s->seed = next_random(s);
    else
        unset_part(s, 1, first_draw(s), first_choice(s));
    if (!save_world(s, saved)) return false;
    const bool probing = s->probing;
    s->probing = s->guided = true;
    for (W attempt = 0; attempt < 100000; attempt++) {
        run_game(machine, s, start, frames, REPLAYS);
        if (machine->game.site == RECORD_ENDED) {
            adopt_run(s, true);
            for (W i = 0; i < s->choice_count; i++) s->choices[i].matching = 0;
            s->probing = probing;
            s->guided = false;
            fix_past(machine, s, start, frames, -1);
            return s->has_world = true;
        }
        if (s->run.step > best_step || (s->run.step == best_step && s->run.event_count >= best_at)) {
            stalled = s->run.step > best_step || s->run.event_count > best_at ? 0 : stalled + 1;
            best_step = s->run.step;
            best_at = s->run.event_count;
            adopt_run(s, false);
            if (stalls % (4 * STALLS) < 3 * STALLS && s->run.resolved_step > first_choice(s)) {
                fix_past(machine, s, start, frames, -1);
                run_game(machine, s, start, frames, REPLAYS); /* what is repaired is where it fails from there */
                best_step = s->run.step, best_at = s->run.event_count;
                adopt_run(s, false);
            }
            if (!save_world(s, saved)) break;
        } else {
            stalled++;
            restore_world(s, saved);
            run_game(machine, s, start, frames, REPLAYS); /* what is repaired is where this one fails */
            adopt_run(s, false);
        }
        const bool determined = is_determined(s);
        if (stalled > PATIENCE || determined) {
            if (s->run.resolved_choice > kept) kept = s->run.resolved_choice, kept_at = attempt;
            /* What it took long to find is kept as long again. */
            const bool reopens = determined || (!(++stalls % STALLS) && attempt - kept_at >= kept_at - opened);
            if (reopens) {
                reopen_past(s);
                s->run.resolved_draw = s->run.resolved_choice = 0;
                opened = kept_at = attempt, kept = 0;
            }
            unset_part(s, 1 + (attempt & 1), greatest(first_draw(s), s->run.resolved_draw), greatest(first_choice(s), s->run.resolved_choice));
            s->guided = next_random(s) & 3; /* what guides is a guess */
            best_step = best_at = -1, stalled = 0;
            continue;
        }
        repair_world(&machine->game, s);
        if (stalled % 8 == 7) s->seed = next_random(s); /* what guided the choices may be what is wrong */
    }
    s->probing = probing;
    return s->guided = false;
}

/* Change the world into another one to try, by a step of Metropolis and Hastings: FULL and FREE draw again from the prior all that is
   hidden, or all that the seat has not learnt by now; PART a random part of that; EXCHANGE swaps two draws of one pool. If worlds that do
   not fit are dropped, those that fit stay as likely as they are; with FULL alone it is rejection sampling. */
static void propose_world(Search *s, int kind) {
    W free = 0, unknown = 0, size = 0;
    s->run.draw = s->world_draws;
    s->seed = next_random(s);
    if (kind == EXCHANGE) {
        const W a = pick_draw(s, (DrawFilter){-1, -1, -1, -1, false, false, false});
        if (a < 0 || !s->draws[a].piece) return;
        const W b = pick_draw(s, (DrawFilter){-1, s->draws[a].epoch, -1, -1, false, false, false});
        if (b >= 0 && s->draws[b].piece) swap_outcomes(s, a, b);
        return;
    }
    for (W i = first_draw(s); i < s->world_draws; i++) free += s->draws[i].free;
    for (W i = first_choice(s); i < s->choice_count; i++) unknown += !s->choices[i].known;
    if (kind == PART) {
        size = least(free, greatest(2, free >> (1 + random_below(s, 4))));
        W again = INT64_C(1) << random_below(s, 3); /* several at once, where what they come to together is known */
        for (W i = first_choice(s), left = unknown; i < s->choice_count; i++)
            if (!s->choices[i].known && random_below(s, left--) < again) s->choices[i].world = 0, again--;
        if (unknown && (next_random(s) & 1)) size = 0;
    }
    for (W i = first_draw(s), left = free; i < s->world_draws; i++) {
        Draw *const draw = &s->draws[i];
        if (kind == FULL || (draw->free && (kind == FREE || random_below(s, left--) < size))) {
            size -= kind == PART;
            draw->set = false;
        }
    }
    for (W i = first_choice(s); i < s->choice_count && kind != PART; i++) s->choices[i].world = 0;
}

/* Return how often a world is drawn wholly anew at most before it is changed step by step: more often in short games. */
KEPT W max_full_proposals(const Search *s) { return s->seen_count < 50 ? 500 : greatest(600 / s->seen_count, 3); }

/* Return whether proposals of a kind still fit often enough to be made. */
KEPT bool is_worthwhile(const Search *s, int kind) {
    const W most = max_full_proposals(s);
    return s->tries[kind] < greatest(2 * most, 64) || greatest(most, 12) * s->fits[kind] >= s->tries[kind];
}

/* ---- iterations ---- */

/* Compute each seat's utility of a finished game, from 0 to ONE: its payoff that is no share of a win, scaled to those seen so far; else its share of the
   win, mixed by `score_share` with its lead in points over the best rival, scaled by the mean lead. */
static void compute_utilities(G *g, Search *s, W *utility) {
    W totals[PARTIES + 1], points[PARTIES + 1], ranks[PARTIES + 1];
    scores(g, totals);
    const W won = winners(g, totals, ranks);
    payoffs(g, points);
    W winning = 0;
    bool paid = true;
    for (W seat = 0; seat < PLAYERS; seat++) paid &= points[seat] != ABSENT_NUMBER;
    for (W seat = 0; seat < PLAYERS; seat++) winning += won >> seat & 1;
    for (W seat = 0; seat < PLAYERS; seat++) {
        W share = ONE / 2;
        if (paid) {
            s->lowest = least(s->lowest, points[seat]);
            s->highest = greatest(s->highest, points[seat]);
        } else if (ONE_PARTY) {
            share = winning ? ONE : 0;
        } else if (winning < PLAYERS && (won || g->s.over == SCORED)) {
            share = won >> seat & 1 ? ONE / 2 + ONE / 2 / winning : ONE / 2 - ONE / 2 / (PLAYERS - winning);
        }
        W best = INT64_MIN;
        for (W other = 0; other < PARTIES; other++)
            if (team_of[other] != team_of[seat]) best = greatest(best, totals[other]);
        W lead = best == INT64_MIN ? totals[seat] : totals[seat] - best;
        lead = least(greatest(lead, -LARGEST_SCORE), LARGEST_SCORE) << 8;
        if (LOW_WINS) lead = -lead;
        const W size = lead < 0 ? -lead : lead;
        const W term = lead ? ONE / 2 + ONE / 2 * (lead >> 4) / ((size + s->lead_scale) >> 4) : share;
        s->lead_scale += (size - s->lead_scale) / 64;
        if (s->lead_scale < 256) s->lead_scale = 256;
        utility[seat] = (share * (256 - s->score_share) + term * s->score_share) / 256;
    }
    for (W seat = 0; paid && seat < PLAYERS; seat++)
        utility[seat] = s->highest > s->lowest ? (points[seat] - s->lowest) * ONE / (s->highest - s->lowest) : ONE / 2;
}

/* Add the seats' utilities (`gains`, by seat) to the edges of a path, and with regret matching the sampled regrets, weighted by the
   probability that each option was drawn with. */
static void credit_path(Search *s, const PathStep *path, W length, const W *gains) {
    for (W i = 0; i < length; i++) {
        const W utility = gains[path[i].seat];
        Edge *const edge = &s->edges[path[i].edge];
        edge->value += utility;
        if (path[i].common < 0) continue;
        Edge *const common = &s->edges[path[i].common];
        const W expected = common->visits ? common->value / common->visits : ONE / 2;
        const W gained = (utility - expected) * ONE / path[i].taken;
        edge->regret += gained;
        common->regret -= path[i].share * gained / ONE;
        common->visits++;
        common->value += utility;
    }
}

/* Back up the result of a finished game along the path, and to the averages of its rollout's actions (MAST). */
static void back_up(Machine *machine, Search *s) {
    G *const g = &machine->game;
    W gains[PARTIES + 1];
    const bool in_tree = s->mode == TREE && g->s.rng == s->tree_rng;
    s->mode = IDLE;
    if (is_solving(s) && s->path_length && (in_tree || s->decisive)) prove_path(s, outcome_of(machine, s->path[s->path_length - 1].seat));
    begin(machine);
    if (setjmp(g->out)) {
        s->failures++;
        return;
    }
    compute_utilities(g, s, gains);
    for (W i = 0; i < s->path_length; i++) s->edges[s->path[i].edge].visits++;
    credit_path(s, s->path, s->path_length, gains);
    for (W i = 0; i < s->played_count; i++) {
        Average *const average = &s->mast[splitmix64(s->played[i].key ^ (U)s->played[i].seat) & (MAST_SIZE - 1)];
        if (average->key != s->played[i].key) *average = (Average){s->played[i].key, 0, 0};
        average->visits++;
        average->value += gains[s->played[i].seat];
    }
    s->runs++;
}

/* Queue the path until its leaf's value is known. Until then it counts as visited and lost, so that the next iterations go elsewhere
   (virtual loss: Chaslot, Winands, van den Herik, "Parallel Monte-Carlo Tree Search", 2008). Return whether there was memory for it. */
static bool queue_leaf(Search *s) {
    if (s->waiting_room < s->waiting_count + s->path_length) {
        const W room = 2 * s->waiting_room + MOST_KEYS; /* no path is longer than that */
        PathStep *const waiting = realloc(s->waiting, (size_t)room * sizeof(PathStep));
        if (!waiting) return false;
        s->waiting = waiting, s->waiting_room = room;
    }
    if (s->leaf_count == s->leaf_room) {
        const W room = 2 * s->leaf_room + 64;
        W *const ends = realloc(s->leaf_end, (size_t)room * sizeof(W));
        if (!ends) return false;
        s->leaf_end = ends, s->leaf_room = room;
    }
    memcpy(s->waiting + s->waiting_count, s->path, (size_t)s->path_length * sizeof(PathStep));
    for (W i = 0; i < s->path_length; i++) s->edges[s->path[i].edge].visits++;
    s->leaf_end[s->leaf_count++] = s->waiting_count += s->path_length;
    s->runs++;
    return true;
}

/* Back up an iteration, or queue its leaf, or count a failure. */
static void end_iteration(Machine *machine, Search *s) {
    s->at_leaf = s->policy == EVALUATE_POLICY && s->mode == ROLLOUT && machine->game.step.stopped;
    if (s->at_leaf)
        s->at_leaf = queue_leaf(s);
    else if (s->mode != REPLAYS && machine->game.status == OVER)
        back_up(machine, s);
    else
        s->failures++;
}

/* Propose a world of a kind and play it; return whether it fits the record and is accepted, else restore the last one (in `saved`).
   `probing`: play it only up to where the tree begins. */
static bool try_proposal(Machine *machine, Search *s, const State *start, const W *frames, SavedWorld *saved, int kind, bool probing) {
    const bool before = s->probing;
    if (!save_world(s, saved)) return false;
    propose_world(s, kind);
    for (W i = first_choice(s); i < s->choice_count; i++) s->choices[i].redrawn = !s->choices[i].known && !s->choices[i].world;
    s->probing = probing;
    s->strict = kind != FULL;
    s->exact = true;
    s->kind = kind;
    run_game(machine, s, start, frames, REPLAYS);
    s->probing = before;
    s->strict = s->exact = false;
    s->tries[kind] += !s->thorough;
    if (s->mode != REPLAYS || machine->game.site == RECORD_ENDED) {
        s->fits[kind] += !s->thorough;
        adopt_run(s, true);
        for (W i = first_choice(s); i < s->choice_count; i++) {
            s->choices[i].matching = s->choices[i].run_matching;
            s->choices[i].eligible = s->choices[i].run_eligible;
        }
        return true;
    }
    s->rejected++;
    restore_world(s, saved);
    return false;
}

/* Sample the next world of the Markov chain. Drawn wholly anew, if that fits; else from the last one by two steps, whether they fit or
   not: to go on until one fits would make worlds likelier from which many fit. Return whether the last run was that of this world. */
static bool next_world(Machine *machine, Search *s, const State *start, const W *frames, SavedWorld *saved, bool probing) {
    if (s->fixed.frames && !random_below(s, SELDOM + s->fixed.run.step / SELDOM)) { /* the more seldom, the more there is to play again */
        const W step = s->fixed.run.step;
        s->thorough = true;
        const int kind = next_random(s) & 1 ? FREE : PART;
        if (try_proposal(machine, s, start, frames, saved, kind, true)) fix_past(machine, s, start, frames, step);
        s->thorough = false;
    }
    for (W i = 0; i < max_full_proposals(s) && is_worthwhile(s, FULL); i++)
        if (try_proposal(machine, s, start, frames, saved, FULL, probing)) return true;
    /* Where most is drawn anew each time the small step is made one time in eight: it costs as much. Never by whether the last
       proposal fitted: that would prefer worlds around which few fit. */
    const bool mixes = s->tries[FREE] >= 64 && 2 * s->fits[FREE] >= s->tries[FREE];
    if (!mixes || !(next_random(s) & 7)) try_proposal(machine, s, start, frames, saved, next_random(s) & 1 ? EXCHANGE : PART, true);
    return try_proposal(machine, s, start, frames, saved, is_worthwhile(s, FREE) ? FREE : PART, probing);
}

/* Run one iteration of information-set Monte Carlo tree search (Cowling et al., 2012): sample a world, select a path down the trees, roll
   out, back up. Games without secrets, or whose past is known, begin at the state itself. `saved`: room for a world. Return whether
   there was a world. */
static bool run_iteration(Machine *machine, Search *s, const State *start, const W *frames, SavedWorld *saved) {
    if (s->secrets && !s->prefix.searched) find_known_prefix(machine, s, start, frames);
    if (!s->secrets || (s->prefix.whole && !s->probing)) {
        run_game(machine, s, start, frames, TREE);
        end_iteration(machine, s);
        return true;
    }
    if (!s->has_world) {
        if (!find_first_world(machine, s, start, frames, saved)) return false;
        for (W i = 0; i < MIXING; i++) next_world(machine, s, start, frames, saved, true); /* away from where the repairs led */
    }
    if (!next_world(machine, s, start, frames, saved, s->probing)) {
        s->repeated++;
        run_game(machine, s, start, frames, REPLAYS);
    }
    if (!s->probing) end_iteration(machine, s);
    return true;
}

/* Run `iterations` iterations. Return how many were completed; they end early if no world is found. */
EXPORTED W search_run(Machine *machine, Search *s, const State *start, const W *frames, W iterations) {
    CALLED(&machine->game, 0);
    SavedWorld saved = {0};
    W completed = 0;
    while (completed < iterations && run_iteration(machine, s, start, frames, &saved)) completed++;
    free_saved_world(&saved);
    return completed;
}

/* Run one iteration whose leaf is to be evaluated: copy the state there to `leaf`, its frames to `words`. Return how many words these
   have; 0: the game was over; -1: no world was found. */
EXPORTED W search_leaf(Machine *machine, Search *s, const State *start, const W *frames, State *leaf, W *words) {
    CALLED(&machine->game, -1);
    SavedWorld saved = {0};
    const bool has_world = run_iteration(machine, s, start, frames, &saved);
    free_saved_world(&saved);
    if (!has_world || !s->at_leaf) return has_world ? 0 : -1;
    memcpy(leaf, &machine->game.s, sizeof(State));
    return frames_copied(words, &machine->game.step) - words;
}

/* Back up what the leaves queued since the last call are worth: for each what each seat gets, of VALUE_BITS. */
EXPORTED void search_values(Search *s, const W *values) {
    CALLED(NULL, );
    for (W i = 0, from = 0; i < s->leaf_count; from = s->leaf_end[i++])
        credit_path(s, s->waiting + from, s->leaf_end[i] - from, values + i * PLAYERS);
    s->leaf_count = s->waiting_count = 0;
}

/* Trace the steps of the runs to come, in so many words at most. */
EXPORTED void search_traced(Search *s, W room) {
    s->prefix.searched = false;
    free_checkpoint(&s->prefix.end), free_checkpoint(&s->fixed); /* no step of theirs was taken down */
    free(s->trace);
    s->trace = malloc((size_t)room * sizeof(W));
    s->trace_room = s->trace ? room : 0;
}

/* Sample so many worlds without a tree. Return how many: fewer if none was found. */
EXPORTED W search_deals(Machine *machine, Search *s, const State *start, const W *frames, W deals) {
    CALLED(&machine->game, 0);
    SavedWorld saved = {0};
    W made = 0;
    for (; made < deals; made++) {
        s->probing = true;
        const bool has_world = run_iteration(machine, s, start, frames, &saved);
        s->probing = false;
        if (!has_world) break;
    }
    free_saved_world(&saved);
    return made;
}

/* Forget where choices were found: of options that look alike the world before must not say which. */
static void forget_hints(Search *s) {
    for (W i = 0; i < s->choice_count; i++)
        if (INTERCHANGEABLE || !s->choices[i].known) s->choices[i].index_hint = -1;
}

/* Sample a world as a state (`after`) and its frames (`words`), by one step from one of BASES well-mixed worlds, so that the same seed
   gives the same world of the same record, whatever was sampled before. Return how many words the frames have; 0: there is no world. */
EXPORTED W search_world(Machine *machine, Search *s, const State *start, const W *frames, U seed, State *after, W *words) {
    CALLED(&machine->game, 0);
    const U dice_before = s->rng;
    const W base = (W)(splitmix64(seed) % BASES);
    s->probing = true;
    if (s->bases == NULL) s->bases = calloc(BASES + 1, sizeof(SavedWorld));
    if (s->bases == NULL) return s->probing = false;
    free_checkpoint(&s->fixed);
    forget_hints(s);
    if (s->bases[base].draw == NULL) {
        SavedWorld saved = {0};
        s->rng = splitmix64((U)base);
        s->has_world = false;
        memset(s->tries, 0, sizeof s->tries);
        memset(s->fits, 0, sizeof s->fits);
        s->world_draws = 0;
        s->copies = 0;
        s->reopened = false;
        for (W i = 0; i < s->choice_count; i++) s->choices[i].world = 0;
        const bool has_world = run_iteration(machine, s, start, frames, &saved);
        free_saved_world(&saved);
        if (!has_world) return s->probing = false;
        if (!save_world(s, &s->bases[base])) return s->probing = false;
        memcpy(s->bases[base].tries, s->tries, sizeof s->tries);
        memcpy(s->bases[base].fits, s->fits, sizeof s->fits);
    }
    restore_world(s, &s->bases[base]);
    memcpy(s->tries, s->bases[base].tries, sizeof s->tries);
    memcpy(s->fits, s->bases[base].fits, sizeof s->fits);
    s->has_world = s->stopping = true;
    s->rng = splitmix64(seed);
    SavedWorld saved = {0};
    run_iteration(machine, s, start, frames, &saved);
    free_saved_world(&saved);
    s->probing = s->stopping = false;
    s->rng = dice_before;
    if (!machine->game.step.stopped) return 0;
    memcpy(after, &machine->game.s, sizeof(State));
    return frames_copied(words, &machine->game.step) - words;
}

/* Return how many words the frames of a world have at most. */
EXPORTED W search_words(void) { return 2 + PARTS + ROWS; }

/* Copy the trace of the last run; return its words. */
EXPORTED W search_trace(const Search *s, W *to) {
    memcpy(to, s->trace, (size_t)s->run.trace_count * sizeof(W));
    return s->run.trace_count;
}

/* Copy the children of a node: key, visits, value, available, number, share, hint, what is proven of each. `node` -1: the observer's root. Return how many: at
   most `most`. */
EXPORTED W search_children(const Search *s, W observer, W node, W most, W *to) {
    CALLED(NULL, 0);
    W count = 0;
    if (node < 0) node = s->root[observer];
    for (W e = s->edges[node].first; e >= 0 && count < most; e = s->edges[e].next, count++) {
        const Edge *const edge = &s->edges[e];
        *to++ = (W)edge->key, *to++ = edge->visits, *to++ = edge->value, *to++ = edge->available, *to++ = e, *to++ = edge->share;
        *to++ = edge->hint, *to++ = edge->proven;
    }
    return count;
}

/* Copy the totals: iterations, worlds that did not fit, worlds used again, games that failed, edges. */
EXPORTED void search_counts(const Search *s, W *to) {
    CALLED(NULL, );
    to[0] = s->runs, to[1] = s->rejected, to[2] = s->repeated, to[3] = s->failures, to[4] = s->edge_count;
}

/* Make the node below the actions of these keys the observer's root, and begin the others' trees anew. Return 0 if there is no such node or
   half of the room is used. */
EXPORTED W search_descend(Search *s, W observer, const U *keys, W count) {
    CALLED(NULL, 0);
    W node = s->root[observer];
    for (W i = 0; i < count && node >= 0; i++) node = find_child(s, node, keys[i]);
    if (node < 0 || 2 * s->edge_count > s->edge_room) return 0;
    s->root[observer] = node;
    s->moved = true;
    for (W o = 0; o < s->observers; o++)
        if (o != observer) s->root[o] = new_edge(s, -1, 0, -1);
    return 1;
}

/* Seed the search's generator. */
EXPORTED void search_seed(Search *s, U seed) { s->rng = splitmix64(seed); }
/* Search from the given state itself: no seat has secrets. */
EXPORTED void search_plain(Search *s, W watcher) {
    s->secrets = false;
    s->watcher = watcher;
}
