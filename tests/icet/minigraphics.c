/*
 * The calls that miniGraphics makes of IceT, in its order: images that are drawn before, with a viewport of valid pixels
 * and without matrices, in four formats; images that are not collected; a new context for another communicator.
 */
#include <IceT.h>
#include <IceTMPI.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { width = 70, height = 52, most_ranks = 16 };

static int rank, size, failures;

struct kind {
    const char *name;
    IceTEnum color, depth;
    int channels;
};
static const struct kind kinds[] = {{"RGBA of floats, blended", ICET_IMAGE_COLOR_RGBA_FLOAT, ICET_IMAGE_DEPTH_NONE, 4},
                                    {"RGBA of bytes, by depth", ICET_IMAGE_COLOR_RGBA_UBYTE, ICET_IMAGE_DEPTH_FLOAT, 4},
                                    {"RGBA of bytes, blended", ICET_IMAGE_COLOR_RGBA_UBYTE, ICET_IMAGE_DEPTH_NONE, 4},
                                    {"RGB of floats, by depth", ICET_IMAGE_COLOR_RGB_FLOAT, ICET_IMAGE_DEPTH_FLOAT, 3}};

static void fail(const char *what, int number) {
    printf("rank %d: %s: %d\n", rank, what, number);
    ++failures;
}

/* Each rank has drawn a rectangle, of a colour for each pixel, in one depth. */
static void valid_of(int of_rank, int frame, IceTInt rect[4]) {
    rect[0] = (5 * of_rank + 11 * frame) % 30;
    rect[1] = (7 * of_rank + 3 * frame) % 20;
    rect[2] = of_rank % 4 == 3 ? 0 : 25 + 4 * (of_rank % 3);
    rect[3] = of_rank % 4 == 3 ? 0 : 30 - 3 * (of_rank % 3);
}
static float depth_of(int of_rank) { return 0.1f + 0.8f * (float)((of_rank * 5 + 3) % size) / (float)size; }
static void color_of(int of_rank, int x, int y, int blends, float color[4]) {
    const float alpha = blends ? 0.4f : 1;
    for (int k = 0; k < 3; ++k)
        color[k] = alpha * (float)((x * 3 + y * 5 + of_rank * 17 + k * 29) % 51) / 51;
    color[3] = alpha;
}

static void wanted_at(int x, int y, int frame, const int *order, int blends, float result[4]) {
    float nearest = 1;
    memset(result, 0, 4 * sizeof result[0]);
    for (int i = 0; i < size; ++i) {
        IceTInt rect[4];
        float color[4];
        valid_of(order[i], frame, rect);
        if (x < rect[0] || x >= rect[0] + rect[2] || y < rect[1] || y >= rect[1] + rect[3] ||
            (!blends && depth_of(order[i]) > nearest)) /* of equal ones the last */
            continue;
        color_of(order[i], x, y, blends, color);
        const float through = 1 - result[3];
        for (int k = 0; k < 4; ++k)
            result[k] = blends ? result[k] + through * color[k] : color[k];
        nearest = depth_of(order[i]);
    }
}

static void put(const struct kind *kind, void *pixels, int i, const float color[4]) {
    for (int k = 0; k < kind->channels; ++k)
        if (kind->color == ICET_IMAGE_COLOR_RGBA_UBYTE)
            ((unsigned char *)pixels)[4 * i + k] = (unsigned char)(color[k] * 255 + 0.5f);
        else
            ((float *)pixels)[kind->channels * i + k] = color[k];
}

static double part_of(const struct kind *kind, IceTImage image, int i, int k) {
    if (kind->color == ICET_IMAGE_COLOR_RGBA_UBYTE)
        return ((const unsigned char *)icetImageGetColorcui(image))[4 * i + k] / 255.0;
    return (kind->channels == 4 ? icetImageGetColorcf(image) : icetImageGetColorf(image))[kind->channels * i + k];
}

