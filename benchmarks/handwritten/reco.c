/* R-ECO written by hand, in plain C: the baseline that native code is measured against.

   It plays what reco.py beside it plays, with the same decisions: a colour in hand, which cards of that colour to play,
   which cards to litter; of each decision's distinct options every one is equally likely. Options are counted, not
   listed: a number is drawn and the option with that number worked out. It knows nothing of the engine.

   Like cards are the same to everybody, so a pile is a count of each kind wherever its order does not matter; only the
   stock has an order. Enters: --games --players --deck --seed, and --first, the number of the first game, so that
   several processes can share one run. Leaves: one line of JSON; its whole numbers are sums, so ranges add up.
   With --list each game's seats, scores, winners, decisions and turns go before it, a line each.

       cc -O3 -DNDEBUG -o reco reco.c && ./reco --games 1000000 --players 4

   Without -DNDEBUG the invariants are checked after every turn. */

#define _POSIX_C_SOURCE 200809L

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COLOURS = 4,
    VALUES = 2, /* cards of one piece of garbage and of two */
    KINDS = COLOURS * VALUES,
    MAX_PLAYERS = 5,
    MAX_DECK = 100,
    TWOS_PER_COLOUR = 3,
    HAND_SIZE = 3,
    HAND_LIMIT = 5,
    GARBAGE_FOR_REWARD = 4,
    MAX_DUMP = GARBAGE_FOR_REWARD, /* a plant holds 3 pieces at most when its dump is filled, with one card more */
    MAX_EXCESS = MAX_DUMP - 1,     /* whoever takes a dump with a full hand has played at least one card */
    SHARES = 60,                   /* a win splits evenly among 2, 3, 4 or 5 */
    NONE = -1
};

/* Kind of a card: colour * VALUES, plus 1 if it shows two pieces of garbage. */
typedef uint8_t Kind;

typedef struct {
    uint8_t hand[KINDS];
    uint8_t hand_size;
    uint8_t littered;
    uint8_t won[COLOURS]; /* how many rewards */
    int8_t points[COLOURS];
} Player;

typedef struct {
    uint8_t plant[VALUES];
    uint8_t dump_size;
    uint8_t taken; /* how many rewards have left the stack */
    Kind dump[MAX_DUMP];
} Centre;

typedef struct {
    uint64_t rng;
    int players;
    int deck;
    int stock_size;
    int decisions;
    int turns;
    Player player[MAX_PLAYERS];
    Centre centre[COLOURS];
    uint8_t discard[KINDS];
    uint8_t litter[KINDS]; /* littered cards never come back; kept so that every card lies somewhere */
    Kind stock[MAX_DECK];  /* its end is its top */
} Game;

_Static_assert(MAX_EXCESS == 3, "litter() counts the ways to take up to 3 cards");

static const int8_t REWARDS_OF_FEW[] = {0, 1, 2, 3, -2, 4, 5}; /* 3 and 4 players; top first */
static const int8_t REWARDS_OF_FIVE[] = {0, 1, 2, 3, 3, -2, 4, 5};

static const uint64_t MAX_GAMES = 1000000000000u; /* sums of squares stay far within 64 bits */

/* ---- chance: SplitMix64, and Lemire's method for a range ---- */

static const uint64_t GOLDEN = 0x9E3779B97F4A7C15u;

__extension__ typedef unsigned __int128 Wide;

/* Return the output of SplitMix64 for a state. */
static inline uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* A number from 0 to n - 1, all equally likely; n of 1 uses no output. */
static inline int uniform(Game *game, int n) {
    if (n == 1) return 0;
    const uint64_t range = (uint64_t)n;
    Wide product;
    do {
        game->rng += GOLDEN;
        product = (Wide)mix(game->rng) * range;
        /* The rest of 2^64 by the range is less than the range: most draws are spared the division. */
    } while ((uint64_t)product < range && (uint64_t)product < (0 - range) % range);
    return (int)(product >> 64);
}

