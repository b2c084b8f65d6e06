/* Information-set Monte Carlo tree search, as generated procedures call it: each iteration plays a whole game, whose decisions and
   draws are made here.

   Of a game with secrets an iteration begins at its start. The *record* says what the searching seat learnt of it: the
   choices, the draws that it knows, the events that it saw. A *world* says what it does not know: a value for each hidden
   draw, a choice where it saw none. `REPLAYS` plays a world along the record; where the seat would notice a difference the
   run fails, and `search.h` changes the world. From the recorded node on the tree decides (`TREE`), then the rollout
   policy (`ROLLOUT`). `RECORDS` plays the true game once and makes the record.

   Determinization: a world is a function of the record and the search's own generator, never of what the record hides.
   Information sets are paths of actions as an observer saw them (Cowling, Powley, Whitehouse, "Information Set Monte Carlo
   Tree Search", 2012): the trees are open-loop, chance labels no edge. All arithmetic is in whole numbers.

   The generated text before this has
     zone_sight[seat][zone] (0 not even how many, 1 how many, 2 the top, 3 all), cell_sight[seat][cell], bag_size_seen[seat][cell]
     (of how many cells it is, where it is the first one of a bag that the seat may only count), piece_sight[cell]
     (0 nobody, 1 all, 2 the owner, 3 the others), cell_item[cell] (-1: of no piece), cell_refers[cell] (its value may be
     one of several interchangeable individuals), item_label[item] (the first item that
     is called the same), item_seat[item], zone_owner[zone], zone_pooled[zone] (pieces may lie there that nobody has
     seen), choice_flags[decision] (SECRET, ALL_AT_ONCE), KNOWS_SUBJECTS. An item's *label* is `item_label` of it. */

enum { IDLE, RECORDS, REPLAYS, TREE, ROLLOUT };
enum { SECRET = 1, ALL_AT_ONCE = 2 };
/* Sites by which a run ends (`fail`): the world is rejected; the record's end is reached; the trial of an option is over. */
enum { WORLD_REJECTED = -3, RECORD_ENDED = -4, TRIAL_ENDED = -5 };
/* What `reject_world` knows in place of a label: nothing to repair by; the wanted piece is not in its pool; no option fits. */
enum { NO_HINT = -1, NOT_IN_POOL = -2, NO_OPTION = -4 };
enum { MOVED = 1, NUMBER_DRAWN, ELEMENT_DRAWN, PIECE_DRAWN, PIECE_REVEALED }; /* events that tell outcomes, or what came of earlier ones */
enum { FULL, FREE, PART, EXCHANGE }; /* what a proposal draws again: all; what the seat has not learnt by now; a part; two are swapped */
enum { UNSEEN, SIZE_SEEN, TOP_SEEN, ALL_SEEN };
enum { TELLS_CHOICE = 1, TELLS_VALUE }; /* pieces as the searching seat sees them where they lie; by label alone */
enum { UNIFORM_POLICY, MAST_POLICY, GREEDY_POLICY, EVALUATE_POLICY }; /* the last: no rollout, Python says what a leaf is worth */
enum { MOST_KEYS = 512, MOST_PIECES = 32, MOST_EPOCHS = 128, MAST_SIZE = 1 << 14, MAST_SAMPLE = 24, GREEDY_SAMPLE = 16, MOST_TRIED = 64 };
enum { MOST_WORDS = 128, KEPT_CHOICES = 128 };
#define HIDDEN_PIECE UINT64_C(0x5EC2E7)
#define VALUE_BITS 20

/* One action of a tree, and the node that it leads to; the first ones are the roots. */
typedef struct {
    U key;                           /* the action as the tree's observer sees it */
    int32_t parent, first, next;     /* the node it starts from; its first child; the next child of its parent */
    int32_t children, hint;          /* how many children; at which index it was offered last */
    int32_t visits, available, choices; /* times it was taken; could be taken; a choice was made behind it */
    W value;                         /* sum of the mover's utilities, of VALUE_BITS */
    int32_t options, proven;         /* how many there are at the node, 0: not known; 1, -1: its mover wins, loses for sure */
    W regret, share;                 /* by regret matching, of VALUE_BITS: its regret less the common one (`select_by_regret`); the sum
                                        of its probabilities */
} Edge;

/* A piece, by its label, that the seat saw leave a hidden zone. */
typedef struct { int32_t zone, item; } Departure;

/* A choice of the record. */
typedef struct {
    U key, told_key, shown;          /* the action; by what the searching seat sees of its pieces; as that seat saw it */
    U sighted;                       /* what had come into sight before it */
    U world;                         /* what the world has for it, where the seat does not know */
    int32_t decision, seat;
    int32_t index_hint, true_index;  /* at which index it was offered last; and when the record was made, if it is known */
    int32_t events;                  /* how many there were before it */
    int32_t pieces;                  /* how many `departures_of` it has */
    int32_t item, word_count;        /* what it chose, in `words` (narrowing.h): of this item of the menu */
    bool known;                      /* whether the seat knows exactly this action */
    bool pieces_inferred;            /* whether `pieces` were seen only after further choices of the same seat */
    bool redrawn;                    /* whether the proposal at hand draws it again */
    int32_t matching, eligible;      /* options of the world that look like it, and those of them that are drawn from; 0: not counted */
    int32_t run_matching, run_eligible; /* of this run */
    W *words;                        /* NULL: they are not kept */
    int16_t *needed;                 /* by label: how many the chooser must have afterwards, as it was seen to use them */
} Choice;

/* A draw of a world whose outcome the seat does not learn at once. */
typedef struct {
    W world, run_outcome;            /* the outcome in the world, if `set`; the one of this run */
    int32_t epoch, origin;           /* the pool, and the zone of that */
    int32_t current_zone, next;      /* where its piece lies; the draw before it of the same item */
    int32_t into;                    /* the hidden zone that its piece came to first, in this run or the last one; -1 */
    bool set, moved, seen, piece;
    bool free;                       /* whether the seat has not learnt it by now */
    bool redrawn;                    /* whether the run at hand drew it again */
    int32_t individual, run_individual; /* of several that are called the same, but are not alike: which one; -1: it was not drawn */
    bool needed, destination_unknown; /* it was drawn because it is seen there later; without knowing where it goes */
} Draw;

/* How likely it was that the individual of a draw came up: logarithms, of 16 bits, of how many were drawn from, and of how many are like
   it, less that of how many there are. Beside the draws, not in them: few have any, and all are copied with each world. */
typedef struct { int32_t drawn, alike; } Odds;

/* An event that the seat saw, and what it knows of it: a piece that left a zone (`from`), or an outcome. */
typedef struct {
    U hash;
    W item;
    int32_t kind, from, epoch, put, into; /* `epoch`: of that zone; `put`: of the hidden zone that it comes to, `into`; else -1 */
    int32_t source;                  /* the zone that a piece left, seen or not; -1 where not even that is seen */
    int32_t sighted_in;              /* the zone in which a piece comes into sight by it; -1 */
} SeenEvent;

/* That a piece came into sight with its variables, after so many choices. */
typedef struct {
    U look;
    int32_t step;
    bool taken;                      /* whether one of the run did so too */
} Sighting;

typedef struct { U key; W visits, value; } Average;

/* An edge of an iteration's path, and whose it was. `common`, `share`, `taken`: see `select_by_regret`; -1: none. */
typedef struct { int32_t edge, seat, common; W share, taken; } PathStep;

/* A decision of a rollout whose options are tried one by one (search.h). */
typedef struct {
    State state;
    W *frames;
    W seat, total, chosen;           /* whose options; how many; the index that the game resumes with */
    bool resumes, trial;             /* whether the game resumes from there; whether it stops at its next decision */
    bool chooses;                    /* whether the decision at hand is the one that it resumes with */
} GreedyRollout;

/* A choice of a world by what it was made of, so that it is found again where its index is another one. */
typedef struct { U key; int32_t item, count; W words[MOST_WORDS]; } KeptChoice;

/* The options of a large decision that may be the recorded choice are made, not looked for: see narrowing.h. */
typedef struct {
    bool narrows, refined, unknown_form; /* whether the decision at hand is narrowed; to pieces that the seat saw leave; whether it can't be */
    int look, stage, lots, lot;      /* what words stand for; how far it is; how many options are drawn; the number of this one */
    W item, at, count, next;         /* of the menu; the word that comes next; how many there are; the candidate that comes next */
    const W *words;
    W ways, all, fitting;            /* how many options fit so far; that look like the choice; that fit best; 0: not counted */
    W departed[MOST_PIECES + 1];     /* the words of a choice of as many unseen pieces as left */
    U used;                          /* departures that pieces of the option stand for */
    W luck;                          /* random numbers used */
} Narrowing;

/* How far a run has come along the record, and what of it the seat does not know yet. */
typedef struct {
    W step, in_step;                 /* choices; draws since the last of them */
    W draw;                          /* hidden draws; while the record is made all draws */
    W event_count, pending_draws;    /* events; draws since the last of them */
    W trace_count;
    W open_secrets;                  /* secrets so far, but for pieces that the seat saw since or that came back to where they were drawn */
    W resolved_step;                 /* the last decision at which none of them was open */
    W resolved_draw, resolved_choice; /* how many draws and choices there were when none was open last: at a decision, or between two */
    U hash, sighted;                 /* of the events; the sum of hashes of pieces that came into sight, with their variables */
    W odds;                          /* logarithm, of 16 bits, of how likely it was that individuals came up as they were seen */
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
    bool searched, whole;            /* whether it was looked for since the record was made; whether all of the past is known */
    bool hidden;                     /* while it is looked for: whether a draw ended it, not a choice */
    Checkpoint end;
} Prefix;

