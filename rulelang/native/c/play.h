/* Whole games: what Python calls. The generated text before this plays (`enter`), counts points (`scores`) and ranks
   (`winners`). */

/* A row of numbers for each game that was played. */
enum { ROW_STATUS, ROW_SITE, ROW_OVER, ROW_WINNERS, ROW_WON, ROW_DECISIONS, ROW_TURNS, ROW_CAPPED, ROW_RNG, ROW_SCORES };
/* After the scores of all parties come the declared payoffs of all parties (`payoffs`), where there are such; then the
   ranks of all parties. */
#define ROW (ROW_SCORES + 3 * PARTIES)

#define EXPORTED __attribute__((visibility("default")))
#define STACK ((uintptr_t)1 << 18) /* bytes for procedures that call themselves: threads may have little more */
#define LARGEST_SCORE ((W)1 << 20) /* squares of smaller ones can be summed */

typedef struct {
    G game;
    W *scratch, *seen;
} Machine;

/* Free a machine. */
EXPORTED void rulelang_free(Machine *machine) {
    free(machine->scratch);
    free(machine->seen);
    free(machine);
}

/* A machine for games of this layout, NULL without memory. */
EXPORTED Machine *rulelang_new(void) {
    Machine *result = calloc(1, sizeof *result);
    if (result == NULL) return NULL;
    result->scratch = malloc(SCRATCH * sizeof(W)); /* pages that are never touched cost nothing */
    result->seen = malloc((SEEN + 1) * sizeof(W));
    if (result->scratch != NULL && result->seen != NULL) return result;
    rulelang_free(result);
    return NULL;
}

/* Count what a waiting frame refers to (`more` 1), or no longer (-1). */
static void refer_row(G *g, const W *row, W waits, int32_t more) {
    refer_frame(g, row[FRAME_PROCEDURE], row[FRAME_BLOCK], waits, row + FRAME_LOCALS, more);
}

#ifdef STOPS
static void still_waiting(G *g, const W *row) {
    W *const locals = waits_here(g, row[FRAME_PROCEDURE], row[FRAME_BLOCK], row[FRAME_SIZE]);
    const uint8_t *const of = local_forms[row[FRAME_PROCEDURE]];
    for (W slot = 0; slot < row[FRAME_SIZE]; slot++)
        locals[slot] = of && of[slot] ? written(g, &g->step.parts, of[slot], row[FRAME_LOCALS + slot]) : row[FRAME_LOCALS + slot];
    g->step.last[FRAME_SLOT] = row[FRAME_SLOT];
}
#endif

/* Resume the procedures that wait, the innermost first; see frames.h. */
static void resumed(G *g, W **rows, W n) {
    for (W i = 0; i < n; i++) count_frame(g, rows[i][FRAME_PROCEDURE]);
    for (W i = 1; i < n; i++) refer_row(g, rows[i], rows[i - 1][FRAME_SLOT], 1);
    for (W i = 0; i < n; i++) {
        W *const row = rows[i], slot = row[FRAME_SLOT];
        const W value = enter(g, row[FRAME_PROCEDURE], row[FRAME_BLOCK], row + FRAME_LOCALS);
#ifdef STOPS
        if (g->step.stopped) {
            if (i + 1 < n) g->step.last[FRAME_SLOT] = slot;
            while (++i < n) still_waiting(g, rows[i]);
            return;
        }
#endif
        if (i + 1 == n) break;
        refer_row(g, rows[i + 1], slot, -1);
        if (slot >= 0) rows[i + 1][FRAME_LOCALS + slot] = value;
    }
    ended(g);
}

static void go_on(G *g, const W *frames) { resumed(g, a_placed_frames(g, frames), frames[0]); }

/* Prepare the machine for the game that stands in `g->s`, or for scoring it. */
static void begin(Machine *machine) {
    G *const g = &machine->game;
    g->top = machine->scratch;
    g->limit = machine->scratch + SCRATCH;
    g->fuel = FUEL;
    g->waiting = 0;
    memset(g->depth, 0, sizeof g->depth);
    memset(g->references, 0, sizeof g->references);
    g->marks = -1;
    g->status = RUNNING;
    g->site = -1;
    end_option_search(g);
    g->attempt = (Attempt){.sought = -1};
    g->seen = machine->seen;
    g->seen_end = machine->seen + SEEN;
    memset(g->evaluating, 0, sizeof g->evaluating);
    g->ended = &g->out;
    g->direct = NULL;
}

