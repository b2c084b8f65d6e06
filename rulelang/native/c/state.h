/* The state of a game, one block without addresses, so that a copy of its bytes is a copy of the game; and the game that
   runs on it. The generated text before this defines how large its parts are:

     VARIABLES, BOARDS, ITEMS, INSTANCES (of zones), SLOTS (room in all zones), POOLS, MEMBERS (room in all pools), PARTIES,
     PROCEDURES, LOOKAHEADS, FUEL, MAX_DECISIONS, DEPTH, REFERENCED (individuals, if some may be interchangeable: INTERCHANGEABLE), and the type Z of a piece
     in a zone (an item, or -(k + 1) for pool k).

   and the tables
     zone_start[INSTANCES], zone_room[INSTANCES]   where a zone's contents begin in `slots`, and how many fit
     zone_form[INSTANCES], zone_capacity[INSTANCES] (-1: none), zone_identity[INSTANCES]
     item_identity[ITEMS]

   and FIRST_ITEM(zone), the first item of the kind that lies in a zone whose form is COUNTS; COUNTED_POOLS, whether pools
   are kept so too: then all are of one kind, of 127 pieces at most, whose first item is POOL_ITEM. */

/* Where nothing is said of them, no individuals are interchangeable and nothing is run speculatively. */
#ifndef INTERCHANGEABLE
#define INTERCHANGEABLE 0
#define REFERENCED 0
#endif
#ifndef LOOKAHEADS
#define LOOKAHEADS 0
#define FAMILIES 0
#endif

/* How what lies in a zone is kept: a list of items in order, or as they lie, the top last; or, in bags of known pieces of
   kinds of few items, how many there are of each, a byte each, the first item's lowest. */
enum { SORTED, PILED, COUNTS };

typedef struct {
    U rng;
    W over, winners, out, deferred, decisions, turns, capped;
    W v[VARIABLES + 1];
    U boards[BOARDS + 1];             /* bitboards: of a value of a variable a bit for each index that has it */
    int32_t where[ITEMS + 1];         /* item -> zone instance for known individuals, else -1 */
    int32_t length[INSTANCES + 1];    /* of each zone */
    U counts[INSTANCES + 1];          /* of each zone whose form is COUNTS */
    int32_t pools;                    /* how many pools there are, emptied ones among them */
    int32_t pool_length[POOLS + 1];
    int32_t pool_start[POOLS + 1];    /* where in `members` */
    int32_t members_used;
    U pool_counts[POOLS + 1];         /* what is in them if COUNTED_POOLS, else it is in `members` */
    Z members[MEMBERS + 1];           /* of all pools, each sorted */
    Z slots[SLOTS + 1];               /* the contents of all other zones */
} State;

/* So many marks that are set at once are listed. */
#define MARKED 32

/* A place to come back to from deeper within, where that is done often. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
typedef void *PLACE[5];
#define MARK_PLACE(place) __builtin_setjmp(place)
#define BACK_TO(place) __builtin_longjmp(place, 1)
#else
typedef jmp_buf PLACE;
#define MARK_PLACE(place) setjmp(place)
#define BACK_TO(place) longjmp(place, 1)
#endif

struct Lookahead;

/* A rule that is run speculatively: see lookahead.h. */
typedef struct {
    const struct Lookahead *lookahead;
    const W *held;                    /* what the condition reads of where it stands */
    W *frame;                         /* the innermost frame */
    W *seen;                          /* the first key of what was seen */
    W sought;                         /* the seat whose choices are gone through; -1: the one that is asked first */
} Attempt;

#ifdef SEARCHING
/* A game whose decisions and draws are made by a search: pilot.h. */
typedef struct Search Search;
#define WATCHED(g) UNLIKELY((g)->watched && (g)->direct == NULL && (g)->attempt.lookahead == NULL)
#else
#define WATCHED(g) false
#define replayed_number(g, low, high) (low)
#define replayed_element(g, set) AT(set, 0)
#define replayed_unit(g, bag, width, units) 0
#define replayed_index(g, pool) 0
#define set_known_slot(g, zone, index) (void)0
#ifndef STOPPING
#define observe_move(g, from, to, item, on_top, was_empty) (void)0
#endif
#endif

