/* Determinized tree search: what Python calls (rulelang/search). See pilot.h. */

enum { ONE = 1 << VALUE_BITS, PATIENCE = 64, STALLS = 8, MIXING = 32, BASES = 64, SELDOM = 16 };
#define ITEMS_SIZE (MOST_EPOCHS * (ITEMS + 1) * sizeof(int16_t)) /* of a table by epoch and label */

/* A world put aside. */
typedef struct Kept {
    W draws, room, tries[4], fits[4];
    U seed, copies;
    Draw *draw;
    U *choices;
} Kept;

static void forget_kept(Kept *kept) { free(kept->draw), free(kept->choices); }

static void forget_checkpoint(Checkpoint *checkpoint) {
    free(checkpoint->frames), free(checkpoint->items);
    *checkpoint = (Checkpoint){0};
}

static void forget_bases(Search *s) {
    for (W i = 0; s->bases && i < BASES; i++) forget_kept(&s->bases[i]);
    free(s->bases);
    s->bases = NULL;
}

static void forget_needed(Search *s) {
    for (W i = 0; i < s->choice_count; i++) free(s->choices[i].needed), s->choices[i].needed = NULL;
}

EXPORTED void search_free(Search *s) {
    if (s == NULL) return;
    forget_needed(s);
    free(s->choices), free(s->draws), free(s->seen), free(s->known_items), free(s->reserved);
    free(s->edges), free(s->table), free(s->mast), free(s->trace);
    forget_checkpoint(&s->prefix.end), forget_checkpoint(&s->fixed), forget_checkpoint(&s->recorded);
    free(s->greedy.frames), free(s->waiting), free(s->leaf_end);
    forget_bases(s);
    free(s);
}

/* The trees are empty, and nothing is known of payoffs, leads and actions. */
EXPORTED void search_clear(Search *s) {
    s->edge_count = s->lowest = s->highest = s->waiting_count = s->leaf_count = 0;
    s->lead_scale = 256;
    if (s->policy == MAST_POLICY) memset(s->mast, 0, MAST_SIZE * sizeof(Average));
    for (W i = 0; i < s->table_size; i++) s->table[i] = -1;
    for (W o = 0; o < s->observers; o++) s->root[o] = new_edge(s, -1, 0, -1);
}

/* `room`: edges of all trees at most. `exploration`: of VALUE_BITS. `regret`: whether seats that choose at once match regrets. `score_share`: of 256. NULL: there is no memory. */
EXPORTED Search *search_new(W observers, W policy, W exploration, W regret, W score_share, W room, U seed) {
    Search *const s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->observers = observers;
    s->policy = (int)policy;
    s->exploration = exploration;
    s->regret = regret;
    s->score_share = score_share;
    s->rng = mixed(seed);
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

/* The game can be asked for its scores. */
static void at_rest(Machine *machine) {
    G *const g = &machine->game;
    g->status = RUNNING;
    g->top = machine->scratch;
    g->limit = machine->scratch + SCRATCH;
    memset(g->depth, 0, sizeof g->depth);
    begin_lookahead(machine);
}

/* What a seat has after a trial: its payoff where there is one, else its points; whether it has won outweighs these. */
static W gain(Machine *machine, W seat) {
    G *const g = &machine->game;
    W totals[PARTIES + 1], points[PARTIES + 1], ranks[PARTIES + 1];
    const bool over = g->status == OVER;
    if (!over && g->site != -5) return INT64_MIN; /* a rule went wrong */
    at_rest(machine);
    if (setjmp(g->out)) return INT64_MIN;
    payoffs(g, points);
    if (HAS_PAYOFF && points[seat] != ABSENT_NUMBER) return points[seat];
    scores(g, totals);
    const W own = least(greatest(LOW_WINS ? -totals[seat] : totals[seat], -LARGEST_SCORE), LARGEST_SCORE);
    const W won = over ? winners(g, totals, ranks) : 0;
    return own + (won ? (won >> seat & 1 ? 4 : -4) * LARGEST_SCORE : 0);
}

/* Goes on from the decision with one of its options: to the end or to where options are tried next. */
static void resume(Machine *machine, Search *s, W option, U rng, bool trial) {
    G *const g = &machine->game;
    Greedy *const greedy = &s->greedy;
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

/* Plays on from a decision at which the game has stopped: of its options, or so many drawn of them, the one that gains its seat
   most by the next decision, any of equal ones; chance is the same for all, and not that of the game itself. */
static void roll_out_greedily(Machine *machine, Search *s) {
    G *const g = &machine->game;
    Greedy *const greedy = &s->greedy;
    while (g->status == RUNNING && g->step.stopped) {
        const W seat = greedy->seat, total = greedy->total;
        const U luck = dice(s);
        W best = 0, best_gain = 0, equal = 0;
        memcpy(&greedy->state, &g->s, sizeof(State));
        frames_copied(greedy->frames, &g->step);
        for (W i = 0; i < least(total, GREEDY_SAMPLE); i++) {
            const W option = total > GREEDY_SAMPLE ? below(s, total) : i;
            resume(machine, s, option, luck, true);
            const W gained = gain(machine, seat);
            if (!i || gained > best_gain) best_gain = gained, equal = 0;
            if (gained == best_gain && !below(s, ++equal)) best = option;
        }
        resume(machine, s, best, greedy->state.rng, false);
    }
}

/* ---- one run ---- */

/* What the draws of the world from one on give is counted as wanted, or no more. */
static void reserve(const Search *s, int16_t *items, W first, int by) {
    for (W i = first; i < s->world_draws; i++) {
        const Draw *const draw = &s->draws[i];
        if (draw->set && draw->piece) items[draw->epoch * (ITEMS + 1) + draw->world] += (int16_t)by;
    }
}

/* Plays from a checkpoint, or from the start where there is none; whether it came to the end of the game. Else `s->mode` says how
   far it came. */
static bool run(Machine *machine, Search *s, const State *start, const W *frames, int mode) {
    G *const g = &machine->game;
    const Checkpoint *const recorded = s->recorded.frames ? &s->recorded : NULL;
    const Checkpoint *const checkpoint = !s->secrets ? NULL : mode == RECORDS ? recorded : beginning(s);
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
    s->at_once = false;
    s->depth_left = 1;
    s->wrong = s->right = s->wrong_zone = -1;
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
        reserve(s, s->reserved, s->run.draw, 1);
    } else if (mode == TREE) {
        g->s.rng = dice(s);
    }
    if (!setjmp(g->out)) {
        if (frames[0]) go_on(g, frames);
        if (g->step.stopped && s->mode != ROLLOUT) fail(g, -4);
        if (!g->step.stopped) {
            g->status = OVER;
            longjmp(g->out, 1);
        }
    }
    if (s->mode == ROLLOUT && g->step.stopped && s->policy == GREEDY_POLICY) roll_out_greedily(machine, s);
    g->watched = false;
    return g->status == OVER;
}

/* Makes a checkpoint of where a run has stopped; whether it has, and there is memory. */
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
    reserve(s, checkpoint->items, s->run.draw, -1);
    checkpoint->run = s->run;
    return true;
}

