/* An OpenGL texture, from rank 0 to rank 1.    mpiexec -n 2 texture */
#include <GL/gl.h>
#include <glmpi_context.h>
#include <stdio.h>

enum { width = 640, height = 480 };

int main(int argc, char **argv) {
    static unsigned char pixels[height][width][4];
    glMPI_Context context;
    GLuint texture;
    int rank, x, y, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL); /* a call that fails ends the job */
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);         /* once, by all ranks */
    glMPI_Context_create(NULL, &context);             /* or any context of your own, of a window or without */

    for (y = 0; rank == 0 && y < height; ++y)
        for (x = 0; x < width; ++x) {
            pixels[y][x][0] = 255; /* orange */
            pixels[y][x][1] = 140;
        }
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);

    if (rank == 0)
        glMPI_Send(glMPI_Texture2D(texture), PIXMPI_WHOLE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        glMPI_Recv(glMPI_Texture2D(texture), PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        for (y = 0; y < height; ++y)
            for (x = 0; x < width; ++x)
                wrong += pixels[y][x][0] != 255 || pixels[y][x][1] != 140 || pixels[y][x][2] != 0;
        printf("red %d, green %d, blue %d\n", pixels[0][0][0], pixels[0][0][1], pixels[0][0][2]);
    }
    glMPI_Context_free(&context); /* for a context of your own: glMPI_Context_release() before you destroy it */
    MPI_Finalize();
    return wrong > 0;
}
