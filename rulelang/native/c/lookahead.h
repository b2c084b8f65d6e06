/* Lookahead: rules that are run speculatively: could a condition hold after a rule, whatever its choices?

   What the rule may write of the state is kept, the rule is run, the condition is read, and what was kept is put back.
   A rule that can wait is run by `advance` (generated), which goes on with the innermost of its frames. They lie in
   scratch space:

     CALLER (its address), PROCEDURE, SLOT (of the caller's, that takes its value; -1: none), LEVEL (frames below it),
     SIZE (how many locals), BLOCK (where it goes on), the locals

   Where such a rule asks, it goes through the options, each with all that comes after it (`go_through`), so that the
   stack of C holds a function for each choice that was made. States in which somebody was asked before are not gone
   through again: see `seen_before`. */

struct Lookahead {
    const W *parts;                      /* what is kept: how many parts, their words, then offset and bytes of each */
    bool ends;                           /* whether a function may end the game */
    bool interchangeable;                /* whether it asks which individuals are interchangeable */
    bool (*holds)(G *g, const W *held);  /* the condition */
    W site;
};

enum { CALLER, PROCEDURE, SLOT, LEVEL, SIZE, BLOCK, LOCALS };
/* What `advance` gives: there is more to be done; the condition held at last; it did not, whatever was chosen. */
enum { GOES_ON, HOLDS, FAILS };

KEPT int advance(G *g, W *frame);
KEPT void refer_frame(G *g, W procedure, W block, W waits, const W *L, int32_t more);

/* The frame that waits for this one. */
static inline W *caller_of(const W *frame) { return (W *)(intptr_t)frame[CALLER]; }

/* ---- frames ---- */

/* The innermost frame of a procedure; `depth`: how deep it may call itself, 0 where it does not. */
KEPT W *a_frame(G *g, W procedure, W locals, W slot, W depth, W site) {
    const W *const caller = g->attempt.frame;
    const W level = caller ? caller[LEVEL] + 1 : 0;
    if (UNLIKELY(level && level >= DEPTH)) fail(g, site);
    W same = 0;
    for (const W *at = depth ? caller : NULL; at; at = caller_of(at)) same += at[PROCEDURE] == procedure;
    if (UNLIKELY(same > depth)) fail(g, site);
    W *const result = alloc(g, LOCALS + locals);
    memset(result, 0, (size_t)(LOCALS + locals) * sizeof(W));
    result[CALLER] = ADDRESS(caller);
    result[PROCEDURE] = procedure;
    result[SLOT] = slot;
    result[LEVEL] = level;
    result[SIZE] = locals;
    return result;
}

/* Leave the innermost frame: its value goes into the caller's slot. */
static inline void frame_returns(G *g, const W *frame, W value) {
    W *const caller = caller_of(frame);
    if (caller && frame[SLOT] >= 0) caller[LOCALS + frame[SLOT]] = value;
    g->attempt.frame = caller;
}

/* Count what the frames that wait for one refer to (`more` 1), or no longer (-1). */
KEPT void refer_callers(G *g, const W *frame, int32_t more) {
    for (const W *at = caller_of(frame); at; frame = at, at = caller_of(at))
        refer_frame(g, at[PROCEDURE], at[BLOCK], frame[SLOT], at + LOCALS, more);
}

/* The words of a frame but for its caller. */
static inline W frame_words(const W *frame) { return LOCALS - PROCEDURE + frame[SIZE]; }

/* All frames, the innermost first. */
KEPT W *a_copy_of_frames(G *g) {
    W words = 0;
    for (const W *at = g->attempt.frame; at; at = caller_of(at)) words += frame_words(at);
    W *const result = alloc(g, words), *to = result;
    for (const W *at = g->attempt.frame; at; to += frame_words(at), at = caller_of(at))
        memcpy(to, at + PROCEDURE, (size_t)frame_words(at) * sizeof(W));
    return result;
}

/* Restore the frames that `a_copy_of_frames` kept. */
KEPT void put_back_frames(G *g, W *innermost, const W *kept) {
    g->attempt.frame = innermost;
    for (W *at = innermost; at; kept += frame_words(at), at = caller_of(at))
        memcpy(at + PROCEDURE, kept, (size_t)frame_words(at) * sizeof(W));
}

/* ---- speculative execution ---- */

