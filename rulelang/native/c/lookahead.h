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
    const W *cells;                      /* the variables among them: how many rows, then start and length of each */
    const W *zones;                      /* the zones among them: how many, then each */
    bool pools, ends;                    /* whether pools may change; whether a function may end the game */
    bool alike;                          /* whether it asks which individuals are alike */
    bool (*holds)(G *g, const W *held);  /* the condition */
    W site;
};

enum { CALLER, PROCEDURE, SLOT, LEVEL, SIZE, BLOCK, LOCALS };
/* What `advance` gives: there is more to be done; the condition held at last; it did not, whatever was chosen. */
enum { GOES_ON, HOLDS, FAILS };

KEPT int advance(G *g, W *frame);
KEPT void refer_frame(G *g, W procedure, W block, W waits, const W *L, int32_t more);
KEPT W *key_locals(const W *frame, W *key, const W *end);

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
    W *const found = alloc(g, LOCALS + locals);
    memset(found, 0, (size_t)(LOCALS + locals) * sizeof(W));
    found[CALLER] = ADDRESS(caller);
    found[PROCEDURE] = procedure;
    found[SLOT] = slot;
    found[LEVEL] = level;
    found[SIZE] = locals;
    return found;
}

static inline void frame_returns(G *g, const W *frame, W value) {
    W *const caller = caller_of(frame);
    if (caller && frame[SLOT] >= 0) caller[LOCALS + frame[SLOT]] = value;
    g->attempt.frame = caller;
}

/* What the frames that wait for one refer to is held, or let go (interchangeable.h). */
KEPT void refer_callers(G *g, const W *frame, int32_t more) {
    for (const W *at = caller_of(frame); at; frame = at, at = caller_of(at))
        refer_frame(g, at[PROCEDURE], at[BLOCK], frame[SLOT], at + LOCALS, more);
}

/* Where all frames go on, and their locals. */
KEPT W *a_copy_of_frames(G *g) {
    W words = 0;
    for (const W *at = g->attempt.frame; at; at = caller_of(at)) words += 1 + at[SIZE];
    W *const found = alloc(g, words), *to = found;
    for (const W *at = g->attempt.frame; at; at = caller_of(at)) {
        memcpy(to, at + BLOCK, (size_t)(1 + at[SIZE]) * sizeof(W));
        to += 1 + at[SIZE];
    }
    return found;
}

KEPT void put_back_frames(G *g, W *innermost, const W *kept) {
    g->attempt.frame = innermost;
    for (W *at = innermost; at; at = caller_of(at)) {
        memcpy(at + BLOCK, kept, (size_t)(1 + at[SIZE]) * sizeof(W));
        kept += 1 + at[SIZE];
    }
}

/* ---- states that were seen ----

   What the rule may have changed, and its frames, are a key: rows of words, without what is not in use. Keys hang in a
   tree by their hashes. Where there is no more room for them, less is left out. */

enum { HASH, NEXT, WAYS = 4, KEY = NEXT + WAYS + 1 }; /* a key's hash, the keys that follow it, how many words */

static inline W *key_word(W *key, const W *end, W x) {
    if (key < end) *key++ = x;
    return key;
}

static inline W *key_words(W *key, const W *end, const W *from, W words) {
    if (words > end - key) return (W *)end;
    memcpy(key, from, (size_t)words * sizeof(W));
    return key + words;
}

KEPT W *key_pieces(W *key, const W *end, const Z *pieces, W n) {
    const W words = (n * (W)sizeof(Z) + (W)sizeof(W) - 1) / (W)sizeof(W);
    key = key_word(key, end, n);
    if (words > end - key) return (W *)end;
    if (words) key[words - 1] = 0;
    memcpy(key, pieces, (size_t)n * sizeof(Z));
    return key + words;
}