/* A search of one seat: its record of the game, the world at hand, the run, the trees. `of VALUE_BITS`: fixed point, 1 << 20 is 1. */
struct Search {
    int mode, policy;
    W watcher, observers;            /* the searching seat; how many trees: 1 or one for each seat */
    W score_share;                   /* how much of a utility is for the lead, of 256 */
    U rng;
    /* the record */
    Choice *choices;
    Departure *departures;           /* MOST_PIECES for each choice */
    SeenEvent *seen;
    Sighting *sightings;             /* by step; of each step sorted: in which order they came hangs on numbers that nobody sees */
    W sighting_count, sighting_room;
    const W *truth;                  /* while it is made: outcomes of all draws */
    W choice_count, seen_count, seen_room, truth_count;
    U view;
    int16_t *known_items, *reserved; /* by epoch and label: how many known draws are still to come */
    /* the world */
    Draw *draws;
    Odds *draw_odds, *run_odds;      /* by draw: of the world, of the run */
    bool has_individuals;            /* whether any draw had an individual since the record was made */
    W draw_room, world_draws;
    W odds;                          /* `odds` of its run */
    /* the run */
    Run run;
    U subjects, seed;
    W zone, index;                   /* where a piece becomes known */
    W secretly, bottom, private_draw, piece_draw, site;
    W sighted_in;                    /* of the event to come, see `SeenEvent` */
    W sight_step, first_sighting;    /* the first sighting of the step; -1: it is not looked up yet */
    W seen_item, expected_item;      /* of a rejected world, see `reject_world` */
    bool misplaced;                  /* whether just `seen_item` is to be exchanged for `expected_item` */
    W mismatch_zone;                 /* which the piece left, or lay in */
    /* the choice at hand */
    int phase;
    W decision, seat, total, candidate, picked, candidates;
    U key, anonymous_key, told_key, shown[PARTIES], chosen_shown[PARTIES], chosen_key;
    U set_sum;                       /* of the pieces of a set so far: they are told in any order */
    bool showing, summing;
    W revealed[ITEMS + 1], revealed_count; /* the pieces that are revealed, while `telling` is TELLS_VALUE */
    int telling;                     /* whether `told_key` is made: TELLS_CHOICE, TELLS_VALUE; 0: no */
    W first_shown, end_shown;        /* for which observers: while the record is followed the searching seat alone */
    Narrowing narrow;
    KeptChoice *kept_choices;        /* KEPT_CHOICES, by key; NULL: none yet */
    U keys[MOST_KEYS];
    W option_index[MOST_KEYS], listed_count;
    W hidden_zone[MOST_PIECES], hidden_item[MOST_PIECES], hidden;
    W picked_hidden;
    W least_lack;                    /* of all options that look like the one that was made, where they are counted */
    W lack;                          /* of the best option so far: how many pieces would be missing later */
    W alternative_item, alternative_count; /* a label, drawn from those of options that leave pieces lacking; how many */
    W chosen_edge;                   /* that of the option which was selected in the tree; -1: there is no room for it */
    bool moved;                      /* whether the trees were of an earlier position, to which chance may have led otherwise */
    bool at_once;                    /* whether some of those that choose at once have chosen */
    U asked;                         /* the seats that are asked at once, where not all are */
    U joint_key;                     /* the joint action so far of those that choose at once */
    U joint_shown[PARTIES];
    /* the trees */
    Edge *edges;
    W edge_count, edge_room;
    int32_t *table;                  /* edges by parent and key; a power of two */
    W table_size;
    W node[PARTIES];                 /* where each observer is; -1: outside of its tree */
    W root[PARTIES];
    W path_length;
    PathStep path[MOST_KEYS];
    PathStep *waiting;               /* the paths to leaves whose values are still to come, one after the other */
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
    U tree_rng;                      /* the game's generator as the iteration began: unchanged while nothing was drawn */
    bool decisive;                   /* whether the seat at the leaf has won by one move */
    W runs, rejected, repeated, failures; /* iterations; worlds that did not fit; worlds used again; games that failed */
    W tries[4], fits[4];             /* of proposals of each sort */
    int kind;                        /* of the proposal at hand */
    bool exact;                      /* whether the run samples exactly: what was seen to come up is accepted as often as it would */
    bool strict;                     /* whether a world is played as it is, or not at all */
    bool guided;                     /* whether a first world is sought: draws prefer what is seen to be used later */
    W *trace, trace_room;            /* of a run: 0 and an outcome, or 1 and the index of an option; room 0: none */
    bool probing, stopping;          /* whether a run ends where the tree would begin; with its frames */
    GreedyRollout greedy;
    W stop;                          /* the number of the choice that runs of the record end before */
    bool prefixing;                  /* whether a run ends at the first thing that is not known */
    Prefix prefix;
    Checkpoint recorded;             /* the true game at the end of the record: only a longer record of it goes on from there */
    bool secrets;                    /* whether games begin at the start, and worlds are needed */
    struct SavedWorld *bases;        /* worlds that others are made of */
    U copies;                        /* which of several copies come up where a draw is known by its label alone, and which of several
                                        options that look alike was chosen; 0: the first ones */
    bool reopened;                   /* whether runs begin at the start though there is a prefix, as of that other copies come up */
    Checkpoint fixed;                /* in the world at hand, see `fix_past` */
    bool thorough;                   /* whether runs begin before `fixed` all the same */
    bool has_world, begun;           /* whether there is a world; whether the first one is made of that of an earlier state */
    W lowest, highest;               /* declared payoffs so far */
};

/* Append one step of the run to the trace, unless it is full or not kept: `what` 0 and an outcome, or 1 and the index of an option. */
KEPT void trace(Search *s, W what, W value) {
    if (LIKELY(s->trace_room == 0) || s->run.trace_count + 2 > s->trace_room) return;
    s->trace[s->run.trace_count++] = what;
    s->trace[s->run.trace_count++] = value;
}

