/* Searches in one go: each iteration plays a whole game, whose decisions and draws are made here.

   Of a game with secrets an iteration begins at its start. The *record* says what the searching seat learnt of it: the
   choices, the draws that it knows, the events that it saw. A *world* says what it does not know: a value for each hidden
   draw, a choice where it saw none. `REPLAYS` plays a world along the record; where the seat would notice a difference the
   run fails, and `search.h` changes the world. From the recorded node on the tree decides (`TREE`), then the rollout
   policy (`ROLLOUT`). `RECORDS` plays the true game once and makes the record.

   Determinization: a world is a function of the record and the search's own generator, never of what the record hides.
   Information sets are paths of actions as an observer saw them (Cowling, Powley, Whitehouse, "Information Set Monte Carlo
   Tree Search", 2012): the trees are open-loop, chance labels no edge. All arithmetic is in whole numbers.

   The generated text before this has
     zone_sight[seat][zone] (0 not even how many, 1 how many, 2 the top, 3 all), cell_sight[seat][cell], piece_sight[cell]
     (0 nobody, 1 all, 2 the owner, 3 the others), cell_item[cell] (-1: of no piece), item_label[item] (the first item that
     is called the same), item_seat[item], zone_owner[zone], zone_pooled[zone] (pieces may lie there that nobody has seen), choice_flags[decision]
     (SECRET, TOGETHER), KNOWS_SUBJECTS */

enum { IDLE, RECORDS, REPLAYS, TREE, ROLLOUT };
enum { SECRET = 1, ALL_AT_ONCE = 2 };
enum { MOVED = 1, NUMBER_DRAWN, ELEMENT_DRAWN, PIECE_DRAWN }; /* events that tell outcomes */
enum { FULL, FREE, PART, EXCHANGE }; /* what a proposal draws again: all, what the seat has not learnt by now, a part; two change places */
enum { UNSEEN, SIZE_SEEN, TOP_SEEN, ALL_SEEN };
enum { UNIFORM_POLICY, MAST_POLICY, GREEDY_POLICY, EVALUATE_POLICY }; /* the last: no rollout, Python says what a leaf is worth */
enum { MOST_KEYS = 512, MOST_PIECES = 8, MOST_EPOCHS = 128, MAST_SIZE = 1 << 14, MAST_SAMPLE = 24, GREEDY_SAMPLE = 16 };
#define HIDDEN_PIECE UINT64_C(0x5EC2E7)
#define VALUE_BITS 20

/* One action of a tree, and the node that it leads to; the first ones are the roots. */
typedef struct {
    U key;                           /* the action as the tree's observer sees it */
    int32_t parent, first, next;     /* the node it starts from; its first child; the next child of its parent */
    int32_t children, hint;          /* how many children; at which index it was offered last */
    int32_t visits, available, choices; /* times it was taken; could be taken; a choice was made behind it */
    W value;                         /* sum of the mover's utilities, of VALUE_BITS */
    W regret, share;                 /* where seats choose at once by regret matching: its regret, of VALUE_BITS, but for what
                                        `common_of` has; the sum of its probabilities, of VALUE_BITS */
} Edge;

/* A choice of the record. `next`: pieces that the seat saw leave places that it does not see into, before the next choice. */
typedef struct {
    U key, loose, shown;             /* the action; without numbers of individuals; as the seat saw it */
    U world;                         /* what the world has for it, where the seat does not know */
    int32_t decision, seat;
    int32_t guess, first_guess;      /* at which index it was offered last; and when the record was made, if it is known */
    int32_t events;                  /* how many there were before it */
    int32_t pieces, zone[MOST_PIECES], item[MOST_PIECES];
    bool known;                      /* whether the seat knows exactly this action */
    bool guessed;                    /* whether `pieces` were seen only after further choices of the same seat */
    bool redrawn;                    /* whether the proposal at hand draws it again */
    int32_t alike, likely;           /* options of the world that look like it, and those of them that are drawn from; 0: not counted */
    int32_t now_alike, now_likely;   /* of this run */
    int16_t *needed;                 /* by label: how many the chooser must have afterwards, as it was seen to use them */
} Choice;

/* A draw of a world whose outcome the seat does not learn at once. */
typedef struct {
    W world, now;                    /* the outcome in the world, if `set`; the one of this run */
    int32_t epoch, origin;           /* the pool, and the zone of that */
    int32_t lies, next;              /* where its piece lies; the draw before it of the same item */
    int32_t into;                    /* the hidden zone that its piece came to first, in this run or the last one; -1 */
    bool set, moved, seen, piece;
    bool free;                       /* whether the seat has not learnt it by now */
    bool needed, untold;             /* it was drawn because it is seen there later; without knowing where it goes */
} Draw;

/* An event that the seat saw, and what it knows of it: a piece that left a zone (`from`), or an outcome. */
typedef struct {
    U hash;
    W item;
    int32_t kind, from, epoch, put, into; /* `epoch`: of that zone; `put`: of the hidden zone that it comes to, `into`; else -1 */
    int32_t source;                  /* the zone that a piece left, seen or not; -1 where not even that is seen */
} Seen;

typedef struct { U key; W visits, value; } Average;

/* An edge of an iteration's path, and whose it was. `common`: see `regret_choice`; -1: none. */
typedef struct { int32_t edge, seat, common; W share, taken; } Passed;

/* A decision of a rollout whose options are tried one by one (search.h). */
typedef struct {
    State state;
    W *frames;
    W seat, total, chosen;           /* whose options, and how many; the one that is taken where the game goes on */
    bool resumes, trial;             /* whether the game is to go on from there; whether only to its next decision */
} Greedy;

/* How far a run has come along the record, and what it knows there. */
typedef struct {
    W step, in_step;                 /* choices; draws since the last of them */
    W draw;                          /* hidden draws; while the record is made all draws */
    W at, ahead;                     /* events; draws since the last of them */
    W trace_count;
    W open;                          /* secrets so far, but for pieces that the seat saw since or that came back to where they were drawn */
    W settled;                       /* the last decision at which none was open */
    U hash;                          /* of the events */
    int32_t shuffles[INSTANCES + 1];
    bool uncertain[INSTANCES + 1];   /* whether pieces went there, or from there, that the seat did not see */
    int32_t holder[ITEMS + 1];       /* the last hidden draw of an item that is still hidden */
} Run;

/* A decision of the past that runs may begin at. */
typedef struct {
    Run run;
    State state;
    W *frames;                       /* NULL: there is none */
    int16_t *items;                  /* by epoch and label: how many known draws are still to come */
} Checkpoint;

/* The past up to the last decision before which nothing is unknown: all worlds share it, so that runs begin there. */
typedef struct {
    bool sought, whole;              /* whether it was looked for since the record was made; whether all of the past is known */
    bool hidden;                     /* while it is looked for: whether a draw ended it, not a choice */
    Checkpoint end;
} Prefix;