static void frame_of(const struct kind *kind, int frame, const int *order) {
    static unsigned char color[width * height * 16];
    static float depth[width * height];
    const int blends = kind->depth == ICET_IMAGE_DEPTH_NONE, whole = width * height;
    const float background[4] = {0, 0, 0, 0};
    const double tolerance = kind->color != ICET_IMAGE_COLOR_RGBA_UBYTE ? 1e-5 : 0.003 * (blends ? size : 1);
    IceTInt rect[4], offset = -1, count = -1;
    valid_of(rank, frame, rect);
    memset(color, frame % 2 ? 0 : 77, sizeof color); /* around the valid pixels there may be anything */
    for (int i = 0; i < whole; ++i) {
        const int x = i % width, y = i / width;
        float own[4];
        depth[i] = frame % 2 ? 1 : 0;
        if (x < rect[0] || x >= rect[0] + rect[2] || y < rect[1] || y >= rect[1] + rect[3])
            continue;
        color_of(rank, x, y, blends, own);
        put(kind, color, i, own);
        depth[i] = depth_of(rank);
    }
    icetSetColorFormat(kind->color);
    icetSetDepthFormat(kind->depth);
    const IceTImage image = icetCompositeImage(color, blends ? NULL : depth, rect, NULL, NULL, background);
    icetGetIntegerv(ICET_VALID_PIXELS_OFFSET, &offset);
    icetGetIntegerv(ICET_VALID_PIXELS_NUM, &count);
    if (icetGetError() != ICET_NO_ERROR || offset < 0 || count < 0 || offset + count > whole)
        return fail(kind->name, -1);
    int wrong = 0, sum = 0;
    for (int i = offset; i < offset + count; ++i) {
        float wanted[4];
        wanted_at(i % width, i / width, frame, order, blends, wanted);
        for (int k = 0; k < kind->channels; ++k)
            wrong += !(fabs(part_of(kind, image, i, k) - wanted[k]) <= tolerance);
    }
    if (wrong)
        fail(kind->name, wrong);
    MPI_Allreduce(&count, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != whole)
        fail("pixels that ranks have in the end", sum);
}

/* Each frame sets all that it needs. */
static void frames(IceTContext context) {
    for (int frame = 0; frame < 4; ++frame)
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
            int order[most_ranks];
            icetSetContext(context);
            for (int place = 0; place < size; ++place)
                order[place] = kinds[i].depth == ICET_IMAGE_DEPTH_NONE ? (place + frame) % size : place;
            if (kinds[i].depth == ICET_IMAGE_DEPTH_NONE) {
                icetCompositeMode(ICET_COMPOSITE_MODE_BLEND);
                icetEnable(ICET_ORDERED_COMPOSITE);
                icetCompositeOrder(order);
            } else {
                icetCompositeMode(ICET_COMPOSITE_MODE_Z_BUFFER);
                icetDisable(ICET_ORDERED_COMPOSITE);
            }
            icetResetTiles();
            icetAddTile(0, 0, width, height, 0);
            icetDisable(ICET_COLLECT_IMAGES);
            icetStrategy(ICET_STRATEGY_SEQUENTIAL);
            icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC);
            frame_of(&kinds[i], frame, order);
        }
}

int main(int argc, char **argv) {
    int all = 0;
    MPI_Init(&argc, &argv);
    for (int turn = 0; turn < 2; ++turn) { /* the same ranks in another order the second time */
        MPI_Comm comm, copy;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_split(MPI_COMM_WORLD, 0, turn ? -rank : rank, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        MPI_Comm_dup(comm, &copy);
        IceTCommunicator communicator = icetCreateMPICommunicator(comm);
        IceTContext context = icetCreateContext(communicator);
        icetDestroyMPICommunicator(communicator);
        MPI_Comm_free(&comm);
        frames(context);
        MPI_Comm_free(&copy);
        icetDestroyContext(context);
    }
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