/* Runs are to end before this choice; before the first one of those who choose at once: they are asked once more. */
static void stop_at(Search *s, W step) {
    while (step > 0 && step < s->choice_count && choice_flags[s->choices[step].decision] & ALL_AT_ONCE &&
           s->choices[step - 1].decision == s->choices[step].decision && s->choices[step - 1].seat < s->choices[step].seat)
        step--;
    s->stop = step;
}

/* Looks for the past that all worlds share: where it ends first, then the last decision before that. It never ends before where
   it ended for a shorter record. */
static void find_prefix(Machine *machine, Search *s, const State *start, const W *frames) {
    Prefix *const prefix = &s->prefix;
    const bool probing = s->probing, stopping = s->stopping;
    const W draws = s->world_draws;
    prefix->sought = true;
    prefix->hidden = false;
    s->probing = s->prefixing = s->stopping = s->thorough = true;
    s->world_draws = 0;
    run(machine, s, start, frames, REPLAYS);
    prefix->whole = machine->game.step.stopped;
    stop_at(s, s->run.step - prefix->hidden);
    if (s->stop >= 0 && !prefix->whole) run(machine, s, start, frames, REPLAYS);
    if (machine->game.step.stopped) prefix->whole &= set_checkpoint(machine, s, &prefix->end);
    s->stop = s->choice_count;
    s->world_draws = draws;
    s->prefixing = s->thorough = false;
    s->probing = probing, s->stopping = stopping;
}

