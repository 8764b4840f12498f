/* An operation of your own in a reduction: of all ranks' numbers the strongest, with its sign.
 * mpiexec -n 3 operation */
#include <math.h>
#include <pixmpi_collectives.h>
#include <stdio.h>

enum { width = 64, height = 64 };

/* On the host: result[i] = first[i] op second[i]. */
static void strongest(const void *first, const void *second, void *result, size_t pixels, pixMPI_Format format,
                      void *data) {
    const float *a = first, *b = second;
    float *c = result;
    size_t i;
    (void)format, (void)data; /* PIXMPI_R32F here: one float for each pixel */
    for (i = 0; i < pixels; ++i)
        c[i] = fabsf(a[i]) < fabsf(b[i]) ? b[i] : a[i];
}

/* The same for GPUs. It is compiled when pixels of a GPU are combined for the first time. */
static const char *const glsl = "PIXEL combine(PIXEL a, PIXEL b) { return mix(a, b, lessThan(abs(a), abs(b))); }";

int main(int argc, char **argv) {
    static float field[width * height];
    pixMPI_Surface surface = pixMPI_Memory(field, PIXMPI_R32F, width, height);
    pixMPI_Op op;
    int rank, ranks, i, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);

    for (i = 0; i < width * height; ++i)
        field[i] = i % ranks == rank ? -9 : (float)rank; /* each pixel is strongest on one rank */
    pixMPI_Op_create(strongest, glsl, NULL, &op);
    pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, surface, PIXMPI_WHOLE, op, MPI_COMM_WORLD);
    pixMPI_Op_free(&op);

    for (i = 0; i < width * height; ++i)
        wrong += field[i] != -9;
    printf("rank %d: %d pixels are wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong > 0;
}
