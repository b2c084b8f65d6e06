/* Sets: lists whose elements are words. */

/* A list that grows at the top of scratch space: nothing else may take of it until `a_close`. */
static inline W *a_open(G *g) {
    if (UNLIKELY(g->top >= g->limit)) fail(g, -1);
    OPENED(g->top);
    g->top[0] = 0;
    return g->top;
}

/* End a list that `a_open` began; nothing more is appended. */
static inline W a_close(G *g, W *list) {
    g->top = list + 1 + list[0];
    NEW_BLOCK(g, list, g->top - list);
    return ADDRESS(list);
}

#define GROW(list, x) \
    do { \
        const W grown_ = (x); \
        if (UNLIKELY((list) + (list)[0] + 2 > g->limit)) fail(g, -1); \
        PUSH(list, grown_); \
    } while (0)

/* The element at an index; fails outside the set. */
static inline W at_(G *g, W set, W place, W site) {
    if (UNLIKELY((U)place >= (U)COUNT(set))) fail(g, site);
    return AT(set, place);
}

/* The first element, or `none`. */
static inline W first_of(W set, W none) { return COUNT(set) ? AT(set, 0) : none; }
/* The last element, or `none`. */
static inline W last_of(W set, W none) { return COUNT(set) ? AT(set, COUNT(set) - 1) : none; }

/* `count` elements of a list, from an index on. */
KEPT W a_part(G *g, W set, W from, W count) {
    if (count <= 0) return NOTHING;
    W *result = alloc(g, count + 1);
    result[0] = count;
    memcpy(result + 1, LIST(set) + 1 + from, (size_t)count * sizeof(W));
    return ADDRESS(result);
}

/* The first `count` elements of a set, all if it has fewer. */
KEPT W a_firsts(G *g, W set, W count) { return count >= COUNT(set) ? set : a_part(g, set, 0, count); }

/* The last `count` elements of a set, all if it has fewer. */
KEPT W a_lasts(G *g, W set, W count) {
    return count >= COUNT(set) ? set : a_part(g, set, COUNT(set) - greatest(count, 0), count);
}

/* The concatenation of two lists. */
KEPT W a_union(G *g, W a, W b) {
    const W n = COUNT(a), m = COUNT(b);
    W *result = alloc(g, n + m + 1);
    result[0] = n + m;
    memcpy(result + 1, LIST(a) + 1, (size_t)n * sizeof(W));
    memcpy(result + 1 + n, LIST(b) + 1, (size_t)m * sizeof(W));
    return ADDRESS(result);
}

/* Whether two lists, or any two rows of so many words, are the same. */
static inline bool same_words(W a, W b, W words) {
    const W *x = LIST(a), *y = LIST(b);
    for (W i = 0; i < words; i++)
        if (x[i] != y[i]) return false;
    return true;
}

/* Whether two lists are equal. */
static inline bool same_lists(W a, W b) { return a == b || same_words(a, b, COUNT(a) + 1); }

/* Whether two costs are equal. */
static inline bool same_costs(W a, W b, W width) {
    return a == b || same_words(a, b, width + 1 + 3 * LIST(a)[width]);
}

/* Whether two lists hold the same items in the same order, wherever they lie. */
KEPT bool same_items(W a, W b) {
    if (COUNT(a) != COUNT(b)) return false;
    for (W i = 0; i < COUNT(a); i++)
        if ((AT(a, i) & ITEM_MASK) != (AT(b, i) & ITEM_MASK)) return false;
    return true;
}

/* Set `first[i]` to the index of the first of n elements that is equal to the i-th one. Up to FEW_COMPARED elements are
   compared with those before them, more are looked up in a hash table (linear probing). `equal`: a macro that says of two
   indices whether the elements there are equal; `hash`: a hash of the element at index `i`. */
enum { FEW_COMPARED = 32 };
#define FIND_FIRSTS(first, n, equal, hash) \
    do { \
        if ((n) <= FEW_COMPARED) { \
            for (W i = 0, j; i < (n); (first)[i++] = j) \
                for (j = 0; !equal(j, i);) j++; \
            break; \
        } \
        U places = 64; \
        while (places < 2 * (U)(n)) places *= 2; \
        W *const there = a_zeros(g, (W)places); /* 1 + place by hash, 0 where there is none */ \
        for (W i = 0; i < (n); i++) { \
            U at = (hash) & (places - 1); \
            while (there[at] && !equal(there[at] - 1, i)) at = (at + 1) & (places - 1); \
            if (!there[at]) there[at] = i + 1; \
            (first)[i] = there[at] - 1; \
        } \
        g->top = there; \
    } while (0)

/* A hash of a key, equal for equal keys. `wide`: keys are lists of words. */
static inline U key_hash(W key, bool wide) {
    U result = wide ? 0 : (U)key * GOLDEN;
    for (W k = 0; wide && k < COUNT(key); k++) result = (result ^ result >> 29 ^ (U)AT(key, k)) * GOLDEN;
    return result ^ result >> 32;
}

/* For each of n keys the index of the first equal one. `wide`: keys are lists of words. */
static inline W *first_same(G *g, const W *keys, W n, bool wide) {
    W *const first = alloc(g, n);
#define SAME_KEYS(a, b) (keys[a] == keys[b] || (wide && same_lists(keys[a], keys[b])))
    FIND_FIRSTS(first, n, SAME_KEYS, key_hash(keys[i], wide));
    return first;
}

