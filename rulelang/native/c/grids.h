/* Grids: cells are numbered row by row, -1 is beyond the edge; the same as rulelang/runtime/grids.py.

   `steps` is one direction's table of next cells. `around` has nine numbers for each cell: how many neighbours it has,
   then these. */

KEPT W a_ray(G *g, const int16_t *steps, W cell) {
    W length = 0;
    for (W x = steps[cell]; x >= 0; x = steps[x]) length++;
    W *found = a_list(g, length);
    for (W x = steps[cell]; x >= 0; x = steps[x]) PUSH(found, x);
    return ADDRESS(found);
}

/* The edge between two cells, -1 for none: `edges` has one for each step. */
KEPT inline W grid_edge(const int16_t *steps, const int16_t *edges, W a, W b, W size) {
    for (W step = a; step < 8 * size; step += size)
        if (steps[step] == b) return edges[step];
    return -1;
}

KEPT inline W a_neighbours(G *g, const int16_t *around, W cell) {
    const int16_t *const row = around + 9 * cell;
    W *found = a_list(g, row[0]);
    for (W i = 1; i <= row[0]; i++) PUSH(found, row[i]);
    return ADDRESS(found);
}

KEPT inline W grid_distance(W a, W b, W columns, bool all_ways) {
    const W across = llabs(a % columns - b % columns), down = llabs(a / columns - b / columns);
    return all_ways ? greatest(across, down) : across + down;
}

/* The direction of the ray from one cell through another, -1 for none. */
KEPT inline W grid_direction(W a, W b, W columns) {
    const W x = b % columns - a % columns, y = b / columns - a / columns;
    if ((!x && !y) || (x && y && llabs(x) != llabs(y))) return -1;
    static const int8_t ways[3][3] = {{7, 0, 1}, {6, -1, 2}, {5, 4, 3}};
    return ways[(y > 0) - (y < 0) + 1][(x > 0) - (x < 0) + 1];
}

KEPT inline W grid_cell(W column, W row, W columns, W rows) {
    return 1 <= column && column <= columns && 1 <= row && row <= rows ? (row - 1) * columns + column - 1 : -1;
}

/* The connected part of a set of cells that contains a cell, nearest first. */
KEPT W a_region(G *g, W cell, W set, const int16_t *around, W size, W site) {
    const W n = COUNT(set);
    BURN(n, site);
    W *found = a_list(g, n);
    W *const after = g->top;
    U *const left = (U *)alloc(g, (size + 63) / 64);
    memset(left, 0, (size_t)((size + 63) / 64) * sizeof(U));
    for (W i = 0; i < n; i++) {
        const W x = AT(set, i);
        if (UNLIKELY((U)x >= (U)size)) fail(g, site);
        left[x >> 6] |= (U)1 << (x & 63);
    }
    if ((U)cell < (U)size && left[cell >> 6] >> (cell & 63) & 1) {
        left[cell >> 6] &= ~((U)1 << (cell & 63));
        PUSH(found, cell);
        for (W i = 1; i <= found[0]; i++) {
            const int16_t *const row = around + 9 * found[i];
            for (W k = 1; k <= row[0]; k++) {
                const W x = row[k];
                if (!(left[x >> 6] >> (x & 63) & 1)) continue;
                left[x >> 6] &= ~((U)1 << (x & 63));
                PUSH(found, x);
            }
        }
    }
    g->top = after;
    return ADDRESS(found);
}
