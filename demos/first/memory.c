/* Pixels in host memory, from rank 0 to rank 1.    mpiexec -n 2 memory */
#include <pixmpi.h>
#include <stdio.h>

enum { width = 640, height = 480 };

int main(int argc, char **argv) {
    static unsigned char pixels[height][width][4];
    pixMPI_Surface picture = pixMPI_Memory(pixels, PIXMPI_RGBA8, width, height);
    int rank, x, y, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL); /* a call that fails ends the job */
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);         /* once, by all ranks, before the first message */

    if (rank == 0) {
        for (y = 0; y < height; ++y)
            for (x = 0; x < width; ++x)
                pixels[y][x][0] = (unsigned char)(x + y);
        pixMPI_Send(picture, PIXMPI_WHOLE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        pixMPI_Recv(picture, PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (y = 0; y < height; ++y)
            for (x = 0; x < width; ++x)
                wrong += pixels[y][x][0] != (unsigned char)(x + y);
        printf("%d of %d pixels are wrong\n", wrong, width * height);
    }
    MPI_Finalize();
    return wrong > 0;
}
