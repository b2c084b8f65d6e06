/* Who plays, and in which order. Players are the seats that are still in. */

/* Whether a seat is in the game. */
static inline bool plays(const G *g, W seat) { return !(g->s.out >> seat & 1); }

/* Where a round that begins with a party starts: at the party, or at the next seat that is in, or at the first. */
static inline W round_start(const G *g, W party, W seats) {
    for (W seat = party < 0 ? 0 : party; seat < seats; seat++)
        if (plays(g, seat)) return seat;
    return 0;
}

/* A list with room for all parties: the seats from one on, around, that are in (or out), but for one. */
static inline W *a_round(G *g, W start, W but, W seats, bool in) {
    W *result = a_list(g, PARTIES);
    for (W n = 0; n < seats; n++) {
        const W seat = start + n < seats ? start + n : start + n - seats;
        if (seat != but && plays(g, seat) == in) PUSH(result, seat);
    }
    return result;
}

/* All seats that are in the game. */
KEPT W a_players(G *g, W seats) { return ADDRESS(a_round(g, 0, -1, seats, true)); }
/* The same but for one. */
KEPT W a_others(G *g, W party, W seats) { return ADDRESS(a_round(g, 0, party, seats, true)); }

/* The seats that are in the game, in turn order from a party on, itself included. */
KEPT W a_players_from(G *g, W party, W seats) {
    return ADDRESS(a_round(g, round_start(g, party, seats), -1, seats, true));
}

/* The same without the party itself. */
KEPT W a_players_after(G *g, W party, W seats) {
    return ADDRESS(a_round(g, round_start(g, party, seats), party, seats, true));
}

/* A list of seats followed by all automata. */
KEPT W a_with_automata(W *result, W seats) {
    for (W party = seats; party < PARTIES; party++) PUSH(result, party);
    return ADDRESS(result);
}

/* All seats that are in the game, then the automata. */
KEPT W a_parties(G *g, W seats) { return a_with_automata(a_round(g, 0, -1, seats, true), seats); }

/* The order in which parties react: seats from this one on, those that are out, automata. */
KEPT W a_reaction_order(G *g, W party, W seats) {
    W *const result = a_round(g, round_start(g, party, seats), -1, seats, true), *const top = g->top;
    const W *const out = a_round(g, 0, -1, seats, false);
    for (W i = 1; i <= out[0]; i++) PUSH(result, out[i]);
    g->top = top;
    return a_with_automata(result, seats);
}

/* The players of the same team, or (`mates` false) of other teams, without the party. */
KEPT W a_team(G *g, W party, W seats, const W *teams, bool mates) {
    W *const all = a_round(g, 0, party, seats, true), n = all[0];
    all[0] = 0;
    for (W i = 1; i <= n; i++)
        if ((teams[all[i]] == teams[party]) == mates) PUSH(all, all[i]);
    return ADDRESS(all);
}

/* The next seat that is in, or the one before; the party itself where there is none. */
KEPT W player_beside(G *g, W party, W seats, bool next) {
    W *const mark = g->top;
    const W *const round = LIST(a_players_after(g, party, seats));
    const W result = round[0] ? round[next ? 1 : round[0]] : party;
    g->top = mark;
    return result;
}
