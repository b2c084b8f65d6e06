/* Who has won (rulelang/game/scoring.py says what is meant). */

static W rank(G *g, W ranking, W party, const W *totals);

KEPT W winners_of(G *g, const W *totals, W rankings, const W *fewest, const W *teams) {
    W best = 0;
    if (g->s.over == DECLARED) {
        best = g->s.winners;
    } else if (g->s.over == SCORED && PARTIES > 1) {
        const W everyone = PARTIES < 63 ? ((W)1 << PARTIES) - 1 : -1;
        best = everyone & ~g->s.out ? everyone & ~g->s.out : everyone;
        for (W n = 0; n < rankings; n++) {
            if (bits_in((U)best) == 1) break;
            W chosen = 0, wanted = 0;
            for (W party = 0; party < PARTIES; party++) {
                if (!(best >> party & 1)) continue;
                const W value = rank(g, n, party, totals);
                if (!chosen || (fewest[n] ? value < wanted : value > wanted)) wanted = value, chosen = 0;
                if (value == wanted) chosen |= (W)1 << party;
            }
            best = chosen;
        }
    }
    W found = 0;
    for (W party = 0; party < PARTIES; party++)
        if (best >> party & 1)
            for (W other = 0; other < PARTIES; other++)
                if (teams[other] == teams[party]) found |= (W)1 << other;
    return found;
}
