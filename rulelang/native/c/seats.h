/* Who plays, and in which order. Players are the seats that are still in. */

static inline bool plays(const G *g, W seat) { return !(g->s.out >> seat & 1); }

KEPT W a_players(G *g, W seats) {
    W *found = a_list(g, seats);
    for (W seat = 0; seat < seats; seat++)
        if (plays(g, seat)) PUSH(found, seat);
    return ADDRESS(found);
}

KEPT W a_parties(G *g, W seats, W parties) {
    W *found = a_list(g, parties);
    for (W party = 0; party < parties; party++)
        if (party >= seats || plays(g, party)) PUSH(found, party);
    return ADDRESS(found);
}

KEPT W a_others(G *g, W party, W seats) {
    W *found = a_list(g, seats);
    for (W seat = 0; seat < seats; seat++)
        if (seat != party && plays(g, seat)) PUSH(found, seat);
    return ADDRESS(found);
}

KEPT W a_team(G *g, W party, W seats, const W *teams, bool mates) {
    W *found = a_list(g, seats);
    for (W seat = 0; seat < seats; seat++)
        if (seat != party && plays(g, seat) && (teams[seat] == teams[party]) == mates) PUSH(found, seat);
    return ADDRESS(found);
}

/* Where a round that begins with a party starts: at the party, or at the next seat that is in, or at the first. */
static inline W round_start(const G *g, W party, W seats) {
    for (W seat = party < 0 ? 0 : party; seat < seats; seat++)
        if (plays(g, seat)) return seat;
    return 0;
}

KEPT W a_players_from(G *g, W party, W seats) {
    W *found = a_list(g, seats);
    const W start = round_start(g, party, seats);
    for (W n = 0; n < seats; n++) {
        const W seat = start + n < seats ? start + n : start + n - seats;
        if (plays(g, seat)) PUSH(found, seat);
    }
    return ADDRESS(found);
}

KEPT W a_players_after(G *g, W party, W seats) {
    W *found = a_list(g, seats);
    const W start = round_start(g, party, seats);
    for (W n = 0; n < seats; n++) {
        const W seat = start + n < seats ? start + n : start + n - seats;
        if (seat != party && plays(g, seat)) PUSH(found, seat);
    }
    return ADDRESS(found);
}

KEPT W next_player(const G *g, W party, W seats) {
    const W start = round_start(g, party, seats);
    for (W n = 0; n < seats; n++) {
        const W seat = start + n < seats ? start + n : start + n - seats;
        if (seat != party && plays(g, seat)) return seat;
    }
    return party;
}

KEPT W previous_player(const G *g, W party, W seats) {
    const W start = round_start(g, party, seats);
    for (W n = seats - 1; n >= 0; n--) {
        const W seat = start + n < seats ? start + n : start + n - seats;
        if (seat != party && plays(g, seat)) return seat;
    }
    return party;
}

KEPT W a_reaction_order(G *g, W party, W seats, W parties) {
    W *found = a_list(g, parties);
    const W start = round_start(g, party, seats);
    for (W n = 0; n < seats; n++) {
        const W seat = start + n < seats ? start + n : start + n - seats;
        if (plays(g, seat)) PUSH(found, seat);
    }
    for (W seat = 0; seat < seats; seat++)
        if (!plays(g, seat)) PUSH(found, seat);
    for (W seat = seats; seat < parties; seat++) PUSH(found, seat);
    return ADDRESS(found);
}