/* Run the frames, innermost first, until none is left or the condition is decided. */
KEPT int all_frames(G *g) {
    int result = GOES_ON;
    while (result == GOES_ON && g->attempt.frame) result = advance(g, g->attempt.frame);
    return result;
}

/* The same where a function may end the game, which leaves nothing to be done. */
KEPT __attribute__((noinline)) int all_frames_or_end(G *g) {
    jmp_buf here;
    jmp_buf *const before = g->ended;
    W depth[PROCEDURES + 1];
    memcpy(depth, g->depth, sizeof depth);
    if (setjmp(here)) {
        memcpy(g->depth, depth, sizeof depth);
        g->status = RUNNING;
        end_option_search(g);
        g->attempt.frame = NULL;
        g->ended = before;
        return GOES_ON;
    }
    g->ended = &here;
    const int result = all_frames(g);
    g->ended = before;
    return result;
}

/* Whether some run from here ends with the condition true. */
KEPT bool go_through(G *g) {
    const struct Lookahead *const lookahead = g->attempt.lookahead;
    if (UNLIKELY((uintptr_t)__builtin_frame_address(0) < g->floor)) fail(g, lookahead->site);
    const int result = lookahead->ends ? all_frames_or_end(g) : all_frames(g);
    return result == GOES_ON ? lookahead->holds(g, g->attempt.held) : result == HOLDS;
}

/* The branches that options of a decision lead, one after another. */
struct Branches {
    const W *state, *frames;             /* as they were when the seat was asked */
    W *frame, *top, *limit;
    W sought, asked;
};

/* A state that was seen: its hash, the states that follow it in a tree by their hashes, its words, what the rule may have
   changed and the frames. Where there is no more room for them, less is left out. */
enum { HASH, NEXT, WAYS = 4, STATE = NEXT + WAYS + 1 };

/* Whether words may be addresses in scratch space from some point on, where other values may lie another time. */
KEPT bool may_lead_on(const G *g, const W *from, const W *words) {
    for (; words < g->top; words++)
        if (*words >= ADDRESS(from) && *words < ADDRESS(g->limit)) return true;
    return false;
}

/* Whether somebody was asked in this state before; it is added to the states seen. */
KEPT bool seen_before(G *g, const W *state, W words) {
    W *const at = g->seen;
    if (g->seen_end - at < STATE + words) return false;
    U hash = (U)words;
    for (const W *word = state; word < state + words; word++) {
        hash = (hash ^ (U)*word) * GOLDEN;
        hash ^= hash >> 29;
    }
    U rest = hash;
    W **link = &g->attempt.seen;
    for (W *other; (other = *link) != NULL; rest >>= 2) {
        if ((U)other[HASH] == hash && other[STATE - 1] == words && same_words(ADDRESS(other + STATE), ADDRESS(state), words))
            return true;
        link = (W **)(void *)&other[NEXT + (rest & (WAYS - 1))];
    }
    at[HASH] = (W)hash;
    memset(at + NEXT, 0, WAYS * sizeof(W));
    at[STATE - 1] = words;
    memcpy(at + STATE, state, (size_t)words * sizeof(W));
    *link = at;
    g->seen = at + STATE + words;
    return false;
}

/* Whether there are any: not where somebody was asked in this state before. A state whose frames hold sets that were made since
   the lookahead began is compared with none. */
KEPT bool begin_branches(G *g, W *frame, struct Branches *branches, W asked) {
    W *const state = a_part_of_state(g, g->attempt.lookahead->parts);
    branches->state = state;
    branches->frames = a_copy_of_frames(g);
    MERGED(g, state);
    branches->frame = frame;
    branches->top = g->top;
    branches->limit = g->limit;
    branches->sought = g->attempt.sought;
    branches->asked = asked;
    while (caller_of(frame)) frame = caller_of(frame);
    return may_lead_on(g, frame, branches->frames) || !seen_before(g, state, g->top - state);
}

/* Begin the k-th branch: from the second one on, what those before changed is put back. */
KEPT void next_branch(G *g, const struct Branches *branches, W k, W step, W site) {
    if (k) {
        put_back(g, g->attempt.lookahead->parts, branches->state);
        put_back_frames(g, branches->frame, branches->frames);
        g->top = branches->top;
        g->limit = branches->limit;
    }
    BURN(step, site);
    g->attempt.sought = branches->asked;
}

/* Whether the branch ends with the condition true. */
KEPT bool branch_leads_on(G *g, const struct Branches *branches) {
    const bool result = go_through(g);
    g->attempt.sought = branches->sought;
    return result;
}

