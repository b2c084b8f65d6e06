/* Decisions of so many options that a world is not to look through all of them (more than MOST_SCANNED): options that may be the recorded
   choice are made of its words, and their indices follow from those (ranking of combinations: Kreher and Stinson, "Combinatorial
   Algorithms", 1999).

   The *words* of a choice are the values of its item's binders, of a collection first how many elements it has. A piece stands in them by
   its number (EXACT), as the searching seat sees it (TOLD), or as that sees it chosen by somebody else (SHOWN): all that it does not
   see are one word, UNSEEN_PIECE. Of a choice that the seat does not know the record has SHOWN words alone; what a world has in its
   place is kept in EXACT ones (`kept_choices`).

   Of all options that fit, LOTS are drawn while a first world is sought, else one: each as likely as another. `is_drawn` (pilot.h)
   selects among them, as among all options of a smaller decision. Generated lines go through the parts of the item's options. */

enum { EXACT, TOLD, SHOWN };
enum { LOTS = 16, MOST_SCANNED = MOST_KEYS };
#define UNSEEN_PIECE (INT64_MIN + 1)

/* Return the handle of a piece or of a reaction's piece; -1: it has none. `piece`: see `mix_scalar`. */
KEPT W handle_of(W piece, W value) {
    const W handle = piece == 2 ? (value & INT64_C(0xFFFFFFFF)) - 1 : value;
    return piece && value >= 0 ? handle : -1;
}

/* Return the word that a scalar stands in words by. */
KEPT W word_of(const G *g, int look, W piece, W value) {
    const Search *const s = g->search;
    const W handle = handle_of(piece, value);
    if (handle < 0 || look == EXACT) return value;
    const W item = handle & ITEM_MASK, zone = zone_of_piece(g, handle);
    if (look == TOLD) return (W)appearance(g, s->watcher, zone, item);
    return s->seat == s->watcher || sees_item(g, s->watcher, zone, item) ? item_label[item] ^ zone << 20 : UNSEEN_PIECE;
}

/* ---- the words of a choice ---- */

/* Append the words of a value to `to`, which has room for MOST_WORDS; `count` grows past that where there are more. */
KEPT void note_value(G *g, int look, W form, W piece, W value, W *to, W *count) {
    if (forms[form].sort == WORD || nowhere(value)) {
        if (*count < MOST_WORDS) to[*count] = word_of(g, look, forms[form].sort == WORD ? piece : 0, value);
        ++*count;
        return;
    }
    const W *const from = LIST(value);
    const W width = forms[form].width, inner = forms[form].inner;
    const bool listed = forms[form].sort != FIXED && forms[form].sort != PRICE;
    const W n = listed ? from[0] : forms[form].sort == FIXED ? width : width + 1 + 3 * from[width];
    if (listed) note_value(g, EXACT, 0, 0, n, to, count);
    for (W i = 0; i < n && *count <= MOST_WORDS; i++)
        note_value(g, look, listed ? inner : 0, listed && forms[form].sort != PAYMENT ? piece : 0, from[i + listed], to, count);
}

/* Return how the words of the choice that was picked are to be kept; -1: they are not. */
KEPT int look_to_keep(const Search *s) {
    if (s->total <= MOST_SCANNED || s->picked < 0 || (s->mode != RECORDS && s->mode != REPLAYS)) return -1;
    const Choice *const choice = &s->choices[s->run.step];
    if (s->mode == REPLAYS) return choice->known ? -1 : EXACT;
    return !choice->known ? SHOWN : INTERCHANGEABLE ? TOLD : EXACT;
}

/* Return the entry of `kept_choices` for a key; NULL: there is no memory. */
KEPT KeptChoice *kept_choice(Search *s, U key) {
    if (!s->kept_choices) s->kept_choices = calloc(KEPT_CHOICES, sizeof(KeptChoice));
    return s->kept_choices ? &s->kept_choices[splitmix64(key) % KEPT_CHOICES] : NULL;
}

/* Keep the words of the choice that was picked: of the record, or of the world. */
KEPT void keep_words(Search *s, W item, const W *words, W count) {
    if (count > MOST_WORDS) return;
    if (s->mode == REPLAYS) {
        KeptChoice *const kept = kept_choice(s, s->chosen_key);
        if (!kept || kept->key == s->chosen_key) return;
        *kept = (KeptChoice){.key = s->chosen_key, .item = (int32_t)item, .count = (int32_t)count};
        memcpy(kept->words, words, (size_t)count * sizeof(W));
        return;
    }
    Choice *const choice = &s->choices[s->run.step];
    free(choice->words);
    choice->words = malloc((size_t)(count + 1) * sizeof(W));
    if (!choice->words) return;
    memcpy(choice->words, words, (size_t)count * sizeof(W));
    choice->item = (int32_t)item, choice->word_count = (int32_t)count;
}

