/* Memory that the CPU and OpenGL share, by one pointer, and a message from it.    mpiexec -n 2 shared */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <glmpi_context.h>
#include <glmpi_memory.h>
#include <stdio.h>

enum { width = 256, height = 256 };

int main(int argc, char **argv) {
    const float four = 4;
    glMPI_Context context;
    float *heights; /* for the CPU */
    GLuint buffer;  /* for OpenGL: the same bytes */
    int rank, i, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);
    glMPI_Context_create(NULL, &context);
    glMPI_Shared_create(width * height * sizeof *heights, PIXMPI_SHARED_AUTO, (void **)&heights, &buffer);

    if (rank == 0) {
        for (i = 0; i < width * height; ++i)
            heights[i] = 1;
        pixMPI_Shared_to_device(heights, PIXMPI_READ | PIXMPI_WRITE); /* OpenGL may use the buffer now */
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glClearBufferSubData(GL_ARRAY_BUFFER, GL_R32F, 0, width * sizeof *heights, GL_RED, GL_FLOAT, &four);
        pixMPI_Shared_to_host(heights); /* the CPU has it again */
        heights[width] = heights[0] + 3;
        pixMPI_Send(pixMPI_Memory(heights, PIXMPI_R32F, width, height), PIXMPI_WHOLE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        pixMPI_Recv(pixMPI_Memory(heights, PIXMPI_R32F, width, height), PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
        for (i = 0; i < width * height; ++i)
            wrong += heights[i] != (i < width ? 4 : i == width ? 7 : 1);
        printf("%.0f by OpenGL, %.0f by both, %.0f by the CPU; %d are wrong\n", heights[0], heights[width],
               heights[width + 1], wrong);
    }
    pixMPI_Shared_free(heights);
    glMPI_Context_free(&context);
    MPI_Finalize();
    return wrong > 0;
}