/* Of the elements of the first list with equal keys in the second, the first, in order; the list itself if no two keys
   are equal. */
static inline W a_distinct_by(G *g, W set, W keys, bool wide) {
    const W n = COUNT(set);
    if (n < 2) return set;
    W *const result = a_list(g, n), *const after = g->top;
    const W *const first = first_same(g, LIST(keys) + 1, n, wide);
    for (W i = 0; i < n; i++)
        if (first[i] == i) PUSH(result, AT(set, i));
    const bool all_differ = result[0] == n;
    g->top = all_differ ? result : after;
    return all_differ ? set : ADDRESS(result);
}

/* The first of each word, in order; the list itself if none is there twice. */
KEPT W a_distinct(G *g, W set) { return a_distinct_by(g, set, set, false); }

/* The elements of the first, less one for each in the second: words. */
KEPT W a_less(G *g, W a, W b) {
    const W n = COUNT(a), m = COUNT(b);
    W *left = alloc(g, m + 1), *result = a_list(g, n);
    memcpy(left, LIST(b), (size_t)(m + 1) * sizeof(W));
    for (W i = 0; i < n; i++) {
        const W x = AT(a, i);
        W j = 1;
        while (j <= left[0] && left[j] != x) j++;
        if (j <= left[0])
            left[j] = left[left[0]--];
        else
            PUSH(result, x);
    }
    return ADDRESS(result);
}

/* Groups of the elements (of the first list) whose keys (in the second) are not further apart than a gap from the next,
   in order of the key. */
static inline W a_parted(G *g, W set, W keys, U gap) {
    const W n = COUNT(set);
    if (!n) return NOTHING;
    W *const result = a_list(g, n), *const order = alloc(g, n);
    for (W i = 0; i < n; i++) {
        W j = i;
        for (; j > 0 && AT(keys, order[j - 1]) > AT(keys, i); j--) order[j] = order[j - 1];
        order[j] = i;
    }
    for (W i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && (U)AT(keys, order[next]) - (U)AT(keys, order[next - 1]) <= gap;) next++;
        W *const list = alloc(g, next - i + 1);
        list[0] = next - i;
        for (W j = i; j < next; j++) list[1 + j - i] = AT(set, order[j]);
        PUSH(result, ADDRESS(list));
    }
    return ADDRESS(result);
}

/* Groups of equal keys; of consecutive ones. */
KEPT W a_groups(G *g, W set, W keys) { return a_parted(g, set, keys, 0); }
KEPT W a_runs(G *g, W set, W keys) { return a_parted(g, set, keys, 1); }

/* Whether a key is less than another. `wide`: keys are lists of words, of which the first that differ decide. */
static inline bool precedes(W a, W b, bool wide) {
    if (!wide) return a < b;
    for (W i = 0; i < COUNT(a) && i < COUNT(b); i++)
        if (AT(a, i) != AT(b, i)) return AT(a, i) < AT(b, i);
    return COUNT(a) < COUNT(b);
}

/* The elements of the first list by their keys in the second, those of equal keys in their order. */
KEPT W a_ordered(G *g, W set, W keys, bool descending, bool wide) {
    const W n = COUNT(set);
    if (n < 2) return set;
    W *const result = a_list(g, n), *const after = g->top, *from = alloc(g, n), *to = alloc(g, n);
    for (W i = 0; i < n; i++) from[i] = i;
    for (W width = 1; width < n; width *= 2) {
        for (W low = 0; low < n; low += 2 * width) {
            const W middle = least(low + width, n), high = least(low + 2 * width, n);
            for (W i = low, j = middle, k = low; k < high; k++) {
                const bool one = i == middle, other = j == high;
                const W a = one ? 0 : AT(keys, from[i]), b = other ? 0 : AT(keys, from[j]);
                const bool later = !other && (one || (descending ? precedes(a, b, wide) : precedes(b, a, wide)));
                to[k] = later ? from[j++] : from[i++];
            }
        }
        W *const swap = from;
        from = to, to = swap;
    }
    for (W i = 0; i < n; i++) PUSH(result, AT(set, from[i]));
    g->top = after;
    return ADDRESS(result);
}

/* The elements whose key, a list, is the greatest, or the least. */
KEPT W a_best_lists(G *g, W set, W keys, bool greatest_wanted) {
    const W n = COUNT(set);
    W *result = a_list(g, n);
    W best = 0;
    for (W i = 1; i < n; i++)
        if (precedes(AT(keys, greatest_wanted ? best : i), AT(keys, greatest_wanted ? i : best), true)) best = i;
    for (W i = 0; i < n; i++)
        if (same_lists(AT(keys, i), AT(keys, best))) PUSH(result, AT(set, i));
    return ADDRESS(result);
}

/* The elements whose value is the greatest, or the least. */
KEPT W a_best(G *g, W set, W values, bool greatest_wanted) {
    const W n = COUNT(set);
    W *result = a_list(g, n);
    if (!n) return ADDRESS(result);
    W best = AT(values, 0);
    for (W i = 1; i < n; i++)
        if (greatest_wanted ? AT(values, i) > best : AT(values, i) < best) best = AT(values, i);
    for (W i = 0; i < n; i++)
        if (AT(values, i) == best) PUSH(result, AT(set, i));
    return ADDRESS(result);
}
