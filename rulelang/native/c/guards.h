/* The guard build (`RULELANG_NATIVE=checked`, see guards.py): what checks an index before memory is touched. Each subscript of
   the C text is a GUARDED, each index that comes from a rule's value an INDEX. What an index must stay in:

     an array of the text     its length
     scratch space            the block that `alloc` gave (blocks that are used as one are MERGED)
     the state                the array of it that the pointer leads into
     the heap                 the block that was allocated
     the library, the stack   constant tables; what this call has put there

   What Python hands over is known by its start alone (BUFFER says how long it is where something is written to it). A violation
   ends the call before anything is read or written; `rulelang_guard` tells it. */

/* A subscript. `room`: how many elements there are, -1: the pointer tells. `rule`: the line of a rule that the text comes from, NULL: the last one; `site`: that of the failure, -1: unknown. */
#define GUARDED(base, index, room, text, rule, site) \
    (*(__typeof__(&(base)[0]))guarded_address((const void *)(base), (W)(index), (W)sizeof((base)[0]), room, 0, __func__, text, rule, site))
/* One whose address alone is taken: it may be that of the end. */
#define GUARDED_END(base, index, room, text, rule, site) \
    (*(__typeof__(&(base)[0]))guarded_address((const void *)(base), (W)(index), (W)sizeof((base)[0]), room, 1, __func__, text, rule, site))
/* The length of an array; -1 for a pointer. */
#define GUARDED_ROOM(base) \
    (__builtin_types_compatible_p(__typeof__(base), __typeof__(&(base)[0])) ? (W)-1 : (W)(sizeof(base) / sizeof((base)[0])))

/* A value of a rule that is an index: from `low` to below `bound`. */
#define INDEX(value, low, bound, text, rule, site) guarded_index(value, low, bound, __func__, text, rule, site)

KEPT void *guarded_address(const void *base, W index, W size, W room, W ends, const char *function, const char *text,
                           const char *rule, W site);
KEPT W guarded_index(W value, W low, W bound, const char *function, const char *text, const char *rule, W site);
KEPT const W *guarded_element(W list, W n, const char *function);
KEPT void *guarded_bytes(const void *at, size_t bytes, const char *function, const char *text);

#define memcpy(to, from, n) \
    (memcpy)(guarded_bytes(to, n, __func__, "memcpy(" #to ")"), guarded_bytes(from, n, __func__, "memcpy(.., " #from ")"), n)
#define memmove(to, from, n) \
    (memmove)(guarded_bytes(to, n, __func__, "memmove(" #to ")"), guarded_bytes(from, n, __func__, "memmove(.., " #from ")"), n)
#define memset(to, value, n) (memset)(guarded_bytes(to, n, __func__, "memset(" #to ")"), value, n)

/* Blocks of memory, by where they lie. */
typedef struct {
    const char *start, *end;
} Block;
typedef struct {
    Block *at;
    W n, room;
} Guarded;

/* What this thread has in scratch space; what it was handed. */
static __thread Guarded guarded_arena;
static __thread Block guarded_buffers[8];
static __thread W guarded_buffer_count;
static __thread const W *guarded_open;
static __thread G *guarded_game;
static __thread const char *guarded_stack, *guarded_rule;
static __thread char guarded_told[400];
static __thread jmp_buf guarded_out;

/* What is allocated, of all threads. */
static Guarded guarded_heap;
static int guarded_lock;

static void guard_locked(void) {
    while (__sync_lock_test_and_set(&guarded_lock, 1)) {}
}
static void guard_unlocked(void) { __sync_lock_release(&guarded_lock); }

/* Append a block; without memory the program ends. */
KEPT void add_block(Guarded *blocks, const void *start, size_t bytes) {
    if (blocks->n == blocks->room) {
        blocks->room = blocks->room ? 2 * blocks->room : 256;
        blocks->at = (realloc)(blocks->at, (size_t)blocks->room * sizeof(Block));
        if (blocks->at == NULL) abort();
    }
    (blocks->at)[blocks->n++] = (Block){(const char *)start, (const char *)start + bytes};
}

KEPT void *noted_block(void *block, size_t bytes) {
    if (block == NULL) return NULL;
    guard_locked();
    add_block(&guarded_heap, block, bytes);
    guard_unlocked();
    return block;
}
static void forget_block(const void *block) {
    for (W i = guarded_heap.n; i-- > 0;)
        if ((guarded_heap.at)[i].start == (const char *)block) {
            (guarded_heap.at)[i] = (guarded_heap.at)[--guarded_heap.n];
            break;
        }
}
KEPT void forgotten_block(const void *block) {
    guard_locked();
    forget_block(block);
    guard_unlocked();
}
/* Without memory the block stays as it was. */
KEPT void *noted_again(void *block, size_t bytes) {
    guard_locked();
    void *const result = (realloc)(block, bytes);
    if (result != NULL) {
        forget_block(block);
        add_block(&guarded_heap, result, bytes);
    }
    guard_unlocked();
    return result;
}
#define malloc(bytes) noted_block((malloc)(bytes), bytes)
#define calloc(n, bytes) noted_block((calloc)(n, bytes), (size_t)(n) * (bytes))
#define realloc(block, bytes) noted_again(block, bytes)
#define free(block) (forgotten_block(block), (free)(block))

/* What `alloc` gave; and that all from there to the top of scratch space is one block. */
KEPT void new_block(G *g, const W *at, W words);
KEPT void merge_blocks(G *g, const W *at);
#define NEW_BLOCK(g, at, words) new_block(g, at, words)
#define OPENED(list) (guarded_open = (list))
#define MERGED(g, at) merge_blocks(g, at)
/* A call of Python begins: nothing is known yet. One that is ended returns `result`. */
#define CALLED(game, result) \
    (guarded_game = (game), guarded_stack = (const char *)__builtin_frame_address(0) + 4096, guarded_rule = NULL, \
     (guarded_told)[0] = 0, guarded_buffer_count = 0, guarded_open = NULL); \
    if (setjmp(guarded_out)) return result
#define BUFFER(buffer, bytes) \
    ((guarded_buffers)[guarded_buffer_count++ & 7] = (Block){(const char *)(buffer), (const char *)(buffer) + (bytes)})