/* The game ends at the decision that is one too many: nothing is left to be done. */
KEPT int over_by_limit(G *g) {
    g->attempt.frame = NULL;
    return GOES_ON;
}

/* Several seats are asked at once: that leads nowhere. */
KEPT int nobody_is_asked(G *g) { return g->s.decisions >= MAX_DECISIONS ? over_by_limit(g) : FAILS; }

/* Copy the reference counts and set them to 0: what waits in the game itself does not count in lookahead. */
KEPT W *a_copy_of_references(G *g) {
    W *const result = alloc(g, REFERENCED / 2 + 1);
    memcpy(result, g->references, sizeof g->references);
    memset(g->references, 0, sizeof g->references);
    return result;
}

/* Whether the result of a lookahead with these arguments is memoised. */
static inline bool has_memoised(const G *g, const struct Known *known, const W *given, W count) {
    W other = 0;
    for (W i = 0; i < count; i++) other |= known->given[i] ^ given[i];
    return (known->option_search == g->option_search) & !other && g->option_search;
}

/* Memoise and return it. */
static inline int memoise_result(G *g, W place, const W *given, W count, int all) {
    struct Known *const known = &g->known[place];
    known->option_search = g->option_search;
    for (W i = 0; i < count; i++) known->given[i] = given[i];
    return known->all = all;
}

/* Defines `lookahead_holds_after`: whether the condition holds after a procedure that the game's own functions run; -1 where they
   can't: somebody is asked, chance decides, or the game ends. Mostly nothing of that happens, and then this is all. An
   `Attempt` needs not be kept: what makes one puts it back. */
#define RUN_DIRECTLY(lookahead, parts, asks_interchangeable) \
    static UNUSED __attribute__((noinline)) int lookahead##_holds_after(G *g, const W *given, const W *held) { \
        W *const mark = g->top, *const end = g->limit; \
        const W waiting = g->waiting, fuel = g->fuel; \
        W before[2]; \
        PLACE *const direct = g->direct; \
        PLACE here; \
        bool trying[LOOKAHEADS + 1]; \
        memcpy(trying, g->evaluating, sizeof trying); \
        const W *const kept = a_part_of_state(g, parts); \
        const W *const holding = INTERCHANGEABLE && asks_interchangeable ? a_copy_of_references(g) : NULL; \
        volatile int found = -1; \
        suspend_option_search(g, before); \
        g->direct = &here; \
        if (!MARK_PLACE(here)) { \
            g->waiting = 0; \
            lookahead##_directly(g, given); \
            found = lookahead##_holds(g, held); \
        } else { \
            g->status = RUNNING; \
            g->fuel = fuel; \
            memcpy(g->evaluating, trying, sizeof trying); \
        } \
        put_back(g, parts, kept); \
        if (holding) memcpy(g->references, holding, sizeof g->references); \
        g->direct = direct; \
        resume_option_search(g, before); \
        g->waiting = waiting; \
        g->top = mark; \
        g->limit = end; \
        return found; \
    }

/* Whether the condition could hold after a procedure that has frames; `held` is what it reads of where it stands. */
KEPT __attribute__((noinline)) bool a_lookahead(G *g, const struct Lookahead *lookahead, const W *frame, const W *held) {
    W *const mark = g->top, *const end = g->limit, *const seen = g->seen;
    PLACE *const direct = g->direct;
    const Attempt before = g->attempt;
    const W asker = g->asker;
    W search[2];
    const W *const kept = a_part_of_state(g, lookahead->parts);
    const W *const holding = INTERCHANGEABLE && lookahead->interchangeable ? a_copy_of_references(g) : NULL;
    g->direct = NULL;
    g->attempt = (Attempt){.lookahead = lookahead, .held = held, .frame = NULL, .seen = NULL, .sought = asker};
    W *const first = a_frame(g, frame[0], frame[1], -1, 0, lookahead->site);
    memcpy(first + LOCALS, frame + 3, (size_t)frame[2] * sizeof(W));
    g->attempt.frame = first;
    suspend_option_search(g, search);
    const bool result = go_through(g);
    put_back(g, lookahead->parts, kept);
    if (holding) memcpy(g->references, holding, sizeof g->references);
    g->direct = direct;
    g->attempt = before;
    resume_option_search(g, search);
    g->seen = seen;
    g->top = mark;
    g->limit = end;
    return result;
}
