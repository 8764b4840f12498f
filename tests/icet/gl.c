/*
 * A program written for IceT that draws boxes by OpenGL, each rank its own. The pictures of its tiles, put together,
 * and what is seen in its window, equal what one process draws of all boxes.
 */
#define GL_GLEXT_PROTOTYPES
#include "window.h"

#include <GL/gl.h>
#include <GL/glext.h>
#include <IceT.h>
#include <IceTGL.h>
#include <IceTMPI.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { box_count = 10, width = 90, height = 70, most_tiles = 4 };

struct test {
    const char *name;
    int tiles; /* at most; as many as there are ranks */
    int x, y;  /* of the viewport in the window */
    int blends;
    int color_format;
    int to_object; /* a framebuffer object as large as a tile */
    int hidden;    /* ICET_GL_DISPLAY is disabled */
};

static int rank, size, failures, callbacks;
static const struct test *now;
static unsigned char reference[width * height * 4];
static const float background[4] = {0.25f, 0.5f, 0.75f, 1};

static void fail(const char *what, double seen, double wanted) {
    printf("rank %d, %s: %s: %g, expected %g\n", rank, now->name, what, seen, wanted);
    ++failures;
}

static int tile_count(void) { return now->tiles < size ? now->tiles : size; }

/* One tile is all of the window; several are quarters of it. */
static void tile_at(int tile, int rect[4]) {
    const int several = now->tiles > 1;
    rect[0] = several ? tile % 2 * (width / 2) : 0;
    rect[1] = several ? tile / 2 * (height / 2) : 0;
    rect[2] = several ? width / 2 : width;
    rect[3] = several ? height / 2 : height;
}

static void display(int rect[4]) {
    tile_at(0, rect);
    for (int tile = 1; tile < tile_count(); ++tile) {
        int next[4];
        tile_at(tile, next);
        if (next[0] + next[2] > rect[2])
            rect[2] = next[0] + next[2];
        if (next[1] + next[3] > rect[3])
            rect[3] = next[1] + next[3];
    }
}

/* ---- boxes ----------------------------------------------------------------------------------------------------- */

static void box(int number, double corners[2][3]) {
    const double t = number * 2.4;
    const double center[3] = {1.1 * cos(t), 0.8 * sin(t), -0.7 * number};
    for (int axis = 0; axis < 3; ++axis) {
        const double half = 0.25 + 0.05 * ((number + axis) % 4);
        corners[0][axis] = center[axis] - half * (axis < 2 ? 1 : 0.8);
        corners[1][axis] = center[axis] + half * (axis < 2 ? 1 : 0.8);
    }
}

/* Of one colour, so that a picture has edges where boxes end and nowhere else. */
static void draw_box(int number) {
    static const int faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    double corners[2][3];
    const float alpha = now->blends ? 0.4f : 1;
    box(number, corners);
    glColor4f(alpha * (float)(number % 3) / 2, alpha * (float)(number % 4) / 3, alpha * (float)(number % 5) / 4, alpha);
    glBegin(GL_QUADS);
    for (int face = 0; face < (now->blends ? 1 : 6); ++face)
        for (int i = 0; i < 4; ++i) {
            const int corner = faces[face][i];
            glVertex3d(corners[corner & 1][0], corners[corner >> 1 & 1][1], corners[corner >> 2][2]);
        }
    glEnd();
}

/* The nearest boxes have the lowest numbers, and are the last rank's: blended from behind. */
static int owner(int number) { return size - 1 - number * size / box_count; }

