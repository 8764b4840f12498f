/* Each rank has a texture, and rank 0 gets all of them as one picture, side by side.    mpiexec -n 4 gather */
#include <GL/gl.h>
#include <glmpi_context.h>
#include <pixmpi_collectives.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 320, height = 240 };

int main(int argc, char **argv) {
    static unsigned char tile[width * height][4];
    unsigned char *wall;
    pixMPI_Surface all;
    pixMPI_Region *places; /* of the ranks, in the picture */
    glMPI_Context context;
    GLuint texture;
    int rank, ranks, i, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);
    glMPI_Context_create(NULL, &context);

    for (i = 0; i < width * height; ++i)
        tile[i][0] = (unsigned char)(10 + rank);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, tile);

    wall = calloc((size_t)ranks * width * height, 4);
    places = malloc((size_t)ranks * sizeof *places);
    for (i = 0; i < ranks; ++i)
        pixMPI_Region_rect(i * width, 0, width, height, &places[i]);
    all = pixMPI_Memory(wall, PIXMPI_RGBA8, ranks * width, height); /* a texture would do as well */
    pixMPI_Gather(glMPI_Texture2D(texture), PIXMPI_WHOLE, all, places, 0, MPI_COMM_WORLD);

    for (i = 0; rank == 0 && i < ranks * width * height; ++i)
        wrong += wall[4 * i] != 10 + i % (ranks * width) / width;
    if (rank == 0)
        printf("%d ranks, %d pixels are wrong\n", ranks, wrong);
    for (i = 0; i < ranks; ++i)
        pixMPI_Region_free(&places[i]);
    glMPI_Context_free(&context);
    MPI_Finalize();
    free(places);
    free(wall);
    return wrong > 0;
}
