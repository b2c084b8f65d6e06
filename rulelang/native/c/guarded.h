/* What guards.h declares: it stands last, as it knows the state. */

#include <stdio.h>

extern const char __ehdr_start __attribute__((visibility("hidden"))), _end __attribute__((visibility("hidden")));

/* What was wrong in the last call of this thread, once; an empty text: nothing. */
EXPORTED const char *rulelang_guard(void) {
    static __thread char told[sizeof guarded_told];
    (memcpy)(told, guarded_told, sizeof told);
    (guarded_told)[0] = 0;
    return told;
}

/* End the call; the first violation is told. */
KEPT COLD _Noreturn void guard_violated(W index, W low, W bound, const char *function, const char *text, const char *rule,
                                        W site) {
    if (!(guarded_told)[0])
        snprintf(guarded_told, sizeof guarded_told, "%s: %lld is not from %lld to below %lld, in %s: %s",
                 site >= 0 && site < SITES ? (SITE_NAMES)[site] : rule ? rule : guarded_rule ? guarded_rule : "before any rule",
                 (long long)index, (long long)low, (long long)bound, function, text);
    longjmp(guarded_out, 1);
}

/* Forget the blocks above the top of scratch space. */
static void cut_blocks(const char *top) {
    Guarded *const blocks = &guarded_arena;
    while (blocks->n && (blocks->at)[blocks->n - 1].start >= top) blocks->n--;
    if (blocks->n && (blocks->at)[blocks->n - 1].end > top) (blocks->at)[blocks->n - 1].end = top;
}

KEPT void new_block(G *g, const W *at, W words) {
    if (words < 0) guard_violated(words, 0, INT64_MAX, __func__, "words of scratch space", NULL, -1);
    cut_blocks((const char *)at);
    if (words) add_block(&guarded_arena, at, (size_t)words * sizeof(W));
}

KEPT void merge_blocks(G *g, const W *at) {
    cut_blocks((const char *)at);
    if (g->top > at) add_block(&guarded_arena, at, (size_t)((const char *)g->top - (const char *)at));
}

/* Whether an address lies in a block; the block. */
static bool lies_within(const char *at, const char *start, size_t bytes, Block *block) {
    if (at < start || at >= start + bytes) return false;
    *block = (Block){start, start + bytes};
    return true;
}

/* The block of scratch space into which a pointer leads (it may be its end), that has `to`. */
static void arena_block(const G *g, const char *at, const char *to, Block *block) {
    cut_blocks((const char *)g->top);
    if (at == (const char *)guarded_open && at >= (const char *)g->top) {
        *block = (Block){at, (const char *)g->limit};
        return;
    }
    W low = 0, high = guarded_arena.n;
    while (low < high) { /* the last one that begins at or before `to` */
        const W middle = (low + high) / 2;
        if ((guarded_arena.at)[middle].start <= to) low = middle + 1;
        else high = middle;
    }
    *block = (Block){at, at};
    for (W i = low - 1; i >= 0 && i >= low - 2; i--)
        if (at >= (guarded_arena.at)[i].start && at <= (guarded_arena.at)[i].end) {
            *block = (guarded_arena.at)[i];
            return;
        }
}

/* The block of the heap. */
static bool heap_block(const char *at, Block *block) {
    static __thread W last;
    bool result = false;
    guard_locked();
    if (last < guarded_heap.n && at >= (guarded_heap.at)[last].start && at <= (guarded_heap.at)[last].end) {
        *block = (guarded_heap.at)[last];
        result = true;
    }
    for (W i = 0; !result && i < guarded_heap.n; i++)
        if (at >= (guarded_heap.at)[i].start && at < (guarded_heap.at)[i].end) {
            *block = (guarded_heap.at)[i];
            last = i;
            result = true;
        }
    guard_unlocked();
    return result;
}