struct Search {
    int mode, policy;
    W watcher, observers;            /* whose knowledge this is; how many trees: 1 or one for each seat */
    W score_share;                   /* how much of a utility is for the lead, of 256 */
    U rng;
    /* the record */
    Choice *choices;
    Seen *seen;
    const W *truth;                  /* while it is made: outcomes of all draws */
    W choice_count, seen_count, seen_room, truth_count;
    U view;
    int16_t *known_items, *reserved; /* by epoch and label: how many known draws are still to come */
    /* the world */
    Draw *draws;
    W draw_room, world_draws;
    /* the run */
    Run run;
    U subjects, seed;
    W zone, index;                   /* where a piece becomes known */
    W secretly, bottom, private_draw, piece_draw, site;
    W failed_step, failed_at, wrong, right; /* how far it came; the piece that was seen, and the one that was to be seen */
    W wrong_zone;                    /* where that left */
    /* the choice at hand */
    int phase;
    W decision, seat, total, index_wanted, picked, candidates, best;
    U key, loose, shown[PARTIES], chosen_shown[PARTIES], chosen_key;
    bool showing;
    W first_shown, end_shown;        /* for which observers: while the record is followed the searching seat alone */
    U keys[MOST_KEYS];
    W places[MOST_KEYS], listed;
    W hidden_zone[MOST_PIECES], hidden_item[MOST_PIECES], hidden;
    W hidden_here;
    W least_lack;                    /* of all options that look like the one that was made, where they are counted */
    W lack;                          /* of the best option so far: how many pieces would be missing later */
    W instead, offers;               /* an item of which unseen options are made that lack something, any of them; how many there are */
    bool at_once;                    /* whether some of those that choose at once have chosen */
    U together;                      /* what was chosen so far by those that choose at once */
    U together_shown[PARTIES];
    /* the trees */
    Edge *edges;
    W edge_count, edge_room;
    int32_t *table;                  /* edges by parent and key; a power of two */
    W table_size;
    W node[PARTIES];                 /* where each observer is; -1: outside of its tree */
    W root[PARTIES];
    W path_length;
    Passed path[MOST_KEYS];
    Passed *waiting;                 /* the paths to leaves whose values are still to come, one after the other */
    W waiting_count, waiting_room, leaf_count, leaf_room;
    W *leaf_end;                     /* where each of them ends */
    bool at_leaf;                    /* whether the last iteration came to such a leaf */
    W depth_left;
    W exploration;                   /* of VALUE_BITS */
    bool regret;                     /* whether seats that choose at once do so by regret matching, not by UCB1 */
    W logs[4097];                    /* natural logarithms, of 16 bits */
    Average *mast;
    struct { U key; W seat; } played[1 << 12];
    W played_count;
    W lead_scale;                    /* mean of leads, of 8 bits */
    W runs, rejected, repeated, failures; /* iterations; worlds that did not fit; worlds used again; games that failed */
    W tries[4], fits[4];             /* of proposals of each sort */
    int kind;                        /* of the proposal at hand */
    bool exact;                      /* whether what was seen to come up in a hidden place may also not have come up */
    bool strict;                     /* whether a world is played as it is, or not at all */
    bool guided;                     /* whether a first world is sought: draws give what is seen to be used later */
    W *trace, trace_room;            /* of a run: 0 and an outcome, or 1 and the index of an option; room 0: none */
    bool probing, stopping;          /* whether a run ends where the tree would begin; with its frames */
    Greedy greedy;
    W stop;                          /* the number of the choice that runs of the record end before */
    bool prefixing;                  /* whether a run ends at the first thing that is not known */
    Prefix prefix;
    Checkpoint recorded;             /* the true game at the end of the record: only a longer record of it goes on from there */
    bool secrets;                    /* whether games begin at the start, and worlds are needed */
    struct Kept *bases;              /* worlds that others are made of */
    U copies;                        /* which of several copies come up where a draw is known by what it is called; 0: the first ones */
    Checkpoint fixed;                /* in the world at hand; what lies before is drawn again more seldom (`fix_past`) */
    bool thorough;                   /* whether runs begin before that all the same */
    bool has_world, begun;           /* whether there is a world; whether that of an earlier state is begun with */
    W lowest, highest;               /* declared payoffs so far */
};

KEPT void trace(Search *s, W what, W value) {
    if (LIKELY(s->trace_room == 0) || s->run.trace_count + 2 > s->trace_room) return;
    s->trace[s->run.trace_count++] = what;
    s->trace[s->run.trace_count++] = value;
}

