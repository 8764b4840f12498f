/* Pixels of host memory from rank 0 to rank 1, rows as columns: rank 1 prints what it has got. */
#include <pixmpi.h>
#include <stdio.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) != PIXMPI_SUCCESS) {                                                                                \
            fprintf(stderr, "%s\n", pixMPI_Error_text());                                                              \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                              \
        }                                                                                                              \
    } while (0)

int main(int argc, char **argv) {
    unsigned char pixels[3 * 4] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    int rank = 0, i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(pixMPI_Comm_attach(MPI_COMM_WORLD, NULL));
    if (rank == 0) {
        CHECK(pixMPI_Send(pixMPI_Memory(pixels, PIXMPI_R8, 4, 3), PIXMPI_WHOLE, 1, 7, MPI_COMM_WORLD));
    } else if (rank == 1) {
        pixMPI_Surface transposed = pixMPI_Memory(pixels, PIXMPI_R8, 3, 4);
        pixMPI_Region columns;
        MPI_Status status;
        int64_t count = 0;
        CHECK(pixMPI_Region_columns(0, 4, 0, 3, 1, &columns));
        CHECK(pixMPI_Region_commit(&columns));
        CHECK(pixMPI_Recv(transposed, columns, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status));
        CHECK(pixMPI_Get_count(&status, PIXMPI_R8, &count));
        CHECK(pixMPI_Region_free(&columns));
        printf("%d pixels from rank %d:", (int)count, status.MPI_SOURCE);
        for (i = 0; i < 12; ++i)
            printf(" %d", pixels[i]);
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