static void draw_boxes(int all) {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    (now->blends ? glDisable : glEnable)(GL_DEPTH_TEST);
    (now->blends ? glEnable : glDisable)(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    for (int number = box_count - 1; number >= 0; --number)
        if (all || owner(number) == rank)
            draw_box(number);
}

static void callback(void) {
    ++callbacks;
    draw_boxes(0);
}

static void bound(void) {
    double least[3] = {1e9, 1e9, 1e9}, most[3] = {-1e9, -1e9, -1e9};
    for (int number = 0; number < box_count; ++number) {
        double corners[2][3];
        box(number, corners);
        for (int axis = 0; axis < 3 && owner(number) == rank; ++axis) {
            least[axis] = fmin(least[axis], corners[0][axis]);
            most[axis] = fmax(most[axis], corners[1][axis]);
        }
    }
    icetBoundingBoxd(least[0], most[0], least[1], most[1], least[2], most[2]);
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

static void set_matrices(const int rect[4], int frame) {
    const double aspect = (double)rect[2] / rect[3];
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-0.4 * aspect, 0.4 * aspect, -0.4, 0.4, 1, 20);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslated(0.2 * frame, 0, -3.5);
    if (!now->blends)
        glRotated(7 * frame, 0, 1, 0);
}

static void set_up(void) {
    int order[64];
    for (int i = 0; i < size; ++i)
        order[i] = size - 1 - i;
    icetResetTiles();
    for (int tile = 0; tile < tile_count(); ++tile) {
        int at[4];
        tile_at(tile, at);
        icetAddTile(at[0], at[1], at[2], at[3], size - 1 - tile);
    }
    icetCompositeMode(now->blends ? ICET_COMPOSITE_MODE_BLEND : ICET_COMPOSITE_MODE_Z_BUFFER);
    (now->blends ? icetEnable : icetDisable)(ICET_ORDERED_COMPOSITE);
    icetCompositeOrder(order);
    icetSetColorFormat((IceTEnum)now->color_format);
    icetSetDepthFormat(now->blends ? ICET_IMAGE_DEPTH_NONE : ICET_IMAGE_DEPTH_FLOAT);
    icetStrategy(ICET_STRATEGY_SEQUENTIAL);
    (now->hidden ? icetDisable : icetEnable)(ICET_GL_DISPLAY);
    glClearColor(background[0], background[1], background[2], background[3]);
    bound();
}

/* Pixels may differ at the edges of boxes: where these lie is rounded from tile to tile. A few levels are the blending
 * of bytes in another order. */
static void compare(const char *what, const unsigned char *seen, int row_pixels, const int at[4]) {
    int wrong = 0;
    for (int y = 0; y < at[3]; ++y)
        for (int x = 0; x < at[2]; ++x) {
            const unsigned char *const pixel = seen + 4 * (y * row_pixels + x);
            const unsigned char *const wanted = reference + 4 * ((at[1] + y) * width + at[0] + x);
            for (int k = 0; k < 3; ++k)
                if (abs(pixel[k] - wanted[k]) > (now->blends ? 2 + size : 1)) {
                    ++wrong;
                    break;
                }
        }
    if (wrong > at[2] * at[3] / 100)
        fail(what, wrong, at[2] * at[3] / 100);
}

static void check_state(const double projection[16], const double modelview[16]) {
    double after[16];
    float clear[4];
    int mode = 0;
    glGetDoublev(GL_PROJECTION_MATRIX, after);
    if (memcmp(after, projection, sizeof after) != 0)
        fail("projection matrix afterwards", after[0], projection[0]);
    glGetDoublev(GL_MODELVIEW_MATRIX, after);
    if (memcmp(after, modelview, sizeof after) != 0)
        fail("modelview matrix afterwards", after[12], modelview[12]);
    glGetFloatv(GL_COLOR_CLEAR_VALUE, clear);
    if (memcmp(clear, background, sizeof clear) != 0)
        fail("clear colour afterwards", clear[0], background[0]);
    glGetIntegerv(GL_MATRIX_MODE, &mode);
    if (mode != GL_TEXTURE)
        fail("matrix mode afterwards", mode, GL_TEXTURE);
}

static void check_image(IceTImage image) {
    static float colors[width * height * 4];
    static unsigned char bytes[width * height * 4], window[width * height * 4];
    IceTInt tile = -1;
    int at[4];
    icetGetIntegerv(ICET_TILE_DISPLAYED, &tile);
    if ((tile < 0) != icetImageIsNull(image))
        fail("tile of the image", icetImageIsNull(image), tile < 0);
    if (tile < 0 || icetImageIsNull(image))
        return;
    tile_at(tile, at);
    if (now->color_format == ICET_IMAGE_COLOR_RGBA_FLOAT) {
        memcpy(colors, icetImageGetColorf(image), sizeof(float) * 4 * (size_t)icetImageGetNumPixels(image));
        for (int i = 0; i < 4 * at[2] * at[3]; ++i)
            bytes[i] = (unsigned char)(colors[i] * 255 + 0.5f);
    } else
        memcpy(bytes, icetImageGetColorub(image), 4 * (size_t)icetImageGetNumPixels(image));
    compare("image", bytes, at[2], at);
    if (now->hidden)
        return;
    glReadPixels(now->x, now->y, at[2], at[3], GL_RGBA, GL_UNSIGNED_BYTE, window);
    compare("window", window, at[2], at);
}

static void run(const struct test *test) {
    int rect[4], window[4];
    unsigned object = 0, buffers[2] = {0, 0};
    now = test;
    display(rect);
    tile_at(0, window);
    for (int frame = 0; frame < 3; ++frame) {
        double projection[16], modelview[16];
        set_up();
        set_matrices(rect, frame);
        glGetDoublev(GL_PROJECTION_MATRIX, projection);
        glGetDoublev(GL_MODELVIEW_MATRIX, modelview);
        glViewport(0, 0, rect[2], rect[3]);
        draw_boxes(1);
        memset(reference, 0, sizeof reference);
        glPixelStorei(GL_PACK_ROW_LENGTH, width);
        glReadPixels(0, 0, rect[2], rect[3], GL_RGBA, GL_UNSIGNED_BYTE, reference);
        glPixelStorei(GL_PACK_ROW_LENGTH, 0);
        if (now->to_object) {
            glGenFramebuffers(1, &object);
            glGenRenderbuffers(2, buffers);
            glBindFramebuffer(GL_FRAMEBUFFER, object);
            for (int i = 0; i < 2; ++i) {
                glBindRenderbuffer(GL_RENDERBUFFER, buffers[i]);
                glRenderbufferStorage(GL_RENDERBUFFER, i ? GL_DEPTH_COMPONENT24 : GL_RGBA8, window[2], window[3]);
                glFramebufferRenderbuffer(GL_FRAMEBUFFER, i ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0,
                                          GL_RENDERBUFFER, buffers[i]);
            }
        }
        glViewport(now->x, now->y, window[2], window[3]);
        glMatrixMode(GL_TEXTURE);
        callbacks = 0;
        const IceTImage image = icetGLDrawFrame();
        if (callbacks < 1 || callbacks > tile_count())
            fail("calls of the callback", callbacks, tile_count());
        if (icetGetError() != ICET_NO_ERROR)
            fail("icetGetError", 1, ICET_NO_ERROR);
        check_state(projection, modelview);
        check_image(image);
        if (now->to_object) {
            glDeleteFramebuffers(1, &object);
            glDeleteRenderbuffers(2, buffers);
        }
        if (glGetError() != GL_NO_ERROR)
            fail("glGetError", 1, 0);
    }
}

static void run_all(void) {
    const int bytes = ICET_IMAGE_COLOR_RGBA_UBYTE, floats = ICET_IMAGE_COLOR_RGBA_FLOAT;
    const struct test tests[] = {
        {"one tile", 1, 0, 0, 0, bytes, 0, 0},
        {"one tile of floats", 1, 0, 0, 0, floats, 0, 0},
        {"tiles", 4, 0, 0, 0, bytes, 0, 0},
        {"tiles, hidden", 4, 0, 0, 0, bytes, 0, 1},
        {"tiles in a corner", 4, 30, 20, 0, bytes, 0, 0},
        {"one tile in an object", 1, 0, 0, 0, bytes, 1, 0},
        {"tiles in objects", 4, 0, 0, 0, bytes, 1, 0},
        {"blended", 1, 0, 0, 1, bytes, 0, 0},
        {"blended tiles", 4, 0, 0, 1, floats, 0, 0},
    };
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i)
        run(&tests[i]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!open_window(width, height)) {
        MPI_Finalize();
        return 77;
    }
    IceTCommunicator communicator = icetCreateMPICommunicator(MPI_COMM_WORLD);
    IceTContext context = icetCreateContext(communicator);
    icetGLInitialize();
    icetGLDrawCallback(callback);
    run_all();
    icetDestroyContext(context);
    icetDestroyMPICommunicator(communicator);
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    close_window();
    MPI_Finalize();
    return all != 0;
}