/* ---- what fits the words ---- */

/* Have the decision at hand narrowed, if it is large. */
KEPT void begin_narrowing(Search *s) {
    Narrowing *const narrow = &s->narrow;
    if (s->mode != REPLAYS || s->total <= MOST_SCANNED || (s->phase != SCAN && s->phase != GUESS)) return;
    *narrow = (Narrowing){.narrows = true};
    if (s->phase == SCAN) s->phase = NARROW;
}

/* Return a random number from 0 to `n` - 1, a function of the world's seed (for a choice that is known, of `copies`). */
KEPT W narrowing_luck(Search *s, W n) {
    const bool known = s->choices[s->run.step].known;
    if (known && !s->copies) return 0;
    const U seed = known ? s->copies : s->seed;
    return (W)((Wide)splitmix64(seed ^ splitmix64((U)s->run.step << 32 ^ (U)++s->narrow.luck ^ UINT64_C(0xA11) << 20)) * (U)n >> 64);
}

/* Multiply the number of options that fit. */
KEPT void multiply_ways(Search *s, W by) { s->narrow.ways = by > INT32_MAX ? INT32_MAX : least(s->narrow.ways * by, INT32_MAX); }

/* Begin with the words of a choice, by which `lots` options are to be found. */
KEPT bool use_words(Search *s, int look, W item, const W *words, W count, int lots) {
    Narrowing *const narrow = &s->narrow;
    narrow->look = look, narrow->item = item, narrow->words = words, narrow->count = count;
    narrow->lots = lots, narrow->lot = 0;
    return true;
}

/* Append an option to the candidates, once. */
KEPT void add_candidate(Search *s, W index) {
    for (W i = 0; i < s->listed_count; i++)
        if (s->option_index[i] == index) return;
    s->option_index[s->listed_count++] = index;
}

/* Prepare the next words to find options by: those of the world's own choice; those of the record, first for options that fit what the
   seat saw later (`refined`), then for any that looks like the choice. Return whether there are any; else the candidates are complete, or
   all options are to be scanned. */
KEPT bool next_words(Search *s) {
    enum { OWN, FITTING, ANY, COMPLETE };
    Narrowing *const narrow = &s->narrow;
    const Choice *const choice = &s->choices[s->run.step];
    const bool secret = choice_flags[s->decision] & SECRET, replaced = choice->known || !(choice->world && s->strict);
    const int lots = s->guided ? LOTS : 1;
    if (narrow->stage == OWN) s->listed_count = narrow->all = narrow->fitting = 0;
    while (!narrow->unknown_form && narrow->stage < COMPLETE) {
        switch (narrow->stage++) {
        case OWN:
            if (!choice->known && choice->world) {
                const KeptChoice *const kept = kept_choice(s, choice->world);
                narrow->unknown_form = !kept || kept->key != choice->world;
                if (!narrow->unknown_form) return use_words(s, EXACT, kept->item, kept->words, kept->count, 1);
            }
            continue;
        case FITTING:
            narrow->unknown_form = !choice->words && (choice->known || !secret);
            if (narrow->unknown_form || (secret && !choice->known && !goes_by_moves(s, choice))) continue;
            if (choice->known) {
                narrow->stage = COMPLETE;
                return use_words(s, INTERCHANGEABLE ? TOLD : EXACT, choice->item, choice->words, choice->word_count, 1);
            }
            narrow->refined = true;
            if (!secret) return use_words(s, SHOWN, choice->item, choice->words, choice->word_count, replaced ? lots : 0);
            narrow->departed[0] = choice->pieces; /* most likely just what left */
            for (W i = 1; i <= choice->pieces; i++) narrow->departed[i] = UNSEEN_PIECE;
            return use_words(s, SHOWN, 0, narrow->departed, choice->pieces + 1, replaced ? lots : 0);
        case ANY: {
            const bool fits = narrow->refined && narrow->ways > 0;
            const bool told = choice->pieces && !choice->pieces_inferred; /* what was seen at once tells the others from it */
            if (fits) narrow->fitting = narrow->ways;
            narrow->refined = false;
            if (fits && (told || !s->exact)) {
                narrow->all = narrow->fitting;
                continue;
            }
            if (!secret) return use_words(s, SHOWN, choice->item, choice->words, choice->word_count, replaced && !fits ? lots : 0);
            narrow->all = s->total;
            for (int lot = 0; replaced && !fits && lot < lots; lot++) add_candidate(s, narrowing_luck(s, s->total));
        }
        }
    }
    if (!narrow->all) narrow->all = narrow->ways;
    if (!narrow->fitting) narrow->fitting = narrow->all;
    narrow->next = 0;
    s->phase = narrow->unknown_form ? SCAN : NARROWED;
    if (narrow->unknown_form) narrow->fitting = 0;
    return false;
}