/* Plays a game that stands in `g->s` to its end; its numbers go to a row. */
static void play(Machine *machine, const W *frames, W *row) {
    G *g = &machine->game;
    g->floor = (uintptr_t)__builtin_frame_address(0) - STACK;
    begin(machine);
    row[ROW_WON] = 0;
    if (!setjmp(g->out)) {
        if (frames[0]) go_on(g, frames);
        g->status = OVER;
        longjmp(g->out, 1);
    }
    if (g->status == OVER) {
        begin(machine);
        if (!setjmp(g->out)) {
            scores(g, row + ROW_SCORES);
            row[ROW_WON] = winners(g, row + ROW_SCORES, row + ROW_SCORES + 2 * PARTIES);
            payoffs(g, row + ROW_SCORES + PARTIES);
            g->status = OVER;
        }
    }
    row[ROW_STATUS] = g->status;
    row[ROW_SITE] = g->site;
    row[ROW_OVER] = g->s.over;
    row[ROW_WINNERS] = g->s.winners;
    row[ROW_DECISIONS] = g->s.decisions;
    row[ROW_TURNS] = g->s.turns;
    row[ROW_CAPPED] = g->s.capped;
    row[ROW_RNG] = (W)g->s.rng;
}

/* Plays one game from a state to its end; the state becomes its last one. */
EXPORTED void rulelang_play(Machine *machine, State *state, const W *frames, W *row) {
    CALLED(&machine->game, );
    BUFFER(row, ROW * sizeof(W));
    memcpy(&machine->game.s, state, sizeof(State));
    play(machine, frames, row);
    memcpy(state, &machine->game.s, sizeof(State));
}

/* Plays games from one state with these states of the generator, a row for each. */
EXPORTED void rulelang_rows(Machine *machine, const State *start, const W *frames, const U *rngs, W games, W *rows) {
    CALLED(&machine->game, );
    BUFFER(rows, games * ROW * sizeof(W));
    for (W i = 0; i < games; i++) {
        memcpy(&machine->game.s, start, sizeof(State));
        machine->game.s.rng = rngs[i];
        play(machine, frames, rows + i * ROW);
    }
}

/* Plays the numbered games of a run and adds them up: decisions, turns, ended by the limit, drawn; then for each seat
   wins, for each seat its parts of wins (of `unit` for each game), sums of scores, sums of their squares; then for each
   seat how often it had each rank. How many were played: fewer when the next one failed, or has scores too large to be summed here. */
EXPORTED W rulelang_tally(Machine *machine, const State *start, const W *frames, U seed, U first, W games, W seats,
                          W unit, W *sums) {
    W row[ROW];
    CALLED(&machine->game, 0);
    BUFFER(sums, (4 + (4 + PARTIES) * seats) * sizeof(W));
    for (W i = 0; i < games; i++) {
        memcpy(&machine->game.s, start, sizeof(State));
        machine->game.s.rng = seed + (first + (U)i) * GOLDEN;
        machine->game.s.rng = draw(&machine->game); /* as `seeded` of rulelang/runtime/rng.py */
        play(machine, frames, row);
        if (row[ROW_STATUS] != OVER) return i;
        const W *points = row + ROW_SCORES;
        for (W seat = 0; seat < seats; seat++)
            if (points[seat] <= -LARGEST_SCORE || points[seat] >= LARGEST_SCORE) return i;
        sums[0] += row[ROW_DECISIONS];
        sums[1] += row[ROW_TURNS];
        sums[2] += row[ROW_CAPPED];
        sums[3] += row[ROW_OVER] == TIED;
        const W share = row[ROW_WON] ? unit / __builtin_popcountll((U)row[ROW_WON]) : 0;
        for (W seat = 0; seat < seats; seat++) {
            const W won = row[ROW_WON] >> seat & 1;
            sums[4 + seat] += won;
            sums[4 + seats + seat] += won * share;
            sums[4 + 2 * seats + seat] += points[seat];
            sums[4 + 3 * seats + seat] += points[seat] * points[seat];
            sums[4 + 4 * seats + seat * PARTIES + row[ROW_SCORES + 2 * PARTIES + seat] - 1]++;
        }
    }
    return games;
}