KEPT inline U mixed(U x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

KEPT inline U dice(Search *s) { return mixed(s->rng += 0x9E3779B97F4A7C15u); }
KEPT inline W below(Search *s, W n) { return (W)((Wide)dice(s) * (U)n >> 64); }

KEPT inline Search *search_of(G *g) { return g->search; }

/* ---- what the seat sees (rulelang/runtime/sight.py) ---- */

/* The seat would notice, or the rules do not let it be: this world is none. */
COLD _Noreturn static void mismatch(G *g, W wrong, W right) {
    Search *const s = g->search;
    s->wrong = wrong;
    s->right = right;
    fail(g, -3);
}

KEPT inline bool sees_item(const G *g, W seat, W zone, W item) {
    if (zone < 0) return false;
    const int sight = zone_sight[seat][zone];
    if (sight == ALL_SEEN) return true;
    const W n = g->s.length[zone];
    return sight == TOP_SEEN && n && lying_at(g, zone, n - 1, zone_form[zone]) == item;
}

KEPT inline W zone_of_piece(const G *g, W piece) {
    const W item = piece & ITEM_MASK;
    return item_identity[item] ? (W)g->s.where[item] : piece >> ZONE_SHIFT;
}

/* Which pool a hidden zone is now: it is another one after each shuffle. */
KEPT inline W epoch_of(const Search *s, W zone) { return (zone + s->run.shuffles[zone] * INSTANCES) & (MOST_EPOCHS - 1); }

/* One more event that the seat saw; `item`: the piece that was seen to leave the zone `from`, or a number (`from` -1). */
static void saw_this(G *g, W kind, U what, W source, W from, W item, W put, W into) {
    Search *const s = g->search;
    s->run.hash = mixed(s->run.hash ^ what);
    s->run.ahead = 0;
    if (s->mode == RECORDS) {
        if (s->seen_count == s->seen_room) {
            s->seen_room = 2 * s->seen_room + 256;
            s->seen = realloc(s->seen, (size_t)s->seen_room * sizeof(Seen));
        }
        const W epoch = from >= 0 ? epoch_of(s, from) : 0;
        s->seen[s->seen_count++] = (Seen){s->run.hash, item, (int32_t)kind, (int32_t)from, (int32_t)epoch, (int32_t)put, (int32_t)into, (int32_t)source};
    } else if (UNLIKELY(s->run.at >= s->seen_count || s->seen[s->run.at].hash != s->run.hash)) {
        const bool piece = s->run.at < s->seen_count && kind == MOVED && item >= 0 && s->seen[s->run.at].from == from;
        s->wrong_zone = from;
        mismatch(g, piece ? item : -1, piece ? s->seen[s->run.at].item : -1);
    }
    s->run.at++;
}

KEPT inline void saw(G *g, U what) { saw_this(g, 0, what, -1, -1, -1, -1, -1); }

KEPT inline U event(U kind, U a, U b, U c) { return mixed(mixed(mixed(kind ^ a << 8) ^ b) ^ c); }

/* Follows the hidden draw that brought a piece until the seat learns which piece it is (`to` -1), or it is shuffled. */
static void follow(G *g, W from, W to, W item, bool shown) {
    Search *const s = g->search;
    int32_t *at = &s->run.holder[item_label[item]], *link = NULL;
    for (; *at >= 0 && link == NULL; at = &s->draws[*at].next)
        if (s->draws[*at].lies == from) link = at;
    if (link == NULL) return;
    Draw *const draw = &s->draws[*link];
    if (to >= 0 && !shown) {
        if (!draw->moved) draw->into = (int32_t)to;
        draw->lies = (int32_t)to;
        draw->moved = true;
        return;
    }
    *link = draw->next;
    draw->seen = shown;
    s->run.open -= shown || draw->origin == from;
}

static void saw_move(G *g, W from, W to, W item, bool on_top, bool was_empty) {
    Search *const s = g->search;
    const uint8_t *const sight = zone_sight[s->watcher];
    const int source = sight[from], target = sight[to];
    const bool shown = item >= 0 && (target == ALL_SEEN || (target == TOP_SEEN && (!s->bottom || was_empty)) ||
                                     (!s->secretly && (source == ALL_SEEN || (source == TOP_SEEN && on_top))));
    if (shown) {
        follow(g, from, to, item, true);
    } else if (item >= 0) {
        follow(g, from, to, item, false);
        s->run.uncertain[from] = s->run.uncertain[to] = true;
    }
    if (source == UNSEEN && target == UNSEEN && !shown) return;
    W below = 0;
    const W n = g->s.length[from];
    if (source == TOP_SEEN && n) {
        const W top = lying_at(g, from, n - 1, zone_form[from]);
        below = top >= 0 ? 1 + item_label[top] : 0;
    }
    saw_this(g, MOVED, event(1, (U)(source != UNSEEN ? from + 1 : 0), (U)(target != UNSEEN ? to + 1 : 0),
                             (U)(shown ? item_label[item] + 1 : 0) << 32 | (U)below << 1 | (U)s->secretly),
             source != UNSEEN ? from : -1, shown ? from : -1, shown ? item_label[item] : -1, shown && target != ALL_SEEN ? epoch_of(s, to) : -1,
             target != ALL_SEEN && (shown || target != UNSEEN) ? to : -1);
}

KEPT bool piece_cell_seen(const G *g, W seat, W cell, W zone) {
    const int who = piece_sight[cell];
    const W item = cell_item[cell], owner = item_seat[item] >= 0 ? item_seat[item] : zone_owner[zone];
    return who == 1 || (who > 1 && owner >= 0 && (who == 2) == (owner == seat));
}

static void saw_cell(G *g, W cell, W old) {
    Search *const s = g->search;
    const W new = g->s.v[cell], item = cell_item[cell];
    if (old == new) return;
    if (item < 0) {
        if (!cell_sight[s->watcher][cell]) return;
        saw(g, event(2, (U)cell, (U)old, (U)new));
        return;
    }
    const W zone = g->s.where[item];
    if (!sees_item(g, s->watcher, zone, item) || !piece_cell_seen(g, s->watcher, cell, zone)) return;
    saw(g, event(3, (U)(cell - item) ^ (U)item_label[item] << 32, (U)old, (U)new));
}

KEPT W *a_copy_of_cells(G *g) {
    W *const copy = alloc(g, VARIABLES);
    memcpy(copy, g->s.v, VARIABLES * sizeof(W));
    return copy;
}

static void saw_cells(G *g, const W *before) {
    for (W cell = 0; cell < VARIABLES; cell++)
        if (before[cell] != g->s.v[cell]) saw_cell(g, cell, before[cell]);
}

static void saw_shuffle(G *g, W zone) {
    Search *const s = g->search;
    if (zone_form[zone] != COUNTS)
        for (W i = 0; i < g->s.length[zone]; i++) {
            const W item = contents(g, zone)[i];
            if (item >= 0) follow(g, zone, -1, item, false);
        }
    s->run.shuffles[zone]++;
    if (zone_sight[s->watcher][zone] != UNSEEN) saw(g, event(4, (U)zone, 0, 0));
}

KEPT inline void saw_plain(G *g, U kind, W a, W b) { saw(g, event(kind, (U)a, (U)b, 0)); }

/* All that the seat sees of the state now. */
static U view_hash(const G *g, W seat) {
    U hash = mixed((U)g->s.out ^ (U)g->s.turns << 20);
    for (W cell = 0; cell < VARIABLES; cell++)
        if (cell_item[cell] < 0 && cell_sight[seat][cell]) hash = mixed(hash ^ (U)g->s.v[cell]);
    for (W zone = 0; zone < INSTANCES; zone++) {
        const int sight = zone_sight[seat][zone];
        if (sight == UNSEEN) continue;
        const W n = g->s.length[zone];
        U sum = mixed((U)n ^ (U)zone << 32);
        for (W i = sight == ALL_SEEN ? 0 : sight == TOP_SEEN && n ? n - 1 : n; i < n; i++) {
            const W item = lying_at(g, zone, i, zone_form[zone]);
            U piece = item < 0 ? 7 : mixed((U)item_label[item]);
            if (item >= 0 && item_identity[item])
                for (W k = 0; k < item_cells[item][0]; k++) {
                    const W cell = item_cells[item][1 + k];
                    if (piece_cell_seen(g, seat, cell, zone)) piece = mixed(piece ^ (U)g->s.v[cell]);
                }
            sum += mixed(piece + (zone_form[zone] == PILED ? (U)i << 40 : 0)); /* of bags in any order */
        }
        hash = mixed(hash ^ sum);
    }
    return hash;
}

/* ---- draws ---- */

/* What the seat learns next, if it is an outcome of this sort: then this draw came to that. The draws that follow each other
   before the next event come to what the next events tell in turn. */
KEPT const Seen *told_next(Search *s, W kind, W zone) {
    const W at = s->run.at + s->run.ahead;
    const Seen *const seen = at < s->seen_count ? &s->seen[at] : NULL;
    if (seen == NULL || (seen->kind != kind && (kind != PIECE_DRAWN || seen->kind != MOVED))) return NULL;
    return seen->from == zone && seen->item >= 0 ? seen : NULL;
}

/* The true outcome, while the record is made. */
KEPT W true_outcome(G *g) {
    Search *const s = g->search;
    if (UNLIKELY(s->run.draw >= s->truth_count)) mismatch(g, -1, -1);
    return s->truth[s->run.draw++];
}

/* The next draw whose outcome the seat does not learn at once. */
KEPT Draw *hidden_draw(G *g) {
    Search *const s = g->search;
    if (s->prefixing) {
        s->prefix.hidden = true;
        mismatch(g, -1, -1);
    }
    if (s->run.draw == s->draw_room) {
        s->draw_room = 2 * s->draw_room + 64;
        s->draws = realloc(s->draws, (size_t)s->draw_room * sizeof(Draw));
    }
    if (s->run.draw >= s->world_draws) s->draws[s->world_draws++] = (Draw){.into = -1};
    Draw *const draw = &s->draws[s->run.draw++];
    draw->moved = draw->seen = draw->piece = false;
    draw->lies = -1;
    return draw;
}

/* A piece lies there, and the seat does not know that it is this one. */
KEPT void hide(Search *s, Draw *draw, W item, W zone) {
    const W label = item_label[item];
    draw->piece = true;
    draw->epoch = (int32_t)epoch_of(s, zone);
    draw->lies = draw->origin = (int32_t)zone;
    draw->next = s->run.holder[label];
    s->run.open++;
    s->run.holder[label] = (int32_t)(draw - s->draws);
}

/* The same number for the same draw of the same world. */
static W world_dice(const Search *s, W n) {
    const U x = mixed(s->seed ^ mixed((U)s->run.step << 20 ^ (U)s->run.in_step));
    return (W)((Wide)x * (U)n >> 64);
}

static W replayed_number(G *g, W low, W high) {
    Search *const s = g->search;
    const Seen *const seen = s->private_draw ? NULL : told_next(s, NUMBER_DRAWN, -1);
    W value;
    s->run.in_step++;
    if (s->mode == RECORDS) {
        value = true_outcome(g);
    } else if (!s->private_draw) {
        if (seen == NULL) mismatch(g, -1, -1);
        value = seen->item;
    } else {
        Draw *const draw = hidden_draw(g);
        value = draw->set && draw->world >= low && draw->world <= high ? draw->world : low + world_dice(s, high - low + 1);
        draw->now = value;
        s->run.open++; /* for good */
    }
    if (UNLIKELY(value < low || value > high)) mismatch(g, -1, -1);
    trace(s, 0, value);
    if (!s->private_draw) saw_this(g, NUMBER_DRAWN, event(5, (U)s->site, (U)value, 0), -1, -1, value, -1, -1);
    return value;
}

static W replayed_element(G *g, W set) {
    Search *const s = g->search;
    const W n = COUNT(set);
    const W zone = s->piece_draw ? zone_of_piece(g, AT(set, 0)) : -1;
    const Seen *const seen = s->private_draw ? NULL : told_next(s, s->piece_draw ? PIECE_DRAWN : ELEMENT_DRAWN, zone);
    const bool by_label = s->piece_draw && s->mode != RECORDS;
    Draw *draw = NULL;
    W index = -1, wanted = -1;
    bool any = false;
    s->run.in_step++;
    s->run.ahead += s->piece_draw;
    if (s->mode == RECORDS) wanted = true_outcome(g);
    else if (seen) wanted = seen->item;
    else draw = hidden_draw(g), any = !draw->set, wanted = draw->world;
    const U lot = mixed(s->copies ^ mixed((U)s->run.step << 20 ^ (U)s->run.in_step));
    for (W i = 0, copies = 0; !any && i < n && (index < 0 || (by_label && s->copies)); i++)
        if ((by_label ? item_label[AT(set, i) & ITEM_MASK] : AT(set, i)) == wanted && !(mixed(lot ^ (U)i) % (U)++copies)) index = i;
    if (index < 0 && draw == NULL) mismatch(g, -1, -1);
    if (index < 0) index = world_dice(s, n);
    /* How likely it was to come up hangs on the world: as likely, the world is kept. */
    if (seen && s->piece_draw && s->exact && s->run.uncertain[zone] &&
        item_label[AT(set, world_dice(s, n)) & ITEM_MASK] != wanted)
        mismatch(g, -1, -1);
    const W value = AT(set, index), item = value & ITEM_MASK;
    if (draw) draw->now = s->piece_draw ? item_label[item] : value;
    if (draw && s->piece_draw) hide(s, draw, item, zone_of_piece(g, value));
    else if (draw) s->run.open++; /* for good */
    trace(s, 0, value);
    if (s->piece_draw ? sees_item(g, s->watcher, zone_of_piece(g, value), item) : !s->private_draw) {
        const W told = s->piece_draw ? item_label[item] : value;
        saw_this(g, s->piece_draw ? PIECE_DRAWN : ELEMENT_DRAWN, event(6, (U)s->site, (U)told, 0), -1, zone, told, -1, -1);
    }
    return value;
}

KEPT inline W in_pool(const G *g, W pool, W index) {
    return COUNTED_POOLS ? POOL_ITEM + index : (W)g->s.members[g->s.pool_start[pool] + index];
}

/* The index of an item of a pool that is called so (counted pools: its place); -1 for none. */
static W index_in_pool(const G *g, W pool, W label) {
    if (COUNTED_POOLS) {
        const W place = label - POOL_ITEM;
        return place >= 0 && place < 8 && g->s.pool_counts[pool] >> 8 * place & 255 ? place : -1;
    }
    for (W i = 0; i < g->s.pool_length[pool]; i++)
        if (item_label[in_pool(g, pool, i)] == label) return i;
    return -1;
}

/* A random item of a pool, all pieces equally likely, but for copies reserved for draws that the seat knows to come. */
static W free_in_pool(const G *g, W pool, const int16_t *reserved) {
    const Search *const s = g->search;
    const W n = g->s.pool_length[pool];
    U x = mixed(s->seed ^ mixed((U)s->run.step << 20 ^ (U)s->run.in_step));
    const bool any = !(mixed(x) & 7); /* what is reserved is a guess: the piece may have come back unseen */
    for (W attempt = 0; attempt < 256; attempt++, x = mixed(x)) {
        W index = (W)((Wide)x * (U)n >> 64), copy = 0;
        if (COUNTED_POOLS) {
            W place = 0;
            U counts = g->s.pool_counts[pool];
            for (; index >= (W)(counts & 255); counts >>= 8, place++) index -= (W)(counts & 255);
            copy = index;
            index = place;
        } else {
            const W label = item_label[in_pool(g, pool, index)];
            while (copy < index && item_label[in_pool(g, pool, index - copy - 1)] == label) copy++;
        }
        if (any || copy >= reserved[item_label[in_pool(g, pool, index)]]) return index;
    }
    return COUNTED_POOLS ? (W)lowest(g->s.pool_counts[pool]) : 0;
}

/* What was seen to leave a hidden zone from now on and neither lies there nor was seen to come: adds it up by item. Whether
   all that comes there unseen from a source must be of it (Hall's condition: at some moment as much is lacking as has come by
   then); `until_then`: what is lacking by that moment alone. `copies`: what may come from there. */
static bool lacking(const G *g, W zone, W source, const int16_t *copies, bool until_then, int16_t *lack) {
    const Search *const s = g->search;
    int16_t left[ITEMS + 1];
    W comes = 0, lacks = 0;
    bool tight = false;
    memset(left, 0, sizeof left);
    for (W i = 0; i < g->s.length[zone]; i++) {
        const W item = lying_at(g, zone, i, zone_form[zone]);
        if (item >= 0) left[item_label[item]]++;
    }
    for (W i = 0; i < s->run.draw; i++)
        if (s->draws[i].piece && !s->draws[i].moved && s->draws[i].into == zone) {
            left[s->draws[i].now]++;
            comes -= s->draws[i].lies == source;
        }
    for (W at = s->run.at; at < s->seen_count && !(tight && until_then); at++) {
        const Seen *const seen = &s->seen[at];
        if (seen->kind != MOVED) continue;
        if (seen->into == zone && seen->item < 0) /* other pools have other pieces, other places may have the same */
            comes += seen->source == source || seen->source < 0 || !zone_pooled[seen->source];
        else if (seen->into == zone) left[seen->item]++;
        if (seen->from != zone || seen->item < 0) continue;
        if (left[seen->item]) left[seen->item]--;
        else if (copies[seen->item]) lack[seen->item]++, lacks++;
        tight |= lacks && lacks >= comes;
    }
    return tight;
}

/* What comes up in a pool unseen, and goes to the hidden zone of this draw: what must come there now, else something that no
   known draw and no other hidden zone needs. Its index. */
static W guided_in_pool(G *g, W pool, Draw *draw, const int16_t *reserved) {
    Search *const s = g->search;
    int16_t lack[ITEMS + 1], claims[ITEMS + 1], copies[ITEMS + 1];
    bool asked[INSTANCES + 1];
    memset(lack, 0, sizeof lack);
    memset(copies, 0, sizeof copies);
    for (W i = 0; i < (COUNTED_POOLS ? 8 : g->s.pool_length[pool]); i++)
        if (!COUNTED_POOLS || g->s.pool_counts[pool] >> 8 * i & 255) copies[item_label[in_pool(g, pool, i)]] = 1;
    s->run.draw--; /* without this one */
    draw->needed = lacking(g, draw->into, s->zone, copies, true, lack);
    memcpy(claims, reserved, sizeof claims);
    memset(asked, 0, sizeof asked);
    asked[draw->into] = true;
    for (W i = s->run.draw; i < s->world_draws && !draw->needed; i++) {
        const W zone = s->draws[i].into;
        if (zone < 0 || asked[zone]) continue;
        asked[zone] = true;
        lacking(g, zone, s->zone, copies, false, claims);
    }
    s->run.draw++;
    if (!draw->needed) return free_in_pool(g, pool, claims);
    U x = mixed(s->seed ^ mixed((U)s->run.step << 20 ^ (U)s->run.in_step) ^ 1);
    W drawn = -1, fits = 0;
    for (W label = 0; label < ITEMS; label++) {
        if (!lack[label]) continue;
        const W index = index_in_pool(g, pool, label);
        x = mixed(x);
        fits += lack[label];
        if (index >= 0 && (W)(x % (U)fits) < lack[label]) drawn = index;
    }
    return drawn;
}

static void becomes_known(G *g, W zone, W index) {
    g->search->zone = zone;
    g->search->index = index;
}

/* Which of a pool becomes known: its index there. */
static W replayed_index(G *g, W pool) {
    Search *const s = g->search;
    const W zone = s->zone, epoch = epoch_of(s, zone);
    int16_t *const reserved = s->reserved + epoch * (ITEMS + 1);
    const int sight = zone_sight[s->watcher][zone];
    const bool shown = sight == ALL_SEEN || (sight == TOP_SEEN && s->index == g->s.length[zone] - 1);
    const Seen *const seen = told_next(s, PIECE_DRAWN, zone);
    Draw *draw = NULL;
    W index;
    s->run.in_step++;
    s->run.ahead++;
    if (s->mode == RECORDS) {
        index = index_in_pool(g, pool, true_outcome(g));
        if (UNLIKELY(index < 0)) mismatch(g, -1, -1);
    } else if (seen) {
        index = index_in_pool(g, pool, seen->item);
        if (UNLIKELY(index < 0)) mismatch(g, -2, seen->item);
        if (reserved[seen->item] > 0) reserved[seen->item]--;
    } else {
        draw = hidden_draw(g);
        index = draw->set ? index_in_pool(g, pool, draw->world) : -1;
        if (index >= 0 && draw->epoch == epoch && reserved[draw->world] > 0) reserved[draw->world]--;
        if (index < 0 && draw->set && s->strict) mismatch(g, -1, -1);
        if (index < 0 && s->guided) {
            draw->untold = draw->into < 0;
            if (!draw->untold) index = guided_in_pool(g, pool, draw, reserved);
        }
        if (index < 0) /* the first of those that are called the same stands for all */
            index = index_in_pool(g, pool, item_label[in_pool(g, pool, free_in_pool(g, pool, reserved))]);
    }
    const W item = in_pool(g, pool, index), label = item_label[item];
    trace(s, 0, item);
    if (draw) {
        draw->now = label;
        hide(s, draw, item, zone);
    }
    if (shown) saw_this(g, PIECE_DRAWN, event(7, (U)zone, (U)s->index, (U)label), -1, zone, label, -1, -1);
    return index;
}

/* ---- actions ---- */

static void value_key(G *g, W form, W piece, W value, bool whole);

KEPT inline void key_word_of(Search *s, U word) {
    s->key = mixed(s->key ^ word);
    s->loose = mixed(s->loose ^ word);
    if (s->showing)
        for (W o = s->first_shown; o < s->end_shown; o++) s->shown[o] = mixed(s->shown[o] ^ word);
}

/* One piece (`piece`: 1 a piece, 2 a reaction of one), or another single value (0). */
static void scalar_key(G *g, W piece, W value) {
    Search *const s = g->search;
    const W handle = piece == 2 ? (value & 0xFFFFFFFF) - 1 : value;
    if (!piece || value < 0 || handle < 0) {
        key_word_of(s, (U)value);
        return;
    }
    const W item = handle & ITEM_MASK, zone = zone_of_piece(g, handle);
    const U called = (U)item_label[item] ^ (U)zone << 20;
    s->key = mixed(s->key ^ (U)value);
    s->loose = mixed(s->loose ^ called);
    if (!s->showing) return;
    for (W o = s->first_shown; o < s->end_shown; o++) {
        const bool seen = o == s->seat || sees_item(g, o, zone, item);
        s->shown[o] = seen ? mixed(s->shown[o] ^ called) : s->shown[o] + HIDDEN_PIECE; /* in any order */
        if (!seen && o == s->watcher) {
            if (s->hidden < MOST_PIECES) s->hidden_zone[s->hidden] = zone, s->hidden_item[s->hidden] = item;
            s->hidden++;
        }
    }
}

/* `whole`: the shape of the value is a part of the key. */
static void value_key(G *g, W form, W piece, W value, bool whole) {
    Search *const s = g->search;
    if (forms[form].sort == WORD || nowhere(value)) {
        scalar_key(g, forms[form].sort == WORD ? piece : 0, value);
        return;
    }
    const W *const from = LIST(value);
    const W width = forms[form].width, inner = forms[form].inner;
    switch (forms[form].sort) {
    case FIXED:
        for (W i = 0; i < width; i++) key_word_of(s, (U)from[i]);
        return;
    case PRICE:
        for (W i = 0; i < width + 1 + 3 * from[width]; i++) key_word_of(s, (U)from[i]);
        return;
    default:
        key_word_of(s, (U)from[0]);
        for (W i = 1; i <= from[0]; i++) value_key(g, inner, forms[form].sort == PAYMENT ? 0 : piece, from[i], whole);
    }
}

KEPT void begin_key(G *g, W item) {
    Search *const s = g->search;
    s->key = s->loose = mixed((U)(item + 2));
    s->hidden = 0;
    for (W o = s->first_shown; s->showing && o < s->end_shown; o++) s->shown[o] = s->key;
}

KEPT void subject(G *g, W piece) {
    Search *const s = g->search;
    const bool seen = KNOWS_SUBJECTS && piece >= 0 && sees_item(g, s->watcher, zone_of_piece(g, piece), piece & ITEM_MASK);
    s->subjects = mixed(s->subjects ^ (U)(piece < 0 ? piece : seen ? item_label[piece & ITEM_MASK] + 1 : 0));
}

/* ---- the trees ---- */

KEPT inline U slot_of(const Search *s, W parent, U key) { return mixed(key ^ (U)parent << 32) & (U)(s->table_size - 1); }

KEPT W child_of(const Search *s, W parent, U key) {
    for (U at = slot_of(s, parent, key); s->table[at] >= 0; at = (at + 1) & (U)(s->table_size - 1)) {
        const Edge *const edge = &s->edges[s->table[at]];
        if (edge->key == key && edge->parent == parent) return s->table[at];
    }
    return -1;
}

KEPT void file_edge(Search *s, W number) {
    U at = slot_of(s, s->edges[number].parent, s->edges[number].key);
    while (s->table[at] >= 0) at = (at + 1) & (U)(s->table_size - 1);
    s->table[at] = (int32_t)number;
}

/* A new edge; -1: there is no room. */
KEPT W new_edge(Search *s, W parent, U key, W hint) {
    if (s->edge_count == s->edge_room) return -1;
    const W number = s->edge_count++;
    s->edges[number] = (Edge){.key = key, .parent = (int32_t)parent, .first = -1, .next = -1, .hint = (int32_t)hint};
    if (parent >= 0) {
        s->edges[number].next = s->edges[parent].first;
        s->edges[parent].first = (int32_t)number;
        s->edges[parent].children++;
        file_edge(s, number);
    }
    return number;
}

KEPT void walk(Search *s, W observer, U key) {
    const W here = s->node[observer];
    if (here < 0) return;
    W to = child_of(s, here, key);
    if (to < 0) to = new_edge(s, here, key, -1);
    s->node[observer] = to;
}

KEPT inline W root_of_square(U x) { return (W)__builtin_sqrt((double)x); }

/* The exploration term of UCB1, c * sqrt(ln(available) / visits), of VALUE_BITS. */
KEPT W bonus(const Search *s, W available, W visits) {
    W more = 0;
    while (available > 4096) available >>= 1, more += 45426; /* ln 2 */
    return root_of_square((U)(s->logs[available] + more) * (UINT64_C(1) << 24) / (U)visits) * s->exploration >> VALUE_BITS;
}

KEPT inline U edge_key(const Search *s, W i, bool at_once) { return at_once ? mixed(s->keys[i] ^ (U)s->seat) : s->keys[i]; }

KEPT void go_down(Search *s, W edge, W common, W share, W taken) {
    if (edge < 0 || s->path_length == MOST_KEYS) return;
    s->path[s->path_length++] = (Passed){(int32_t)edge, (int32_t)s->seat, (int32_t)common, share, taken};
}

/* Regret matching (Hart and Mas-Colell 2000) on sampled utilities: each option as likely as its regret, if that is above 0, and
   some of the time any. What all options of a seat's have in common, what they gained less than was expected, is kept once, as the
   regret of an edge of its own, with the mean utility there: an index into what is listed, -1: options are still to be tried. */
static W regret_choice(Search *s, W here) {
    W sum = 0, count = 0, drawn = -1, place = -1;
    W common = child_of(s, here, mixed(~(U)s->seat));
    if (common < 0) common = new_edge(s, here, mixed(~(U)s->seat), -1);
    if (common < 0) return -1;
    for (W i = 0; i < s->listed; i++) {
        const W edge = child_of(s, here, edge_key(s, i, true));
        if (edge < 0) continue;
        count++;
        sum += greatest(s->edges[edge].regret + s->edges[common].regret, 0);
    }
    if (!count) return -1;
    const W any = (INT64_C(4) << VALUE_BITS) / root_of_square((U)s->edges[common].visits + 16);
    W point = below(s, INT64_C(1) << VALUE_BITS) < any || !sum ? -1 - below(s, count) : below(s, sum);
    W taken_share = 0;
    for (W i = 0; i < s->listed; i++) {
        const W edge = child_of(s, here, edge_key(s, i, true));
        if (edge < 0) continue;
        Edge *const e = &s->edges[edge];
        const W regret = greatest(e->regret + s->edges[common].regret, 0);
        const W share = sum ? (W)(((Wide)(U)regret << VALUE_BITS) / (U)sum) : (INT64_C(1) << VALUE_BITS) / count;
        e->available++;
        e->share += share;
        e->hint = (int32_t)s->places[i];
        const bool here_now = place < 0 && (point < 0 ? ++point == 0 : point < regret);
        if (here_now) place = i, drawn = edge, taken_share = share;
        else if (point >= 0) point -= regret;
    }
    const W taken = (((INT64_C(1) << VALUE_BITS) - any) * taken_share >> VALUE_BITS) + any / count;
    go_down(s, drawn, common, taken_share, greatest(taken, 1));
    return place;
}

/* Chooses among what is listed: an index into `places`. */
static W tree_choice(G *g) {
    Search *const s = g->search;
    const W tree = s->observers == 1 ? 0 : s->seat, here = s->node[tree];
    const bool at_once = choice_flags[s->decision] & ALL_AT_ONCE;
    W fresh = -1, unexpanded = 0, legal = 0, best = -1, best_value = INT64_MIN, best_edge = -1;
    if (at_once && s->regret) {
        W known = 0;
        for (W i = 0; i < s->listed; i++) known += child_of(s, here, edge_key(s, i, true)) >= 0;
        const bool widens = known < s->listed && known < 16 + 2 * root_of_square((U)s->edges[here].choices);
        const W place = widens ? -1 : regret_choice(s, here);
        if (place >= 0) return s->edges[here].choices++, place;
    }
    for (W i = 0; i < s->listed; i++) {
        const W edge = child_of(s, here, edge_key(s, i, at_once));
        if (edge < 0) {
            if (!below(s, ++unexpanded)) fresh = i;
            continue;
        }
        legal++;
        Edge *const e = &s->edges[edge];
        e->available++;
        e->hint = (int32_t)s->places[i];
        W value = INT64_MAX;
        if (e->visits) {
            W more = bonus(s, e->available, e->visits);
            if (at_once) more = more * below(s, 256) >> 7; /* else seats whose numbers are equal choose in step for ever */
            value = e->value / e->visits + more;
        }
        if (value > best_value) best_value = value, best = i, best_edge = edge;
    }
    /* progressive widening: no more children than the visits are worth */
    const W most = 16 + 2 * root_of_square((U)s->edges[here].choices++);
    if (fresh >= 0 && (legal < most || best < 0)) {
        best = fresh;
        best_edge = new_edge(s, here, edge_key(s, fresh, at_once), s->places[fresh]);
        if (best_edge >= 0) s->edges[best_edge].available = 1;
        s->depth_left = 0;
    }
    if (best_edge < 0) s->depth_left = 0;
    go_down(s, best_edge, -1, 0, 0);
    return best;
}

/* ---- a decision ---- */

enum { GUESS, SCAN, LIST_ALL, LIST_SOME, SHOW, DONE };


KEPT bool leaves_tree(const Search *s, W seat) {
    return s->mode == TREE && !s->at_once && (!s->depth_left || s->node[s->observers == 1 ? 0 : seat] < 0);
}

/* Whether the game stops so that the options of a seat are tried, or that Python says what it is worth. Those that choose at once
   are not tried: they choose at random. */
static bool is_tried(G *g, W decision, W seat, W total) {
    Search *const s = g->search;
    Greedy *const greedy = &s->greedy;
    if (greedy->resumes) return greedy->resumes = false;
    if (greedy->trial) fail(g, -5);
    if (s->mode != ROLLOUT && !leaves_tree(s, seat)) return false;
    if (s->policy == GREEDY_POLICY && (total < 2 || choice_flags[decision] & ALL_AT_ONCE)) return false;
    s->mode = ROLLOUT;
    greedy->seat = seat, greedy->total = total;
    g->s.decisions--;
    g->step.stopped = ASKED;
    return true;
}

KEPT W logarithm(const Search *s, W x) { return s->logs[least(greatest(x, 1), 4096)]; }

/* Where runs along the record begin; NULL: at the start of the game. */
KEPT const Checkpoint *beginning(const Search *s) {
    if (s->fixed.frames && !s->thorough) return &s->fixed;
    return s->prefix.end.frames ? &s->prefix.end : NULL;
}

/* The first of the choices and hidden draws that a run comes to. */
KEPT W first_choice(const Search *s) { return beginning(s) ? beginning(s)->run.step : 0; }
KEPT W first_draw(const Search *s) { return beginning(s) ? beginning(s)->run.draw : 0; }

/* Whether the world that was proposed is kept, by how likely its choices are: each is as likely as any that looks like it, but was
   drawn from the likely ones of these, and those that are not drawn again stay (Metropolis-Hastings). A world that is drawn wholly anew
   is kept as often as it should have been drawn. */
static bool outweighs(Search *s) {
    W gained = 0;
    for (W i = first_choice(s); i < s->choice_count; i++) {
        const Choice *const choice = &s->choices[i];
        if (choice->known) continue;
        if (s->kind != FULL && !choice->alike) return true; /* the world before was found, not drawn */
        gained -= logarithm(s, choice->now_alike);
        if (choice->redrawn) gained += logarithm(s, choice->now_likely);
        if (s->kind != FULL) gained += logarithm(s, choice->alike) - (choice->redrawn ? logarithm(s, choice->likely) : 0);
    }
    return gained >= 0 || s->logs[1 + below(s, 4096)] - s->logs[4096] <= gained;
}

/* Whether the whole past was played as the seat knows it, and the game is to stop here; else the tree begins. */
static bool arrives(G *g, W decision, W seat, W total) {
    Search *const s = g->search;
    if (s->policy >= GREEDY_POLICY && !g->watched) return is_tried(g, decision, seat, total);
    if (LIKELY(!g->watched)) return false;
    if (!s->run.open) s->run.settled = s->run.step;
    if (s->run.step < s->stop) return false;
    if (s->stop < s->choice_count) {
        g->s.decisions--;
        g->step.stopped = ASKED;
        return true;
    }
    const U view = mixed(view_hash(g, s->watcher) ^ event(10, (U)decision, (U)seat, 0));
    if (s->mode == RECORDS) s->view = view;
    if (UNLIKELY(s->run.at != s->seen_count || view != s->view || (s->exact && !outweighs(s)))) mismatch(g, -1, -1);
    if (s->stopping) {
        g->s.decisions--;
        g->step.stopped = ASKED;
        return true;
    }
    if (s->probing) fail(g, -4);
    g->watched = false;
    g->s.rng = dice(s);
    s->mode = TREE;
    return false;
}

/* Begin a decision: set the phase in which its options are scanned; return whether they are, else one is drawn uniformly. */
static bool choosing(G *g, W decision, W seat, W total) {
    Search *const s = g->search;
    if (s->mode == ROLLOUT && s->policy != MAST_POLICY) {
        if (s->policy == UNIFORM_POLICY || total < 2 || choice_flags[decision] & ALL_AT_ONCE) return false;
        s->decision = decision;
        s->picked = s->greedy.chosen;
        s->phase = DONE;
        return true;
    }
    s->decision = decision;
    s->seat = seat;
    s->total = total;
    s->index_wanted = -1;
    s->picked = -1;
    s->candidates = 0;
    s->showing = false;
    if (s->mode == RECORDS || s->mode == REPLAYS) {
        Choice *const choice = &s->choices[s->run.step];
        if (choice->decision != decision || choice->seat != seat) mismatch(g, -1, -1);
        if (s->mode == REPLAYS && (s->run.at != choice->events || (s->prefixing && !choice->known))) mismatch(g, -1, -1);
        s->showing = true;
        s->first_shown = s->watcher, s->end_shown = s->watcher + 1;
        s->lack = INT64_MAX;
        s->instead = -1, s->offers = 0;
        choice->now_alike = choice->now_likely = 0;
        s->least_lack = INT64_MAX;
        s->phase = choice->guess < 0 || (s->exact && !choice->known) ? SCAN : GUESS;
        return true;
    }
    s->first_shown = 0, s->end_shown = PLAYERS;
    s->listed = 0;
    const bool inside = s->mode == TREE && s->node[s->observers == 1 ? 0 : seat] >= 0;
    if (s->mode == TREE && !inside) s->depth_left = 0;
    if (s->mode == TREE && s->at_once) { /* those who choose at once all choose in their trees, or none */
        if (!inside) return false;
    } else if (s->mode == TREE && !s->depth_left) {
        s->mode = ROLLOUT;
        if (s->policy != MAST_POLICY) return false;
    }
    if (s->mode == ROLLOUT) {
        s->phase = total <= MAST_SAMPLE ? LIST_ALL : LIST_SOME;
        return total > 1;
    }
    s->phase = total <= MOST_KEYS ? LIST_ALL : LIST_SOME;
    return true;
}

/* The next index whose option is wanted; -1: the choice is made. */
static W wanted(G *g) {
    Search *const s = g->search;
    W i = s->index_wanted;
    switch (s->phase) {
    case GUESS:
        if (i < 0 && s->choices[s->run.step].guess < s->total) return s->index_wanted = s->choices[s->run.step].guess;
        s->phase = SCAN;
        s->index_wanted = i = -1;
        /* fall through */
    case SCAN:
        if (++i < s->total) return s->index_wanted = i;
        return -1;
    case LIST_ALL:
        if (++i < s->total) return s->index_wanted = i;
        break;
    case LIST_SOME: {
        /* Of a large menu: the children that are known, where they were offered last, and a few more by chance. */
        const W few = s->mode == ROLLOUT ? MAST_SAMPLE : 8;
        if (i < 0) {
            if (s->mode == TREE)
                for (W e = s->edges[s->node[s->observers == 1 ? 0 : s->seat]].first; e >= 0 && s->listed < MOST_KEYS - few;
                     e = s->edges[e].next)
                    if (s->edges[e].hint >= 0 && s->edges[e].hint < s->total) s->places[s->listed++] = s->edges[e].hint;
            for (W k = 0; k < few; k++) s->places[s->listed++] = below(s, s->total);
        }
        if (++i < s->listed) {
            s->index_wanted = i;
            return s->places[i];
        }
        break;
    }
    default: return -1;
    }
    if (s->phase == LIST_ALL) s->listed = s->total;
    if (s->mode == ROLLOUT) {
        /* MAST: the action with the best average so far, one time in four any */
        W best = below(s, s->listed), best_value = INT64_MIN;
        if (dice(s) & 3)
            for (W k = 0; k < s->listed; k++) {
                const Average *const a = &s->mast[mixed(s->keys[k] ^ (U)s->seat) & (MAST_SIZE - 1)];
                const W value = a->visits && a->key == s->keys[k] ? a->value / a->visits : INT64_C(1) << VALUE_BITS;
                if (value > best_value) best_value = value, best = k;
            }
        s->picked = s->places[best];
        s->chosen_key = s->keys[best];
        return -1;
    }
    const W chosen = tree_choice(g);
    s->picked = s->places[chosen];
    s->chosen_key = s->keys[chosen];
    if (s->observers == 1 || (choice_flags[s->decision] & ALL_AT_ONCE)) return -1;
    s->phase = SHOW;
    s->showing = true;
    return s->picked;
}

/* Whether all hidden pieces of the option are among those that the seat saw move after the choice. */
static bool all_seen_next(const Search *s, const Choice *choice) {
    int used = 0;
    if (s->hidden > choice->pieces) return false;
    for (W k = 0; k < s->hidden; k++) {
        W at = 0;
        while (at < choice->pieces && (used >> at & 1 || choice->zone[at] != s->hidden_zone[k] ||
                                       choice->item[at] != item_label[s->hidden_item[k]]))
            at++;
        if (at == choice->pieces) return false;
        used |= 1 << at;
    }
    return true;
}

/* Whether a zone has so many of an item, pieces that nobody has seen counted in. */
static bool may_lie_in(const G *g, W zone, W label, W copies) {
    for (W i = 0; i < g->s.length[zone] && copies > 0; i++) {
        const W item = lying_at(g, zone, i, zone_form[zone]);
        copies -= item < 0 || item_label[item] == label;
    }
    return copies <= 0;
}

static bool has_seen_next(const G *g, const Choice *choice) {
    bool has_all = true;
    for (W i = 0; i < choice->pieces; i++) has_all &= may_lie_in(g, choice->zone[i], choice->item[i], 1);
    return has_all;
}

/* How many pieces the chooser would lack, after an option, of those that it was seen to use later and that did not come to it
   since. */
static W lack_later(G *g, const Choice *choice) {
    const Search *const s = g->search;
    W lack = 0;
    if (choice->needed == NULL || s->hidden > MOST_PIECES) return 0;
    for (W k = 0; k < s->hidden; k++) {
        const W label = item_label[s->hidden_item[k]], zone = s->hidden_zone[k];
        W left = -choice->needed[label];
        bool counted = false;
        for (W i = 0; i < g->s.length[zone]; i++) {
            const W item = lying_at(g, zone, i, zone_form[zone]);
            left += item >= 0 && item_label[item] == label;
        }
        for (W other = 0; other < s->hidden; other++) {
            const bool same = item_label[s->hidden_item[other]] == label;
            left -= same;
            counted |= same && other < k;
        }
        if (left < 0 && !counted) lack -= left;
    }
    return lack;
}

/* The key of the option that was wanted is complete. */
static void offered(G *g) {
    Search *const s = g->search;
    const W i = s->index_wanted;
    switch (s->phase) {
    case LIST_ALL:
        s->places[i] = i;
        s->keys[i] = INTERCHANGEABLE ? s->loose : s->key; /* numbers of individuals that are alike mean nothing */
        return;
    case LIST_SOME: s->keys[i] = INTERCHANGEABLE ? s->loose : s->key; return;
    case SHOW:
        s->phase = DONE;
        memcpy(s->chosen_shown, s->shown, sizeof s->shown);
        return;
    default: {
        Choice *const choice = &s->choices[s->run.step];
        const bool secret = choice_flags[s->decision] & SECRET, own = s->seat == s->watcher;
        if (s->mode == RECORDS || choice->known) {
            if (s->mode == REPLAYS && INTERCHANGEABLE ? s->loose != choice->loose : s->key != choice->key) return;
            s->phase = DONE;
        } else {
            const bool same = secret || s->shown[s->watcher] == choice->shown;
            if (!same) return;
            const bool fixed = s->key == choice->world;
            const bool kept = !fixed && choice->world && s->strict;
            if (!fixed && (s->phase == GUESS || (kept && !s->exact))) return;
            /* Rather one of whose pieces the seat saw what became of them, or that leaves the chooser what it was seen to use;
               at times any. */
            const U hint = mixed(s->seed);
            const bool by_moves = choice->pieces && !(s->guided && !(hint & 7)) &&
                                  !(choice->guessed && !(mixed(s->seed ^ (U)s->run.step) & 3));
            W lack = !s->hidden;
            if (s->hidden && (s->exact || !(fixed && !s->guided)) && !(s->guided && !(hint >> 3 & 15)))
                lack = by_moves ? !all_seen_next(s, choice) : lack_later(g, choice);
            if (s->guided && lack && s->hidden && s->hidden <= MOST_PIECES && !below(s, ++s->offers))
                s->instead = item_label[s->hidden_item[below(s, s->hidden)]];
            if (s->exact) {
                if (lack < s->least_lack) s->least_lack = lack, choice->now_likely = 0;
                choice->now_likely += lack == s->least_lack;
                if (!choice->pieces || choice->guessed) choice->now_alike++;
                else choice->now_alike = choice->now_likely; /* the others are told from it by what was seen at once */
                if (kept) return;
            }
            if (s->exact && choice->world && s->strict) {
                s->lack = 0; /* the one that the world has */
            } else if (!s->exact && fixed && (!lack || !s->hidden)) {
                s->phase = DONE; /* the one that the world has already */
            } else {
                if (s->phase == GUESS || lack > s->lack) return;
                if (lack < s->lack) s->lack = lack, s->candidates = 0;
                if (mixed(s->seed ^ mixed((U)s->run.step << 32 ^ (U)i)) % (U)++s->candidates) return;
            }
        }
        s->picked = i;
        choice->guess = (int32_t)i;
        s->hidden_here = s->hidden;
        if (s->mode == RECORDS) {
            choice->first_guess = choice->guess;
            choice->shown = s->shown[s->watcher];
            choice->loose = s->loose;
            choice->known = own || (!secret && !s->hidden);
        }
    }
    }
    memcpy(s->chosen_shown, s->shown, sizeof s->shown);
    s->chosen_key = s->key;
}

/* The option that is chosen. */
static W taken(G *g) {
    Search *const s = g->search;
    const int flags = choice_flags[s->decision];
    if (UNLIKELY(s->picked < 0)) mismatch(g, -4, -1);
    if (s->mode == RECORDS || s->mode == REPLAYS) {
        Choice *const choice = &s->choices[s->run.step];
        if (s->mode == REPLAYS && !choice->known) {
            choice->world = s->chosen_key;
            s->run.open += !s->hidden_here; /* for good: not of pieces, whose draws tell when they are seen */
            /* It has the pieces that were seen, but could not choose them: most likely a rule forbids it. */
            if (!s->exact && !choice->guessed && s->hidden_here && choice->pieces && s->lack && s->phase != DONE && has_seen_next(g, choice))
                mismatch(g, -4, -1);
        }
        if (s->mode == RECORDS) choice->events = (int32_t)s->run.at;
        s->run.step++;
        s->run.in_step = 0;
        trace(s, 1, s->picked);
        if (flags & ALL_AT_ONCE)
            saw(g, event(8, (U)s->decision, (U)s->seat, 0));
        else if (s->seat == s->watcher || !(flags & SECRET))
            saw(g, event(9, (U)s->decision ^ s->subjects << 16, (U)s->seat, s->chosen_shown[s->watcher]));
        return s->picked;
    }
    if (s->mode == ROLLOUT) {
        if (s->policy == MAST_POLICY && s->played_count < 1 << 12) {
            s->played[s->played_count].key = s->chosen_key;
            s->played[s->played_count++].seat = s->seat;
        }
        return s->picked;
    }
    s->at_once = flags & ALL_AT_ONCE;
    if (s->at_once) return s->picked; /* the walk waits until all have chosen */
    if (s->observers == 1)
        walk(s, 0, s->chosen_key);
    else
        for (W o = 0; o < s->observers; o++)
            walk(s, o, o == s->seat ? s->chosen_key : flags & SECRET ? HIDDEN_PIECE : s->chosen_shown[o]);
    return s->picked;
}

/* A seat that is asked though it can only pass. */
static void passed(G *g, W decision, W seat) {
    if (!choosing(g, decision, seat, 1)) return;
    for (W i = 0; wanted(g) >= 0 && i < 4; i++) {
        begin_key(g, -1);
        offered(g);
    }
    taken(g);
}

/* ---- several seats at once ---- */

KEPT void begin_together(G *g) {
    Search *const s = g->search;
    s->together = mixed(1);
    for (W o = 0; o < PLAYERS; o++) s->together_shown[o] = mixed(1);
    s->showing = true;
    s->first_shown = 0, s->end_shown = PLAYERS;
}

/* What one of them chose; its key is complete. */
KEPT void together_chosen(G *g, W decision, W seat) {
    Search *const s = g->search;
    const bool secret = choice_flags[decision] & SECRET;
    s->together = mixed(s->together ^ s->key);
    for (W o = 0; o < PLAYERS; o++)
        s->together_shown[o] = mixed(s->together_shown[o] ^ (o == seat ? s->key : secret ? 3 : s->shown[o]));
    if (g->watched && (seat == s->watcher || !secret))
        saw(g, event(9, (U)decision ^ s->subjects << 16, (U)seat, s->shown[s->watcher]));
}

KEPT void all_chosen(G *g) {
    Search *const s = g->search;
    s->at_once = false;
    if (s->mode != TREE) return;
    if (s->observers == 1)
        walk(s, 0, s->together);
    else
        for (W o = 0; o < s->observers; o++) walk(s, o, s->together_shown[o]);
}