/* Decide: the number of an option, each equally likely. */
static inline int choose(Game *game, int options) {
    game->decisions++;
    return uniform(game, options);
}

/* Shuffle the stock (Fisher-Yates). */
static void shuffle(Game *game) {
    for (int i = game->stock_size - 1; i > 0; i--) {
        const int j = uniform(game, i + 1);
        const Kind card = game->stock[i];
        game->stock[i] = game->stock[j];
        game->stock[j] = card;
    }
}

/* ---- cards ---- */

/* Return the cards of one piece of garbage in each colour of a deck. */
static inline int ones_per_colour(int deck) { return deck / COLOURS - TWOS_PER_COLOUR; }

/* Return the pieces of garbage at a plant. */
static inline int garbage(const Centre *centre) { return centre->plant[0] + 2 * centre->plant[1]; }

/* Return the number of rewards in each stack. */
static inline int rewards_of(int players) {
    return (int)(players == 5 ? sizeof REWARDS_OF_FIVE : sizeof REWARDS_OF_FEW);
}

/* Return the points of a reward by its place in the stack, the top first. */
static inline int reward_points(int players, int place) {
    return players == 5 ? REWARDS_OF_FIVE[place] : REWARDS_OF_FEW[place];
}

/* The top card of the stock; an empty one is refilled from the shuffled discard first. NONE if both are empty. */
static inline int draw(Game *game) {
    if (game->stock_size == 0) {
        for (int kind = 0; kind < KINDS; kind++) {
            memset(game->stock + game->stock_size, kind, game->discard[kind]);
            game->stock_size += game->discard[kind];
            game->discard[kind] = 0;
        }
        if (game->stock_size == 0) return NONE;
        shuffle(game);
    }
    return game->stock[--game->stock_size];
}

/* Set up a game: shuffle, deal hands, fill the dumps. */
static void set_up(Game *game, int players, int deck, uint64_t seed) {
    memset(game, 0, sizeof *game);
    game->rng = seed;
    game->players = players;
    game->deck = deck;
    for (int kind = 0; kind < KINDS; kind++) {
        const int cards = kind % VALUES == 0 ? ones_per_colour(deck) : TWOS_PER_COLOUR;
        memset(game->stock + game->stock_size, kind, (size_t)cards);
        game->stock_size += cards;
    }
    shuffle(game);
    for (int seat = 0; seat < players; seat++) {
        Player *player = &game->player[seat];
        for (int card = 0; card < HAND_SIZE; card++) player->hand[draw(game)]++;
        player->hand_size = HAND_SIZE;
    }
    for (int colour = 0; colour < COLOURS; colour++) {
        Centre *centre = &game->centre[colour];
        centre->dump[centre->dump_size++] = (Kind)draw(game);
    }
}

/* ---- a turn ---- */

/* Choose a colour that the player holds. */
static int choose_colour(Game *game, const Player *player) {
    int held[COLOURS];
    int options = 0;
    for (int colour = 0; colour < COLOURS; colour++)
        if (player->hand[colour * VALUES] + player->hand[colour * VALUES + 1] > 0) held[options++] = colour;
    return held[choose(game, options)];
}

/* Put one or more cards of a colour at its plant; four pieces of garbage there earn the top reward. */
static void play_garbage(Game *game, Player *player, int colour) {
    Centre *centre = &game->centre[colour];
    uint8_t *hand = player->hand + colour * VALUES;

    /* Any number of ones with any number of twos, but not none at all. */
    const int option = 1 + choose(game, (hand[0] + 1) * (hand[1] + 1) - 1);
    const int ones = option / (hand[1] + 1), twos = option % (hand[1] + 1);
    hand[0] = (uint8_t)(hand[0] - ones);
    hand[1] = (uint8_t)(hand[1] - twos);
    player->hand_size = (uint8_t)(player->hand_size - ones - twos);
    centre->plant[0] = (uint8_t)(centre->plant[0] + ones);
    centre->plant[1] = (uint8_t)(centre->plant[1] + twos);

    if (garbage(centre) >= GARBAGE_FOR_REWARD) {
        player->won[colour]++;
        player->points[colour] = (int8_t)(player->points[colour] + reward_points(game->players, centre->taken++));
        for (int value = 0; value < VALUES; value++) {
            uint8_t *pile = &game->discard[colour * VALUES + value];
            *pile = (uint8_t)(*pile + centre->plant[value]);
            centre->plant[value] = 0;
        }
    }
}