#if defined(STOPPING) || defined(SEARCHING)
#define STOPS
/* A game that stops where it waits: frames.h. */
#define LIST_AGAIN (-2)
enum { GOING, ASKED, CHANCE };
enum { ROWS = 1 << 12, PARTS = 1 << 14, LISTED = 1 << 12, MOST_LISTED = 1 << 10, LOGGED = 1 << 16 };
struct Parts { W used, words[PARTS]; };

typedef struct {
    W choice;                         /* the option that is chosen at the first node; -1: the game stops there; LIST_AGAIN */
    W chooser;                        /* the seat that chooses it, of several; for LIST_AGAIN: whose options are listed */
    W drawn;                          /* the number that is drawn next, for an outcome that was chosen; -1: none */
    bool explicit_chance;             /* whether it stops at chance nodes too */
    int stopped;                      /* GOING; ASKED; CHANCE */
    W decision, options;              /* what is asked; at chance the procedure, and how many outcomes there are */
    U seats;                          /* who is asked, a bit for each; at chance the block */
    W listed;                         /* words of options; -1: they are too many */
    W frames, rows_used, *last;       /* how many procedures wait; the row of the last one that was written */
    W rows[ROWS], list[LISTED];
    struct Parts parts, option_parts;
#ifdef STOPPING
    bool logs;                        /* whether events are logged */
    W draws;                          /* how many outcomes of chance there were */
    W ending;                         /* the site at which the game ends, if it does */
    W moving, moves;                  /* the site of what moves pieces, twice, plus whether secretly; where its event stands, -1: there is none yet */
    W logged, log[LOGGED];            /* how many words; events: see events.h */
    struct Parts log_parts;
#endif
} Step;
#endif

/* What trying a rule with these arguments came to, for all conditions that are asked of it: a bit for each; -1: it could not
   be tried by the game's own functions. It is known while the options of one decision are looked for: see lookahead.h. */
struct Known {
    U option_search;
    W given[LOOKAHEADS ? 16 : 1];
    int all;
};

/* A game under way. */
struct G {
    State s;
#ifdef STOPS
    Step step;
#endif
#ifdef SEARCHING
    Search *search;
    bool watched;                     /* whether what happens is compared with a record */
#endif
    W fuel;
    W waiting;                        /* how many procedures wait for others */
    W depth[PROCEDURES + 1];          /* how often each procedure that may call itself runs */
    W *top, *limit;                   /* scratch space */
    uintptr_t floor;                  /* how far down the stack of C may grow */
    W asker;                          /* the seat for which options are looked for; -1: none */
    U option_search, option_searches; /* the number of the current search for options, 0: none; how many there were */
    struct Known known[FAMILIES + 1];
    Attempt attempt;
    W *seen, *seen_end;               /* room for what was seen */
    bool evaluating[LOOKAHEADS + 1];          /* which conditions are being looked into: they count as true */
    int32_t references[REFERENCED + 1];           /* how often something refers to each individual, where some may be interchangeable: interchangeable.h */
    W marks;                          /* how many are listed in `marked`; -1: it is not known: marks.h */
    int32_t marked[MARKED];           /* cells that hold marks */
    jmp_buf out, *ended;              /* where a failure leads to; where an end does */
    PLACE *direct;                    /* where a rule that is tried by the game's own functions gives up: lookahead.h */
    W status, site;                   /* how it ended; where it failed */
};

#ifdef STOPPING
/* Whether what happens is logged: not what is only tried. */
#define LOGS(g) ((g)->step.logs && (g)->direct == NULL && (g)->attempt.lookahead == NULL)
#define observe_move(g, from, to, item, on_top, was_empty) log_move(g, from, to, item)
static inline void log_move(G *g, W from, W to, W item);
static inline void log_set(G *g, W site, W cell, W old);
KEPT void log_goods(G *g, W site, W from, W to, const W *goods, W width);
#else
#define LOGS(g) false
#define log_set(g, site, cell, old) (void)(site)
#define log_goods(g, site, from, to, goods, width) (void)(site)
#endif
#define NOTED(g) (WATCHED(g) || LOGS(g))