/* Return whether another option is to be found by the words at hand, and begin it; without lots ways are counted alone. */
KEPT bool next_lot(Search *s) {
    Narrowing *const narrow = &s->narrow;
    if (narrow->unknown_form || (narrow->lot && (narrow->lot >= narrow->lots || !narrow->ways))) return false;
    narrow->lot++;
    narrow->ways = 1, narrow->at = 0, narrow->used = 0;
    return true;
}

/* Return the index of a value of a part among those of an option: -1 if one of them has none. */
KEPT W narrowed_index(W index, W count, W of_part) { return index < 0 || of_part < 0 ? -1 : index * count + of_part; }

/* Take the option that was found by the words at hand; -1: there is none. */
KEPT void take_narrowed(Search *s, W index) {
    if (index < 0) s->narrow.ways = 0;
    else if (s->narrow.lot <= s->narrow.lots) add_candidate(s, index);
}

/* Return whether an unseen piece may be of an option that fits what the seat saw later: it left, or it is not needed any more. `given`:
   how many of its label the option gives already. */
KEPT bool may_be_given(const G *g, W handle, W given) {
    Search *const s = g->search;
    const Choice *const choice = &s->choices[s->run.step];
    if (!s->narrow.refined) return true;
    const W label = item_label[handle & ITEM_MASK], zone = zone_of_piece(g, handle);
    if (goes_by_moves(s, choice)) return takes_departure(s, choice, zone, label, &s->narrow.used);
    return choice->needed == NULL || may_lie_in(g, zone, label, choice->needed[label] + given + 1);
}

/* Return the next word of the choice; 0 after the last one. */
KEPT W next_word(Search *s) { return s->narrow.at < s->narrow.count ? s->narrow.words[s->narrow.at++] : 0; }

/* Return whether a value that is no set has the next words, and go past them. */
KEPT bool has_words(G *g, W form, W piece, W value) {
    Search *const s = g->search;
    W words[MOST_WORDS], count = 0;
    bool same = true;
    note_value(g, s->narrow.look, form, piece, value, words, &count);
    for (W i = 0; same && i < least(count, MOST_WORDS); i++) same = words[i] == next_word(s);
    return same && (words[0] != UNSEEN_PIECE || may_be_given(g, handle_of(piece, value), 0));
}

/* Return the rank of a selection, the inverse of `a_selection`; -1: it is none of these. */
KEPT W selection_rank(G *g, W sorted, W low, W high, W selection, W site) {
    const W n = COUNT(sorted), size = COUNT(selection), *const x = LIST(sorted) + 1;
    low = greatest(low, 0), high = least(high, n);
    if (size < low || size > high) return -1;
    if (high == 0) return 0;
    W rank = 0, taken = 0;
    if (n <= SHORT) {
        U bits = 0;
        for (W i = 0; i < n; i++)
            if (taken < size && x[i] == AT(selection, taken)) bits |= (U)1 << (n - 1 - i), taken++;
        const uint16_t *const start = short_start[equal_bits(x, n)];
        for (rank = start[size]; rank < start[size + 1]; rank++)
            if (taken == size && short_selections[rank] == bits) return rank - start[low];
        return -1;
    }
    if (low == n) return 0;
    const struct SelectionTable t = a_selection_table(g, sorted, low, high, site);
    for (W smaller = low; smaller < size; smaller++) rank += (W)selections_from(&t, 0, t.left_out ? n - smaller : smaller);
    for (W i = 0, at = 0; i < t.classes && taken < size; at += t.copies[i++]) {
        const W left = size - taken, after = n - at - t.copies[i];
        W own = 0;
        while (own < least(t.copies[i], left) && AT(selection, taken + own) == x[at]) own++;
        for (W more = least(t.copies[i], left); more > own; more--)
            rank += (W)selections_from(&t, i + 1, t.left_out ? after - (left - more) : left - more);
        taken += own;
    }
    return taken == size ? rank : -1;
}

/* Return the rank of a selection of a sorted list that has the next words; -1: there is none. `of_classes`: see `a_classes`. The elements
   are drawn from those of each word. */