/* Litter so many cards: one of the distinct ways to take them from the hand. */
static void litter(Game *game, Player *player, int excess) {
    /* ways[kind][n]: in how many ways n cards can be taken from the kinds from this one on. All are worked out,
       wanted or not: that is cheaper than branches on numbers that nobody can foresee. */
    int ways[KINDS + 1][MAX_EXCESS + 1] = {{0}};
    ways[KINDS][0] = 1;
    for (int kind = KINDS - 1; kind >= 0; kind--) {
        const int *rest = ways[kind + 1], held = player->hand[kind];
        ways[kind][0] = 1;
        ways[kind][1] = rest[1] + (held >= 1);
        ways[kind][2] = rest[2] + (held >= 1 ? rest[1] : 0) + (held >= 2);
        ways[kind][3] = rest[3] + (held >= 1 ? rest[2] : 0) + (held >= 2 ? rest[1] : 0) + (held >= 3);
    }

    int option = choose(game, ways[0][excess]);
    player->littered = (uint8_t)(player->littered + excess);
    player->hand_size = (uint8_t)(player->hand_size - excess);
    for (int kind = 0; excess > 0; kind++) {
        int taken = 0;
        for (; option >= ways[kind + 1][excess - taken]; taken++) option -= ways[kind + 1][excess - taken];
        player->hand[kind] = (uint8_t)(player->hand[kind] - taken);
        game->litter[kind] = (uint8_t)(game->litter[kind] + taken);
        excess -= taken;
    }
}

/* Take the dump into the hand; litter what exceeds the limit. */
static void collect_garbage(Game *game, Player *player, Centre *centre) {
    for (int card = 0; card < centre->dump_size; card++) player->hand[centre->dump[card]]++;
    player->hand_size = (uint8_t)(player->hand_size + centre->dump_size);
    centre->dump_size = 0;
    if (player->hand_size > HAND_LIMIT) litter(game, player, player->hand_size - HAND_LIMIT);
}

/* As many cards as there is garbage, and one more; fewer if there are no more. */
static void fill_dump(Game *game, Centre *centre) {
    for (int left = garbage(centre) + 1; left > 0; left--) {
        const int card = draw(game);
        if (card == NONE) return;
        centre->dump[centre->dump_size++] = (Kind)card;
    }
}

/* One turn; true if it took the last reward of a stack, which ends the game. An empty hand passes. */
static bool take_turn(Game *game, Player *player) {
    game->turns++;
    if (player->hand_size == 0) return false;
    const int colour = choose_colour(game, player);
    Centre *centre = &game->centre[colour];
    play_garbage(game, player, colour);
    collect_garbage(game, player, centre);
    if (centre->taken == rewards_of(game->players)) return true;
    fill_dump(game, centre);
    return false;
}