/* A rule is tried in place: nothing of it is logged or observed. What was, for `tell_again`. */
static inline int tell_nothing(G *g) {
    int told = 0;
#ifdef SEARCHING
    if (WATCHED(g)) told = 1, g->watched = false;
#endif
#ifdef STOPPING
    if (LOGS(g)) told |= 2, g->step.logs = false;
#endif
    (void)g;
    return told;
}
static inline void tell_again(G *g, int told) {
#ifdef SEARCHING
    if (told & 1) g->watched = true;
#endif
#ifdef STOPPING
    if (told & 2) g->step.logs = true;
#endif
    (void)g, (void)told;
}

#ifdef SEARCHING
KEPT W replayed_number(G *g, W low, W high);
KEPT W replayed_element(G *g, W set);
KEPT W replayed_unit(G *g, const W *bag, W width, W units);
KEPT W replayed_index(G *g, W pool);
KEPT void set_known_slot(G *g, W zone, W index);
KEPT void observe_move(G *g, W from, W to, W item, bool on_top, bool was_empty);
#endif

/* Ends the game. The interpreter will say what was wrong: the site is for people who look for a bug in here. */
COLD _Noreturn KEPT void fail(G *g, W site) {
    g->status = FAILED;
    g->site = site;
    longjmp(g->out, 1);
}

/* A function with the jump itself is never written out where it is called, so that it stands alone. */
KEPT COLD _Noreturn void back_to(PLACE *place) { BACK_TO(*place); }

/* What a rule that is tried by the game's own functions can't do: somebody is asked, or chance decides. */
static inline void not_directly(G *g) {
    if (LOOKAHEADS && UNLIKELY(g->direct != NULL)) back_to(g->direct);
}

/* End the game; `over`: how, as State.over of runtime/state.py has it. */
COLD _Noreturn KEPT void finish(G *g, W over) {
    not_directly(g);
    g->s.over = over;
    g->status = OVER;
    longjmp(*g->ended, 1);
}

/* Begin the search for the options of a seat: until its end the state stays as it is, but in lookahead. */
static inline void begin_option_search(G *g, W seat) {
    g->asker = seat;
    g->option_search = ++g->option_searches;
}

/* Number the search anew, as the state has changed, so that nothing that was memoised of it counts. */
static inline void renew_option_search(G *g) {
    if (g->option_search) g->option_search = ++g->option_searches;
}

/* End the search for options. */
static inline void end_option_search(G *g) {
    g->asker = -1;
    g->option_search = 0;
}

/* Suspend the search while a rule is run speculatively, whose decisions search in another state. */
static inline void suspend_option_search(G *g, W *before) {
    before[0] = g->asker;
    before[1] = (W)g->option_search;
    end_option_search(g);
}

/* Resume the search that `suspend_option_search` has put into `before`. */
static inline void resume_option_search(G *g, const W *before) {
    g->asker = before[0];
    g->option_search = (U)before[1];
}

/* Toggles the bit of one of `n` places on a board that begins at `board`. */
#define FLIP_ONE(g, place, n, width, board) \
    if ((U)(place) < (n)) (g)->s.boards[(board) + ((width) > 1 ? (place) >> 6 : 0)] ^= (U)1 << ((place) & 63)

/* Sets a variable that has bitboards of `width` words, whose cells begin at `first`; the one of its value 0 begins at `board`. */
static inline void set_on_board(G *g, W cell, W first, W board, W width, W value) {
    const W at = cell - first;
    const W word = board + (width > 1 ? at >> 6 : 0);
    g->s.boards[word + width * g->s.v[cell]] ^= (U)1 << (at & 63);
    g->s.boards[word + width * value] ^= (U)1 << (at & 63);
    g->s.v[cell] = value;
}

/* Takes fuel; a game that has none left fails. */
#define BURN(amount, site) \
    do { \
        if (UNLIKELY((g->fuel -= (amount)) < 0)) fail(g, site); \
    } while (0)

/* Take so many words from the arena. */
static inline W *alloc(G *g, W words) {
    W *const result = g->top, *const end = result + words; /* no list is so long that this could wrap */
    if (UNLIKELY((uintptr_t)end > (uintptr_t)g->limit)) fail(g, -1);
    g->top = end;
    NEW_BLOCK(g, result, words);
    return result;
}