KEPT W narrow_selection(G *g, W set, bool of_classes, W low, W high, W piece, W site) {
    Search *const s = g->search;
    const W size = next_word(s), n = COUNT(set), *const wanted = s->narrow.words + s->narrow.at;
    s->narrow.at = least(s->narrow.at + size, s->narrow.count);
    if (size < greatest(low, 0) || size > least(high, n)) return -1;
    const W fuel = g->fuel, *const values = of_classes && n ? LIST(set) + 1 + n : NULL;
    W *const mark = g->top, *const words = alloc(g, n), *const selection = a_list(g, size);
    for (W i = 0; i < n; i++) words[i] = word_of(g, s->narrow.look, piece, values ? values[AT(set, i)] : AT(set, i));
    for (W k = 0; k < size; k++) {
        W copies = 1, earlier = 0;
        for (W j = 0; j < size; j++) copies += j > k && wanted[j] == wanted[k], earlier += j < k && wanted[j] == wanted[k];
        if (earlier) continue;
        W *const group = a_list(g, n);
        for (W i = 0; i < n; i++) {
            if (words[i] != wanted[k]) continue;
            if (words[i] == UNSEEN_PIECE) {
                const W handle = handle_of(piece, values ? values[AT(set, i)] : AT(set, i));
                W given = 0;
                for (W j = 1; j <= group[0]; j++)
                    given += item_label[handle_of(piece, values ? values[group[j]] : group[j]) & ITEM_MASK] == item_label[handle & ITEM_MASK];
                if (!may_be_given(g, handle, given)) continue;
            }
            PUSH(group, AT(set, i));
        }
        const W ways = count_selections(g, ADDRESS(group), copies, copies, site);
        multiply_ways(s, ways);
        if (!ways) return g->top = mark, -1;
        const W drawn = a_selection(g, ADDRESS(group), copies, copies, narrowing_luck(s, ways), site);
        for (W i = 0; i < COUNT(drawn); i++) PUSH(selection, AT(drawn, i));
    }
    SHELLSORT(W, (selection + 1), size);
    const W rank = selection_rank(g, set, low, high, ADDRESS(selection), site);
    g->top = mark, g->fuel = fuel;
    return rank;
}

#ifdef GROUPINGS
/* Return the rank of the grouping into these groups, in falling order: the inverse of `a_partition`; -1: it is none. */
KEPT W partition_rank(G *g, struct Partitions *p, const U *groups, W n) {
    U rest = p->whole, bound = p->whole, group;
    W rank = 0, left = p->most;
    for (W k = 0; k < n && rest; k++) {
        struct Nexts next;
        begin_nexts(g, p, &next, rest, bound);
        left -= left > 0;
        while ((group = next_group(p, &next)) && group != groups[k]) rank += count_partitions_of(g, p, rest - group, group, left);
        if (!group) return -1;
        rest -= group;
        bound = group;
    }
    return rest ? -1 : rank;
}

/* Return the index of the grouping that has the next words. `kept`: the ranks of those that the guards let through, downwards; NULL: of
   all. Not of unseen pieces. */
KEPT W narrow_partition(G *g, struct Partitions *p, const W *kept, W count, W piece) {
    Search *const s = g->search;
    const W fuel = g->fuel, n = next_word(s);
    W used[MOST_CLASSES] = {0};
    W *const mark = g->top;
    U *const groups = (U *)alloc(g, n + 1);
    for (W k = 0; k < n; k++) {
        groups[k] = 0;
        for (W left = next_word(s); left > 0; left--) {
            const W word = next_word(s);
            W class = 0;
            while (class < p->classes &&
                   (used[class] == p->size[class] || word_of(g, s->narrow.look, piece, p->members[class][used[class]]) != word))
                class++;
            s->narrow.unknown_form |= word == UNSEEN_PIECE || class == p->classes;
            if (s->narrow.unknown_form) return g->top = mark, -1;
            used[class]++;
            groups[k] += (U)1 << p->shift[class];
        }
    }
    for (W k = 1; k < n; k++)
        for (W j = k; j > 0 && groups[j - 1] < groups[j]; j--) {
            const U group = groups[j];
            groups[j] = groups[j - 1], groups[j - 1] = group;
        }
    W rank = partition_rank(g, p, groups, n);
    if (kept) {
        W index = 0;
        while (index < count && kept[-1 - index] != rank) index++;
        rank = index < count ? index : -1;
    }
    g->top = mark, g->fuel = fuel;
    return rank;
}
#endif
