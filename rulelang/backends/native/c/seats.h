/* Who plays, and in which order. Players are the seats that are still in. */

KEPT inline bool plays(const G *g, W seat) { return !(g->s.out >> seat & 1); }

/* Players, then automata. */
KEPT W a_parties(G *g, W seats, W parties) {
    W *found = a_list(g, parties);
    for (W party = 0; party < parties; party++)
        if (party >= seats || plays(g, party)) PUSH(found, party);
    return ADDRESS(found);
}

/* All others that play, or (`teams`) only those of the party's team, or of the other teams. */
KEPT W a_others(G *g, W party, W seats, const W *teams, bool mates) {
    W *found = a_list(g, seats);
    for (W seat = 0; seat < seats; seat++)
        if (seat != party && plays(g, seat) && (!teams || (teams[seat] == teams[party]) == mates)) PUSH(found, seat);
    return ADDRESS(found);
}

/* Where a round that begins with a party starts: at the party, or at the next seat that is in, or at the first. */
KEPT inline W round_start(const G *g, W party, W seats) {
    for (W seat = party < 0 ? 0 : party; seat < seats; seat++)
        if (plays(g, seat)) return seat;
    return 0;
}

/* The seat that comes n seats after one, clockwise. */
KEPT inline W seat_after(W start, W n, W seats) { return start + n < seats ? start + n : start + n - seats; }

/* Those that play, clockwise from a party on; `own`: the party among them. */
KEPT W a_round(G *g, W party, W seats, bool own) {
    W *found = a_list(g, seats);
    const W start = round_start(g, party, seats);
    for (W n = 0; n < seats; n++) {
        const W seat = seat_after(start, n, seats);
        if ((own || seat != party) && plays(g, seat)) PUSH(found, seat);
    }
    return ADDRESS(found);
}

/* The next one that plays, clockwise or (`back`) the other way; the party itself if nobody else does. */
KEPT W neighbour(const G *g, W party, W seats, bool back) {
    const W start = round_start(g, party, seats);
    for (W n = 0; n < seats; n++) {
        const W seat = seat_after(start, back ? seats - 1 - n : n, seats);
        if (seat != party && plays(g, seat)) return seat;
    }
    return party;
}

/* Those that play, clockwise from a party on, then the seats that are out, then the automata. */
KEPT W a_reaction_order(G *g, W party, W seats, W parties) {
    W *found = a_list(g, parties);
    const W start = round_start(g, party, seats);
    for (W out = 0; out < 2; out++)
        for (W n = 0; n < seats; n++) {
            const W seat = out ? n : seat_after(start, n, seats);
            if (plays(g, seat) != out) PUSH(found, seat);
        }
    for (W seat = seats; seat < parties; seat++) PUSH(found, seat);
    return ADDRESS(found);
}