KEPT W *key_of_state(G *g, W *key, const W *end) {
    const struct Lookahead *const lookahead = g->attempt.lookahead;
    const State *const s = &g->s;
    const W flags[] = {s->deferred, s->winners, s->out};
    key = key_words(key, end, flags, 3);
    for (W i = 0; i < lookahead->cells[0]; i++)
        key = key_words(key, end, s->v + lookahead->cells[1 + 2 * i], lookahead->cells[2 + 2 * i]);
    for (W i = 1; i <= lookahead->zones[0]; i++) {
        const W zone = lookahead->zones[i];
        if (zone_form[zone] == COUNTS)
            key = key_word(key, end, (W)s->counts[zone]);
        else
            key = key_pieces(key, end, contents(g, zone), s->length[zone]);
    }
    if (lookahead->pools)
        for (W pool = 0; pool < s->pools; pool++) {
            key = key_word(key, end, s->pool_length[pool]);
            if (!s->pool_length[pool]) continue;
            if (COUNTED_POOLS)
                key = key_word(key, end, (W)s->pool_counts[pool]);
            else
                key = key_pieces(key, end, s->members + s->pool_start[pool], s->pool_length[pool]);
        }
    for (const W *at = g->attempt.frame; at; at = caller_of(at)) {
        const W place[] = {at[PROCEDURE], at[BLOCK], at[SLOT]};
        key = key_words(key, end, place, 3);
        key = key_locals(at, key, end);
    }
    return key;
}

