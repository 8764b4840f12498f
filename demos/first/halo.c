/* Four ranks, a block of a field each, exchange the cells along their borders.    mpiexec -n 4 halo */
#include <pixmpi_neighbors.h>
#include <stdio.h>

enum { n = 6 }; /* cells of a block; around them lies a border of one cell, for the neighbours' cells */

int main(int argc, char **argv) {
    static float field[n + 2][n + 2];
    pixMPI_Surface surface = pixMPI_Memory(field, PIXMPI_R32F, n + 2, n + 2);
    const int ranks[2] = {2, 2}, periods[2] = {1, 1};
    pixMPI_Region inner[4], border[4];
    pixMPI_Request exchange;
    MPI_Comm grid;
    int rank, step, x, y, i, at[2], left, below, wrong = 0;

    MPI_Init(&argc, &argv);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    MPI_Cart_create(MPI_COMM_WORLD, 2, ranks, periods, 0, &grid); /* fails unless there are four ranks */
    MPI_Comm_rank(grid, &rank);
    pixMPI_Comm_attach(grid, NULL);

    for (i = 0; i < 2; ++i) { /* dimension 0: the lower and the upper x; dimension 1: the lower and the upper y */
        pixMPI_Region_rect(i ? n : 1, 1, 1, n, &inner[i]);
        pixMPI_Region_rect(i ? n + 1 : 0, 1, 1, n, &border[i]);
        pixMPI_Region_rect(1, i ? n : 1, n, 1, &inner[2 + i]);
        pixMPI_Region_rect(1, i ? n + 1 : 0, n, 1, &border[2 + i]);
    }
    pixMPI_Neighbor_alltoall_init(surface, inner, surface, border, grid, &exchange);

    MPI_Cart_coords(grid, rank, 2, at);
    left = 2 * !at[0] + at[1], below = 2 * at[0] + !at[1]; /* of two ranks in a row, left and right are the same rank */
    for (step = 0; step < 3; ++step) {
        for (y = 1; y <= n; ++y)
            for (x = 1; x <= n; ++x)
                field[y][x] = (float)(10 * step + rank);
        pixMPI_Start(&exchange);
        pixMPI_Wait(&exchange, MPI_STATUS_IGNORE);
        for (i = 1; i <= n; ++i) {
            wrong += field[i][0] != (float)(10 * step + left) || field[i][n + 1] != (float)(10 * step + left);
            wrong += field[0][i] != (float)(10 * step + below) || field[n + 1][i] != (float)(10 * step + below);
        }
    }
    printf("rank %d: left and right is rank %.0f, below and above is rank %.0f\n", rank, field[1][0] - 20,
           field[0][1] - 20);
    pixMPI_Request_free(&exchange);
    for (i = 0; i < 4; ++i) {
        pixMPI_Region_free(&inner[i]);
        pixMPI_Region_free(&border[i]);
    }
    MPI_Finalize();
    return wrong > 0;
}