/* So many words of 0. */
static inline W *a_zeros(G *g, W words) {
    W *result = alloc(g, words);
    for (W k = 0; k < words; k++) result[k] = 0;
    return result;
}

/* A copy of so many words. */
static inline W a_copied(G *g, const W *from, W words) {
    return ADDRESS(memcpy(alloc(g, words), from, (size_t)words * sizeof(W)));
}

/* Sorts n values at a pointer by Shell's method (CACM 1959) with Knuth's gaps. */
#define SHELLSORT(type, at, n) \
    do { \
        W gap = 1; \
        while (gap < (n) / 3) gap = 3 * gap + 1; \
        for (; gap; gap /= 3) \
            for (W i = gap; i < (n); i++) { \
                const type x = (at)[i]; \
                W j = i; \
                for (; j >= gap && (at)[j - gap] > x; j -= gap) (at)[j] = (at)[j - gap]; \
                (at)[j] = x; \
            } \
    } while (0)

/* A list with room for so many elements; its count is 0. `push` may be used while there is room. */
static inline W *a_list(G *g, W room) {
    W *result = alloc(g, room + 1);
    result[0] = 0;
    return result;
}
#define PUSH(list, x) ((list)[++(list)[0]] = (x))

/* ---- numbers ---- */

/* Numbers of 64 bits: what overflows, or is divided by 0, fails. */
#define CHECKED(name, overflows) \
    static inline W name(G *g, W a, W b, W site) { \
        W result; \
        if (UNLIKELY(overflows(a, b, &result))) fail(g, site); \
        return result; \
    }
CHECKED(add_, __builtin_add_overflow)
CHECKED(sub_, __builtin_sub_overflow)
CHECKED(mul_, __builtin_mul_overflow)