/* What the chooser must have after a choice: most of what was seen to leave each of its hidden places, less what came there. */
static void note_needed(Search *s, Choice *choice) {
    int16_t uses[ITEMS + 1];
    choice->needed = calloc(ITEMS + 1, sizeof(int16_t));
    for (W zone = 0; zone < INSTANCES && choice->needed; zone++) {
        if (zone_owner[zone] != choice->seat || zone_sight[s->watcher][zone] == ALL_SEEN) continue;
        W unseen = 0;
        memset(uses, 0, sizeof uses);
        for (W at = choice->events; at < s->seen_count; at++) {
            const Seen *const seen = &s->seen[at];
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


/* Whether zones have these sizes and variables these values; of individuals that are alike the numbers mean nothing. */
static bool has_reached(const State *state, const W *reached) {
    for (W zone = 0; zone < INSTANCES; zone++)
        if (state->length[zone] != reached[zone]) return false;
    return INTERCHANGEABLE || !memcmp(state->v, reached + INSTANCES, VARIABLES * sizeof(W));
}

/* The same of all choices that a run comes to. */
static void note_all_needed(Search *s) {
    for (W i = first_choice(s); i < s->choice_count; i++)
        if (!s->choices[i].known && !s->choices[i].needed) note_needed(s, &s->choices[i]);
}

/* Runs begin with the prefix again. */
static void forget_fixed(Search *s) {
    forget_checkpoint(&s->fixed);
    note_all_needed(s);
}

/* The choice that moves a seat's piece: the last one, or of those who chose at once the seat's own. */
static Choice *chooser_of(Search *s, W last, W seat) {
    Choice *const choice = &s->choices[last];
    const W group = choice_flags[choice->decision] & ALL_AT_ONCE ? least(last + 1, PLAYERS) : 0;
    for (W i = last; i > last - group && s->choices[i].decision == choice->decision; i--)
        if (s->choices[i].seat == seat) return &s->choices[i];
    return choice;
}

/* What follows from the events of the record for draws and choices: what known draws give, and what choices' seats were seen to
   use. */
static void evaluate_record(Search *s) {
    memset(s->known_items, 0, ITEMS_SIZE);
    memset(s->reserved, 0, ITEMS_SIZE);
    for (W i = 0; i < s->choice_count; i++) s->choices[i].pieces = 0, s->choices[i].guessed = false;
    W choice = -1;
    for (W at = 0; at < s->seen_count; at++) {
        const Seen *const seen = &s->seen[at];
        if (seen->put >= 0 && seen->item >= 0) s->reserved[seen->put * (ITEMS + 1) + seen->item]++;
        while (choice + 1 < s->choice_count && s->choices[choice + 1].events <= at) choice++;
        if (seen->from < 0 || seen->item < 0 || zone_sight[s->watcher][seen->from] == ALL_SEEN) continue;
        int16_t *const put = &s->reserved[seen->epoch * (ITEMS + 1) + seen->item];
        if (*put > 0)
            --*put; /* the seat knew that it lay there: it is none of the pool's */
        else
            s->known_items[seen->epoch * (ITEMS + 1) + seen->item]++;
        Choice *const before = choice >= 0 ? chooser_of(s, choice, zone_owner[seen->from]) : NULL;
        const bool drawn = zone_pooled[seen->from] && (!before || zone_owner[seen->from] != before->seat);
        if (before && !drawn && before->pieces < MOST_PIECES) {
            before->zone[before->pieces] = seen->from;
            before->item[before->pieces++] = (int32_t)seen->item;
        }
    }
    for (W i = 0; i < s->choice_count; i++) {
        Choice *const at = &s->choices[i];
        const Choice *next = at, *const end = s->choices + s->choice_count;
        if (at->pieces) continue;
        while (next < end && next->seat == at->seat && !next->pieces) next++;
        if (next == end || next->seat != at->seat) continue;
        at->pieces = next->pieces;
        at->guessed = true;
        memcpy(at->zone, next->zone, sizeof at->zone);
        memcpy(at->item, next->item, sizeof at->item);
    }
    note_all_needed(s);
}

/* What known draws are still to come after a checkpoint, of a record that was made longer. `before`: `known_items` of the shorter
   one. */
static void lengthen(const Search *s, Checkpoint *checkpoint, const int16_t *before) {
    for (W i = 0; checkpoint->frames && i < MOST_EPOCHS * (ITEMS + 1); i++)
        checkpoint->items[i] = (int16_t)(checkpoint->items[i] + s->known_items[i] - before[i]);
}

/* Makes the record: plays the true game once, or on from where the last record ended (`extends`). `choices`: decision, seat, key;
   `truth`: outcomes of all draws, which are forgotten then; both since the last record. `reached`: the sizes of zones and the
   variables that it must come to. `later`: whether the next world begins with that of the last record. Whether it came to the node at
   which the record ends; else nothing can go on from it. */
EXPORTED W search_record(Machine *machine, Search *s, const State *start, const W *frames, W watcher, W choice_count,
                         const W *choices, W truth_count, const W *truth, const W *reached, W extends, W later) {
    const W before = extends ? s->choice_count : 0;
    int16_t *const items = malloc(ITEMS_SIZE);
    Choice *const longer = realloc(s->choices, (size_t)(before + choice_count + 1) * sizeof(Choice));
    if (longer) s->choices = longer;
    if (!items || !longer) {
        free(items);
        return 0;
    }
    s->watcher = watcher;
    s->secrets = true;
    s->begun = before && later && s->has_world;
    s->has_world = false;
    if (!s->begun) {
        if (s->copies) forget_checkpoint(&s->prefix.end);
        s->world_draws = 0;
        s->copies = 0;
    }
    memset(s->tries, 0, sizeof s->tries);
    memset(s->fits, 0, sizeof s->fits);
    forget_bases(s);
    if (!extends) {
        forget_needed(s);
        forget_checkpoint(&s->prefix.end), forget_checkpoint(&s->recorded);
        s->seen_count = 0;
    }
    if (!s->begun) forget_checkpoint(&s->fixed);
    s->choice_count = s->stop = before + choice_count;
    s->prefix.sought = false;
    s->truth_count = truth_count;
    s->truth = truth;
    for (W i = 0; i < choice_count; i++)
        s->choices[before + i] = (Choice){.decision = (int32_t)choices[3 * i], .seat = (int32_t)choices[3 * i + 1],
                                          .key = (U)choices[3 * i + 2], .guess = -1};
    s->stopping = true;
    run(machine, s, start, frames, RECORDS);
    s->stopping = false;
    s->truth = NULL;
    const bool complete = machine->game.site == -4 && s->run.draw == truth_count && has_reached(&machine->game.s, reached) &&
                          set_checkpoint(machine, s, &s->recorded);
    s->recorded.run.draw = 0;
    memcpy(items, s->known_items, ITEMS_SIZE);
    if (complete) {
        forget_needed(s);
        evaluate_record(s);
        lengthen(s, &s->prefix.end, items);
        lengthen(s, &s->fixed, items);
    }
    free(items);
    for (W i = 0; complete && i < s->choice_count; i++) {
        Choice *const choice = &s->choices[i];
        choice->guess = choice->first_guess;
        if (choice->known) continue;
        choice->guess = -1, choice->key = 0;
        if (!s->begun) choice->world = 0;
    }
    return complete;
}

/* ---- worlds ---- */

/* The world becomes what the last run came to. */
static void adopt(Search *s, bool whole) {
    for (W i = first_draw(s); i < s->run.draw; i++) {
        Draw *const draw = &s->draws[i];
        draw->world = draw->now, draw->set = whole || !draw->untold;
        draw->untold = false;
        if (whole) draw->free = !draw->seen;
    }
    if (whole) s->world_draws = s->run.draw;
}

static void keep_world(const Search *s, Kept *kept) {
    const W first = first_draw(s);
    if (kept->room < s->draw_room || kept->draw == NULL) {
        kept->room = s->draw_room;
        kept->draw = realloc(kept->draw, (size_t)(kept->room + 1) * sizeof(Draw));
    }
    if (kept->choices == NULL) kept->choices = malloc((size_t)(2 * s->choice_count + 1) * sizeof(U));
    kept->draws = s->world_draws;
    kept->seed = s->seed, kept->copies = s->copies;
    if (kept->draws > first) memcpy(kept->draw + first, s->draws + first, (size_t)(kept->draws - first) * sizeof(Draw));
    for (W i = first_choice(s); i < s->choice_count; i++) {
        kept->choices[2 * i] = s->choices[i].world;
        kept->choices[2 * i + 1] = (U)s->choices[i].alike << 32 | (U)s->choices[i].likely;
    }
}

static void restore_world(Search *s, const Kept *kept) {
    const W first = first_draw(s);
    s->world_draws = kept->draws;
    s->seed = kept->seed, s->copies = kept->copies;
    if (kept->draws > first) memcpy(s->draws + first, kept->draw + first, (size_t)(kept->draws - first) * sizeof(Draw));
    for (W i = first_choice(s); i < s->choice_count; i++) {
        s->choices[i].world = kept->choices[2 * i];
        s->choices[i].alike = (int32_t)(kept->choices[2 * i + 1] >> 32);
        s->choices[i].likely = (int32_t)(kept->choices[2 * i + 1] & UINT32_MAX);
    }
}

/* One of the draws that `fits` says, all equally likely; -1 for none. `label`: of the item; `zone`: where it lies. */
typedef struct { W label, epoch, zone, seat; bool unseen, free, spare; } Wanted;

static W some_draw(Search *s, Wanted want) {
    W drawn = -1, fits = 0;
    for (W i = first_draw(s); i < least(s->run.draw, s->world_draws); i++) {
        const Draw *const draw = &s->draws[i];
        if ((want.unseen && draw->seen) || (want.free && !draw->free) || (want.spare && draw->needed)) continue;
        if (want.label >= 0 && (!draw->piece || draw->now != want.label)) continue;
        if (want.epoch >= 0 && draw->epoch != want.epoch) continue;
        if (want.zone >= 0 && draw->lies != want.zone) continue;
        if (want.seat >= 0 && (draw->lies < 0 || zone_owner[draw->lies] != want.seat)) continue;
        if (!below(s, ++fits)) drawn = i;
    }
    return drawn;
}

static void exchange(Search *s, W a, W b) {
    const W kept = s->draws[a].world;
    s->draws[a].world = s->draws[b].world;
    s->draws[b].world = kept;
}

/* A draw of a zone, or of a seat, is to give an item: it changes places with one of the same pool that gave it, rather with
   none that is needed where it is. Whether there was one. */
static bool give(Search *s, W label, W zone, W seat) {
    const bool spare = dice(s) & 7;
    W b = some_draw(s, (Wanted){label, -1, -1, -1, true, false, spare});
    if (b < 0 && spare && (dice(s) & 1)) b = some_draw(s, (Wanted){label, -1, -1, -1, true, false, false});
    const W epoch = b >= 0 ? s->draws[b].epoch : -1;
    W a = some_draw(s, (Wanted){-1, epoch, zone, seat, true, false, spare});
    if (a < 0) a = some_draw(s, (Wanted){-1, epoch, zone, seat, true, false, false});
    if (a < 0) return false;
    if (b >= 0 && b != a) {
        exchange(s, a, b);
    } else {
        s->draws[a].world = label;
        s->draws[a].set = true;
    }
    return true;
}

/* Changes a world whose run failed where it failed. */
static void repair(G *g, Search *s) {
    const Wanted any = {-1, -1, -1, -1, true, false, false};
    Wanted want = any;
    W draw = -1;
    if (s->wrong == -4 && s->run.step < s->choice_count) {
        const Choice *const choice = &s->choices[s->run.step];
        W other_choice = -1, choices = 0;
        for (W i = first_choice(s); i < s->run.step; i++)
            if (!s->choices[i].known && s->choices[i].seat == choice->seat && !below(s, ++choices)) other_choice = i;
        if (other_choice >= 0 && !(dice(s) & 7)) {
            s->choices[other_choice].world = 0;
            s->seed = dice(s);
            return;
        }
        for (W i = 0; i < choice->pieces && draw < 0; i++) {
            const W label = choice->item[i];
            W copies = 0;
            for (W k = 0; k <= i; k++) copies += choice->zone[k] == choice->zone[i] && choice->item[k] == label;
            if (may_lie_in(g, choice->zone[i], label, copies)) continue;
            if (dice(s) & 3 && give(s, label, choice->zone[i], -1)) return;
            if (give(s, label, -1, choice->seat)) return; /* it may have been there, and gone unseen */
        }
        want = any;
        want.spare = dice(s) & 7;
        want.seat = choice->seat; /* it has what it needs, and something that forbids the choice: most likely what it may choose instead */
        if (dice(s) & 7) want.label = s->instead;
        draw = some_draw(s, want);
        const W other = some_draw(s, any);
        if (draw >= 0 && (dice(s) & 3) && other >= 0 && s->draws[other].piece) {
            exchange(s, draw, other);
            return;
        }
    } else if (s->wrong >= 0) {
        if (dice(s) & 3 && give(s, s->right, s->wrong_zone, -1)) return;
        want.label = s->wrong;
        want.unseen = false;
        draw = some_draw(s, want);
        if (draw >= 0) {
            s->draws[draw].world = s->right;
            s->draws[draw].set = true;
            return;
        }
    } else if (s->wrong == -2) {
        want.label = s->right;
        draw = some_draw(s, want);
    }
    if (draw < 0) draw = some_draw(s, any);
    if (draw >= 0) s->draws[draw].set = false;
    if (!(dice(s) & 3) && draw >= 0) {
        draw = some_draw(s, any);
        if (draw >= 0) s->draws[draw].set = false;
    }
    for (W i = first_choice(s); i < s->choice_count; i++)
        if (!s->choices[i].known && !(dice(s) & 3)) s->choices[i].world = 0;
    s->seed = dice(s);
}

/* Of a world one part in so many is drawn again. */
static void forget_world(Search *s, W parts) {
    s->seed = dice(s);
    for (W i = first_draw(s); i < s->world_draws; i++)
        if (!below(s, parts)) s->draws[i].set = false;
    for (W i = first_choice(s); i < s->choice_count; i++)
        if (!s->choices[i].known && !below(s, parts)) s->choices[i].world = 0;
}

/* Moves the beginning of runs to a decision (-1: the last one) at which nothing hidden was open when the world at hand came there. What
   lies before it says little of what lies behind, and `next_world` draws it again more seldom: long games are played in rounds, and pieces
   come back. No world is taken down step by step from there. */
static void fix_past(Machine *machine, Search *s, const State *start, const W *frames, W step) {
    const bool probing = s->probing, stopping = s->stopping;
    if (step < 0) step = s->run.settled;
    if (s->trace_room || s->bases || (!s->thorough && step <= first_choice(s))) return;
    s->probing = s->stopping = true;
    stop_at(s, step);
    run(machine, s, start, frames, REPLAYS);
    if (!machine->game.step.stopped || s->run.open) {
        if (s->thorough) forget_fixed(s);
    } else {
        for (W i = first_draw(s); i < s->run.draw; i++) s->draws[i].world = s->draws[i].now, s->draws[i].set = true;
        set_checkpoint(machine, s, &s->fixed);
    }
    s->stop = s->choice_count;
    s->probing = probing, s->stopping = stopping;
}

/* Whether nothing that the last run came to, from where it began, could have come otherwise. */
static bool is_determined(const Search *s) {
    bool determined = s->run.draw == first_draw(s);
    for (W i = first_choice(s); determined && i < s->run.step; i++) determined = s->choices[i].known;
    return determined;
}

/* What lies before where runs begin leads nowhere: it is drawn again too. Of copies of a piece others come up: in which order rules go
   through them was seen. */
static void reopen_past(Search *s) {
    if (INTERCHANGEABLE) forget_checkpoint(&s->prefix.end), s->copies = dice(s);
    forget_fixed(s);
}

/* A first world, from nothing but the record: worlds are repaired where they fail; one that comes less far is dropped. What the seat
   has learnt by then is fixed as the worlds come further, and no more once they don't. */
static bool first_world(Machine *machine, Search *s, const State *start, const W *frames, Kept *kept) {
    W best_step = -1, best_at = -1, stalled = 0, stalls = 0;
    if (s->begun)
        s->seed = dice(s);
    else
        forget_world(s, 1);
    keep_world(s, kept);
    const bool probing = s->probing;
    s->probing = s->guided = true;
    for (W attempt = 0; attempt < 100000; attempt++) {
        run(machine, s, start, frames, REPLAYS);
        if (machine->game.site == -4) {
            adopt(s, true);
            for (W i = 0; i < s->choice_count; i++) s->choices[i].alike = 0;
            s->probing = probing;
            s->guided = false;
            fix_past(machine, s, start, frames, -1);
            return s->has_world = true;
        }
        if (s->run.step > best_step || (s->run.step == best_step && s->run.at >= best_at)) {
            stalled = s->run.step > best_step || s->run.at > best_at ? 0 : stalled + 1;
            best_step = s->run.step;
            best_at = s->run.at;
            adopt(s, false);
            if (stalls % (4 * STALLS) < 3 * STALLS && s->run.settled > first_choice(s)) {
                fix_past(machine, s, start, frames, -1);
                run(machine, s, start, frames, REPLAYS); /* what is repaired is where it fails from there */
                best_step = s->run.step, best_at = s->run.at;
                adopt(s, false);
            }
            keep_world(s, kept);
        } else {
            stalled++;
            restore_world(s, kept);
            run(machine, s, start, frames, REPLAYS); /* what is repaired is where this one fails */
            adopt(s, false);
        }
        const bool determined = is_determined(s);
        if (stalled > PATIENCE || determined) {
            if (determined || !(++stalls % STALLS)) reopen_past(s);
            forget_world(s, 1 + (attempt & 1));
            s->guided = dice(s) & 3; /* what guides is a guess */
            best_step = best_at = -1, stalled = 0;
            continue;
        }
        repair(&machine->game, s);
        if (stalled % 8 == 7) s->seed = dice(s); /* what guided the choices may be what is wrong */
    }
    s->probing = probing;
    return s->guided = false;
}

/* Another world, to be tried. A part of what is hidden is drawn again from its prior, given the rest, or two draws change
   places; a world that does not fit, or whose choices weigh too little (`outweighs`), is dropped. Then the worlds that fit stay as
   likely as they are (Metropolis-Hastings), and drawing everything again is rejection sampling. */
static void propose(Search *s, int kind) {
    W free = 0, unknown = 0, size = 0;
    s->run.draw = s->world_draws;
    s->seed = dice(s);
    if (kind == EXCHANGE) {
        const W a = some_draw(s, (Wanted){-1, -1, -1, -1, false, false, false});
        if (a < 0 || !s->draws[a].piece) return;
        const W b = some_draw(s, (Wanted){-1, s->draws[a].epoch, -1, -1, false, false, false});
        if (b >= 0 && s->draws[b].piece) exchange(s, a, b);
        return;
    }
    for (W i = first_draw(s); i < s->world_draws; i++) free += s->draws[i].free;
    for (W i = first_choice(s); i < s->choice_count; i++) unknown += !s->choices[i].known;
    if (kind == PART) {
        size = least(free, greatest(2, free >> (1 + below(s, 4))));
        W again = INT64_C(1) << below(s, 3); /* several at once, where what they come to together is known */
        for (W i = first_choice(s), left = unknown; i < s->choice_count; i++)
            if (!s->choices[i].known && below(s, left--) < again) s->choices[i].world = 0, again--;
        if (unknown && (dice(s) & 1)) size = 0;
    }
    for (W i = first_draw(s), left = free; i < s->world_draws; i++) {
        Draw *const draw = &s->draws[i];
        if (kind == FULL || (draw->free && (kind == FREE || below(s, left--) < size))) {
            size -= kind == PART;
            draw->set = false;
        }
    }
    for (W i = first_choice(s); i < s->choice_count && kind != PART; i++) s->choices[i].world = 0;
}

/* How often a world is drawn wholly anew at most before it is changed step by step: more often in short games. */
KEPT W patience(const Search *s) { return s->seen_count < 50 ? 500 : greatest(600 / s->seen_count, 3); }

/* Whether proposals of a sort still fit often enough. */
KEPT bool worthwhile(const Search *s, int kind) {
    return s->tries[kind] < greatest(2 * patience(s), 64) || greatest(patience(s), 12) * s->fits[kind] >= s->tries[kind];
}

/* ---- iterations ---- */

static void utilities(G *g, Search *s, W *utility) {
    W totals[PARTIES + 1], points[PARTIES + 1], ranks[PARTIES + 1];
    memset(points, 0, sizeof points);
    scores(g, totals);
    const W won = winners(g, totals, ranks);
    payoffs(g, points);
    W winning = 0;
    bool paid = HAS_PAYOFF;
    for (W seat = 0; seat < PLAYERS; seat++) paid &= points[seat] != ABSENT_NUMBER;
    for (W seat = 0; seat < PLAYERS; seat++) winning += won >> seat & 1;
    for (W seat = 0; seat < PLAYERS; seat++) {
        W share = ONE / 2;
        if (paid) {
            s->lowest = least(s->lowest, points[seat]);
            s->highest = greatest(s->highest, points[seat]);
        } else if (PLAYERS == 1) {
            share = winning ? ONE : 0;
        } else if (winning < PLAYERS && (won || g->s.over == SCORED)) {
            share = won >> seat & 1 ? ONE / 2 + ONE / 2 / winning : ONE / 2 - ONE / 2 / (PLAYERS - winning);
        }
        W best = INT64_MIN;
        for (W other = 0; other < PARTIES; other++)
            if (team_of[other] != team_of[seat]) best = greatest(best, totals[other]);
        W lead = best == INT64_MIN ? totals[seat] : totals[seat] - best;
        lead = least(greatest(lead, -(1 << 20)), 1 << 20) << 8;
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

/* What seats got goes to the edges of a path. */
static void credit(Search *s, const Passed *path, W length, const W *gains) {
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

static void back_up(Machine *machine, Search *s) {
    G *const g = &machine->game;
    W gains[PARTIES + 1];
    s->mode = IDLE;
    at_rest(machine);
    if (setjmp(g->out)) {
        s->failures++;
        return;
    }
    utilities(g, s, gains);
    for (W i = 0; i < s->path_length; i++) s->edges[s->path[i].edge].visits++;
    credit(s, s->path, s->path_length, gains);
    for (W i = 0; i < s->played_count; i++) {
        Average *const average = &s->mast[mixed(s->played[i].key ^ (U)s->played[i].seat) & (MAST_SIZE - 1)];
        if (average->key != s->played[i].key) *average = (Average){s->played[i].key, 0, 0};
        average->visits++;
        average->value += gains[s->played[i].seat];
    }
    s->runs++;
}

/* The path waits for its leaf's value. Until then it counts as visited and lost, so that the next iterations go elsewhere (virtual
   loss: Chaslot, Winands, van den Herik, "Parallel Monte-Carlo Tree Search", 2008). Whether there is memory for it. */
static bool hold_leaf(Search *s) {
    if (s->waiting_room < s->waiting_count + s->path_length) {
        const W room = 2 * s->waiting_room + MOST_KEYS; /* no path is longer than that */
        Passed *const waiting = realloc(s->waiting, (size_t)room * sizeof(Passed));
        if (!waiting) return false;
        s->waiting = waiting, s->waiting_room = room;
    }
    if (s->leaf_count == s->leaf_room) {
        const W room = 2 * s->leaf_room + 64;
        W *const ends = realloc(s->leaf_end, (size_t)room * sizeof(W));
        if (!ends) return false;
        s->leaf_end = ends, s->leaf_room = room;
    }
    memcpy(s->waiting + s->waiting_count, s->path, (size_t)s->path_length * sizeof(Passed));
    for (W i = 0; i < s->path_length; i++) s->edges[s->path[i].edge].visits++;
    s->leaf_end[s->leaf_count++] = s->waiting_count += s->path_length;
    s->runs++;
    return true;
}

/* What an iteration came to goes to the trees, or it waits for that. */
static void end_iteration(Machine *machine, Search *s) {
    s->at_leaf = s->policy == EVALUATE_POLICY && s->mode == ROLLOUT && machine->game.step.stopped;
    if (s->at_leaf)
        s->at_leaf = hold_leaf(s);
    else if (s->mode != REPLAYS && machine->game.status == OVER)
        back_up(machine, s);
    else
        s->failures++;
}

/* Plays a proposed world; whether it fits. `probing`: only up to where the tree begins. */
static bool fits(Machine *machine, Search *s, const State *start, const W *frames, Kept *kept, int kind, bool probing) {
    const bool before = s->probing;
    keep_world(s, kept);
    propose(s, kind);
    for (W i = first_choice(s); i < s->choice_count; i++) s->choices[i].redrawn = !s->choices[i].known && !s->choices[i].world;
    s->probing = probing;
    s->strict = kind != FULL;
    s->exact = true;
    s->kind = kind;
    run(machine, s, start, frames, REPLAYS);
    s->probing = before;
    s->strict = s->exact = false;
    s->tries[kind] += !s->thorough;
    if (s->mode != REPLAYS || machine->game.site == -4) {
        s->fits[kind] += !s->thorough;
        adopt(s, true);
        for (W i = first_choice(s); i < s->choice_count; i++) {
            s->choices[i].alike = s->choices[i].now_alike;
            s->choices[i].likely = s->choices[i].now_likely;
        }
        return true;
    }
    s->rejected++;
    restore_world(s, kept);
    return false;
}

/* The next world. Drawn wholly anew, if that fits; else from the last one by two steps, whether they fit or not: to go on
   until one fits would make worlds likelier from which many fit. Whether the last run was that of this world. */
static bool next_world(Machine *machine, Search *s, const State *start, const W *frames, Kept *kept, bool probing) {
    if (s->fixed.frames && !below(s, SELDOM + s->fixed.run.step / SELDOM)) { /* the more seldom, the more there is to play again */
        const W step = s->fixed.run.step;
        s->thorough = true;
        if (fits(machine, s, start, frames, kept, dice(s) & 1 ? FREE : PART, true)) fix_past(machine, s, start, frames, step);
        s->thorough = false;
    }
    for (W i = 0; i < patience(s) && worthwhile(s, FULL); i++)
        if (fits(machine, s, start, frames, kept, FULL, probing)) return true;
    /* Where most is drawn anew each time the small step is made one time in eight: it costs as much. Never by whether the last
       proposal fitted: that would prefer worlds around which few fit. */
    const bool mixes = s->tries[FREE] >= 64 && 2 * s->fits[FREE] >= s->tries[FREE];
    if (!mixes || !(dice(s) & 7)) fits(machine, s, start, frames, kept, dice(s) & 1 ? EXCHANGE : PART, true);
    return fits(machine, s, start, frames, kept, worthwhile(s, FREE) ? FREE : PART, probing);
}

/* Run one iteration: sample a world, select a path down the trees, roll out, back up; return whether there was a world. */
static bool iterate(Machine *machine, Search *s, const State *start, const W *frames, Kept *kept) {
    if (s->secrets && !s->prefix.sought) find_prefix(machine, s, start, frames);
    if (!s->secrets || (s->prefix.whole && !s->probing)) {
        run(machine, s, start, frames, TREE);
        end_iteration(machine, s);
        return true;
    }
    if (!s->has_world) {
        if (!first_world(machine, s, start, frames, kept)) return false;
        for (W i = 0; i < MIXING; i++) next_world(machine, s, start, frames, kept, true); /* away from where the repairs led */
    }
    if (!next_world(machine, s, start, frames, kept, s->probing)) {
        s->repeated++;
        run(machine, s, start, frames, REPLAYS);
    }
    if (!s->probing) end_iteration(machine, s);
    return true;
}

/* So many iterations. How many were made: fewer if no world was found. */
EXPORTED W search_run(Machine *machine, Search *s, const State *start, const W *frames, W iterations) {
    Kept kept = {0};
    W made = 0;
    while (made < iterations && iterate(machine, s, start, frames, &kept)) made++;
    forget_kept(&kept);
    return made;
}

/* One iteration, whose leaf is to be evaluated: the state there and its frames, and how many words these have. 0: the game was over;
   -1: no world was found. */
EXPORTED W search_leaf(Machine *machine, Search *s, const State *start, const W *frames, State *leaf, W *words) {
    Kept kept = {0};
    const bool has_world = iterate(machine, s, start, frames, &kept);
    forget_kept(&kept);
    if (!has_world || !s->at_leaf) return has_world ? 0 : -1;
    memcpy(leaf, &machine->game.s, sizeof(State));
    return frames_copied(words, &machine->game.step) - words;
}

/* What the leaves are worth that were held since the last time: of each what each seat gets, of VALUE_BITS. */
EXPORTED void search_values(Search *s, const W *values) {
    for (W i = 0, from = 0; i < s->leaf_count; from = s->leaf_end[i++])
        credit(s, s->waiting + from, s->leaf_end[i] - from, values + i * PLAYERS);
    s->leaf_count = s->waiting_count = 0;
}

/* Takes down the steps of the runs to come. */
EXPORTED void search_traced(Search *s, W room) {
    s->prefix.sought = false;
    forget_checkpoint(&s->prefix.end), forget_checkpoint(&s->fixed); /* no step of theirs was taken down */
    free(s->trace);
    s->trace = malloc((size_t)room * sizeof(W));
    s->trace_room = s->trace ? room : 0;
}

/* Worlds alone, with no tree: how many. */
EXPORTED W search_deals(Machine *machine, Search *s, const State *start, const W *frames, W deals) {
    Kept kept = {0};
    W made = 0;
    for (; made < deals; made++) {
        s->probing = true;
        const bool has_world = iterate(machine, s, start, frames, &kept);
        s->probing = false;
        if (!has_world) break;
    }
    forget_kept(&kept);
    return made;
}

/* A world as a state and its frames, made of one of a few that were mixed well, so that the same seed gives the same world of
   the same record, whatever was dealt before. How many words the frames have; 0: there is no world. */
EXPORTED W search_world(Machine *machine, Search *s, const State *start, const W *frames, U seed, State *after, W *words) {
    const U dice_before = s->rng;
    const W base = (W)(mixed(seed) % BASES);
    s->probing = true;
    if (s->bases == NULL) s->bases = calloc(BASES + 1, sizeof(Kept));
    if (s->bases == NULL) return s->probing = false;
    forget_checkpoint(&s->fixed);
    for (W i = 0; i < s->choice_count; i++)
        if (!s->choices[i].known) s->choices[i].guess = -1;
    if (s->bases[base].draw == NULL) {
        Kept kept = {0};
        s->rng = mixed((U)base);
        s->has_world = false;
        memset(s->tries, 0, sizeof s->tries);
        memset(s->fits, 0, sizeof s->fits);
        s->world_draws = 0;
        s->copies = 0;
        for (W i = 0; i < s->choice_count; i++) s->choices[i].world = 0;
        const bool has_world = iterate(machine, s, start, frames, &kept);
        forget_kept(&kept);
        if (!has_world) return s->probing = false;
        keep_world(s, &s->bases[base]);
        memcpy(s->bases[base].tries, s->tries, sizeof s->tries);
        memcpy(s->bases[base].fits, s->fits, sizeof s->fits);
    }
    restore_world(s, &s->bases[base]);
    memcpy(s->tries, s->bases[base].tries, sizeof s->tries);
    memcpy(s->fits, s->bases[base].fits, sizeof s->fits);
    s->has_world = s->stopping = true;
    s->rng = mixed(seed);
    Kept kept = {0};
    iterate(machine, s, start, frames, &kept);
    forget_kept(&kept);
    s->probing = s->stopping = false;
    s->rng = dice_before;
    if (!machine->game.step.stopped) return 0;
    memcpy(after, &machine->game.s, sizeof(State));
    return frames_copied(words, &machine->game.step) - words;
}

/* How many words the frames of a world have at most. */
EXPORTED W search_words(void) { return 2 + PARTS + ROWS; }

EXPORTED W search_trace(const Search *s, W *to) {
    memcpy(to, s->trace, (size_t)s->run.trace_count * sizeof(W));
    return s->run.trace_count;
}

/* The children of a node: key, visits, value, available, number, share. `node` -1: the searching seat's root. */
EXPORTED W search_children(const Search *s, W observer, W node, W most, W *to) {
    W count = 0;
    if (node < 0) node = s->root[observer];
    for (W e = s->edges[node].first; e >= 0 && count < most; e = s->edges[e].next, count++) {
        const Edge *const edge = &s->edges[e];
        *to++ = (W)edge->key, *to++ = edge->visits, *to++ = edge->value, *to++ = edge->available, *to++ = e, *to++ = edge->share;
    }
    return count;
}

/* What it did: iterations, worlds that did not fit, worlds used again, games that failed, edges. */
EXPORTED void search_counts(const Search *s, W *to) {
    to[0] = s->runs, to[1] = s->rejected, to[2] = s->repeated, to[3] = s->failures, to[4] = s->edge_count;
}

/* The searching seat's tree goes on below the actions of these keys, the others' trees are begun anew. Whether it did. */
EXPORTED W search_descend(Search *s, W observer, const U *keys, W count) {
    W node = s->root[observer];
    for (W i = 0; i < count && node >= 0; i++) node = child_of(s, node, keys[i]);
    if (node < 0 || 2 * s->edge_count > s->edge_room) return 0;
    s->root[observer] = node;
    for (W o = 0; o < s->observers; o++)
        if (o != observer) s->root[o] = new_edge(s, -1, 0, -1);
    return 1;
}

EXPORTED void search_seed(Search *s, U seed) { s->rng = mixed(seed); }
EXPORTED void search_plain(Search *s, W watcher) {
    s->secrets = false;
    s->watcher = watcher;
}
