/* A rectangle of rank 0's picture into another place of rank 1's picture.    mpiexec -n 2 rectangle */
#include <pixmpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    static unsigned char pixels[6][8];
    pixMPI_Surface picture = pixMPI_Memory(pixels, PIXMPI_R8, 8, 6);
    int rank, x, y, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);

    /* pixMPI_Sub(surface, x, y, width, height) is a surface, too: 3 by 2 pixels, from (4, 1) on rank 0 to (0, 3) on
     * rank 1. It works for textures, images and buffers in the same way. */
    if (rank == 0) {
        for (y = 0; y < 6; ++y)
            for (x = 0; x < 8; ++x)
                pixels[y][x] = (unsigned char)(10 * y + x);
        pixMPI_Send(pixMPI_Sub(picture, 4, 1, 3, 2), PIXMPI_WHOLE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        pixMPI_Recv(pixMPI_Sub(picture, 0, 3, 3, 2), PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (y = 0; y < 6; ++y)
            for (x = 0; x < 8; ++x) {
                int inside = x < 3 && y >= 3 && y < 5;
                wrong += pixels[y][x] != (inside ? 10 * (y - 2) + x + 4 : 0);
                printf("%2d%s", pixels[y][x], x < 7 ? " " : "\n");
            }
    }
    MPI_Finalize();
    return wrong > 0;
}
