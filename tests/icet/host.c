/*
 * A program written for IceT that draws balls by the CPU, each rank its own. The pictures of its tiles, put together,
 * equal the picture that one process draws of all balls. It uses IceT's interface alone.
 */
#include "balls.h"

#include <IceT.h>
#include <IceTMPI.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_balls = 24, most_tiles = 4 };

/* A frame of the test: how it is asked for. */
struct test {
    const char *name;
    IceTEnum mode, color, depth;
    IceTEnum strategy, single;
    int tiles;       /* at most; the number of ranks */
    int floating;    /* the floating viewport */
    int depth_too;   /* the result has depth */
    int prerendered; /* icetCompositeImage */
    int partial;     /* ... with a viewport of valid pixels */
    int correct;     /* ICET_CORRECT_COLORED_BACKGROUND; a picture has its background without that, too */
    int scattered;   /* images are not collected */
    int physical;    /* pixels that are rendered beyond the largest tile */
};

static int rank, size, failures;
static struct ball balls[most_balls];
static int owners[most_balls], ball_count;
static const struct test *now;
static double projection[16], modelview[16];
static const int tile_rects[most_tiles][4] = {{-7, 3, 47, 31}, {40, 3, 33, 31}, {-7, 34, 47, 26}, {40, 34, 33, 26}};
static int callbacks;

static void fail(const char *what, double seen, double wanted) {
    printf("rank %d, %s: %s: %g, expected %g\n", rank, now->name, what, seen, wanted);
    ++failures;
}

static int tile_count(void) { return now->tiles < size ? now->tiles : size; }
/* Not in the order of ranks. */
static int shown_by(int tile) { return tile_count() == 1 ? size / 2 : (size - 1 - tile) % size; }

static void display(int rect[4]) {
    int right = tile_rects[0][0], top = tile_rects[0][1];
    rect[0] = right;
    rect[1] = top;
    for (int i = 0; i < tile_count(); ++i) {
        const int *const tile = tile_rects[i];
        if (tile[0] + tile[2] > right)
            right = tile[0] + tile[2];
        if (tile[1] + tile[3] > top)
            top = tile[1] + tile[3];
    }
    rect[2] = right - rect[0];
    rect[3] = top - rect[1];
}

/* ---- balls ---------------------------------------------------------------------------------------------------- */