#ifndef NDEBUG
/* Every card lies somewhere, hands and plants are within their limits, won rewards are those that left the stacks. */
static void check(const Game *game) {
    int found[KINDS] = {0}, won[COLOURS] = {0}, littered = 0;
    for (int card = 0; card < game->stock_size; card++) found[game->stock[card]]++;
    for (int seat = 0; seat < game->players; seat++) {
        const Player *player = &game->player[seat];
        int cards = 0;
        for (int kind = 0; kind < KINDS; kind++) cards += player->hand[kind];
        assert(cards == player->hand_size && cards <= HAND_LIMIT);
        for (int kind = 0; kind < KINDS; kind++) found[kind] += player->hand[kind];
        for (int colour = 0; colour < COLOURS; colour++) won[colour] += player->won[colour];
        littered += player->littered;
    }
    for (int colour = 0; colour < COLOURS; colour++) {
        const Centre *centre = &game->centre[colour];
        assert(garbage(centre) < GARBAGE_FOR_REWARD && won[colour] == centre->taken);
        for (int value = 0; value < VALUES; value++) found[colour * VALUES + value] += centre->plant[value];
        for (int card = 0; card < centre->dump_size; card++) found[centre->dump[card]]++;
    }
    for (int kind = 0; kind < KINDS; kind++) {
        littered -= game->litter[kind];
        found[kind] += game->discard[kind] + game->litter[kind];
        assert(found[kind] == (kind % VALUES == 0 ? ones_per_colour(game->deck) : TWOS_PER_COLOUR));
    }
    assert(littered == 0);
}
#else
static void check(const Game *game) { (void)game; }
#endif

/* Takes turns until a stack of rewards runs out, or nobody holds a card as a round begins; true for the first. */
static bool play_out(Game *game) {
    for (;;) {
        int held = 0;
        for (int seat = 0; seat < game->players; seat++) held += game->player[seat].hand_size;
        if (held == 0) return false;
        for (int seat = 0; seat < game->players; seat++) {
            const bool over = take_turn(game, &game->player[seat]);
            check(game);
            if (over) return true;
        }
    }
}

/* ---- the end ---- */

/* Scores by seat: colours with two or more rewards, less litter; the law-abiding are paid for each offender. */
static void score(const Game *game, int scores[]) {
    int offenders = 0;
    for (int seat = 0; seat < game->players; seat++) offenders += game->player[seat].littered > 0;
    for (int seat = 0; seat < game->players; seat++) {
        const Player *player = &game->player[seat];
        scores[seat] = player->littered > 0 ? -player->littered : offenders * (game->players == 3 ? 2 : 1);
        for (int colour = 0; colour < COLOURS; colour++)
            if (player->won[colour] >= 2) scores[seat] += player->points[colour];
    }
}

/* Marks the seats with the most points and, among those, the least litter; how many they are. */
static int find_winners(const Game *game, const int scores[], bool winner[]) {
    int best = 0;
    for (int seat = 1; seat < game->players; seat++)
        if (scores[seat] > scores[best] ||
            (scores[seat] == scores[best] && game->player[seat].littered < game->player[best].littered))
            best = seat;
    int winners = 0;
    for (int seat = 0; seat < game->players; seat++) {
        winner[seat] =
            scores[seat] == scores[best] && game->player[seat].littered == game->player[best].littered;
        winners += winner[seat];
    }
    return winners;
}

/* Sums over games. */
typedef struct {
    int64_t stacks_out; /* games that ended with a stack of rewards, not with empty hands */
    int64_t decisions, decisions_squares;
    int64_t turns, turns_squares;
    int64_t scores[MAX_PLAYERS], scores_squares[MAX_PLAYERS];
    int64_t wins[MAX_PLAYERS], shares[MAX_PLAYERS];
} Tally;

/* Add a game to the sums; with `list` print it too. */
static void add(Tally *tally, const Game *game, bool list) {
    int scores[MAX_PLAYERS];
    bool winner[MAX_PLAYERS];
    score(game, scores);
    const int winners = find_winners(game, scores, winner);
    tally->decisions += game->decisions;
    tally->decisions_squares += game->decisions * game->decisions;
    tally->turns += game->turns;
    tally->turns_squares += game->turns * game->turns;
    for (int seat = 0; seat < game->players; seat++) {
        tally->scores[seat] += scores[seat];
        tally->scores_squares[seat] += scores[seat] * scores[seat];
        tally->wins[seat] += winner[seat];
        tally->shares[seat] += winner[seat] ? SHARES / winners : 0;
    }
    if (!list) return;
    printf("{\"decisions\": %d, \"turns\": %d, \"scores\": [", game->decisions, game->turns);
    for (int seat = 0; seat < game->players; seat++) printf(seat > 0 ? ", %d" : "%d", scores[seat]);
    printf("], \"winners\": [");
    for (int seat = 0, said = 0; seat < game->players; seat++)
        if (winner[seat]) printf(said++ > 0 ? ", %d" : "%d", seat);
    printf("]}\n");
}

