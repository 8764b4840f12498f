/* Every second pixel of rank 0's picture, in one message, as a small picture on rank 1.    mpiexec -n 2 region */
#include <pixmpi.h>
#include <stdio.h>

enum { width = 8, height = 6 };

int main(int argc, char **argv) {
    static unsigned char large[height][width], small[height / 2][width / 2];
    const pixMPI_Rect pixel = {0, 0, 1, 1};
    pixMPI_Region every_second;
    int rank, x, y, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);

    /* Blocks of one pixel: columns, rows, and how far apart they are in x and y. */
    pixMPI_Region_strided(pixel, width / 2, height / 2, 2, 2, &every_second);
    if (rank == 0) {
        for (y = 0; y < height; ++y)
            for (x = 0; x < width; ++x)
                large[y][x] = (unsigned char)(10 * y + x);
        pixMPI_Send(pixMPI_Memory(large, PIXMPI_R8, width, height), every_second, 1, 0, MPI_COMM_WORLD);
    }
    if (rank == 1) { /* the same number of pixels; their places may be others */
        pixMPI_Recv(pixMPI_Memory(small, PIXMPI_R8, width / 2, height / 2), PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
        for (y = 0; y < height / 2; ++y)
            for (x = 0; x < width / 2; ++x) {
                printf("%3d%s", small[y][x], x == width / 2 - 1 ? "\n" : "");
                wrong += small[y][x] != 20 * y + 2 * x;
            }
    }
    pixMPI_Region_free(&every_second);
    MPI_Finalize();
    return wrong > 0;
}
