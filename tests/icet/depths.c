/*
 * Windows with every kind of depth buffer that EGL has: a frame of IceT's in each, and messages of its depths.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <glmpi.h>
#include <IceT.h>
#include <IceTGL.h>
#include <IceTMPI.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { width = 20, height = 15 };

static int rank, size, failures;

static void expect(int holds, int bits, const char *what) {
    if (!holds)
        printf("rank %d, %d bits of depth: %s (%s)\n", rank, bits, what, pixMPI_Error_text());
    failures += !holds;
}

/* Each rank draws a quarter of the window; all meet in a corner, where the last rank is in front. */
static double depth_of(int of_rank) { return 0.75 - 0.5 * of_rank / size; }
static void draw(void) {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glColor4d((rank + 1) / 8.0, 0, 0, 1);
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; ++i)
        glVertex3d(i == 1 || i == 2 ? (rank % 2 ? 1 : 0) : -1, i < 2 ? -1 : 0, 2 * depth_of(rank) - 1);
    glEnd();
}

static void frame(int bits) {
    IceTContext context = icetCreateContext(icetCreateMPICommunicator(MPI_COMM_WORLD));
    icetGLInitialize();
    icetGLDrawCallback(draw);
    icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_UBYTE);
    icetSetDepthFormat(ICET_IMAGE_DEPTH_FLOAT);
    icetDisable(ICET_COMPOSITE_ONE_BUFFER);
    icetStrategy(ICET_STRATEGY_REDUCE);
    icetAddTile(0, 0, width, height, 0);
    glViewport(0, 0, width, height);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glClearColor(0, 0.2f, 0.6f, 1);
    const IceTImage image = icetGLDrawFrame();
    expect(icetGetError() == ICET_NO_ERROR && icetImageIsNull(image) == (rank != 0), bits, "a frame");
    if (!icetImageIsNull(image)) {
        const IceTUByte *const pixels = icetImageGetColorcub(image), *const last = pixels + 4 * (width * height - 1);
        const int corner = width + 1; /* where all have drawn */
        expect(last[0] == 0 && last[1] == 51 && last[2] == 153, bits, "the background");
        expect(fabs(pixels[4 * corner] - size * 255 / 8.0) < 1, bits, "the rank in front");
        expect(fabs(icetImageGetDepthcf(image)[corner] - depth_of(size - 1)) < 1e-4, bits, "its depth");
    }
    icetDestroyContext(context);
}

/* To the window and back, as floats, and as the window has them. */
static void messages(int bits) {
    static float sent[width * height], read[width * height], arrived[width * height];
    const pixMPI_Surface window = glMPI_Framebuffer(0, GL_DEPTH), floats = glMPI_As(window, PIXMPI_DEPTH32F);
    const double step = bits == 16 ? 1.0 / 65535 : 1e-6;
    double most = 0;
    for (int i = 0; i < width * height; ++i)
        sent[i] = (float)i / (width * height - 1);
    expect(pixMPI_Sendrecv(pixMPI_Memory(sent, PIXMPI_DEPTH32F, width, height), PIXMPI_WHOLE, rank, 0, floats,
                           PIXMPI_WHOLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == PIXMPI_SUCCESS,
           bits, "floats to the window");
    glReadPixels(0, 0, width, height, GL_DEPTH_COMPONENT, GL_FLOAT, read);
    expect(pixMPI_Sendrecv(window, PIXMPI_WHOLE, rank, 0, window, PIXMPI_WHOLE, rank, 0, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE) == PIXMPI_SUCCESS,
           bits, "its own depths");
    expect(pixMPI_Sendrecv(floats, PIXMPI_WHOLE, rank, 0, pixMPI_Memory(arrived, PIXMPI_DEPTH32F, width, height),
                           PIXMPI_WHOLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == PIXMPI_SUCCESS,
           bits, "floats from the window");
    for (int i = 0; i < width * height; ++i)
        most = fmax(most, fmax(fabs(sent[i] - read[i]), fabs(sent[i] - arrived[i])));
    expect(most <= step, bits, "depths that came back");
    expect(glGetError() == GL_NO_ERROR, bits, "glGetError");
}

int main(int argc, char **argv) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_GREEN_SIZE,
                             8,
                             EGL_DEPTH_SIZE,
                             1,
                             EGL_SAMPLES,
                             0,
                             EGL_NONE};
    const EGLint extent[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    EGLConfig configs[64];
    EGLint count = 0;
    int all = 0, seen[64] = {0}, kinds = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, wanted, configs, 64, &count)) {
        printf("skipped: no EGL without a display server\n");
        MPI_Finalize();
        return 77;
    }
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);
    for (int i = 0; i < count; ++i) {
        EGLint bits = 0, stencil = 0, red = 0;
        eglGetConfigAttrib(display, configs[i], EGL_DEPTH_SIZE, &bits);
        eglGetConfigAttrib(display, configs[i], EGL_STENCIL_SIZE, &stencil);
        eglGetConfigAttrib(display, configs[i], EGL_RED_SIZE, &red);
        if (bits > 32 || red != 8 || seen[bits + (stencil > 0)]++)
            continue;
        EGLSurface surface = eglCreatePbufferSurface(display, configs[i], extent);
        EGLContext context = eglCreateContext(display, configs[i], EGL_NO_CONTEXT, NULL);
        if (!surface || !context || !eglMakeCurrent(display, surface, surface, context))
            continue;
        frame(bits);
        messages(bits);
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
        eglDestroySurface(display, surface);
        ++kinds;
    }
    expect(kinds > 0, 0, "no kind of depth buffer");
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    pixMPI_Comm_detach(MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
