/* Who has won, and the ranks (rulelang/runtime/outcome.py says what is meant). */

KEPT W rank(G *g, W ranking, W party, const W *totals);

/* The parties that have won, as bits; `ranks` are those of all parties. The last of the rankings, if `paid`, is by
   payoff, of those who were not declared to have won. */
KEPT W ranked(G *g, const W *totals, W rankings, const W *fewest, const W *teams, W paid, W *ranks) {
    const W declared = g->s.over == DECLARED, scored = g->s.over == SCORED;
    W places[PARTIES] = {0}, best[PARTIES], values[PARTIES], in = 0, won = 0;
    bool one_party = true;
    for (W party = 0; party < PARTIES; party++) one_party &= teams[party] == teams[0];
    for (W party = 0; party < PARTIES; party++) in += !(g->s.out >> party & 1);
    for (W party = 0; party < PARTIES; party++)
        places[party] = declared ? !(g->s.winners >> party & 1) : scored && g->s.out >> party & 1 ? in : 0;
    const W first = declared ? rankings : 0, end = declared ? rankings + paid : scored ? rankings : 0;
    for (W n = first; n < end; n++) {
        U tied = 0;
        for (W party = 0; party < PARTIES; party++)
            for (W other = 0; other < PARTIES; other++)
                if (other != party && places[other] == places[party] && !(declared && !places[party]))
                    tied |= (U)1 << party;
        if (!tied) break;
        for (W party = 0; party < PARTIES; party++)
            if (tied >> party & 1) values[party] = rank(g, n, party, totals);
        for (W party = 0; party < PARTIES; party++) {
            best[party] = places[party];
            for (W other = 0; tied >> party & 1 && other < PARTIES; other++)
                if (places[other] == places[party] &&
                    (n < rankings && fewest[n] ? values[other] < values[party] : values[other] > values[party]))
                    best[party]++;
        }
        for (W party = 0; party < PARTIES; party++) places[party] = best[party];
    }
    for (W party = 0; party < PARTIES; party++) {
        best[party] = places[party];
        for (W other = 0; other < PARTIES; other++)
            if (teams[other] == teams[party] && places[other] < best[party]) best[party] = places[other];
    }
    for (W party = 0; party < PARTIES; party++) {
        ranks[party] = 1;
        for (W other = 0; other < PARTIES; other++) ranks[party] += best[other] < best[party];
        if ((declared && !best[party]) || (scored && !one_party && ranks[party] == 1)) won |= (W)1 << party;
    }
    return won;
}