/* ---- the command ---- */

/* Print a JSON list of whole numbers. */
static void print_list(const char *name, const int64_t numbers[], int count) {
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++) printf(i > 0 ? ", %" PRId64 : "%" PRId64, numbers[i]);
    putchar(']');
}

/* Print a JSON list of numbers divided by `divisor`. */
static void print_means(const char *name, const int64_t sums[], int count, double divisor) {
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++) printf(i > 0 ? ", %.6f" : "%.6f", (double)sums[i] / divisor);
    putchar(']');
}

/* Print the sums and means as one line of JSON. */
static void print_tally(const Tally *tally, int64_t games, int players, double seconds) {
    const double count = (double)games;
    printf("{\"games\": %" PRId64 ", \"seconds\": %.6f, \"games_per_second\": %.1f", games, seconds, count / seconds);
    printf(", \"mean_decisions\": %.6f", (double)tally->decisions / count);
    printf(", \"mean_turns\": %.6f", (double)tally->turns / count);
    print_means("mean_scores", tally->scores, players, count);
    print_means("win_shares", tally->shares, players, count * SHARES);
    printf(", \"sums\": {\"stacks_out\": %" PRId64, tally->stacks_out);
    printf(", \"decisions\": %" PRId64 ", \"decisions_squares\": %" PRId64, tally->decisions, tally->decisions_squares);
    printf(", \"turns\": %" PRId64 ", \"turns_squares\": %" PRId64, tally->turns, tally->turns_squares);
    print_list("scores", tally->scores, players);
    print_list("scores_squares", tally->scores_squares, players);
    print_list("wins", tally->wins, players);
    print_list("win_shares_of_60", tally->shares, players);
    printf("}}\n");
}

/* Return the time in seconds. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Print an error and the usage; return the exit status. */
static int refuse(const char *why) {
    fprintf(stderr, "reco: %s\nusage: reco [--games N] [--players 3|4|5] [--deck 88|100]", why);
    fprintf(stderr, " [--seed N] [--first N] [--list]\n");
    return 2;
}

/* A whole number of at least 0; false if the text is none. */
static bool read_number(const char *text, uint64_t *number) {
    char *end = NULL;
    if (text == NULL || *text < '0' || *text > '9') return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

int main(int argc, char **argv) {
    uint64_t games = 100000, players = 4, deck = 88, seed = 0, first = 0;
    bool list = false;
    const struct {
        const char *name;
        uint64_t *number;
    } options[] = {
        {"--games", &games}, {"--players", &players}, {"--deck", &deck}, {"--seed", &seed}, {"--first", &first},
    };

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) {
            list = true;
            continue;
        }
        uint64_t *number = NULL;
        for (size_t option = 0; option < sizeof options / sizeof *options; option++)
            if (strcmp(argv[i], options[option].name) == 0) number = options[option].number;
        if (number == NULL) return refuse("unknown option");
        if (!read_number(argv[++i], number)) return refuse("an option wants a whole number");
    }
    if (games < 1 || games > MAX_GAMES) return refuse("games must be 1 to 10^12");
    if (players < 3 || players > MAX_PLAYERS) return refuse("players must be 3, 4 or 5");
    if (deck != 88 && deck != 100) return refuse("the deck must be 88 or 100");

    Tally tally = {0};
    const double start = now();
    for (uint64_t played = 0; played < games; played++) {
        Game game;
        /* A game starts from an output of the generator that starts from the seed, as the engine's games do. */
        set_up(&game, (int)players, (int)deck, mix(seed + (first + played + 1) * GOLDEN));
        tally.stacks_out += play_out(&game);
        add(&tally, &game, list);
    }
    print_tally(&tally, (int64_t)games, (int)players, now() - start);
    return 0;
}