/* The block into which a pointer leads; false for memory that only Python knows. */
static bool block_of(const char *at, const char *to, Block *block) {
    const G *const g = guarded_game;
    char here;
    if (g != NULL) {
        const Machine *const machine = (const Machine *)(const void *)g;
        const char *const scratch = (const char *)machine->scratch, *const end = (const char *)(machine->scratch + SCRATCH);
        if (at >= scratch && at <= end) {
            if (at >= (const char *)g->limit && to >= (const char *)g->limit) *block = (Block){(const char *)g->limit, end};
            else arena_block(g, at, to, block);
            return true;
        }
#define WITHIN(part) lies_within(at, (const char *)(part), sizeof(part), block)
        if (at >= (const char *)g && at < (const char *)(machine + 1)) {
            return WITHIN(g->s.v) || WITHIN(g->s.boards) || WITHIN(g->s.where) || WITHIN(g->s.length) || WITHIN(g->s.counts)
                   || WITHIN(g->s.pool_length) || WITHIN(g->s.pool_start) || WITHIN(g->s.pool_counts)
                   || WITHIN(g->s.members) || WITHIN(g->s.slots) || WITHIN(g->depth) || WITHIN(g->references)
                   || WITHIN(g->marked) || WITHIN(g->evaluating) || WITHIN(g->known)
#ifdef STOPS
                   || WITHIN(g->step.rows) || WITHIN(g->step.list) || WITHIN(g->step.parts.words)
                   || WITHIN(g->step.option_parts.words)
#endif
#ifdef STOPPING
                   || WITHIN(g->step.log) || WITHIN(g->step.log_parts.words)
#endif
                   || (*block = (Block){(const char *)g, (const char *)(machine + 1)}, true);
        }
    }
    if (at >= &here - 4096 && at < guarded_stack) return *block = (Block){&here - 4096, guarded_stack}, true;
    if (at >= &__ehdr_start && at < &_end) return *block = (Block){&__ehdr_start, &_end}, true;
    for (W i = 0; i < guarded_buffer_count && i < 8; i++)
        if (at >= (guarded_buffers)[i].start && at <= (guarded_buffers)[i].end) return *block = (guarded_buffers)[i], true;
    return heap_block(at, block);
}

KEPT void *guarded_address(const void *base, W index, W size, W room, W ends, const char *function, const char *text,
                           const char *rule, W site) {
    const char *const at = (const char *)base, *const to = (const char *)((uintptr_t)at + (uintptr_t)index * (uintptr_t)size);
    if (rule) guarded_rule = rule;
    if (room >= 0) {
        if (index < 0 || index >= room + ends) guard_violated(index, 0, room, function, text, rule, site);
    } else {
        Block block;
        if (block_of(at, to, &block) && (to < block.start || to + (ends ? 0 : size) > block.end))
            guard_violated(index, (block.start - at) / size, (block.end - at) / size, function, text, rule, site);
    }
    return (void *)(uintptr_t)to;
}

KEPT W guarded_index(W value, W low, W bound, const char *function, const char *text, const char *rule, W site) {
    if (rule) guarded_rule = rule;
    if (value < low || value >= bound) guard_violated(value, low, bound, function, text, rule, site);
    return value;
}

KEPT const W *guarded_element(W list, W n, const char *function) {
    const W *const at = (const W *)guarded_address(LIST(list), 0, sizeof(W), -1, 0, function, "a list", NULL, -1);
    return (const W *)guarded_address(at, 1 + guarded_index(n, 0, *at, function, "an element of a list", NULL, -1), sizeof(W), -1, 0,
                                      function, "an element of a list", NULL, -1);
}

KEPT void *guarded_bytes(const void *at, size_t bytes, const char *function, const char *text) {
    Block block;
    if ((W)bytes < 0) guard_violated((W)bytes, 0, INT64_MAX, function, text, NULL, -1);
    if (bytes && block_of((const char *)at, (const char *)at, &block) && (const char *)at + bytes > block.end)
        guard_violated((W)bytes, 0, block.end - (const char *)at, function, text, NULL, -1);
    return (void *)(uintptr_t)at;
}
