/* Each rank draws a part of a scene with depths; rank 0 gets what is in front.    mpiexec -n 3 composite */
#include <pixmpi_compositor.h>
#include <stdio.h>

enum { width = 24, height = 10 };

int main(int argc, char **argv) {
    static unsigned char colors[height][width][4], shown[height][width][4];
    static float depths[height][width];
    pixMPI_Surface color = pixMPI_Memory(colors, PIXMPI_RGBA8, width, height);
    pixMPI_Surface depth = pixMPI_Memory(depths, PIXMPI_DEPTH32F, width, height);
    pixMPI_Surface picture = pixMPI_Memory(shown, PIXMPI_RGBA8, width, height);
    pixMPI_Compositor compositor;
    int rank, ranks, x, y, r, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);
    pixMPI_Compositor_create(PIXMPI_NEAREST, 0, MPI_COMM_WORLD, &compositor); /* by depth, to rank 0 */

    /* Rank r draws a square in its colour, from (4 r, r) on. Ranks with a higher number draw nearer to the eye. */
    for (y = 0; y < height; ++y)
        for (x = 0; x < width; ++x) {
            int inside = x >= 4 * rank && x < 4 * rank + 8 && y >= rank && y < rank + 6;
            colors[y][x][0] = (unsigned char)(inside ? 'A' + rank : 0);
            depths[y][x] = inside ? 1 / (2.0f + (float)rank) : 1; /* 1 is the background */
        }
    pixMPI_Composite(pixMPI_With_depth(&color, &depth), PIXMPI_WHOLE, picture, compositor); /* in each frame */

    for (y = 0; rank == 0 && y < height; ++y)
        for (x = 0; x < width; ++x) {
            int nearest = 0;
            for (r = 0; r < ranks; ++r)
                if (x >= 4 * r && x < 4 * r + 8 && y >= r && y < r + 6)
                    nearest = 'A' + r;
            wrong += shown[y][x][0] != nearest;
            printf("%c%s", nearest ? shown[y][x][0] : '.', x < width - 1 ? "" : "\n");
        }
    pixMPI_Compositor_free(&compositor);
    MPI_Finalize();
    return wrong > 0;
}
