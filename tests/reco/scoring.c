/* Scores of positions that random games hardly ever reach: somebody has littered nothing. Compiled by
   test_handwritten_c.py together with the hand-written game; prints scores and winners, a line each. */

#define main play_many /* the game's own main stays aside */
#include "reco.c"
#undef main

typedef struct {
    int littered;
    int won[COLOURS], points[COLOURS]; /* red, blue, yellow, green */
} Position;

static void print_score(int players, const Position positions[]) {
    Game game;
    int scores[MAX_PLAYERS];
    bool winner[MAX_PLAYERS];
    set_up(&game, players, 88, 0);
    for (int seat = 0; seat < players; seat++) {
        game.player[seat].littered = (uint8_t)positions[seat].littered;
        for (int colour = 0; colour < COLOURS; colour++) {
            game.player[seat].won[colour] = (uint8_t)positions[seat].won[colour];
            game.player[seat].points[colour] = (int8_t)positions[seat].points[colour];
        }
    }
    score(&game, scores);
    find_winners(&game, scores, winner);
    for (int seat = 0; seat < players; seat++) printf("%d%s ", scores[seat], winner[seat] ? "*" : "");
    printf("\n");
}

int main(void) {
    const Position first = {1, {3, 1, 1, 2}, {6, -2, -2, 3}};
    const Position second = {0, {2, 2, 1, 0}, {5, 3, 2, 0}};
    const Position third = {4, {2, 3, 1, 2}, {2, 7, 0, 3}};
    const Position fourth = {1, {0, 0, 3, 0}, {0, 0, 8, 0}};
    const Position litter = {3, {0}, {0}}, nothing = {0};
    print_score(4, (const Position[]){first, second, third, fourth});
    print_score(3, (const Position[]){first, third, fourth});
    print_score(3, (const Position[]){litter, nothing, nothing});
    print_score(5, (const Position[]){litter, nothing, nothing, litter, litter});
    return 0;
}
