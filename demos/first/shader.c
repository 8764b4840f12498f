/* A compute shader that sends and receives by itself, on each of two ranks.    mpiexec -n 2 shader */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <glmpi_context.h>
#include <glmpi_device.h>
#include <stdio.h>

/* Each rank has one workgroup. It sends bytes 0 to 255 of window 0 to the other one, and receives what comes from there
 * behind them. A step has one call that may have to wait. */
static const char *const body = "void main() {\n"
                                "    PM_BEGIN(pm_workgroup())\n"
                                "    PM_STEP(1) PM_AWAIT(pm_send(1 - pm_rank(), 5, 0, 0, 256))\n"
                                "    PM_STEP(2) PM_AWAIT(pm_recv(1 - pm_rank(), 5, 0, 256, 256))\n"
                                "    PM_END\n"
                                "}\n";

int main(int argc, char **argv) {
    const char *text[] = {"#version 440\nlayout(local_size_x = 64) in;\n", NULL, body};
    glMPI_Kernel kernel = GLMPI_KERNEL_INIT;
    glMPI_Context context;
    pixMPI_Endpoint endpoint;
    pixMPI_Surface window;
    unsigned char *bytes;
    GLuint shader;
    int rank, i, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL);
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);
    glMPI_Context_create(NULL, &context);
    glMPI_Window_create(512, &window, (void **)&bytes); /* memory that messages of shaders are about */
    glMPI_Endpoint_create(MPI_COMM_WORLD, NULL, 1, &window, &endpoint);

    text[1] = glMPI_Device_glsl();
    shader = glCreateShader(GL_COMPUTE_SHADER);
    glShaderSource(shader, 3, text, NULL);
    glCompileShader(shader);
    kernel.program = glCreateProgram();
    glAttachShader(kernel.program, shader);
    glLinkProgram(kernel.program);

    for (i = 0; i < 256; ++i)
        bytes[i] = (unsigned char)(i + rank);
    kernel.groups = 1;
    glMPI_Endpoint_run(endpoint, &kernel); /* until the workgroup has come to PM_END */
    for (i = 0; i < 256; ++i)
        wrong += bytes[256 + i] != (unsigned char)(i + 1 - rank);
    printf("rank %d: %d bytes are wrong\n", rank, wrong);

    pixMPI_Endpoint_free(&endpoint);
    glMPI_Window_free(&window);
    glMPI_Context_free(&context);
    MPI_Finalize();
    return wrong > 0;
}
