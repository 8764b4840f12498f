/* Rank 0 draws frames, all other ranks show them. The frames travel as JPEG.    mpiexec -n 2 viewer */
#include <pixmpi_collectives.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 640, height = 360, frames = 5 };

int main(int argc, char **argv) {
    static unsigned char pixels[height][width][3];
    pixMPI_Surface picture = pixMPI_Memory(pixels, PIXMPI_RGB8, width, height);
    pixMPI_Codec jpeg = pixMPI_Codec_of(PIXMPI_CODEC_JPEG, 85); /* the quality; PIXMPI_CODEC_LZ4 loses nothing */
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    pixMPI_Request frame;
    int rank, i, x, y, largest = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);
    pixMPI_Bcast_init(pixMPI_Coded(picture, jpeg), PIXMPI_WHOLE, 0, MPI_COMM_WORLD, &frame); /* once */

    for (i = 0; i < frames; ++i) {
        for (y = 0; rank == 0 && y < height; ++y) /* draw: here a ramp that moves */
            for (x = 0; x < width; ++x)
                pixels[y][x][0] = pixels[y][x][1] = pixels[y][x][2] = (unsigned char)((x + y) / 4 + i);
        pixMPI_Start(&frame);
        pixMPI_Wait(&frame, MPI_STATUS_IGNORE);
        for (y = 0; y < height; ++y) /* show: here a comparison */
            for (x = 0; x < width; ++x) {
                int error = abs(pixels[y][x][0] - (x + y) / 4 - i);
                largest = error > largest ? error : largest;
            }
    }
    pixMPI_Request_free(&frame);
    pixMPI_Get_stats(&stats);
    if (rank == 0)
        printf("%d KiB of pixels travelled as %d KiB\n", (int)(stats.bytes_encoded >> 10),
               (int)(stats.bytes_of_streams >> 10));
    else
        printf("rank %d: the largest error is %d of 255\n", rank, largest);
    MPI_Finalize();
    return largest > 8 || (rank == 0 && stats.bytes_of_streams * 10 > stats.bytes_encoded);
}