/* Rounded down; the rest has the sign of the divisor. */
static inline W div_(G *g, W a, W b, W site) {
    if (UNLIKELY(b == 0 || (b == -1 && a == INT64_MIN))) fail(g, site);
    W quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/* The rest of `div_`. */
static inline W mod_(G *g, W a, W b, W site) {
    if (UNLIKELY(b == 0)) fail(g, site);
    if (b == -1) return 0;
    W rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline W least(W a, W b) { return a <= b ? a : b; }
static inline W greatest(W a, W b) { return a >= b ? a : b; }

/* A value of a rule that is an index; fails outside of its bound. */
static inline W bounded_index(G *g, W value, W bound, W site) {
    if (UNLIKELY((U)value >= (U)bound)) fail(g, site);
    return value;
}

/* ---- chance: SplitMix64, and Lemire's method for a range ---- */

#define GOLDEN 0x9E3779B97F4A7C15u

/* The next 64 bits of the generator. */
static inline U draw(G *g) {
    U x = (g->s.rng += GOLDEN);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* A number from 0 to n - 1, all equally likely; n is at least 1, and n of 1 uses no output. */
static inline W uniform(G *g, W count) {
    const U n = (U)count;
    const U before = g->s.rng;
    Wide product;
    if (LOOKAHEADS && n > 1) not_directly(g);
#ifdef STOPPING
    if (g->step.drawn >= 0 && n > 1) {
        const W drawn = g->step.drawn;
        g->step.drawn = -1;
        g->step.draws++;
        if (UNLIKELY((U)drawn >= n)) fail(g, -1);
        return drawn;
    }
#endif
#ifdef STOPPING
    g->step.draws += n > 1;
#endif
    do
        product = (Wide)draw(g) * n;
    while (UNLIKELY((U)product < n) && (U)product < (0 - n) % n);
    if (n == 1) g->s.rng = before; /* cheaper than a branch around the draw that nobody can foresee */
    return (W)(product >> 64);
}

/* ---- counts of up to 8 things in a word, a byte each, the first one's lowest; 127 in all at most ---- */

#define IN_EACH UINT64_C(0x0101010101010101)
#define ABOVE_EACH UINT64_C(0x8080808080808080)

/* The index of the first thing whose count is not 0. */
static inline U lowest(U counts) { return (U)__builtin_ctzll(counts) >> 3; }

/* The prefix sums of packed counts; the last one is the sum of all. */
static inline U up_to(U counts) { return counts * IN_EACH; }

/* The index of the k-th thing counted, from prefix sums. */
static inline U nth_counted(U sums, U k) { return lowest(((sums | ABOVE_EACH) - (k + 1) * IN_EACH) & ABOVE_EACH); }

/* Whether counts are of one thing alone. */
static inline bool only_one_kind(U counts) { return counts && !(counts & ~((U)255 << 8 * lowest(counts))); }

/* The bits of a byte, each in a byte of its own. */
static inline U spread_bits(U byte) {
    const U spread = byte * IN_EACH & UINT64_C(0x8040201008040201);
    return (spread + (ABOVE_EACH - IN_EACH)) >> 7 & IN_EACH;
}

/* How many bits of a word are set, mostly of its lowest ones: there may be no instruction for it, and a call takes longer. */
static inline W bits_in(U word) {
    if (LIKELY(word < 256)) return (W)(up_to(spread_bits(word)) >> 56);
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    return (W)(up_to((word + (word >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) >> 56);
}

/* A loop over the places of all that are counted. */
#define EACH_COUNTED(x, counts) \
    for (U sums_ = up_to(counts), n_ = sums_ >> 56, i_ = 0, x; i_ < n_ && (x = nth_counted(sums_, i_), true); i_++)

/* The list of all that are counted; `first` stands for the first thing, and those that follow it for the others. */
static inline W a_counted(G *g, U counts, W first) {
    const U sums = up_to(counts), n = sums >> 56;
    W *result = alloc(g, (W)n + 1);
    result[0] = (W)n;
    for (U i = 0; i < n; i++) result[1 + i] = first + (W)nth_counted(sums, i);
    return ADDRESS(result);
}

/* ---- sets ---- */

/* All numbers from `low` to `high`, as a set. */
static inline W a_numbers(G *g, W low, W high, W site) {
    if (low > high) return NOTHING;
    if (UNLIKELY((U)high - (U)low >= (U)g->fuel)) fail(g, site);
    W n = high - low + 1;
    BURN(n, site);
    W *result = alloc(g, n + 1);
    result[0] = n;
    for (W i = 0; i < n; i++) result[1 + i] = low + i;
    return ADDRESS(result);
}

/* Whether a set has an element. */
static inline bool member(W x, W set) {
    const W *p = LIST(set);
    for (W i = 1; i <= p[0]; i++)
        if (p[i] == x) return true;
    return false;
}

/* ---- what is put back after lookahead ----

   `parts`: how many, how many words they need, then offset and bytes of each. */

/* Copy a part. Where its size is known to the C compiler, some moves take less than half the time of a call. */
__attribute__((always_inline)) static inline void copy_part(char *to, const char *from, W size) {
    if (__builtin_constant_p(size) && size <= 384) {
#pragma GCC unroll 16
        for (; size >= 64; to += 64, from += 64, size -= 64) memcpy(to, from, 64);
    }
    memcpy(to, from, (size_t)size);
}

/* Copy these parts of the state; loops over a constant table are unrolled. */
__attribute__((always_inline)) static inline W *a_part_of_state(G *g, const W *parts) {
    W *const result = alloc(g, parts[1]);
    char *to = (char *)result;
    if (parts[1]) result[parts[1] - 1] = 0; /* the last word may have bytes of no part */
#pragma GCC unroll 8
    for (W i = 0; i < parts[0]; i++) {
        copy_part(to, (const char *)&g->s + parts[2 + 2 * i], parts[3 + 2 * i]);
        to += parts[3 + 2 * i];
    }
    return result;
}

/* Restore what `a_part_of_state` copied. */
__attribute__((always_inline)) static inline void put_back(G *g, const W *parts, const W *kept) {
    const char *from = (const char *)kept;
#pragma GCC unroll 8
    for (W i = 0; i < parts[0]; i++) {
        copy_part((char *)&g->s + parts[2 + 2 * i], from, parts[3 + 2 * i]);
        from += parts[3 + 2 * i];
    }
}
