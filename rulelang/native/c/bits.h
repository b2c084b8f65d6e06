/* Sets of small values as bits, several words each: a vector, which C's own `&`, `|` and `^` join. */

typedef U Bits __attribute__((vector_size(8 * BIT_WORDS), aligned(8), may_alias));

/* The words of a set that lies in memory. */
#define WORDS_OF(bits) ((U *)&(bits))
#define WORD_OF(bits, x) (*(WORDS_OF(bits) + (((U)(x) >> 6) & (BIT_WORDS - 1))))
#define BIT_OF(x) ((U)1 << ((x) & 63))
#define HAS_ELEMENT(bits, x) ((WORD_OF(bits, x) & BIT_OF(x)) != 0)
#define HAS_BIT(bits, x) ((U)(x) < 64 * BIT_WORDS && (WORD_OF(bits, x) & BIT_OF(x)) != 0)

static inline __attribute__((always_inline)) bool some_bits(Bits bits) {
    U some = 0;
    for (int i = 0; i < BIT_WORDS; i++) some |= *(WORDS_OF(bits) + i);
    return some != 0;
}

/* How many bits are set, at most 512: as `bits_in` counts those of a word, in all words at once. */
static inline __attribute__((always_inline)) W count_bits(Bits bits) {
    U sum = 0;
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    for (int i = 0; i < BIT_WORDS; i++) sum += *(WORDS_OF(bits) + i);
    sum = (sum & UINT64_C(0x00FF00FF00FF00FF)) + (sum >> 8 & UINT64_C(0x00FF00FF00FF00FF));
    return (W)(sum * UINT64_C(0x0001000100010001) >> 48);
}

/* The place of the bit with `k` others below it. */
static inline W nth_of_bits(const Bits *bits, W k) {
    const U *word = (const U *)bits;
    for (W n; (n = bits_in(*word)) <= k; word++) k -= n;
    return 64 * (word - (const U *)bits) + nth_bit(*word, k);
}

/* The part of a set of cells that contains a cell, as `a_small_region`. */
KEPT W a_wide_region(G *g, W cell, Bits left, const int16_t *around, W size, W site) {
    const W n = count_bits(left);
    BURN(n, site);
    return a_part_of_cells(g, cell, WORDS_OF(left), n, around, NULL, size);
}
