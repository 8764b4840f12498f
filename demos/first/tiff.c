/* All ranks write one TIFF together, a strip each, and read it again.    mpiexec -n 3 tiff [FILE] */
#include <pixmpi_file.h>
#include <stdio.h>

enum { width = 500, strip = 100 };

int main(int argc, char **argv) {
    static unsigned char pixels[width * strip][3];
    pixMPI_Surface mine = pixMPI_Memory(pixels, PIXMPI_RGB8, width, strip);
    pixMPI_Region place;
    pixMPI_Picture picture;
    pixMPI_File file;
    const char *path;
    int rank, ranks, i, next, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);
    path = argc > 1 ? argv[1] : "first.tif";

    for (i = 0; i < width * strip; ++i)
        pixels[i][rank % 3] = 200; /* red, green, blue, red, ... */
    picture = pixMPI_Tiff_picture(PIXMPI_RGB8, width, ranks * strip, 0, 0);
    pixMPI_Region_rect(0, rank * strip, width, strip, &place);
    pixMPI_File_open(MPI_COMM_WORLD, path, PIXMPI_FILE_WRITE | PIXMPI_FILE_CREATE, &file);
    pixMPI_File_write_at_all(file, picture, place, mine, PIXMPI_WHOLE); /* returns when the picture is on the disk */
    pixMPI_File_close(&file);
    pixMPI_Region_free(&place);

    next = (rank + 1) % ranks; /* whose strip this rank reads */
    pixMPI_File_open(MPI_COMM_WORLD, path, PIXMPI_FILE_READ, &file);
    pixMPI_File_picture(file, &picture); /* width, height and format, from the file */
    pixMPI_Region_rect(0, next * strip, width, strip, &place);
    pixMPI_File_read_at_all(file, picture, place, mine, PIXMPI_WHOLE);
    pixMPI_File_close(&file);
    pixMPI_Region_free(&place);

    for (i = 0; i < width * strip; ++i)
        wrong += pixels[i][next % 3] != 200;
    printf("rank %d: %s has %d x %d pixels, %d pixels of strip %d are wrong\n", rank, path, picture.width,
           picture.height, wrong, next);
    MPI_Finalize();
    return wrong > 0;
}