/* Whether somebody was asked in this state before; from now on, somebody was. */
KEPT bool seen_before(G *g) {
    const W *const end = g->seen_end;
    W *const at = g->seen;
    if (end - at <= KEY) return false;
    W *const key = at + KEY, *const after = key_of_state(g, key, end);
    if (after >= end) return false;
    const W n = after - key;
    U hash = (U)n;
    for (const W *word = key; word < after; word++) {
        hash = (hash ^ (U)*word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    U rest = hash;
    W **link = &g->attempt.seen;
    for (W *other; (other = *link) != NULL; rest >>= 2) {
        if ((U)other[HASH] == hash && other[KEY - 1] == n && !memcmp(other + KEY, key, (size_t)n * sizeof(W))) return true;
        link = (W **)(void *)&other[NEXT + (rest & (WAYS - 1))];
    }
    at[HASH] = (W)hash;
    memset(at + NEXT, 0, WAYS * sizeof(W));
    at[KEY - 1] = n;
    *link = at;
    g->seen = after;
    return false;
}

/* ---- speculative execution ---- */

KEPT int all_frames(G *g) {
    int found = GOES_ON;
    while (found == GOES_ON && g->attempt.frame) found = advance(g, g->attempt.frame);
    return found;
}

/* The same where a function may end the game: nothing of the rule is left to be done then. */
KEPT __attribute__((noinline)) int all_frames_or_end(G *g) {
    jmp_buf here;
    jmp_buf *const before = g->ended;
    W depth[PROCEDURES + 1];
    memcpy(depth, g->depth, sizeof depth);
    if (setjmp(here)) {
        memcpy(g->depth, depth, sizeof depth);
        g->status = RUNNING;
        looked(g);
        g->attempt.frame = NULL;
        g->ended = before;
        return GOES_ON;
    }
    g->ended = &here;
    const int found = all_frames(g);
    g->ended = before;
    return found;
}

/* Whether some run from here ends with the condition true. */
KEPT bool go_through(G *g) {
    const struct Lookahead *const lookahead = g->attempt.lookahead;
    if (UNLIKELY((uintptr_t)__builtin_frame_address(0) < g->floor)) fail(g, lookahead->site);
    const int found = lookahead->ends ? all_frames_or_end(g) : all_frames(g);
    return found == GOES_ON ? lookahead->holds(g, g->attempt.held) : found == HOLDS;
}

/* The branches that options of a decision lead, one after another. */
struct Branches {
    const W *state, *frames;             /* as they were when the seat was asked */
    W *frame, *top, *limit;
    W sought, asked;
};

KEPT void begin_branches(G *g, W *frame, struct Branches *branches, W asked) {
    branches->state = a_part_of_state(g, g->attempt.lookahead->parts);
    branches->frames = a_copy_of_frames(g);
    branches->frame = frame;
    branches->top = g->top;
    branches->limit = g->limit;
    branches->sought = g->attempt.sought;
    branches->asked = asked;
}

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

KEPT bool branch_leads_on(G *g, const struct Branches *branches) {
    const bool found = go_through(g);
    g->attempt.sought = branches->sought;
    return found;
}

/* The game ends at the decision that is one too many: nothing is left to be done. */
KEPT int over_by_limit(G *g) {
    g->attempt.frame = NULL;
    return GOES_ON;
}

/* Several seats are asked at once: that leads nowhere. */
KEPT int nobody_is_asked(G *g) { return g->s.decisions >= MAX_DECISIONS ? over_by_limit(g) : FAILS; }

/* What waits in the game itself refers to nothing while a rule is run speculatively. */
KEPT W *a_copy_of_references(G *g) {
    W *const found = alloc(g, REFERENCED / 2 + 1);
    memcpy(found, g->references, sizeof g->references);
    memset(g->references, 0, sizeof g->references);
    return found;
}

/* Whether it is known what trying a rule with these arguments came to. */
static inline bool is_known(const G *g, const struct Known *known, const W *given, W count) {
    W other = 0;
    for (W i = 0; i < count; i++) other |= known->given[i] ^ given[i];
    return (known->looking == g->looking) & !other && g->looking;
}

/* Keeps what it came to. */
static inline int to_be_known(G *g, W place, const W *given, W count, int all) {
    struct Known *const known = &g->known[place];
    known->looking = g->looking;
    for (W i = 0; i < count; i++) known->given[i] = given[i];
    return known->all = all;
}

/* Defines `lookahead_holds_after`: whether the condition holds after a procedure that the game's own functions run; -1 where they
   can't: somebody is asked, chance decides, or the game ends. Mostly nothing of that happens, and then this is all. An
   `Attempt` needs not be kept: what makes one puts it back. */
#define RUN_DIRECTLY(lookahead, parts, asks_alike) \
    static UNUSED __attribute__((noinline)) int lookahead##_holds_after(G *g, const W *given, const W *held) { \
        W *const mark = g->top, *const end = g->limit; \
        const W waiting = g->waiting, fuel = g->fuel; \
        W before[2]; \
        PLACE *const direct = g->direct; \
        PLACE here; \
        bool trying[LOOKAHEADS + 1]; \
        memcpy(trying, g->evaluating, sizeof trying); \
        const W *const kept = a_part_of_state(g, parts); \
        const W *const holding = INTERCHANGEABLE && asks_alike ? a_copy_of_references(g) : NULL; \
        volatile int found = -1; \
        not_looking(g, before); \
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
        looking_again(g, before); \
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
    W looking[2];
    const W *const kept = a_part_of_state(g, lookahead->parts);
    const W *const holding = INTERCHANGEABLE && lookahead->alike ? a_copy_of_references(g) : NULL;
    g->direct = NULL;
    g->attempt = (Attempt){.lookahead = lookahead, .held = held, .frame = NULL, .seen = NULL, .sought = asker};
    W *const first = a_frame(g, frame[0], frame[1], -1, 0, lookahead->site);
    memcpy(first + LOCALS, frame + 3, (size_t)frame[2] * sizeof(W));
    g->attempt.frame = first;
    not_looking(g, looking);
    const bool found = go_through(g);
    put_back(g, lookahead->parts, kept);
    if (holding) memcpy(g->references, holding, sizeof g->references);
    g->direct = direct;
    g->attempt = before;
    looking_again(g, looking);
    g->seen = seen;
    g->top = mark;
    g->limit = end;
    return found;
}
