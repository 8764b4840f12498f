/* A texture of rank 0 into a texture of rank 1, which prints two of its pixels. OpenGL from EGL, without a window. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <glmpi.h>
#include <stdio.h>
#include <string.h>

enum { width = 301, height = 203 };

static void check(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "%s: %s\n", what, pixMPI_Error_text());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void make_context(void) {
    static const EGLint any[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    const char *known = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLConfig config;
    EGLContext context;
    EGLint count = 0;
    if (known && strstr(known, "EGL_MESA_platform_surfaceless"))
        display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    else
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    check(eglInitialize(display, NULL, NULL), "eglInitialize");
    check(eglBindAPI(EGL_OPENGL_API), "eglBindAPI");
    check(eglChooseConfig(display, any, &config, 1, &count) && count == 1, "eglChooseConfig");
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, core);
    check(context != EGL_NO_CONTEXT, "eglCreateContext");
    check(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context), "eglMakeCurrent");
}

int main(int argc, char **argv) {
    static unsigned char pixels[height][width][4];
    GLuint texture = 0;
    int rank = 0, x, y;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check(pixMPI_Comm_attach(MPI_COMM_WORLD, NULL) == PIXMPI_SUCCESS, "pixMPI_Comm_attach");
    make_context();
    for (y = 0; rank == 0 && y < height; ++y)
        for (x = 0; x < width; ++x) {
            pixels[y][x][0] = (unsigned char)x;
            pixels[y][x][1] = (unsigned char)y;
            pixels[y][x][2] = (unsigned char)(x >> 8);
            pixels[y][x][3] = 99;
        }
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    if (rank == 0) {
        check(glMPI_Send(glMPI_Texture2D(texture), PIXMPI_WHOLE, 1, 0, MPI_COMM_WORLD) == PIXMPI_SUCCESS, "glMPI_Send");
    } else if (rank == 1) {
        const unsigned char *last = pixels[height - 1][width - 1], *inner = pixels[100][200];
        check(glMPI_Recv(glMPI_Texture2D(texture), PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == PIXMPI_SUCCESS,
              "glMPI_Recv");
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        printf("inner %d %d %d %d, last %d %d %d %d, error %d\n", inner[0], inner[1], inner[2], inner[3], last[0], last[1],
               last[2], last[3], (int)glGetError());
    }
    check(glMPI_Context_free() == PIXMPI_SUCCESS, "glMPI_Context_free");
    MPI_Finalize();
    return 0;
}