/* Return the output of SplitMix64 (Steele, Lea, Flood, 2014) for a state; here the hash function too. */
KEPT inline U splitmix64(U x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* Return the next 64 bits of the search's own generator, which the game's chance does not use. */
KEPT inline U next_random(Search *s) { return splitmix64(s->rng += 0x9E3779B97F4A7C15u); }
/* Return a random whole number from 0 to `n` - 1 (multiply and shift: Lemire, 2019, without its rejection). */
KEPT inline W random_below(Search *s, W n) { return (W)((Wide)next_random(s) * (U)n >> 64); }

/* ---- what the seat sees (rulelang/runtime/sight.py) ---- */

/* End the run: the world contradicts the record, or the rules forbid it; `seen_item`: the label
   that came up, or why there is none; `expected_item`: the label that the record has there, or -1. `repair_world` (search.h) reads both. */
COLD _Noreturn static void reject_world(G *g, W seen_item, W expected_item) {
    Search *const s = g->search;
    s->seen_item = seen_item;
    s->expected_item = expected_item;
    fail(g, WORLD_REJECTED);
}

/* Return memory for `room` things that holds what was at `at`; without it the run fails as if the world did not fit. */
static void *grown(G *g, void *at, W room, size_t size) {
    void *const result = realloc(at, (size_t)room * size);
    if (result == NULL) reject_world(g, NO_HINT, -1);
    return result;
}

/* Return whether a seat sees which piece `item` is, where it lies in `zone` (-1: in none). */
KEPT inline bool sees_item(const G *g, W seat, W zone, W item) {
    if (zone < 0) return false;
    const int sight = zone_sight[seat][zone];
    if (sight == ALL_SEEN) return true;
    const W n = g->s.length[zone];
    return sight == TOP_SEEN && n && lying_at(g, zone, n - 1, zone_form[zone]) == item;
}

/* Return the zone of a piece: of an individual where it is now, else the one that its handle says. */
KEPT inline W zone_of_piece(const G *g, W piece) {
    const W item = piece & ITEM_MASK;
    return item_identity[item] ? (W)g->s.where[item] : piece >> ZONE_SHIFT;
}

/* Return which pool a hidden zone holds now, from 0 to MOST_EPOCHS - 1: each shuffle makes another one of it. */
KEPT inline W pool_epoch(const Search *s, W zone) { return (zone + s->run.shuffles[zone] * INSTANCES) & (MOST_EPOCHS - 1); }

/* Find, where another piece (label `*wrong`) leaves `zone` than the record has there, one that is in the wrong place: set `*wrong` to any label
   that lies there, or just left, and is not seen to leave, `*lacking` to the first one that is to leave and does not lie there. Return whether there
   are both. Pieces that leave together come in the order of their numbers, which one wrong piece changes for all. */
static bool find_misplaced(const G *g, W zone, W *wrong, W *lacking) {
    Search *const s = g->search;
    int16_t present[ITEMS + 1], came[ITEMS + 1];
    W left = g->s.length[zone] + 1, fits = 0, first = -1;
    bool closed = true; /* whether nothing came unseen yet */
    memset(present, 0, sizeof present);
    memset(came, 0, sizeof came);
    present[*wrong]++;
    for (W i = 0; i < g->s.length[zone]; i++) {
        const W item = lying_at(g, zone, i, zone_form[zone]);
        if (item >= 0) present[item_label[item]]++;
    }
    for (W at = s->run.event_count; at < s->seen_count && left > 0; at++) {
        const SeenEvent *const seen = &s->seen[at];
        if (seen->kind != MOVED) continue;
        if (seen->into == zone && seen->item < 0) closed = false;
        else if (seen->into == zone) came[seen->item]++;
        left -= seen->source == zone;
        if (seen->from != zone || seen->item < 0) continue;
        if (present[seen->item] > 0) present[seen->item]--;
        else if (came[seen->item] > 0) came[seen->item]--;
        else if (first < 0 && closed) first = seen->item;
    }
    for (W label = 0; label < ITEMS; label++)
        if (present[label] > 0 && !random_below(s, ++fits)) *wrong = label;
    if (first < 0 || !fits) return false;
    *lacking = first;
    return true;
}

/* Record one event that the searching seat sees, or compare it with the record; a difference rejects the world.
   `kind`: MOVED and the like, 0 if it tells no outcome. `what`: the hash of all that is seen of it. `source`: the zone that a
   piece leaves, -1 if that is unseen. `from`: the same, if it is seen which piece; else -1. `item`: its label, or a number drawn.
   `put`: the epoch of the hidden zone `into` that it comes to; each -1 if there is none. */
static void observe(G *g, W kind, U what, W source, W from, W item, W put, W into) {
    Search *const s = g->search;
    s->run.hash = splitmix64(s->run.hash ^ what);
    s->run.pending_draws = 0;
    const W sighted_in = s->sighted_in;
    s->sighted_in = -1;
    if (s->mode == RECORDS) {
        if (s->seen_count == s->seen_room) {
            s->seen = grown(g, s->seen, 2 * s->seen_room + 256, sizeof(SeenEvent));
            s->seen_room = 2 * s->seen_room + 256;
        }
        const W epoch = from >= 0 ? pool_epoch(s, from) : 0;
        s->seen[s->seen_count++] = (SeenEvent){s->run.hash, item, (int32_t)kind, (int32_t)from, (int32_t)epoch, (int32_t)put,
                                               (int32_t)into, (int32_t)source, (int32_t)sighted_in};
    } else if (UNLIKELY(s->run.event_count >= s->seen_count || s->seen[s->run.event_count].hash != s->run.hash)) {
        const bool piece = s->run.event_count < s->seen_count && kind == MOVED && item >= 0 && s->seen[s->run.event_count].from == from;
        s->mismatch_zone = from;
        W wrong = item, lacking = piece ? s->seen[s->run.event_count].item : -1;
        if (piece && s->guided) s->misplaced = find_misplaced(g, from, &wrong, &lacking);
        reject_world(g, piece ? wrong : -1, lacking);
    }
    s->run.event_count++;
    if (!s->run.open_secrets) s->run.resolved_draw = s->run.draw, s->run.resolved_choice = s->run.step;
}

/* Observe an event that tells no outcome. */
KEPT inline void observe_hash(G *g, U what) { observe(g, 0, what, -1, -1, -1, -1, -1); }

/* Return the hash of an event: its kind and three words. */
KEPT inline U event(U kind, U a, U b, U c) { return splitmix64(splitmix64(splitmix64(kind ^ a << 8) ^ b) ^ c); }

/* Update the hidden draw that brought a piece as it moves from `from` to `to` (-1: it is shuffled); forget the draw once the piece
   is seen (`shown`) or shuffled. */
static void follow_hidden_piece(G *g, W from, W to, W item, bool shown) {
    Search *const s = g->search;
    int32_t *at = &s->run.holder[item_label[item]], *link = NULL;
    for (; *at >= 0 && link == NULL; at = &s->draws[*at].next)
        if (s->draws[*at].current_zone == from) link = at;
    if (link == NULL) return;
    Draw *const draw = &s->draws[*link];
    if (to >= 0 && !shown) {
        if (!draw->moved) draw->into = (int32_t)to;
        draw->current_zone = (int32_t)to;
        draw->moved = true;
        return;
    }
    *link = draw->next;
    draw->seen = shown;
    s->run.open_secrets -= shown || draw->origin == from;
}

/* Return whether a seat that sees a piece in `zone` also sees this cell of its variables. */
KEPT bool piece_cell_seen(W seat, W cell, W zone) {
    const int who = piece_sight[cell];
    const W item = cell_item[cell], owner = item_seat[item] >= 0 ? item_seat[item] : zone_owner[zone];
    return who == 1 || (who > 1 && owner >= 0 && (who == 2) == (owner == seat));
}

/* Return a cell's value as it is told: individuals that are interchangeable by their label. */
KEPT inline W told_value(W cell, W value) { return cell_refers[cell] && value >= 0 ? item_label[value] : value; }

/* Return a hash of a piece's label and the variables of it that the seat sees in `zone`; 0 if it sees none. */
static U look_of(const G *g, W zone, W item) {
    const W seat = g->search->watcher;
    U hash = (U)item_label[item];
    bool sees_any = false;
    for (W k = 0; item_identity[item] && k < item_cells[item][0]; k++) {
        const W cell = item_cells[item][1 + k];
        if (!piece_cell_seen(seat, cell, zone)) continue;
        hash = splitmix64(hash ^ (U)told_value(cell, g->s.v[cell]));
        sees_any = true;
    }
    return sees_any ? hash : 0;
}

/* Return the number of the first sighting that the record has of the step at hand, and forget which of them are taken if that is a new
   step. */
static W first_sighting(Search *s) {
    if (s->sight_step == s->run.step) return s->first_sighting;
    W low = 0, high = s->sighting_count;
    while (low < high) {
        const W middle = (low + high) / 2;
        if (s->sightings[middle].step < s->run.step) low = middle + 1;
        else high = middle;
    }
    for (W i = low; i < s->sighting_count && s->sightings[i].step == s->run.step; i++) s->sightings[i].taken = false;
    s->sight_step = s->run.step;
    return s->first_sighting = low;
}

/* Return the sighting of the step at hand that has this look and is not taken; NULL: there is none. */
static Sighting *find_sighting(Search *s, U look) {
    for (W i = first_sighting(s); i < s->sighting_count && s->sightings[i].step == s->run.step; i++)
        if (s->sightings[i].look == look && !s->sightings[i].taken) return &s->sightings[i];
    return NULL;
}

/* Record a sighting. */
static void add_sighting(G *g, U look) {
    Search *const s = g->search;
    if (s->sighting_count == s->sighting_room) {
        s->sightings = grown(g, s->sightings, 2 * s->sighting_room + 64, sizeof(Sighting));
        s->sighting_room = 2 * s->sighting_room + 64;
    }
    W at = s->sighting_count++;
    for (; at > 0 && s->sightings[at - 1].step == s->run.step && s->sightings[at - 1].look > look; at--)
        s->sightings[at] = s->sightings[at - 1];
    s->sightings[at] = (Sighting){look, (int32_t)s->run.step, false};
}

/* Note that a piece that the seat sees moved, with its variables that the seat sees in `zone`, or that it came into sight. Of several that come into sight after
   one choice the order does not count: it hangs on numbers that nobody sees. */
static void sight_piece(G *g, W zone, W item) {
    Search *const s = g->search;
    const U look = look_of(g, zone, item);
    if (!look) return;
    s->run.sighted += splitmix64(look ^ (U)s->run.step << 32);
    if (!INTERCHANGEABLE) return;
    Sighting *const sighting = s->mode == RECORDS ? NULL : find_sighting(s, look);
    if (s->mode == RECORDS) add_sighting(g, look);
    else if (sighting) sighting->taken = true;
}

/* Observe that a piece moves, as much of it as the seat sees: which zones, which piece, the piece under it.
   `item`: the piece, -1 for one of a pool. `on_top`: it leaves from the top. `was_empty`: nothing lay in `to`. */
static void observe_move(G *g, W from, W to, W item, bool on_top, bool was_empty) {
    Search *const s = g->search;
    const uint8_t *const sight = zone_sight[s->watcher];
    const int source = sight[from], target = sight[to];
    const bool shown = item >= 0 && (target == ALL_SEEN || (target == TOP_SEEN && (!s->bottom || was_empty)) ||
                                     (!s->secretly && (source == ALL_SEEN || (source == TOP_SEEN && on_top))));
    if (shown) {
        follow_hidden_piece(g, from, to, item, true);
    } else if (item >= 0) {
        follow_hidden_piece(g, from, to, item, false);
        s->run.uncertain[from] = s->run.uncertain[to] = true;
    }
    if (source == UNSEEN && target == UNSEEN && !shown) return;
    W below = 0;
    const W n = g->s.length[from];
    if (source == TOP_SEEN && n) {
        const W top = lying_at(g, from, n - 1, zone_form[from]);
        below = top >= 0 ? 1 + item_label[top] : 0;
        if (top >= 0) sight_piece(g, from, top);
    }
    if (shown) {
        s->sighted_in = target == ALL_SEEN || (target == TOP_SEEN && (!s->bottom || was_empty)) ? to : from;
        sight_piece(g, s->sighted_in, item);
    }
    const bool hides = target != ALL_SEEN && target != UNSEEN;
    observe(g, MOVED, event(1, (U)(source != UNSEEN ? from + 1 : 0), (U)(target != UNSEEN ? to + 1 : 0),
                             (U)(shown ? item_label[item] + 1 : 0) << 32 | (U)below << 1 | (U)s->secretly),
             source != UNSEEN ? from : -1, shown && source != UNSEEN ? from : -1, shown ? item_label[item] : -1,
             shown && hides ? pool_epoch(s, to) : -1, hides ? to : -1);
}

/* Return a cell's value as the searching seat sees it now: of a referred individual also where that lies, if the seat sees it there. */
static U seen_value(const G *g, W seat, W cell) {
    const W value = g->s.v[cell];
    if (!cell_refers[cell] || value < 0) return (U)value;
    const W zone = g->s.where[value];
    return (U)item_label[value] ^ (U)(sees_item(g, seat, zone, value) ? zone + 1 : 0) << 20;
}

/* Return which of its item's cells this is. */
KEPT W cell_rank(W cell) {
    W k = 0;
    while (item_cells[cell_item[cell]][1 + k] != cell) k++;
    return k;
}

/* Return a hash of a piece as a seat sees it where it lies: its label alone, or its zone, place in a pile and variables too. */
static U appearance(const G *g, W seat, W zone, W item) {
    U hash = (U)item_label[item];
    if (!sees_item(g, seat, zone, item)) return hash;
    hash = splitmix64(hash ^ (U)(zone + 1) << 20);
    for (W k = 0; item_identity[item] && k < item_cells[item][0]; k++) {
        const W cell = item_cells[item][1 + k];
        if (piece_cell_seen(seat, cell, zone)) hash = splitmix64(hash ^ seen_value(g, seat, cell));
    }
    if (item_identity[item] && zone_form[zone] == PILED) {
        W i = 0;
        while (i < g->s.length[zone] && lying_at(g, zone, i, PILED) != item) i++;
        hash ^= (U)i << 40;
    }
    return hash;
}

/* Observe that a cell changed from `old`, if the seat sees it. */
static void observe_cell(G *g, W cell, W old) {
    Search *const s = g->search;
    const W new = g->s.v[cell], item = cell_item[cell];
    if (old == new) return;
    if (item < 0) {
        if (!cell_sight[s->watcher][cell]) return;
        observe_hash(g, event(2, (U)cell, (U)told_value(cell, old), (U)told_value(cell, new)));
        return;
    }
    const W zone = g->s.where[item];
    if (!sees_item(g, s->watcher, zone, item) || !piece_cell_seen(s->watcher, cell, zone)) return;
    observe_hash(g, event(3, (U)cell_rank(cell) ^ (U)item_label[item] << 32, (U)told_value(cell, old), (U)told_value(cell, new)));
}

/* Return a copy of all cells of variables, in the arena. */
KEPT W *copy_cells(G *g) {
    W *const copy = alloc(g, VARIABLES);
    memcpy(copy, g->s.v, VARIABLES * sizeof(W));
    return copy;
}

/* Observe all cells that differ from `before`. */
static void observe_cells(G *g, const W *before) {
    for (W cell = 0; cell < VARIABLES; cell++)
        if (before[cell] != g->s.v[cell]) observe_cell(g, cell, before[cell]);
}

/* Return how many units there are in a bag of so many cells. */
KEPT W sum_of(const W *cells, W width) {
    W sum = 0;
    for (W k = 0; k < width; k++) sum += cells[k];
    return sum;
}

/* Observe how much a bag holds, if the seat may only count it and that has changed. */
static void observe_size(G *g, W cell, W width, const W *old) {
    if (!bag_size_seen[g->search->watcher][cell]) return;
    const W before = sum_of(old, width), after = sum_of(&g->s.v[cell], width);
    if (before != after) observe_hash(g, event(13, (U)cell, (U)before, (U)after));
}

/* Return what the searching seat sees of the bag that begins with a cell (-1: nobody's): UNSEEN, SIZE_SEEN, ALL_SEEN. */
static int bag_sight(const G *g, W cell) {
    const W seat = g->search->watcher;
    if (cell < 0) return ALL_SEEN;
    if (cell_item[cell] < 0) return cell_sight[seat][cell] ? ALL_SEEN : bag_size_seen[seat][cell] ? SIZE_SEEN : UNSEEN;
    const W zone = g->s.where[cell_item[cell]];
    return sees_item(g, seat, zone, cell_item[cell]) && piece_cell_seen(seat, cell, zone) ? ALL_SEEN : UNSEEN;
}

/* Return the first cell of a bag as it is told: of a piece by its label. */
KEPT inline U told_bag(W cell) {
    return cell < 0 ? 0 : cell_item[cell] < 0 ? (U)cell + 1 : (U)cell_rank(cell) ^ (U)(item_label[cell_item[cell]] + 1) << 32;
}

/* Observe the goods that went out of purses since the cells were as `before`, to a purse or (none) to nobody. */
static void observe_goods(G *g, const W *before, W purses, W others, W width) {
    const W to = COUNT(others) ? AT(others, 0) : -1;
    for (W i = 0; i < COUNT(purses); i++) {
        const W from = AT(purses, i), size = sum_of(before + from, width) - sum_of(&g->s.v[from], width);
        const int one = bag_sight(g, from), other = bag_sight(g, to), sight = one > other ? one : other;
        if (from == to || !size || sight == UNSEEN) continue;
        U hash = event(14, told_bag(from), told_bag(to), (U)size);
        for (W k = 0; sight == ALL_SEEN && k < width; k++) hash = splitmix64(hash ^ (U)(before[from + k] - g->s.v[from + k]));
        observe_hash(g, hash);
    }
}

/* Observe a shuffle, after which no hidden draw of the zone is followed and its pool is another one. */
static void observe_shuffle(G *g, W zone) {
    Search *const s = g->search;
    if (zone_form[zone] != COUNTS)
        for (W i = 0; i < g->s.length[zone]; i++) {
            const W item = contents(g, zone)[i];
            if (item >= 0) follow_hidden_piece(g, zone, -1, item, false);
        }
    s->run.shuffles[zone]++;
    if (zone_sight[s->watcher][zone] != UNSEEN) observe_hash(g, event(4, (U)zone, 0, 0));
}

/* Observe an event that all seats see: its kind and two words. */
KEPT inline void observe_event(G *g, U kind, W a, W b) { observe_hash(g, event(kind, (U)a, (U)b, 0)); }

/* Return a hash of all that a seat sees of the state now; equal for states that it can't tell apart by what lies before it. */
static U view_hash(const G *g, W seat) {
    U hash = splitmix64((U)g->s.out ^ (U)g->s.turns << 20);
    for (W cell = 0; cell < VARIABLES; cell++)
        if (cell_item[cell] < 0 && cell_sight[seat][cell]) hash = splitmix64(hash ^ seen_value(g, seat, cell));
        else if (bag_size_seen[seat][cell]) hash = splitmix64(hash ^ (U)sum_of(&g->s.v[cell], bag_size_seen[seat][cell]));
    for (W zone = 0; zone < INSTANCES; zone++) {
        const int sight = zone_sight[seat][zone];
        if (sight == UNSEEN) continue;
        const W n = g->s.length[zone];
        U sum = splitmix64((U)n ^ (U)zone << 32);
        for (W i = sight == ALL_SEEN ? 0 : sight == TOP_SEEN && n ? n - 1 : n; i < n; i++) {
            const W item = lying_at(g, zone, i, zone_form[zone]);
            U piece = item < 0 ? 7 : splitmix64((U)item_label[item]);
            if (item >= 0 && item_identity[item])
                for (W k = 0; k < item_cells[item][0]; k++) {
                    const W cell = item_cells[item][1 + k];
                    if (piece_cell_seen(seat, cell, zone)) piece = splitmix64(piece ^ seen_value(g, seat, cell));
                }
            sum += splitmix64(piece + (zone_form[zone] == PILED ? (U)i << 40 : 0)); /* of bags in any order */
        }
        hash = splitmix64(hash ^ sum);
    }
    return hash;
}

/* ---- draws ---- */

/* Return the event by which the seat learns the outcome of the draw at hand; NULL: not at once. Draws that follow each other
   before the next event have their outcomes told by the next events in turn. `kind`: of the draw; `zone`: drawn from, -1 for none. */
KEPT const SeenEvent *next_told_outcome(Search *s, W kind, W zone) {
    const W at = s->run.event_count + s->run.pending_draws;
    const SeenEvent *const seen = at < s->seen_count ? &s->seen[at] : NULL;
    if (seen == NULL || (seen->kind != kind && (kind != PIECE_DRAWN || seen->kind != MOVED))) return NULL;
    const bool unseen = seen->from < 0 && zone >= 0 && zone_sight[s->watcher][zone] == UNSEEN;
    return (seen->from == zone || unseen) && seen->item >= 0 ? seen : NULL;
}

/* Return the true outcome of the next draw, while the record is made. */
KEPT W true_outcome(G *g) {
    Search *const s = g->search;
    if (UNLIKELY(s->run.draw >= s->truth_count)) reject_world(g, NO_HINT, -1);
    return s->truth[s->run.draw++];
}

/* The next draw whose outcome the seat does not learn at once. */
KEPT Draw *next_hidden_draw(G *g) {
    Search *const s = g->search;
    if (s->prefixing) {
        s->prefix.hidden = true;
        reject_world(g, NO_HINT, -1);
    }
    if (s->run.draw == s->draw_room) {
        const W room = 2 * s->draw_room + 64;
        s->draws = grown(g, s->draws, room, sizeof(Draw));
        s->draw_odds = grown(g, s->draw_odds, room, sizeof(Odds));
        s->run_odds = grown(g, s->run_odds, room, sizeof(Odds));
        s->draw_room = room;
    }
    if (s->run.draw >= s->world_draws) {
        s->draw_odds[s->world_draws] = (Odds){0, 0};
        s->draws[s->world_draws++] = (Draw){.into = -1, .individual = -1};
    }
    Draw *const draw = &s->draws[s->run.draw++];
    draw->moved = draw->seen = draw->piece = false;
    draw->redrawn = !draw->set;
    draw->run_individual = -1;
    draw->current_zone = -1;
    return draw;
}

/* Note that `draw` brought a piece of `item` to `zone`, and that the seat does not know that it is this one. */
KEPT void hide_piece(Search *s, Draw *draw, W item, W zone) {
    const W label = item_label[item];
    draw->piece = true;
    draw->epoch = (int32_t)pool_epoch(s, zone);
    draw->current_zone = draw->origin = (int32_t)zone;
    draw->next = s->run.holder[label];
    s->run.open_secrets++;
    s->run.holder[label] = (int32_t)(draw - s->draws);
}

/* Return a number from 0 to `n` - 1 for the draw at hand: a function of the world's seed and of how far the run has come. */
static W world_random(const Search *s, W n) {
    const U x = splitmix64(s->seed ^ splitmix64((U)s->run.step << 20 ^ (U)s->run.in_step));
    return (W)((Wide)x * (U)n >> 64);
}

/* Return the natural logarithm of `x`, of 16 bits; `x` is clamped to 1..4096. */
KEPT W clamped_log(const Search *s, W x) { return s->logs[least(greatest(x, 1), 4096)]; }

#if INTERCHANGEABLE
/* Return whether nothing tells two individuals that are called the same apart, but for where they lie. */
KEPT inline bool are_alike(const G *g, W a, W b) {
    return a == b || (!g->references[a] && !g->references[b] && SAME_CELLS(g->s.v, a, b));
}

/* Return whether an individual may come up now that the seat is to see in `zone` (-1: in none): one that looks as the record says. */
KEPT bool may_be_sighted(G *g, W zone, W item) {
    const U look = zone >= 0 ? look_of(g, zone, item) : 0;
    return !look || find_sighting(g->search, look);
}

/* Return the place in `items` of the one that comes up, of `n` individuals that are called the same: the first of those that are like
   it. Where they are not all alike it is one that looks as the seat saw it in `zone` (-1: it did not), and part of the world (`draw`, NULL: a
   hidden draw of its own) unless only one can be; how likely that was is noted, see `accepts_world`. */
static W draw_individual(G *g, const W *items, W n, W zone, Draw *draw) {
    Search *const s = g->search;
    W fits = 0, drawn = -1, kept = -1, luck = 0;
    bool several = false;
    for (W i = 1; i < n; i++) several |= !are_alike(g, items[0], items[i]);
    if (!several) return 0;
    several = false;
    for (W i = 0; i < n; i++) {
        if (!may_be_sighted(g, zone, items[i])) continue;
        if (drawn < 0) drawn = i;
        several |= !are_alike(g, items[drawn], items[i]);
        fits++;
    }
    if (!fits) reject_world(g, NO_HINT, -1);
    if (!several && draw == NULL) {
        s->run.odds += clamped_log(s, fits) - clamped_log(s, n);
        return drawn;
    }
    if (draw == NULL) {
        draw = next_hidden_draw(g);
        s->run.open_secrets++; /* for good */
        draw->run_outcome = 0;
        draw->destination_unknown = false;
    }
    s->run.in_step++; /* other luck than that which drew what it is called */
    luck = world_random(s, fits);
    for (W i = 0; i < n; i++) {
        if (!may_be_sighted(g, zone, items[i])) continue;
        if (!luck--) drawn = i;
        if (items[i] == draw->individual) kept = i;
    }
    if (!draw->redrawn && kept < 0 && s->strict) reject_world(g, NO_HINT, -1);
    if (!draw->redrawn && kept >= 0) drawn = kept;
    W first = 0, alike = 0;
    while (!are_alike(g, items[first], items[drawn])) first++;
    for (W i = 0; i < n; i++) alike += are_alike(g, items[i], items[drawn]);
    draw->run_individual = (int32_t)items[first];
    s->has_individuals = true;
    s->run_odds[draw - s->draws] = (Odds){(int32_t)(clamped_log(s, fits) - clamped_log(s, n)),
                                          (int32_t)(clamped_log(s, alike) - clamped_log(s, n))};
    return first;
}
#endif

/* Return the outcome of a draw of a number from `low` to `high`: the true one, the one that the seat saw, or the world's. */
static W replayed_number(G *g, W low, W high) {
    Search *const s = g->search;
    const SeenEvent *const seen = s->private_draw ? NULL : next_told_outcome(s, NUMBER_DRAWN, -1);
    W value;
    s->run.in_step++;
    if (s->mode == RECORDS) {
        value = true_outcome(g);
    } else if (!s->private_draw) {
        if (seen == NULL) reject_world(g, NO_HINT, -1);
        value = seen->item;
    } else {
        Draw *const draw = next_hidden_draw(g);
        value = draw->set && draw->world >= low && draw->world <= high ? draw->world : low + world_random(s, high - low + 1);
        draw->run_outcome = value;
        s->run.open_secrets++; /* for good */
    }
    if (UNLIKELY(value < low || value > high)) reject_world(g, NO_HINT, -1);
    trace(s, 0, value);
    if (!s->private_draw) observe(g, NUMBER_DRAWN, event(5, (U)s->site, (U)value, 0), -1, -1, value, -1, -1);
    return value;
}

/* Return the index in a set of pieces of the one that comes up of those that are called as the one at `index` is: that one, unless they
   are individuals that are not alike (`draw_individual`). */
static W draw_copy(G *g, W set, W index, W zone, Draw *draw) {
#if INTERCHANGEABLE
    const W label = item_label[AT(set, index) & ITEM_MASK], n = COUNT(set);
    if (!item_identity[label]) return index;
    W *const mark = g->top, *const items = alloc(g, n), *const at = alloc(g, n);
    W copies = 0;
    bool alike = true;
    for (W i = 0; i < n; i++) {
        if (item_label[AT(set, i)] != label) continue;
        alike &= are_alike(g, AT(set, i), AT(set, index));
        at[copies] = i, items[copies++] = AT(set, i);
    }
    if (!alike) index = at[draw_individual(g, items, copies, zone, draw)];
    g->top = mark;
#else
    (void)g, (void)set, (void)zone, (void)draw;
#endif
    return index;
}

/* Return the outcome of a draw from a set, as `replayed_number` does. Pieces are compared by label: where the set has several
   copies of one the seed `copies` says which. With `exact` an observed piece is accepted as often as it would come up (rejection
   sampling), where the zone may hold others than the seat thinks. */
static W replayed_element(G *g, W set) {
    Search *const s = g->search;
    const W n = COUNT(set);
    const W zone = s->piece_draw ? zone_of_piece(g, AT(set, 0)) : -1;
    const SeenEvent *const seen = s->private_draw ? NULL : next_told_outcome(s, s->piece_draw ? PIECE_DRAWN : ELEMENT_DRAWN, zone);
    const bool by_label = s->piece_draw && s->mode != RECORDS;
    Draw *draw = NULL;
    W index = -1, outcome = -1;
    bool any = false;
    s->run.in_step++;
    s->run.pending_draws += s->piece_draw;
    if (s->mode == RECORDS) outcome = true_outcome(g);
    else if (seen) outcome = seen->item;
    else draw = next_hidden_draw(g), any = !draw->set, outcome = draw->world;
    const U lot = splitmix64(s->copies ^ splitmix64((U)s->run.step << 20 ^ (U)s->run.in_step));
    for (W i = 0, copies = 0; !any && i < n && (index < 0 || (by_label && s->copies)); i++)
        if ((by_label ? item_label[AT(set, i) & ITEM_MASK] : AT(set, i)) == outcome && !(splitmix64(lot ^ (U)i) % (U)++copies)) index = i;
    if (index < 0 && draw == NULL) reject_world(g, NO_HINT, -1);
    if (index < 0) index = world_random(s, n);
    /* How likely it was to come up hangs on the world: as likely, the world is kept. */
    if (seen && s->piece_draw && s->exact && s->run.uncertain[zone] &&
        item_label[AT(set, world_random(s, n)) & ITEM_MASK] != outcome)
        reject_world(g, NO_HINT, -1);
    if (draw) draw->run_outcome = s->piece_draw ? item_label[AT(set, index) & ITEM_MASK] : AT(set, index);
    if (draw && s->piece_draw) hide_piece(s, draw, AT(set, index) & ITEM_MASK, zone_of_piece(g, AT(set, index)));
    else if (draw) s->run.open_secrets++; /* for good */
    if (by_label) index = draw_copy(g, set, index, seen ? seen->sighted_in : -1, draw);
    const W value = AT(set, index), item = value & ITEM_MASK;
    trace(s, 0, value);
    if (s->piece_draw ? sees_item(g, s->watcher, zone_of_piece(g, value), item) : !s->private_draw) {
        const W told = s->piece_draw ? item_label[item] : value;
        observe(g, s->piece_draw ? PIECE_DRAWN : ELEMENT_DRAWN, event(6, (U)s->site, (U)told, 0), -1, zone, told, -1, -1);
    }
    return value;
}

/* Return the outcome of a draw from a bag of several kinds, as `replayed_number` does. */
static W replayed_unit(G *g, const W *bag, W width, W units) {
    Search *const s = g->search;
    const SeenEvent *const seen = s->private_draw ? NULL : next_told_outcome(s, ELEMENT_DRAWN, -1);
    W kind;
    s->run.in_step++;
    if (s->mode == RECORDS) {
        kind = true_outcome(g);
    } else if (!s->private_draw) {
        if (seen == NULL) reject_world(g, NO_HINT, -1);
        kind = seen->item;
    } else {
        Draw *const draw = next_hidden_draw(g);
        const bool fits = draw->set && draw->world >= 0 && draw->world < width && bag[draw->world] > 0;
        kind = fits ? draw->world : kind_at(bag, width, world_random(s, units));
        draw->run_outcome = kind;
        s->run.open_secrets++; /* for good */
    }
    if (UNLIKELY(kind < 0 || kind >= width || bag[kind] <= 0)) reject_world(g, NO_HINT, -1);
    trace(s, 0, kind);
    if (!s->private_draw) observe(g, ELEMENT_DRAWN, event(6, (U)s->site, (U)kind, 0), -1, -1, kind, -1, -1);
    return kind;
}

/* Return the item at an index of a pool. */
KEPT inline W pool_item(const G *g, W pool, W index) {
    return COUNTED_POOLS ? POOL_ITEM + index : (W)g->s.members[g->s.pool_start[pool] + index];
}

/* Return the index of an item of a pool with this label (in counted pools its position); -1 for none. */
static W index_in_pool(const G *g, W pool, W label) {
    if (COUNTED_POOLS) {
        const W place = label - POOL_ITEM;
        return place >= 0 && place < 8 && g->s.pool_counts[pool] >> 8 * place & 255 ? place : -1;
    }
    for (W i = 0; i < g->s.pool_length[pool]; i++)
        if (item_label[pool_item(g, pool, i)] == label) return i;
    return -1;
}

/* Return the index in a pool of a random piece, all equally likely, but for as many copies of each label as `reserved` says: those
   come up in later draws that the seat knows of. One time in eight any piece: what is reserved is a guess. */
static W draw_unreserved(const G *g, W pool, const int16_t *reserved) {
    const Search *const s = g->search;
    const W n = g->s.pool_length[pool];
    U x = splitmix64(s->seed ^ splitmix64((U)s->run.step << 20 ^ (U)s->run.in_step));
    const bool any = !(splitmix64(x) & 7); /* what is reserved is a guess: the piece may have come back unseen */
    for (W attempt = 0; attempt < 256; attempt++, x = splitmix64(x)) {
        W index = (W)((Wide)x * (U)n >> 64), copy = 0;
        if (COUNTED_POOLS) {
            W place = 0;
            U counts = g->s.pool_counts[pool];
            for (; index >= (W)(counts & 255); counts >>= 8, place++) index -= (W)(counts & 255);
            copy = index;
            index = place;
        } else {
            const W label = item_label[pool_item(g, pool, index)];
            while (copy < index && item_label[pool_item(g, pool, index - copy - 1)] == label) copy++;
        }
        if (any || copy >= reserved[item_label[pool_item(g, pool, index)]]) return index;
    }
    return COUNTED_POOLS ? (W)lowest(g->s.pool_counts[pool]) : 0;
}

/* Add up in `lack`, by label, the pieces that the seat will see leave hidden `zone` and that neither lie there now nor are seen to
   come: they must come unseen. Return whether all that comes unseen from the zone `source` must be such a piece (Hall's condition:
   at some later moment as many are lacking as can have come). `until_then`: count no further than that moment. `copies`: by label,
   not 0 for what `source` may bring. Of each label as many leave hidden zones as there are; who leaves after that came back before. */
static bool count_lacking(const G *g, W zone, W source, const int16_t *copies, bool until_then, int16_t *lack) {
    const Search *const s = g->search;
    int16_t surplus[ITEMS + 1], hidden[ITEMS + 1];
    W coming = 0, lacking = 0;
    bool is_tight = false;
    memset(surplus, 0, sizeof surplus);
    memset(hidden, 0, sizeof hidden);
    for (W item = 0; item < ITEMS; item++) hidden[item_label[item]]++;
    for (W i = 0; i < g->s.length[zone]; i++) {
        const W item = lying_at(g, zone, i, zone_form[zone]);
        if (item >= 0) surplus[item_label[item]]++;
    }
    for (W i = 0; i < s->run.draw; i++)
        if (s->draws[i].piece && !s->draws[i].moved && s->draws[i].into == zone) {
            surplus[s->draws[i].run_outcome]++;
            coming -= s->draws[i].current_zone == source;
        }
    for (W at = s->run.event_count; at < s->seen_count && !(is_tight && until_then); at++) {
        const SeenEvent *const seen = &s->seen[at];
        if (seen->kind != MOVED) continue;
        if (seen->into == zone && seen->item < 0) /* other pools have other pieces, other places may have the same */
            coming += seen->source == source || seen->source < 0 || !zone_pooled[seen->source];
        else if (seen->into == zone) surplus[seen->item]++;
        if (seen->from < 0 || seen->item < 0 || zone_sight[s->watcher][seen->from] == ALL_SEEN) continue;
        const bool back = --hidden[seen->item] < 0;
        if (seen->from != zone) continue;
        if (surplus[seen->item]) surplus[seen->item]--;
        else if (copies[seen->item] && !back) lack[seen->item]++, lacking++;
        is_tight |= lacking && lacking >= coming;
    }
    return is_tight;
}

/* Return the index in a pool of a piece for the hidden zone that `draw` goes to, while a first world is sought: one that must come
   there now (`count_lacking`), each as likely as it is often lacking, else one that neither a known draw (`reserved`, by label) nor
   another hidden zone needs. -1: none. */
static W draw_required(G *g, W pool, Draw *draw, const int16_t *reserved) {
    Search *const s = g->search;
    int16_t lack[ITEMS + 1], claims[ITEMS + 1], copies[ITEMS + 1];
    bool asked[INSTANCES + 1];
    memset(lack, 0, sizeof lack);
    memset(copies, 0, sizeof copies);
    for (W i = 0; i < (COUNTED_POOLS ? 8 : g->s.pool_length[pool]); i++)
        if (!COUNTED_POOLS || g->s.pool_counts[pool] >> 8 * i & 255) copies[item_label[pool_item(g, pool, i)]] = 1;
    s->run.draw--; /* without this one */
    draw->needed = count_lacking(g, draw->into, s->zone, copies, true, lack);
    memcpy(claims, reserved, sizeof claims);
    memset(asked, 0, sizeof asked);
    asked[draw->into] = true;
    for (W i = s->run.draw; i < s->world_draws && !draw->needed; i++) {
        const W zone = s->draws[i].into;
        if (zone < 0 || asked[zone]) continue;
        asked[zone] = true;
        count_lacking(g, zone, s->zone, copies, false, claims);
    }
    s->run.draw++;
    if (!draw->needed) return draw_unreserved(g, pool, claims);
    U x = splitmix64(s->seed ^ splitmix64((U)s->run.step << 20 ^ (U)s->run.in_step) ^ 1);
    W drawn = -1, fits = 0;
    for (W label = 0; label < ITEMS; label++) {
        if (!lack[label]) continue;
        const W index = index_in_pool(g, pool, label);
        x = splitmix64(x);
        fits += lack[label];
        if (index >= 0 && (W)(x % (U)fits) < lack[label]) drawn = index;
    }
    return drawn;
}

/* Set where the piece lies that becomes known by the next draw from a pool. */
static void set_known_slot(G *g, W zone, W index) {
    g->search->zone = zone;
    g->search->index = index;
}

/* Return whether a pool has individuals alone that nothing tells apart: which one comes up is no draw. */
static bool is_one_class(const G *g, W pool) {
#if INTERCHANGEABLE
    if (!COUNTED_POOLS) {
        const W first = pool_item(g, pool, 0);
        W i = item_identity[first] ? 1 : 0;
        while (i && i < g->s.pool_length[pool] && interchangeable(g, first, pool_item(g, pool, i))) i++;
        return i == g->s.pool_length[pool];
    }
#else
    (void)g, (void)pool;
#endif
    return false;
}

/* Return the index in a pool of the piece that comes up of those that are called as the one at `index` is, the first of them: see
   `draw_individual`. */
static W draw_copy_of_pool(G *g, W pool, W index, W zone, Draw *draw) {
#if INTERCHANGEABLE
    if (COUNTED_POOLS || !item_identity[pool_item(g, pool, index)]) return index;
    const W label = item_label[pool_item(g, pool, index)];
    W *const mark = g->top, *const items = alloc(g, g->s.pool_length[pool]);
    W copies = 0;
    for (W i = index; i < g->s.pool_length[pool] && item_label[pool_item(g, pool, i)] == label; i++)
        items[copies++] = pool_item(g, pool, i);
    index += draw_individual(g, items, copies, zone, draw);
    g->top = mark;
#else
    (void)g, (void)pool, (void)zone, (void)draw;
#endif
    return index;
}

/* Return the index in its pool of the piece that becomes known at the slot of `set_known_slot`: of the true piece while the record is
   made, of the observed piece, of the world's, or of a random one. */
static W replayed_index(G *g, W pool) {
    Search *const s = g->search;
    const W zone = s->zone, epoch = pool_epoch(s, zone);
    int16_t *const reserved = s->reserved + epoch * (ITEMS + 1);
    const int sight = zone_sight[s->watcher][zone];
    const bool shown = sight == ALL_SEEN || (sight == TOP_SEEN && s->index == g->s.length[zone] - 1);
    const SeenEvent *const seen = next_told_outcome(s, PIECE_DRAWN, zone);
    Draw *draw = NULL;
    W index;
    s->run.pending_draws++;
    if (is_one_class(g, pool)) return 0; /* it is certain: no draw */
    s->run.in_step++;
    if (s->mode == RECORDS) {
        const W item = true_outcome(g);
        index = index_in_pool(g, pool, item_label[item]);
        while (!COUNTED_POOLS && index >= 0 && index < g->s.pool_length[pool] && pool_item(g, pool, index) != item) index++;
        if (UNLIKELY(index < 0 || (!COUNTED_POOLS && index == g->s.pool_length[pool]))) reject_world(g, NO_HINT, -1);
    } else if (seen) {
        index = index_in_pool(g, pool, seen->item);
        if (UNLIKELY(index < 0)) reject_world(g, NOT_IN_POOL, seen->item);
        if (reserved[seen->item] > 0) reserved[seen->item]--;
    } else {
        draw = next_hidden_draw(g);
        index = draw->set ? index_in_pool(g, pool, draw->world) : -1;
        if (index >= 0 && draw->epoch == epoch && reserved[draw->world] > 0) reserved[draw->world]--;
        if (index < 0 && draw->set && s->strict) reject_world(g, NO_HINT, -1);
        if (index < 0 && s->guided) {
            draw->destination_unknown = draw->into < 0;
            if (!draw->destination_unknown) index = draw_required(g, pool, draw, reserved);
        }
        if (index < 0) /* the first of those that are called the same stands for all */
            index = index_in_pool(g, pool, item_label[pool_item(g, pool, draw_unreserved(g, pool, reserved))]);
    }
    const W label = item_label[pool_item(g, pool, index)];
    if (draw) {
        draw->run_outcome = label;
        hide_piece(s, draw, label, zone);
    }
    if (s->mode != RECORDS) index = draw_copy_of_pool(g, pool, index, shown ? zone : seen ? seen->sighted_in : -1, draw);
    const W item = pool_item(g, pool, index);
    trace(s, 0, item);
    if (shown) {
        s->sighted_in = zone;
        sight_piece(g, zone, item);
        observe(g, PIECE_DRAWN, event(7, (U)zone, (U)s->index, (U)label), -1, zone, label, -1, -1);
    }
    return index;
}

/* ---- actions ---- */

static void mix_value(G *g, W form, W piece, W value);

/* Mix a word into the keys of the option at hand: exact, without numbers of individuals, as it is told to the searching seat, and as
   each observer sees it. */
KEPT inline void mix_word(Search *s, U word) {
    if (UNLIKELY(s->telling)) s->told_key = splitmix64(s->told_key ^ word);
    s->key = splitmix64(s->key ^ word);
    s->anonymous_key = splitmix64(s->anonymous_key ^ word);
    if (s->showing)
        for (W o = s->first_shown; o < s->end_shown; o++) s->shown[o] = splitmix64(s->shown[o] ^ word);
}

/* Mix a single value into the keys; `piece`: 1 a piece, 2 a reaction of one, 0 another value. A piece that an observer does not see
   counts for it as any hidden piece. */
static void mix_scalar(G *g, W piece, W value) {
    Search *const s = g->search;
    const W handle = piece == 2 ? (value & 0xFFFFFFFF) - 1 : value;
    if (!piece || value < 0 || handle < 0) {
        mix_word(s, (U)value);
        return;
    }
    const W item = handle & ITEM_MASK, zone = zone_of_piece(g, handle);
    const U called = (U)item_label[item] ^ (U)zone << 20;
    s->key = splitmix64(s->key ^ (U)value);
    s->anonymous_key = splitmix64(s->anonymous_key ^ called);
    if (s->telling) {
        const U told = s->telling == TELLS_CHOICE ? appearance(g, s->watcher, zone, item) : (U)item_label[item];
        if (s->telling == TELLS_VALUE && s->revealed_count < ITEMS) s->revealed[s->revealed_count++] = handle;
        if (s->summing) s->set_sum += splitmix64(told);
        else s->told_key = splitmix64(s->told_key ^ told);
    }
    if (!s->showing) return;
    for (W o = s->first_shown; o < s->end_shown; o++) {
        const bool seen = o == s->seat || sees_item(g, o, zone, item);
        s->shown[o] = seen ? splitmix64(s->shown[o] ^ called) : s->shown[o] + HIDDEN_PIECE; /* in any order */
        if (!seen && o == s->watcher) {
            if (s->hidden < MOST_PIECES) s->hidden_zone[s->hidden] = zone, s->hidden_item[s->hidden] = item;
            s->hidden++;
        }
    }
}

/* Mix a value of any form into the keys, element by element. `form`: an index into `forms`; `piece`: as in `mix_scalar`. */
static void mix_value(G *g, W form, W piece, W value) {
    Search *const s = g->search;
    if (forms[form].sort == WORD || nowhere(value)) {
        mix_scalar(g, forms[form].sort == WORD ? piece : 0, value);
        return;
    }
    const W *const from = LIST(value);
    const W width = forms[form].width, inner = forms[form].inner;
    switch (forms[form].sort) {
    case FIXED:
        for (W i = 0; i < width; i++) mix_word(s, (U)from[i]);
        return;
    case PRICE:
        for (W i = 0; i < width + 1 + 3 * from[width]; i++) mix_word(s, (U)from[i]);
        return;
    default:
        mix_word(s, (U)from[0]);
        s->summing = piece && s->telling == TELLS_CHOICE && forms[inner].sort == WORD;
        s->set_sum = 0;
        for (W i = 1; i <= from[0]; i++) mix_value(g, inner, forms[form].sort == PAYMENT ? 0 : piece, from[i]);
        if (s->summing) s->told_key = splitmix64(s->told_key ^ s->set_sum);
        s->summing = false;
    }
}

/* Begin the keys of an option: of the item at this index of the decision's menu, -1 for passing. */
KEPT void begin_key(G *g, W item) {
    Search *const s = g->search;
    s->key = s->anonymous_key = s->told_key = splitmix64((U)(item + 2));
    s->hidden = 0;
    for (W o = s->first_shown; s->showing && o < s->end_shown; o++) s->shown[o] = s->key;
}

/* Begin to tell the seat a value that is revealed to it. */
KEPT void begin_revealed(G *g) {
    g->search->telling = TELLS_VALUE;
    g->search->revealed_count = 0;
    begin_key(g, 0);
}

/* Reject a world that reveals other pieces (`revealed`, by label) than the record has: one that should not be among them is taken for one that
   is lacking. It has come further the more are right. */
static void check_revealed(G *g) {
    Search *const s = g->search;
    W at = s->run.event_count, i = 0, right = 0, wrong = -1, lacking = -1;
    while (i < s->revealed_count || (at < s->seen_count && s->seen[at].kind == PIECE_REVEALED)) {
        const W has = i < s->revealed_count ? (W)item_label[s->revealed[i] & ITEM_MASK] : ITEMS;
        const W should = at < s->seen_count && s->seen[at].kind == PIECE_REVEALED ? s->seen[at].item : ITEMS;
        right += has == should;
        if (has < should && wrong < 0) wrong = s->revealed[i];
        if (has > should && lacking < 0) lacking = should;
        i += has <= should, at += should <= has;
    }
    if (wrong < 0 || lacking < 0) return;
    s->run.event_count += right;
    s->mismatch_zone = zone_of_piece(g, wrong);
    s->misplaced = true;
    reject_world(g, item_label[wrong & ITEM_MASK], lacking);
}

/* Observe the value that was told since `begin_revealed`: what its pieces are called, one by one, and the whole. What was drawn unseen and is
   revealed the seat has learnt. */
KEPT void end_revealed(G *g, W kind, W site) {
    Search *const s = g->search;
    s->telling = 0;
    for (W i = 1; i < s->revealed_count; i++)
        for (W at = i; at && item_label[s->revealed[at - 1] & ITEM_MASK] > item_label[s->revealed[at] & ITEM_MASK]; at--) {
            const W piece = s->revealed[at];
            s->revealed[at] = s->revealed[at - 1];
            s->revealed[at - 1] = piece;
        }
    if (s->mode == REPLAYS && s->guided) check_revealed(g);
    for (W i = 0; i < s->revealed_count; i++) {
        const W piece = s->revealed[i], zone = zone_of_piece(g, piece), label = item_label[piece & ITEM_MASK];
        observe(g, PIECE_REVEALED, event(10, (U)label, 0, 0), -1, -1, label, -1, -1);
        if (zone >= 0) follow_hidden_piece(g, zone, zone, piece & ITEM_MASK, true);
    }
    observe_event(g, kind, site, (W)s->told_key);
}

/* Mix a piece that a decision is about into what the seat sees of that decision. */
KEPT void mix_subject(G *g, W piece) {
    Search *const s = g->search;
    const bool seen = KNOWS_SUBJECTS && piece >= 0 && sees_item(g, s->watcher, zone_of_piece(g, piece), piece & ITEM_MASK);
    s->subjects = splitmix64(s->subjects ^ (U)(piece < 0 ? piece : seen ? item_label[piece & ITEM_MASK] + 1 : 0));
}

/* ---- the trees ---- */

/* Return the index of the tree in which a seat chooses. */
KEPT inline W tree_of(const Search *s, W seat) { return s->observers == 1 ? 0 : seat; }

/* Return where the search for an edge begins in the hash table (open addressing, linear probing). */
KEPT inline U table_slot(const Search *s, W parent, U key) { return splitmix64(key ^ (U)parent << 32) & (U)(s->table_size - 1); }

/* Return the edge from a node with this key; -1: there is none. */
KEPT W find_child(const Search *s, W parent, U key) {
    for (U at = table_slot(s, parent, key); s->table[at] >= 0; at = (at + 1) & (U)(s->table_size - 1)) {
        const Edge *const edge = &s->edges[s->table[at]];
        if (edge->key == key && edge->parent == parent) return s->table[at];
    }
    return -1;
}

/* Insert an edge into the hash table. */
KEPT void insert_edge(Search *s, W number) {
    U at = table_slot(s, s->edges[number].parent, s->edges[number].key);
    while (s->table[at] >= 0) at = (at + 1) & (U)(s->table_size - 1);
    s->table[at] = (int32_t)number;
}

/* Return a new edge from `parent` (-1: a root), offered last at index `hint`; -1: there is no room. */
KEPT W new_edge(Search *s, W parent, U key, W hint) {
    if (s->edge_count == s->edge_room) return -1;
    const W number = s->edge_count++;
    s->edges[number] = (Edge){.key = key, .parent = (int32_t)parent, .first = -1, .next = -1, .hint = (int32_t)hint};
    if (parent >= 0) {
        s->edges[number].next = s->edges[parent].first;
        s->edges[parent].first = (int32_t)number;
        s->edges[parent].children++;
        insert_edge(s, number);
    }
    return number;
}

/* Move an observer along the edge of its tree with this key, which is made if need be. */
KEPT void advance_observer(Search *s, W observer, U key) {
    const W node = s->node[observer];
    if (node < 0) return;
    W to = find_child(s, node, key);
    if (to < 0) to = new_edge(s, node, key, -1);
    s->node[observer] = to;
}

/* Return the square root, rounded down. */
KEPT inline W floor_sqrt(U x) { return (W)__builtin_sqrt((double)x); }

/* Return the exploration term of UCB1, c * sqrt(ln(available) / visits), of VALUE_BITS. */
KEPT W exploration_bonus(const Search *s, W available, W visits) {
    W more = 0;
    while (available > 4096) available >>= 1, more += 45426; /* ln 2 */
    return floor_sqrt((U)(s->logs[available] + more) * (UINT64_C(1) << 24) / (U)visits) * s->exploration >> VALUE_BITS;
}

/* Return the key of the edge for the listed option `i`; `at_once`: seats share the node, and the key says whose it is. */
KEPT inline U edge_key(const Search *s, W i, bool at_once) { return at_once ? splitmix64(s->keys[i] ^ (U)s->seat) : s->keys[i]; }

/* Append an edge to the path of the iteration, for the seat that chooses. `common`, `share`, `taken`: see `select_by_regret`. */
KEPT void push_step(Search *s, W edge, W common, W share, W taken) {
    if (edge < 0 || s->path_length == MOST_KEYS) return;
    s->path[s->path_length++] = (PathStep){(int32_t)edge, (int32_t)s->seat, (int32_t)common, share, taken};
}

/* Select an option by regret matching on sampled utilities (Hart and Mas-Colell, 2000): each as likely as its regret, if that is above
   0, and with a probability that falls with the visits any. Append it to the path with its probability by regret (`share`) and the
   one that it was drawn with (`taken`). What all options of a seat gained less than was expected is stored once, as the regret of an
   edge of its own (`common`), with the mean utility there. Return its index among the listed options; -1: none has been tried. */
static W select_by_regret(Search *s, W node) {
    W sum = 0, count = 0, drawn = -1, place = -1;
    W common = find_child(s, node, splitmix64(~(U)s->seat));
    if (common < 0) common = new_edge(s, node, splitmix64(~(U)s->seat), -1);
    if (common < 0) return -1;
    for (W i = 0; i < s->listed_count; i++) {
        const W edge = find_child(s, node, edge_key(s, i, true));
        if (edge < 0) continue;
        count++;
        sum += greatest(s->edges[edge].regret + s->edges[common].regret, 0);
    }
    if (!count) return -1;
    const W any = (INT64_C(4) << VALUE_BITS) / floor_sqrt((U)s->edges[common].visits + 16);
    W point = random_below(s, INT64_C(1) << VALUE_BITS) < any || !sum ? -1 - random_below(s, count) : random_below(s, sum);
    W taken_share = 0;
    for (W i = 0; i < s->listed_count; i++) {
        const W edge = find_child(s, node, edge_key(s, i, true));
        if (edge < 0) continue;
        Edge *const e = &s->edges[edge];
        const W regret = greatest(e->regret + s->edges[common].regret, 0);
        const W share = sum ? (W)(((Wide)(U)regret << VALUE_BITS) / (U)sum) : (INT64_C(1) << VALUE_BITS) / count;
        e->available++;
        e->share += share;
        e->hint = (int32_t)s->option_index[i];
        const bool drawn_now = place < 0 && (point < 0 ? ++point == 0 : point < regret);
        if (drawn_now) place = i, drawn = edge, taken_share = share;
        else if (point >= 0) point -= regret;
    }
    const W taken = (((INT64_C(1) << VALUE_BITS) - any) * taken_share >> VALUE_BITS) + any / count;
    push_step(s, drawn, common, taken_share, greatest(taken, 1));
    return place;
}

/* Return the value of an edge that is offered once more: its mean utility and UCB1's exploration term, the extremes where it is proven. */
static W offered_value(Search *s, Edge *e, bool at_once) {
    e->available++;
    if (e->proven > 0) return INT64_MAX;
    if (e->proven) return INT64_MIN / 2 + e->value / e->visits; /* where all lose, what resisted longest */
    if (!e->visits) return INT64_MAX;
    W more = exploration_bonus(s, e->available, e->visits);
    if (at_once) more = more * random_below(s, 256) >> 7; /* else seats whose numbers are equal choose in step for ever */
    return e->value / e->visits + more;
}

/* Return whether all options of a node are known by their indices: the state is the same whenever a run comes there, and all are in
   the tree. */
static bool has_all_options(const G *g, const Search *s, W node, W total) {
    const Edge *const e = &s->edges[node];
    return s->observers == 1 && !s->secrets && !s->moved && g->s.rng == s->tree_rng && e->options == total && e->children == total;
}

/* Select an option of such a node as `select_in_tree` would, of whose edges no key is asked. */
static void select_known(Search *s) {
    const W node = s->node[0];
    W best = -1, best_value = INT64_MIN;
    for (W e = s->edges[node].first; e >= 0; e = s->edges[e].next) {
        const W value = offered_value(s, &s->edges[e], false);
        if (value > best_value || (value == best_value && s->edges[e].hint < s->edges[best].hint)) best_value = value, best = e;
    }
    s->edges[node].choices++;
    s->picked = s->edges[best].hint;
    s->chosen_key = s->edges[best].key;
    s->chosen_edge = best;
    push_step(s, best, -1, 0, 0);
}

/* Select an option of those that are listed, or expand the tree by a new one: UCB1 with the times an option was available (Cowling
   et al., 2012), regret matching for seats that choose at once if asked for, progressive widening (Coulom, 2007) of large menus.
   Append it to the path and return its index in `option_index`. */
static W select_in_tree(G *g) {
    Search *const s = g->search;
    const W tree = tree_of(s, s->seat), node = s->node[tree];
    const bool at_once = choice_flags[s->decision] & ALL_AT_ONCE;
    W fresh = -1, unexpanded = 0, legal = 0, best = -1, best_value = INT64_MIN, best_edge = -1;
    bool wins = false;
    if (at_once && s->regret) {
        W known = 0;
        for (W i = 0; i < s->listed_count; i++) known += find_child(s, node, edge_key(s, i, true)) >= 0;
        const bool widens = known < s->listed_count && known < 16 + 2 * floor_sqrt((U)s->edges[node].choices);
        const W place = widens ? -1 : select_by_regret(s, node);
        if (place >= 0) return s->edges[node].choices++, place;
    }
    for (W i = 0; i < s->listed_count; i++) {
        const W edge = find_child(s, node, edge_key(s, i, at_once));
        if (edge < 0) {
            if (!random_below(s, ++unexpanded)) fresh = i;
            continue;
        }
        legal++;
        Edge *const e = &s->edges[edge];
        e->hint = (int32_t)s->option_index[i];
        wins |= e->proven > 0;
        const W value = offered_value(s, e, at_once);
        if (value > best_value) best_value = value, best = i, best_edge = edge;
    }
    /* progressive widening: no more children than the visits are worth */
    const W most = 16 + 2 * floor_sqrt((U)s->edges[node].choices++);
    s->edges[node].options = s->total <= MOST_KEYS ? (int32_t)s->total : 0;
    if (fresh >= 0 && !wins && (legal < most || best < 0)) {
        best = fresh;
        best_edge = new_edge(s, node, edge_key(s, fresh, at_once), s->option_index[fresh]);
        if (best_edge >= 0) s->edges[best_edge].available = 1;
        s->depth_left = 0;
    }
    if (best_edge < 0) s->depth_left = 0;
    s->chosen_edge = best_edge;
    push_step(s, best_edge, -1, 0, 0);
    return best;
}

/* ---- a decision ---- */

enum { GUESS, SCAN, NARROW, NARROWED, LIST_ALL, LIST_SOME, LIST_NONE, SHOW, DONE }; /* the phases of a choice, see `next_option_to_key` */

/* Return whether the run is at a node that the seat's tree does not have: there the rollout begins. */
KEPT bool leaves_tree(const Search *s, W seat) {
    return s->mode == TREE && !s->at_once && (!s->depth_left || s->node[tree_of(s, seat)] < 0);
}

/* Return whether the search proves wins and losses (MCTS-Solver): two sides, nothing hidden, a win or loss in the end. */
KEPT bool is_solving(const Search *s) { return SOLVES && !s->secrets && s->observers == 1 && s->policy < GREEDY_POLICY; }

/* Return whether the run stops here, for `roll_out_greedily` to try the options one by one, for `try_decisive_moves` to do so at the
   leaf, or for Python to evaluate that. Seats that choose at once are not asked one by one. */
static bool pauses_for_leaf(G *g, W decision, W seat, W total) {
    Search *const s = g->search;
    GreedyRollout *const greedy = &s->greedy;
    const bool solving = is_solving(s);
    if (greedy->resumes) {
        greedy->resumes = false;
        greedy->chooses = true;
        return false;
    }
    if (greedy->trial) fail(g, TRIAL_ENDED);
    if (s->mode == ROLLOUT ? solving : !leaves_tree(s, seat)) return false;
    if (solving && (total > MOST_TRIED || g->s.rng != s->tree_rng)) return false;
    if (s->policy == GREEDY_POLICY && (total < 2 || choice_flags[decision] & ALL_AT_ONCE)) return false;
    s->mode = ROLLOUT;
    greedy->seat = seat, greedy->total = total;
    g->s.decisions--;
    g->step.stopped = ASKED;
    return true;
}

/* Return the checkpoint that runs along the record begin at; NULL: the start of the game. */
KEPT const Checkpoint *run_origin(const Search *s) {
    if (s->fixed.frames && !s->thorough) return &s->fixed;
    return s->prefix.end.frames && !s->reopened ? &s->prefix.end : NULL;
}

/* Return the index of the first choice of the record that a run comes to. */
KEPT W first_choice(const Search *s) { return run_origin(s) ? run_origin(s)->run.step : 0; }
/* Return the index of the first hidden draw that a run comes to. */
KEPT W first_draw(const Search *s) { return run_origin(s) ? run_origin(s)->run.draw : 0; }

/* Return whether the proposed world is accepted, by how likely its hidden choices are (Metropolis and Hastings, 1953/1970): the prior is
   uniform over the options that look like the one seen (`matching`); choices drawn again were drawn from fewer (`eligible`). A world
   that was drawn wholly anew is accepted with the ratio of prior and proposal alone. So do individuals that were drawn from those that
   look as the seat saw them (`draw_individual`). */
static bool accepts_world(Search *s) {
    W gained = s->run.odds - (s->kind == FULL ? run_origin(s) ? run_origin(s)->run.odds : 0 : s->odds);
    for (W i = first_draw(s); s->has_individuals && i < s->run.draw; i++) {
        const Draw *const draw = &s->draws[i];
        const bool drawn = draw->redrawn || s->kind == FULL;
        if (draw->run_individual >= 0) gained += drawn ? s->run_odds[i].drawn : s->run_odds[i].alike;
        if (s->kind != FULL && draw->individual >= 0) gained -= drawn ? s->draw_odds[i].drawn : s->draw_odds[i].alike;
    }
    for (W i = first_choice(s); i < s->choice_count; i++) {
        const Choice *const choice = &s->choices[i];
        if (choice->known) continue;
        if (s->kind != FULL && !choice->matching) return true; /* the world before was found, not drawn */
        gained -= clamped_log(s, choice->run_matching);
        if (choice->redrawn) gained += clamped_log(s, choice->run_eligible);
        if (s->kind != FULL) gained += clamped_log(s, choice->matching) - (choice->redrawn ? clamped_log(s, choice->eligible) : 0);
    }
    return gained >= 0 || s->logs[1 + random_below(s, 4096)] - s->logs[4096] <= gained;
}

/* Return whether the game is to stop at this decision: where a checkpoint is wanted, where the record ends and a state is wanted, where
   options are tried. Where the record ends and the seat sees what it truly saw, the tree takes over; if it sees otherwise, or the
   world is not accepted, the run is rejected. `total`: how many options there are. */
static bool reaches_record_end(G *g, W decision, W seat, W total) {
    Search *const s = g->search;
    if ((s->policy >= GREEDY_POLICY || is_solving(s)) && !g->watched) return pauses_for_leaf(g, decision, seat, total);
    if (LIKELY(!g->watched)) return false;
    if (!s->run.open_secrets) s->run.resolved_step = s->run.step;
    if (s->run.step < s->stop) return false;
    if (s->stop < s->choice_count) {
        g->s.decisions--;
        g->step.stopped = ASKED;
        return true;
    }
    const U asked = choice_flags[decision] & ALL_AT_ONCE ? s->asked : 0;
    const U view = splitmix64(view_hash(g, s->watcher) ^ event(10, (U)decision, (U)seat, asked)) ^ s->run.sighted;
    if (s->mode == RECORDS) s->view = view;
    if (UNLIKELY(s->run.event_count != s->seen_count || view != s->view || (s->exact && !accepts_world(s)))) reject_world(g, NO_HINT, -1);
    if (s->stopping) {
        g->s.decisions--;
        g->step.stopped = ASKED;
        return true;
    }
    if (s->probing) fail(g, RECORD_ENDED);
    g->watched = false;
    g->s.rng = next_random(s);
    s->mode = TREE;
    return false;
}

/* Begin a decision of `seat` with `total` options: set the phase in which options are scanned. Return whether they are scanned; if
   not, one is drawn uniformly. */
static bool begin_choice(G *g, W decision, W seat, W total) {
    Search *const s = g->search;
    if (s->greedy.chooses) {
        s->greedy.chooses = false;
        s->decision = decision;
        s->picked = s->greedy.chosen;
        s->phase = DONE;
        return true;
    }
    if (s->mode == ROLLOUT && s->policy != MAST_POLICY) return false;
    s->decision = decision;
    s->seat = seat;
    s->total = total;
    s->candidate = -1;
    s->picked = -1;
    s->narrow.narrows = false;
    s->narrow.fitting = 0;
    s->candidates = 0;
    s->showing = false;
    s->telling = INTERCHANGEABLE && (s->mode == RECORDS || s->mode == REPLAYS) ? TELLS_CHOICE : 0;
    if (s->mode == RECORDS || s->mode == REPLAYS) {
        Choice *const choice = &s->choices[s->run.step];
        if (choice->decision != decision || choice->seat != seat) reject_world(g, NO_HINT, -1);
        const bool contradicts = s->run.event_count != choice->events || s->run.sighted != choice->sighted;
        if (s->mode == REPLAYS && (contradicts || (s->prefixing && !choice->known))) reject_world(g, NO_HINT, -1);
        s->showing = true;
        s->first_shown = s->watcher, s->end_shown = s->watcher + 1;
        s->lack = INT64_MAX;
        s->alternative_item = -1, s->alternative_count = 0;
        choice->run_matching = choice->run_eligible = 0;
        s->least_lack = INT64_MAX;
        const bool counts = choice->known ? INTERCHANGEABLE && s->copies : s->exact; /* several options, of which one is drawn */
        s->phase = choice->index_hint < 0 || counts ? SCAN : GUESS;
        return true;
    }
    s->first_shown = 0, s->end_shown = PLAYERS;
    s->listed_count = 0;
    const bool inside = s->mode == TREE && s->node[tree_of(s, seat)] >= 0;
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
    s->phase = total > MOST_KEYS ? LIST_SOME : !(choice_flags[decision] & ALL_AT_ONCE) && has_all_options(g, s, s->node[0], total) ? LIST_NONE : LIST_ALL;
    return true;
}

/* List a sample of a large menu: where the node's children were offered last, and some random options. */
static void list_sample(Search *s) {
    const W random_count = s->mode == ROLLOUT ? MAST_SAMPLE : 8;
    if (s->mode == TREE)
        for (W e = s->edges[s->node[tree_of(s, s->seat)]].first; e >= 0 && s->listed_count < MOST_KEYS - random_count;
             e = s->edges[e].next)
            if (s->edges[e].hint >= 0 && s->edges[e].hint < s->total) s->option_index[s->listed_count++] = s->edges[e].hint;
    for (W k = 0; k < random_count; k++) s->option_index[s->listed_count++] = random_below(s, s->total);
}

/* Return which of the listed options MAST selects (Finnsson and Bjornsson, 2008): the action with the best average so far, one time in
   four any. */
static W select_by_mast(Search *s) {
    W best = random_below(s, s->listed_count), best_value = INT64_MIN;
    if (next_random(s) & 3)
        for (W k = 0; k < s->listed_count; k++) {
            const Average *const average = &s->mast[splitmix64(s->keys[k] ^ (U)s->seat) & (MAST_SIZE - 1)];
            const bool is_known = average->visits && average->key == s->keys[k];
            const W value = is_known ? average->value / average->visits : INT64_C(1) << VALUE_BITS;
            if (value > best_value) best_value = value, best = k;
        }
    return best;
}

/* Return the index of the next option whose keys are to be made; -1: the choice is made. The phases: GUESS the index where the
   recorded choice stood last, SCAN all options for it, NARROWED those that may be it (before that NARROW, see narrowing.h), LIST_ALL list all for the tree or the rollout, LIST_SOME a sample, LIST_NONE where the tree has them all, SHOW the
   chosen one as other seats see it. When the list is complete MAST or the tree selects from it. */
static W next_option_to_key(G *g) {
    Search *const s = g->search;
    switch (s->phase) {
    case GUESS:
        if (s->candidate < 0 && s->choices[s->run.step].index_hint < s->total)
            return s->candidate = s->choices[s->run.step].index_hint;
        s->phase = s->narrow.narrows ? NARROW : SCAN;
        s->candidate = -1;
        return next_option_to_key(g);
    case NARROWED: return s->narrow.next < s->listed_count ? s->candidate = s->option_index[s->narrow.next++] : -1;
    case SCAN: return ++s->candidate < s->total ? s->candidate : -1;
    case LIST_ALL:
        if (++s->candidate < s->total) return s->candidate;
        s->listed_count = s->total;
        break;
    case LIST_SOME:
        if (s->candidate < 0) list_sample(s);
        if (++s->candidate < s->listed_count) return s->option_index[s->candidate];
        break;
    case LIST_NONE: return select_known(s), -1;
    default: return -1;
    }
    const W selected = s->mode == ROLLOUT ? select_by_mast(s) : select_in_tree(g);
    s->picked = s->option_index[selected];
    s->chosen_key = s->keys[selected];
    if (s->mode == ROLLOUT || s->observers == 1 || (choice_flags[s->decision] & ALL_AT_ONCE)) return -1;
    s->phase = SHOW;
    s->showing = true;
    return s->picked;
}

/* Return what the seat saw leave hidden zones before the choice after this one. */
KEPT Departure *departures_of(const Search *s, const Choice *choice) { return s->departures + (choice - s->choices) * MOST_PIECES; }

/* Return whether the seat saw such a piece leave the zone after the choice, one that is not among the `used` ones yet. */
static bool takes_departure(const Search *s, const Choice *choice, W zone, W label, U *used) {
    const Departure *const left = departures_of(s, choice);
    for (W at = 0; at < choice->pieces; at++)
        if (!(*used >> at & 1) && left[at].zone == zone && left[at].item == label) return *used |= (U)1 << at, true;
    return false;
}

/* Return whether each hidden piece of the option is one that the seat saw move after the choice. */
static bool matches_seen_moves(const Search *s, const Choice *choice) {
    U used = 0;
    if (s->hidden > choice->pieces) return false;
    for (W k = 0; k < s->hidden; k++)
        if (!takes_departure(s, choice, s->hidden_zone[k], item_label[s->hidden_item[k]], &used)) return false;
    return true;
}

/* Return whether a zone may hold so many pieces of a label; slots that nobody has seen count as any. */
static bool may_lie_in(const G *g, W zone, W label, W copies) {
    for (W i = 0; i < g->s.length[zone] && copies > 0; i++) {
        const W item = lying_at(g, zone, i, zone_form[zone]);
        copies -= item < 0 || item_label[item] == label;
    }
    return copies <= 0;
}

/* Return whether all pieces that the seat saw move after the choice may lie where they left from. */
static bool holds_seen_pieces(const G *g, const Choice *choice) {
    const Departure *const left = departures_of(g->search, choice);
    bool has_all = true;
    for (W i = 0; i < choice->pieces; i++) has_all &= may_lie_in(g, left[i].zone, left[i].item, 1);
    return has_all;
}

/* Return how many pieces the chooser would lack after an option, of those that it was seen to use later and that did not come to it
   since. */
static W count_lacking_later(G *g, const Choice *choice) {
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

/* Return whether an unknown choice is told by the pieces that the seat saw move after it: at times not, where that is a guess. */
static bool goes_by_moves(const Search *s, const Choice *choice) {
    return choice->pieces && !(s->guided && !(splitmix64(s->seed) & 7)) &&
           !(choice->pieces_inferred && !(splitmix64(s->seed ^ (U)s->run.step) & 3));
}

/* Return whether the candidate may be the recorded choice, of which the seat does not know the action, and is drawn from those that
   may be (reservoir sampling): options that look like the one seen, rather those that leave the fewest pieces lacking (`lack`), at
   times any. The world's own choice is picked at once; with `exact` those that look like it are counted for `accepts_world`. */
static bool is_drawn(G *g, Choice *choice) {
    Search *const s = g->search;
    if (!(choice_flags[s->decision] & SECRET) && s->shown[s->watcher] != choice->shown) return false;
    const bool in_world = s->key == choice->world, replaces = !in_world && choice->world && s->strict;
    if (!in_world && (s->phase == GUESS || (replaces && !s->exact))) return false;
    const U luck = splitmix64(s->seed);
    /* What moved only after further choices is not what was chosen, if more was. */
    const bool by_moves = goes_by_moves(s, choice) && !(choice->pieces_inferred && s->hidden > choice->pieces);
    W lack = !s->hidden && choice->pieces; /* where no piece was seen to move it may as well be of none */
    if (s->hidden && (s->exact || !(in_world && !s->guided)) && !(s->guided && !(luck >> 3 & 15)))
        lack = by_moves ? !matches_seen_moves(s, choice) : count_lacking_later(g, choice);
    if (s->guided && lack && s->hidden && s->hidden <= MOST_PIECES && !random_below(s, ++s->alternative_count))
        s->alternative_item = item_label[s->hidden_item[random_below(s, s->hidden)]];
    if (s->exact) {
        if (lack < s->least_lack) s->least_lack = lack, choice->run_eligible = 0;
        choice->run_eligible += lack == s->least_lack;
        if (!choice->pieces || choice->pieces_inferred) choice->run_matching++;
        else choice->run_matching = choice->run_eligible; /* what was seen at once tells the others from it */
        if (replaces) return false;
        if (choice->world && s->strict) return s->lack = 0, true;
    } else if (in_world && (!lack || !s->hidden)) {
        s->phase = DONE;
        return true;
    }
    if (s->phase == GUESS || lack > s->lack) return false;
    if (lack < s->lack) s->lack = lack, s->candidates = 0;
    return !(splitmix64(s->seed ^ splitmix64((U)s->run.step << 32 ^ (U)s->candidate)) % (U)++s->candidates);
}

/* Pick the candidate if it is the recorded choice, or may be where the seat does not know that. */
static void match_record(G *g) {
    Search *const s = g->search;
    Choice *const choice = &s->choices[s->run.step];
    if (s->mode == RECORDS || choice->known) {
        if (s->mode == REPLAYS && INTERCHANGEABLE ? s->told_key != choice->told_key : s->key != choice->key) return;
        if (s->copies && s->mode == REPLAYS && INTERCHANGEABLE) { /* which of several that look alike, `copies` says */
            const U lot = splitmix64(s->copies ^ splitmix64((U)s->run.step << 20 ^ (U)s->candidate));
            if (lot % (U)++s->candidates) return;
        } else {
            s->phase = DONE;
        }
    } else if (!is_drawn(g, choice)) {
        return;
    }
    s->picked = s->candidate;
    choice->index_hint = (int32_t)s->candidate;
    s->picked_hidden = s->hidden;
    if (s->mode == RECORDS) {
        choice->true_index = choice->index_hint;
        choice->shown = s->shown[s->watcher];
        choice->told_key = s->told_key;
        choice->known = s->seat == s->watcher || (!(choice_flags[s->decision] & SECRET) && !s->hidden);
    }
    memcpy(s->chosen_shown, s->shown, sizeof s->shown);
    s->chosen_key = s->key;
}

/* List, show or compare with the record the candidate of `next_option_to_key`, whose keys are complete. */
static void consider_candidate(G *g) {
    Search *const s = g->search;
    const W i = s->candidate;
    switch (s->phase) {
    case LIST_ALL: s->option_index[i] = i; /* fall through */
    case LIST_SOME: s->keys[i] = INTERCHANGEABLE ? s->anonymous_key : s->key; return;
    case SHOW:
        s->phase = DONE;
        memcpy(s->chosen_shown, s->shown, sizeof s->shown);
        return;
    default: match_record(g);
    }
}

/* Make the choice: compare it with the record, or note it for MAST, or move all observers along their trees. Return the index of the
   option. */
static W end_choice(G *g) {
    Search *const s = g->search;
    const int flags = choice_flags[s->decision];
    if (UNLIKELY(s->picked < 0)) reject_world(g, NO_OPTION, -1);
    if (s->mode == RECORDS || s->mode == REPLAYS) {
        Choice *const choice = &s->choices[s->run.step];
        if (s->mode == REPLAYS && !choice->known) {
            choice->world = s->chosen_key;
            if (s->narrow.fitting) {
                choice->run_matching = (int32_t)least(s->narrow.all, INT32_MAX);
                choice->run_eligible = (int32_t)least(s->narrow.fitting, INT32_MAX);
            }
            s->run.open_secrets += !s->picked_hidden; /* for good: not of pieces, whose draws tell when they are seen */
            /* It has the pieces that were seen, but could not choose them: most likely a rule forbids it. */
            if (!s->exact && !choice->pieces_inferred && s->picked_hidden && choice->pieces && s->lack && s->phase != DONE &&
                holds_seen_pieces(g, choice))
                reject_world(g, NO_OPTION, -1);
        }
        if (s->mode == RECORDS) choice->events = (int32_t)s->run.event_count, choice->sighted = s->run.sighted;
        s->run.step++;
        s->run.in_step = 0;
        trace(s, 1, s->picked);
        if (flags & ALL_AT_ONCE)
            observe_hash(g, event(8, (U)s->decision, (U)s->seat, 0));
        else if (s->seat == s->watcher || !(flags & SECRET))
            observe_hash(g, event(9, (U)s->decision ^ s->subjects << 16, (U)s->seat, s->chosen_shown[s->watcher]));
        return s->picked;
    }
    if (s->mode == ROLLOUT) {
        if (s->policy == MAST_POLICY && s->phase != DONE && s->played_count < 1 << 12) {
            s->played[s->played_count].key = s->chosen_key;
            s->played[s->played_count++].seat = s->seat;
        }
        return s->picked;
    }
    s->at_once = flags & ALL_AT_ONCE;
    if (s->at_once) return s->picked; /* the walk waits until all have chosen */
    if (s->observers == 1)
        s->node[0] = s->chosen_edge;
    else
        for (W o = 0; o < s->observers; o++)
            advance_observer(s, o, o == s->seat ? s->chosen_key : flags & SECRET ? HIDDEN_PIECE ^ (U)s->decision << 32 : s->chosen_shown[o]);
    return s->picked;
}

/* Have a seat that is asked choose the one option that it has, to pass. */
static void choose_pass(G *g, W decision, W seat) {
    if (!begin_choice(g, decision, seat, 1)) return;
    for (W i = 0; next_option_to_key(g) >= 0 && i < 4; i++) {
        begin_key(g, -1);
        consider_candidate(g);
    }
    end_choice(g);
}

/* ---- several seats at once ---- */

/* Begin the joint action of the seats that choose at once. */
KEPT void begin_joint_choice(G *g) {
    Search *const s = g->search;
    s->joint_key = splitmix64(1);
    for (W o = 0; o < PLAYERS; o++) s->joint_shown[o] = splitmix64(1);
    s->showing = true;
    s->telling = 0;
    s->first_shown = 0, s->end_shown = PLAYERS;
}

/* Add one seat's choice, whose key is complete, to the joint action as each observer sees it. */
KEPT void add_joint_choice(G *g, W decision, W seat) {
    Search *const s = g->search;
    const bool secret = choice_flags[decision] & SECRET;
    s->joint_key = splitmix64(s->joint_key ^ s->key);
    for (W o = 0; o < PLAYERS; o++)
        s->joint_shown[o] = splitmix64(s->joint_shown[o] ^ (o == seat ? s->key : secret ? 3 : s->shown[o]));
    if (g->watched && (seat == s->watcher || !secret))
        observe_hash(g, event(9, (U)decision ^ s->subjects << 16, (U)seat, s->shown[s->watcher]));
}

/* Move all observers along their trees by the joint action. */
KEPT void end_joint_choice(G *g) {
    Search *const s = g->search;
    s->at_once = false;
    if (s->mode != TREE) return;
    if (s->observers == 1)
        advance_observer(s, 0, s->joint_key);
    else
        for (W o = 0; o < s->observers; o++) advance_observer(s, o, s->joint_shown[o]);
}
