/*
 * A program written for IceT's layer for OpenGL 3: a callback draws rectangles into IceT's textures, in a core profile.
 * A rectangle is a clear within a scissor, so the image is known exactly.
 */
#define GL_GLEXT_PROTOTYPES
#include "window.h"

#include <GL/gl.h>
#include <GL/glext.h>
#include <IceT.h>
#include <IceTGL3.h>
#include <IceTMPI.h>
#include <stdio.h>
#include <string.h>

enum { width = 64, height = 48, most_ranks = 8 };

static int rank, size, failures, callbacks, replicated; /* all ranks draw the last rank's rectangle */
static const float background[4] = {0.2f, 0.4f, 0.6f, 1};

static void expect(int holds, const char *what) {
    if (!holds)
        printf("rank %d: %s\n", rank, what);
    failures += !holds;
}

/* In pixels of the display: x, y, width, height; overlapping, the last rank in front. */
static void rectangle(int of_rank, int rect[4]) {
    rect[0] = 4 + 5 * of_rank;
    rect[1] = 3 + 4 * of_rank;
    rect[2] = 24;
    rect[3] = 18;
}
static float depth_of(int of_rank) { return 0.75f - 0.0625f * (float)of_rank; }

/* The projection says where the display is in the part that is drawn. */
static void draw(const IceTDouble *projection, const IceTDouble *modelview, const IceTInt *wanted, IceTUInt target) {
    GLint bound = 0, viewport[4], rect[4];
    ++callbacks;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    glGetIntegerv(GL_VIEWPORT, viewport);
    expect((GLuint)bound == target && target != 0, "the framebuffer is bound");
    expect(modelview[0] == 1 && wanted[2] > 0 && wanted[0] + wanted[2] <= viewport[2], "arguments of the callback");
    glClearDepth(1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    const int drawn = replicated ? size - 1 : rank;
    rectangle(drawn, rect);
    const double scale = projection[0] * viewport[2] / width;
    const double left = (projection[12] - projection[0] + 1) / 2 * viewport[2];
    const double low = (projection[13] - projection[5] + 1) / 2 * viewport[3];
    expect(scale > 0.999 && scale < 1.001, "pixels have the display's size");
    glEnable(GL_SCISSOR_TEST);
    glScissor((int)(left + rect[0] + 100.5) - 100, (int)(low + rect[1] + 100.5) - 100, rect[2], rect[3]);
    glClearColor((float)(drawn + 1) / 16, 1, 0, 1);
    glClearDepth(depth_of(drawn));
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void compare(IceTImage image, const int tile[4], int floats, const char *what) {
    int wrong = 0;
    for (int i = 0; i < tile[2] * tile[3]; ++i) {
        const int x = tile[0] + i % tile[2], y = tile[1] + i / tile[2];
        float red = background[0], depth = 1;
        for (int of_rank = replicated ? size - 1 : 0; of_rank < size; ++of_rank) {
            int rect[4];
            rectangle(of_rank, rect);
            if (x >= rect[0] && x < rect[0] + rect[2] && y >= rect[1] && y < rect[1] + rect[3])
                red = (float)(of_rank + 1) / 16, depth = depth_of(of_rank);
        }
        const float seen = floats ? icetImageGetColorcf(image)[4 * i] : (float)icetImageGetColorcub(image)[4 * i] / 255;
        wrong += !(seen - red < 0.003f && red - seen < 0.003f) || icetImageGetDepthcf(image)[i] != depth;
    }
    expect(wrong == 0, what);
}

static void frames(int tiles, int floats, const char *what) {
    const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    int rect[4], at[2][4] = {{0, 0, width, height}, {0, height / 2, width, height - height / 2}};
    GLint viewport[4], clear_bound;
    float clear[4];
    if (tiles == 2)
        at[0][3] = height / 2;
    icetResetTiles();
    for (int i = 0; i < tiles; ++i)
        icetAddTile(at[i][0], at[i][1], at[i][2], at[i][3], i);
    icetSetColorFormat(floats ? ICET_IMAGE_COLOR_RGBA_FLOAT : ICET_IMAGE_COLOR_RGBA_UBYTE);
    rectangle(replicated ? size - 1 : rank, rect);
    icetDataReplicationGroupColor(replicated ? 0 : rank);
    icetBoundingBoxd(2.0 * rect[0] / width - 1, 2.0 * (rect[0] + rect[2]) / width - 1, 2.0 * rect[1] / height - 1,
                     2.0 * (rect[1] + rect[3]) / height - 1, -1, 1);
    glClearColor(background[0], background[1], background[2], background[3]);
    glViewport(1, 2, 30, 40);
    for (int frame = 0; frame < 2; ++frame) {
        callbacks = 0;
        const IceTImage image = icetGL3DrawFrame(identity, identity);
        expect(icetGetError() == ICET_NO_ERROR && icetImageIsNull(image) == (rank >= tiles), what);
        expect(callbacks <= tiles && (replicated || callbacks >= 1), "calls of the callback");
        if (!icetImageIsNull(image))
            compare(image, at[rank], floats, what);
    }
    glGetFloatv(GL_COLOR_CLEAR_VALUE, clear);
    glGetIntegerv(GL_VIEWPORT, viewport);
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &clear_bound);
    expect(!memcmp(clear, background, sizeof clear) && viewport[2] == 30 && clear_bound == 0, "OpenGL's state");
    expect(glGetError() == GL_NO_ERROR, "glGetError");
}

int main(int argc, char **argv) {
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!open_core_context()) {
        MPI_Finalize();
        return 77;
    }
    IceTCommunicator communicator = icetCreateMPICommunicator(MPI_COMM_WORLD);
    IceTContext context = icetCreateContext(communicator);
    icetDestroyMPICommunicator(communicator);
    icetGL3DrawCallbackTexture(draw);
    expect(icetGetError() == ICET_INVALID_OPERATION && !icetGL3IsInitialized(), "a callback before icetGL3Initialize");
    icetGL3Initialize();
    icetGL3DrawCallbackTexture(draw);
    expect(icetGL3IsInitialized(), "icetGL3IsInitialized");
    icetSetDepthFormat(ICET_IMAGE_DEPTH_FLOAT);
    icetCompositeMode(ICET_COMPOSITE_MODE_Z_BUFFER);
    icetDisable(ICET_COMPOSITE_ONE_BUFFER);
    icetStrategy(ICET_STRATEGY_REDUCE);
    frames(1, 0, "one tile");
    frames(1, 1, "one tile of floats");
    if (size > 1)
        frames(2, 0, "two tiles");
    replicated = 1;
    frames(1, 0, "one tile of replicated data");
    icetDestroyContext(context);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    close_window();
    MPI_Finalize();
    return all != 0;
}