static double random_number(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

/* To compare depths: anywhere. To blend: one for each rank, one behind another, not in the order of ranks. */
static void make_balls(void) {
    unsigned state = 7;
    const int blends = now->mode == ICET_COMPOSITE_MODE_BLEND;
    ball_count = blends ? size : most_balls;
    for (int i = 0; i < ball_count; ++i) {
        struct ball *const ball = &balls[i];
        const double alpha = blends ? 0.3 + 0.5 * random_number(&state) : 1;
        ball->center[0] = 3 * random_number(&state) - 1.5;
        ball->center[1] = 2 * random_number(&state) - 1;
        ball->center[2] = blends ? -1.1 * i : -4 * random_number(&state);
        ball->radius = 0.2 + 0.3 * random_number(&state);
        for (int k = 0; k < 3; ++k)
            ball->color[k] = (float)(alpha * random_number(&state));
        ball->color[3] = (float)alpha;
        owners[i] = (i + 1) % size;
    }
}

static int own_balls(struct ball own[most_balls]) {
    int count = 0;
    for (int i = 0; i < ball_count; ++i)
        if (owners[i] == rank)
            own[count++] = balls[i];
    return count;
}

static void bound(void) {
    struct ball own[most_balls];
    const int count = own_balls(own);
    float corners[8 * most_balls][3];
    for (int i = 0; i < 8 * count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            corners[i][axis] = (float)(own[i / 8].center[axis] + (i >> axis & 1 ? 1.001 : -1.001) * own[i / 8].radius);
    icetBoundingVertices(3, ICET_FLOAT, sizeof corners[0], 8 * count, corners);
}

/* ---- drawing --------------------------------------------------------------------------------------------------- */

static void put_color(void *pixels, IceTEnum format, int at, const float color[4]) {
    for (int k = 0; k < 4; ++k)
        if (format == ICET_IMAGE_COLOR_RGBA_UBYTE)
            ((unsigned char *)pixels)[4 * at + k] = (unsigned char)(color[k] * 255 + 0.5f);
        else if (format == ICET_IMAGE_COLOR_RGBA_FLOAT)
            ((float *)pixels)[4 * at + k] = color[k];
        else if (format == ICET_IMAGE_COLOR_RGB_FLOAT && k < 3)
            ((float *)pixels)[3 * at + k] = color[k];
}

/* Pixels outside of `rect` are left alone. */
static void draw(const double *by_projection, int width, int height, const int rect[4], const struct ball *drawn,
                 int count, const float *background, IceTEnum format, void *color, float *depth) {
    struct rays rays;
    prepare_rays(by_projection, modelview, width, height, &rays);
    for (int y = rect[1]; y < rect[1] + rect[3]; ++y)
        for (int x = rect[0]; x < rect[0] + rect[2]; ++x) {
            float far = 1;
            const int ball = first_ball(&rays, x, y, drawn, count, &far);
            if (color)
                put_color(color, format, y * width + x, ball < 0 ? background : drawn[ball].color);
            if (depth)
                depth[y * width + x] = far;
        }
}

static void callback(const IceTDouble *for_tile, const IceTDouble *with_modelview, const IceTFloat *background,
                     const IceTInt *wanted, IceTImage result) {
    struct ball own[most_balls];
    const int count = own_balls(own), width = icetImageGetWidth(result), height = icetImageGetHeight(result);
    const int pixels = icetImageGetNumPixels(result);
    void *color = NULL;
    float *depth = NULL;
    ++callbacks;
    if (memcmp(with_modelview, modelview, sizeof modelview) != 0)
        fail("modelview matrix of the callback", with_modelview[0], modelview[0]);
    if (icetImageGetColorFormat(result) != now->color || icetImageGetDepthFormat(result) != now->depth)
        fail("formats of the image", icetImageGetColorFormat(result), now->color);
    /* Unwanted pixels are not looked at: they are what would be seen. */
    if (now->color == ICET_IMAGE_COLOR_RGBA_UBYTE)
        memset(color = icetImageGetColorub(result), 0xA5, (size_t)pixels * 4);
    else if (now->color != ICET_IMAGE_COLOR_NONE)
        memset(color = icetImageGetColorf(result), 0,
               (size_t)pixels * (now->color == ICET_IMAGE_COLOR_RGB_FLOAT ? 12 : 16));
    if (now->depth == ICET_IMAGE_DEPTH_FLOAT)
        memset(depth = icetImageGetDepthf(result), 0, (size_t)pixels * 4);
    draw(for_tile, width, height, wanted, own, count, background, now->color, color, depth);
}

/* All balls by one process; blended from front to back. */
static void draw_all(const int rect[4], const float *background, float *color, float *depth) {
    const int whole[4] = {0, 0, rect[2], rect[3]}, pixels = rect[2] * rect[3];
    const float nothing[4] = {0, 0, 0, 0};
    if (now->mode == ICET_COMPOSITE_MODE_Z_BUFFER) {
        draw(projection, rect[2], rect[3], whole, balls, ball_count, background, ICET_IMAGE_COLOR_RGBA_FLOAT, color,
             depth);
        return;
    }
    float *const layer = malloc((size_t)pixels * 16);
    memset(color, 0, (size_t)pixels * 16);
    for (int ball = 0; ball <= ball_count; ++ball) {
        draw(projection, rect[2], rect[3], whole, balls + ball, ball < ball_count,
             ball < ball_count ? nothing : background, ICET_IMAGE_COLOR_RGBA_FLOAT, layer, NULL);
        for (int i = 0; i < pixels; ++i) {
            const float through = 1 - color[4 * i + 3];
            for (int k = 0; k < 4; ++k)
                color[4 * i + k] += through * layer[4 * i + k];
        }
    }
    free(layer);
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

static void compare(IceTImage image, const int rect[4], const float *color, const float *depth) {
    IceTInt tile = -1, first = 0, count = 0;
    icetGetIntegerv(ICET_TILE_DISPLAYED, &tile);
    if (now->scattered) {
        icetGetIntegerv(ICET_VALID_PIXELS_TILE, &tile);
        icetGetIntegerv(ICET_VALID_PIXELS_OFFSET, &first);
        icetGetIntegerv(ICET_VALID_PIXELS_NUM, &count);
    } else if (tile >= 0)
        count = tile_rects[tile][2] * tile_rects[tile][3];
    int all = 0, expected = 0;
    MPI_Allreduce(&count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < tile_count(); ++i)
        expected += tile_rects[i][2] * tile_rects[i][3];
    if (all != expected)
        fail("pixels on all ranks", all, expected);
    if (tile < 0 || count == 0)
        return;
    const int *const at = tile_rects[tile];
    if (icetImageGetWidth(image) != at[2] || icetImageGetHeight(image) != at[3]) {
        fail("width of the image", icetImageGetWidth(image), at[2]);
        return;
    }
    const size_t pixels = (size_t)at[2] * (size_t)at[3];
    float *const seen = malloc(pixels * 16), *const seen_depth = malloc(pixels * 4);
    const int with_depth = now->depth_too || now->color == ICET_IMAGE_COLOR_NONE;
    if (now->color != ICET_IMAGE_COLOR_NONE)
        icetImageCopyColorf(image, seen, ICET_IMAGE_COLOR_RGBA_FLOAT);
    if (with_depth)
        icetImageCopyDepthf(image, seen_depth, ICET_IMAGE_DEPTH_FLOAT);
    const double levels = 0.51 + size * (now->mode == ICET_COMPOSITE_MODE_BLEND);
    const double room = now->color == ICET_IMAGE_COLOR_RGBA_UBYTE ? levels / 255 : 1e-5;
    int wrong = 0;
    for (int i = first; i < first + count && wrong < 3; ++i) {
        const int x = i % at[2] + at[0] - rect[0], y = i / at[2] + at[1] - rect[1], there = y * rect[2] + x;
        for (int k = 0; k < 4 && now->color != ICET_IMAGE_COLOR_NONE; ++k)
            if (!(fabs(seen[4 * i + k] - color[4 * there + k]) <= room)) {
                printf("pixel %d %d of tile %d, channel %d: ", x, y, tile, k);
                fail("color", seen[4 * i + k], color[4 * there + k]);
                ++wrong;
            }
        if (with_depth && !(fabs(seen_depth[i] - depth[there]) <= 1e-5)) {
            fail("depth", seen_depth[i], depth[there]);
            ++wrong;
        }
    }
    free(seen);
    free(seen_depth);
}

static void set_up(const int rect[4]) {
    int order[64];
    int width = 0, height = 0;
    icetResetTiles();
    for (int i = 0; i < tile_count(); ++i) {
        const int *const tile = tile_rects[i];
        if (icetAddTile(tile[0], tile[1], tile[2], tile[3], shown_by(i)) != i)
            fail("index of a tile", -1, i);
        width = tile[2] > width ? tile[2] : width;
        height = tile[3] > height ? tile[3] : height;
    }
    icetPhysicalRenderSize(width + now->physical, height + now->physical);
    icetCompositeMode(now->mode);
    icetSetColorFormat(now->color);
    icetSetDepthFormat(now->depth);
    icetStrategy(now->strategy);
    icetSingleImageStrategy(now->single);
    (now->floating ? icetEnable : icetDisable)(ICET_FLOATING_VIEWPORT);
    (now->depth_too ? icetDisable : icetEnable)(ICET_COMPOSITE_ONE_BUFFER);
    (now->correct ? icetEnable : icetDisable)(ICET_CORRECT_COLORED_BACKGROUND);
    (now->scattered ? icetDisable : icetEnable)(ICET_COLLECT_IMAGES);
    (now->mode == ICET_COMPOSITE_MODE_BLEND ? icetEnable : icetDisable)(ICET_ORDERED_COMPOSITE);
    for (int i = 0; i < size; ++i)
        order[i] = owners[i];
    if (now->mode == ICET_COMPOSITE_MODE_BLEND)
        icetCompositeOrder(order);
    perspective(45, (double)rect[2] / rect[3], 1, 20, projection);
    bound();
}

static IceTImage prerendered(const int rect[4], const float background[4]) {
    struct ball own[most_balls];
    const int count = own_balls(own), pixels = rect[2] * rect[3];
    const float black[4] = {0, 0, 0, 0};
    const int whole[4] = {0, 0, rect[2], rect[3]}, part[4] = {0, 0, rect[2] / 2 + 9, rect[3] - 5};
    static unsigned char color[100 * 100 * 16];
    static float depth[100 * 100];
    /* Half of the balls' pictures are whole, the others are cut where nothing is. */
    const int *valid = whole;
    struct rays rays;
    float far;
    prepare_rays(projection, modelview, rect[2], rect[3], &rays);
    if (now->partial && rank % 2 == 0) {
        int fits = 1;
        for (int i = 0; i < pixels; ++i) {
            const int x = i % rect[2], y = i / rect[2];
            if ((x >= part[2] || y >= part[3]) && first_ball(&rays, x, y, own, count, &far) >= 0)
                fits = 0;
        }
        valid = fits ? part : whole;
    }
    if (!now->partial)
        icetBoundingVertices(0, ICET_VOID, 0, 0, NULL);
    memset(color, 0xA5, sizeof color);
    memset(depth, 0, sizeof depth);
    draw(projection, rect[2], rect[3], valid, own, count, now->mode == ICET_COMPOSITE_MODE_BLEND ? black : background,
         now->color, color, depth);
    return icetCompositeImage(now->color == ICET_IMAGE_COLOR_NONE ? NULL : color,
                              now->depth == ICET_IMAGE_DEPTH_NONE ? NULL : depth, now->partial ? valid : NULL,
                              now->partial ? projection : NULL, now->partial ? modelview : NULL, background);
}

static void run(const struct test *test) {
    const float background[4] = {0.125f, 0.25f, 0.5f, 1};
    int rect[4];
    now = test;
    display(rect);
    make_balls();
    const size_t pixels = (size_t)rect[2] * (size_t)rect[3];
    float *const color = malloc(pixels * 16), *const depth = malloc(pixels * 4);
    for (int frame = 0; frame < 3; ++frame) {
        const double eye[3] = {0.4 * frame, 0.1, 4 + frame};
        look_from(eye, 0.05 * frame, modelview);
        set_up(rect);
        callbacks = 0;
        const IceTImage image =
            now->prerendered ? prerendered(rect, background) : icetDrawFrame(projection, modelview, background);
        if (callbacks > (now->prerendered ? 0 : tile_count()))
            fail("calls of the callback", callbacks, tile_count());
        if (icetGetError() != ICET_NO_ERROR)
            fail("icetGetError", 1, ICET_NO_ERROR);
        draw_all(rect, background, color, depth);
        compare(image, rect, color, depth);
    }
    free(color);
    free(depth);
}

#define Z ICET_COMPOSITE_MODE_Z_BUFFER
#define BLEND ICET_COMPOSITE_MODE_BLEND
#define BYTES ICET_IMAGE_COLOR_RGBA_UBYTE
#define FLOATS ICET_IMAGE_COLOR_RGBA_FLOAT
#define RGB ICET_IMAGE_COLOR_RGB_FLOAT
#define DEPTH ICET_IMAGE_DEPTH_FLOAT
#define NONE ICET_IMAGE_DEPTH_NONE

static void run_all(void) {
    const IceTEnum strategies[] = {ICET_STRATEGY_DIRECT, ICET_STRATEGY_SEQUENTIAL, ICET_STRATEGY_SPLIT,
                                   ICET_STRATEGY_REDUCE, ICET_STRATEGY_VTREE};
    const IceTEnum singles[] = {ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC, ICET_SINGLE_IMAGE_STRATEGY_BSWAP,
                                ICET_SINGLE_IMAGE_STRATEGY_TREE,      ICET_SINGLE_IMAGE_STRATEGY_RADIXK,
                                ICET_SINGLE_IMAGE_STRATEGY_RADIXKR,   ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING};
    const struct test tests[] = {
        {"one tile", Z, BYTES, DEPTH, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0},
        {"one tile, with depth", Z, BYTES, DEPTH, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0},
        {"floats", Z, FLOATS, DEPTH, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0},
        {"colours without alpha", Z, RGB, DEPTH, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0},
        {"depth alone", Z, ICET_IMAGE_COLOR_NONE, DEPTH, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0},
        {"larger than the tile", Z, BYTES, DEPTH, 0, 0, 1, 1, 0, 0, 0, 0, 0, 13},
        {"tiles", Z, BYTES, DEPTH, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0},
        {"tiles, floating", Z, BYTES, DEPTH, 0, 0, 4, 1, 1, 0, 0, 0, 0, 0},
        {"tiles, drawn as one", Z, FLOATS, DEPTH, 0, 0, 4, 1, 1, 0, 0, 0, 0, 40},
        {"blended", BLEND, FLOATS, NONE, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0},
        {"blended bytes", BLEND, BYTES, NONE, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0},
        {"blended tiles", BLEND, FLOATS, NONE, 0, 0, 4, 1, 0, 0, 0, 1, 0, 0},
        {"drawn before", Z, BYTES, DEPTH, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0},
        {"drawn before, in part", Z, FLOATS, DEPTH, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0},
        {"tiles drawn before, in part", Z, BYTES, DEPTH, 0, 0, 4, 1, 1, 1, 1, 0, 0, 0},
        {"blended, drawn before", BLEND, FLOATS, NONE, 0, 0, 4, 1, 0, 1, 1, 1, 0, 0},
        {"not collected", Z, BYTES, DEPTH, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0},
        {"blended, not collected", BLEND, FLOATS, NONE, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i)
        for (int way = 0; way < 6; ++way) {
            struct test test = tests[i];
            /* IceT wants its sequential strategy where several tiles are blended or not collected. */
            test.strategy = test.mode == BLEND || test.scattered ? ICET_STRATEGY_SEQUENTIAL : strategies[way % 5];
            test.single = singles[way];
            run(&test);
        }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    IceTCommunicator communicator = icetCreateMPICommunicator(MPI_COMM_WORLD);
    IceTContext context = icetCreateContext(communicator);
    icetDestroyMPICommunicator(communicator);
    icetDrawCallback(callback);
    run_all();
    icetDestroyContext(context);
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
