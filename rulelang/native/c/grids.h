/* Grids: cells are numbered row by row, -1 is beyond the edge; the same as rulelang/runtime/grids.py.

   `steps` is one direction's table of next cells. `around` has nine numbers for each cell: how many neighbours it has,
   then these. */

/* The cells from a cell on in one direction, without it. */
KEPT W a_ray(G *g, const int16_t *steps, W cell) {
    W *result = a_open(g);
    for (W x = steps[cell]; x >= 0; x = steps[x]) GROW(result, x);
    return a_close(g, result);
}

/* The edge between two cells, -1 for none: `edges` has one for each step. */
static inline W grid_edge(const int16_t *steps, const int16_t *edges, W a, W b, W size) {
    for (W step = a; step < 8 * size; step += size)
        if (steps[step] == b) return edges[step];
    return -1;
}

/* The direction so many sides of a cell further clockwise, of `turn` in all; `turns` has each for every cell and direction. */
static inline W grid_turned(const int8_t *turns, W cell, W way, W steps, W turn) {
    return turns[(cell * 8 + way) * turn + (steps % turn + turn) % turn];
}

/* The neighbours of a cell; `around` has nine words for each cell: how many, which. */
static inline W a_neighbours(G *g, const int16_t *around, W cell) {
    const int16_t *const row = around + 9 * cell;
    W *result = a_list(g, row[0]);
    for (W i = 1; i <= row[0]; i++) PUSH(result, row[i]);
    return ADDRESS(result);
}

/* Steps between two cells, as if no cell were missing; as rulelang/geometry.py, whose order of adjacencies it is. */
KEPT W grid_distance(const int16_t *places, W a, W b, int adjacency) {
    const int16_t *p = places + 2 * a, *q = places + 2 * b;
    if (p[1] > q[1]) { const int16_t *const r = p; p = q, q = r; }
    W across = llabs(p[0] - q[0]);
    const W down = q[1] - p[1];
    if (adjacency == 1) return greatest(across, down);
    if (adjacency == 2) {
        const W slanted = p[0] - p[1] / 2 - q[0] + q[1] / 2;
        return greatest(greatest(llabs(slanted), down), llabs(slanted - down));
    }
    if (adjacency == 3 && down) across = greatest(across, down - 1 + ((p[0] + p[1]) & 1) + ((q[0] + q[1] + 1) & 1));
    return across + down;
}

/* The direction of the ray from one cell through another, -1 for none. */
KEPT W grid_direction(const int16_t *steps, W a, W b, W size) {
    for (W way = 0; way < 8; way++)
        for (W x = steps[way * size + a]; x >= 0; x = steps[way * size + x])
            if (x == b) return way;
    return -1;
}

/* The cell at a column and row, both from 1; -1 outside the grid. */
static inline W grid_cell(const int16_t *cells, W column, W row, W columns, W rows) {
    return 1 <= column && column <= columns && 1 <= row && row <= rows ? cells[(row - 1) * columns + column - 1] : -1;
}

/* Clear the bit of a cell in a bit set of `size` cells; whether it was set. */
static inline bool cleared(U *set, W cell, W size) {
    const W at = size > 64 ? cell >> 6 : 0, place = cell - 64 * at;
    if (!(set[at] >> place & 1)) return false;
    set[at] ^= (U)1 << place;
    return true;
}

/* The connected part of a bit set of n cells that contains a cell, nearest first; its bits are cleared. `words`: the
   neighbours of each cell as a word, NULL on a board of more than 64 cells. */
__attribute__((always_inline)) static inline W a_part_of_cells(
    G *g, W cell, U *left, W n, const int16_t *around, const U *words, W size) {
    W *const result = a_list(g, n);
    if ((U)cell >= (U)size || !cleared(left, cell, size)) return ADDRESS(result);
    PUSH(result, cell);
    for (W i = 1; i <= result[0]; i++) {
        if (words && !(*left & words[result[i]])) continue;
        const int16_t *const row = around + 9 * result[i];
        for (W k = 1; k <= row[0]; k++)
            if (cleared(left, row[k], size)) PUSH(result, row[k]);
    }
    return ADDRESS(result);
}

/* The same of a set of cells, which takes fuel for each. */
KEPT W a_region(G *g, W cell, W set, const int16_t *around, W size, W site) {
    const W n = COUNT(set), words = (size + 63) / 64;
    U left[words];
    memset(left, 0, (size_t)words * sizeof(U));
    BURN(n, site);
    for (W i = 0; i < n; i++) {
        const W x = AT(set, i);
        if (UNLIKELY((U)x >= (U)size)) fail(g, site);
        left[x >> 6] |= (U)1 << (x & 63);
    }
    return a_part_of_cells(g, cell, left, n, around, NULL, size);
}

/* The same on a board of at most 64 cells, of a word of cells. */
KEPT W a_small_region(G *g, W cell, U left, const int16_t *around, const U *words, W site) {
    const W n = bits_in(left);
    BURN(n, site);
    return a_part_of_cells(g, cell, &left, n, around, words, 64);
}
