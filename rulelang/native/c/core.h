/* What all generated code stands on: values, the scratch space they lie in, errors, the generator of chance.

   Every value is one word (W). A scalar is itself; anything else is the address of words that are never changed once
   the value is made:
     set, seats, payment   number of elements, then the elements
     bag                   one count per resource (how many resources there are is known from its type)
     cost                  a bag, the number of wilds, then for each wild: count, mask, identical (sorted so)
     group                 its key, the address of its set
   They lie in constant tables or in scratch space, a stack: `alloc` takes from its top, and whoever puts `G.top` back to
   where it was gives back all that was made since.

   Names: a function `a_...` takes what it returns from scratch space; `..._` (add_, at_) checks and fails. Arguments: `site`
   is where a failure is reported, `width` the number of resources, `form` how a zone is stored (state.h), `shift` 0 for
   individuals and else 1 << ZONE_SHIFT.

   What goes wrong ends the game at once (`fail`): the interpreter then plays the same game and says what it was. */

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t W;
typedef uint64_t U;
__extension__ typedef unsigned __int128 Wide;

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))
#define UNUSED __attribute__((unused))
#define APART __attribute__((noinline))
#ifndef KEPT /* at -O0 only unused functions that are `inline` are left out */
#define KEPT static UNUSED
#endif

#define ITEM_MASK 0xFFFF
#define ZONE_SHIFT 16
#define REACTION_SHIFT 32
#define ABSENT_NUMBER INT64_MIN

/* What a game came to: see `fail`. */
enum { RUNNING, OVER, FAILED };

typedef struct G G;

/* A set, or what else begins with its number of elements. */
#define LIST(x) ((const W *)(intptr_t)(x))
#define ADDRESS(p) ((W)(intptr_t)(p))
#define COUNT(x) (LIST(x)[0])
#ifdef CHECKED
#define AT(x, n) (*guarded_element(x, n, __func__))
#else
#define AT(x, n) (LIST(x)[1 + (n)])
/* What the guard build (guards.h) is told: a block of the arena; that a list grows at its top; that all from a place to its top is one block; that Python calls, and
   what the call returns if it is ended; what Python hands over to be written to. */
#define NEW_BLOCK(g, at, words) (void)0
#define OPENED(list) (void)0
#define MERGED(g, at) (void)0
#define CALLED(game, result) (void)0
#define BUFFER(at, bytes) (void)0
#endif
/* A bag. */
#define BAG(x) ((const W *)(intptr_t)(x))

KEPT const W EMPTY[1] = {0};
#define NOTHING ADDRESS(EMPTY)
