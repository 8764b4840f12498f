/* What IceT's calls say of wrong arguments, and that a frame which fails on one rank fails on all and hangs on none. */
#include <IceT.h>
#include <IceTMPI.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures, callbacks;
static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const float black[4] = {0, 0, 0, 0};

static void expect(int holds, const char *what) {
    if (holds)
        return;
    printf("rank %d: %s\n", rank, what);
    ++failures;
}

static void expect_error(IceTEnum wanted, const char *what) {
    const IceTEnum seen = icetGetError();
    if (seen != wanted)
        printf("rank %d: %s: error %u, expected %u\n", rank, what, seen, wanted);
    failures += seen != wanted;
}

static void callback(const IceTDouble *projection, const IceTDouble *modelview, const IceTFloat *background,
                     const IceTInt *wanted, IceTImage result) {
    ++callbacks;
    memset(icetImageGetColorub(result), 0, 4 * (size_t)icetImageGetNumPixels(result));
    for (int i = 0; i < icetImageGetNumPixels(result); ++i)
        icetImageGetDepthf(result)[i] = 0.5f;
    expect(projection && modelview && background && wanted, "arguments of the callback");
    icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_FLOAT);
    expect_error(ICET_INVALID_OPERATION, "a format while a frame is drawn");
    icetResetTiles();
    expect_error(ICET_INVALID_OPERATION, "no tiles while a frame is drawn");
    icetDrawFrame(identity, identity, black);
    expect_error(ICET_INVALID_OPERATION, "a frame within a frame");
}

static void without_a_context(void) {
    int number = 0;
    expect(icetGetContext() == NULL, "a context before the first");
    icetGetIntegerv(ICET_RANK, &number);
    expect_error(ICET_INVALID_OPERATION, "state without a context");
    icetDrawFrame(identity, identity, black);
    expect_error(ICET_INVALID_OPERATION, "a frame without a context");
    expect(icetCreateMPICommunicator(MPI_COMM_NULL) == ICET_COMM_NULL, "a communicator of MPI_COMM_NULL");
    expect_error(ICET_INVALID_VALUE, "a communicator of MPI_COMM_NULL");
    expect(icetCreateContext(ICET_COMM_NULL) == NULL, "a context of no communicator");
    expect_error(ICET_INVALID_VALUE, "a context of no communicator");
}

static void settings(void) {
    int group[2] = {0, 1}, number = -7, *const order = calloc((size_t)size, sizeof order[0]);
    void *pointer = NULL;
    group[0] = rank;
    group[1] = rank + 1;
    expect(icetAddTile(0, 0, 0, 5, 0) == -1, "a tile without width");
    expect_error(ICET_INVALID_VALUE, "a tile without width");
    expect(icetAddTile(0, 0, 5, 5, size) == -1, "a tile of no rank");
    expect_error(ICET_INVALID_VALUE, "a tile of no rank");
    expect(icetAddTile(0, 0, 5, 5, 0) == 0 && icetAddTile(5, 0, 5, 5, 0) == -1, "two tiles of a rank");
    expect_error(ICET_INVALID_VALUE, "two tiles of a rank");
    icetPhysicalRenderSize(4, 5);
    expect_error(ICET_INVALID_VALUE, "less than a tile");
    icetGetIntegerv(ICET_PHYSICAL_RENDER_WIDTH, &number);
    expect(number == 5, "what is rendered is as large as a tile");
    icetResetTiles();
    icetGetIntegerv(ICET_TILE_DISPLAYED, &number);
    expect(number == -1, "no tile is displayed");
    icetStrategy(ICET_SINGLE_IMAGE_STRATEGY_TREE);
    expect_error(ICET_INVALID_ENUM, "icetStrategy");
    icetSingleImageStrategy(ICET_STRATEGY_DIRECT);
    expect_error(ICET_INVALID_ENUM, "icetSingleImageStrategy");
    icetCompositeMode(0);
    expect_error(ICET_INVALID_ENUM, "icetCompositeMode");
    icetSetColorFormat(ICET_IMAGE_DEPTH_FLOAT);
    expect_error(ICET_INVALID_ENUM, "icetSetColorFormat");
    icetSetDepthFormat(ICET_IMAGE_COLOR_RGB_FLOAT);
    expect_error(ICET_INVALID_ENUM, "icetSetDepthFormat");
    icetEnable(ICET_RANK);
    expect_error(ICET_INVALID_VALUE, "icetEnable");
    for (int i = 0; i < size; ++i)
        order[i] = 1; /* on one rank no rank 1, else the same rank again */
    icetCompositeOrder(order);
    expect_error(ICET_INVALID_VALUE, "icetCompositeOrder");
    icetDataReplicationGroup(1, group);
    expect_error(ICET_NO_ERROR, "a group of one");
    group[1] = size;
    icetDataReplicationGroup(2, group);
    expect_error(ICET_INVALID_VALUE, "a group with a rank that does not exist");
    group[0] = (rank + 1) % (size + 1);
    icetDataReplicationGroup(1, group);
    expect_error(ICET_INVALID_VALUE, "a group without this rank");
    icetDataReplicationGroup(0, group);
    expect_error(ICET_INVALID_VALUE, "a group of none");
    icetDataReplicationGroupColor(rank);
    expect_error(ICET_NO_ERROR, "a colour for each rank");
    icetBoundingVertices(3, ICET_BYTE, 0, 1, black);
    expect_error(ICET_INVALID_ENUM, "icetBoundingVertices of bytes");
    icetBoundingVertices(0, ICET_VOID, 0, 0, NULL);
    expect_error(ICET_NO_ERROR, "no bounds");
    icetGetIntegerv(ICET_DRAW_FUNCTION, &number);
    expect_error(ICET_BAD_CAST, "a pointer as a number");
    icetGetPointerv(ICET_RANK, &pointer);
    expect_error(ICET_BAD_CAST, "a number as a pointer");
    icetGetIntegerv(ICET_INVALID_ENUM, &number);
    expect_error(ICET_INVALID_ENUM, "icetGetIntegerv");
    icetStrategy(0);
    icetEnable(0);
    expect_error(ICET_INVALID_ENUM, "the first of two errors");
    expect_error(ICET_NO_ERROR, "an error that was asked for before");
    expect(strcmp(icetGetStrategyName(), "reduce") == 0, "the strategy stays");
    free(order);
}

static void images(void) {
    unsigned char bytes[4];
    const IceTImage none = icetImageNull();
    expect(icetImageIsNull(none), "the null image");
    expect(icetImageGetWidth(none) == 0 && icetImageGetColorFormat(none) == ICET_IMAGE_COLOR_NONE, "its pixels");
    expect(icetImageGetColorub(none) == NULL, "its colours");
    expect_error(ICET_INVALID_OPERATION, "colours of the null image");
    icetImageCopyColorub(none, bytes, ICET_IMAGE_COLOR_RGBA_UBYTE);
    expect_error(ICET_INVALID_OPERATION, "a copy of the null image");
}

/* A frame with an error on all ranks. `at_fault`: the ranks where something is wrong. */
static void frame_fails(int at_fault, IceTEnum wanted, const char *what) {
    callbacks = 0;
    expect(icetImageIsNull(icetDrawFrame(identity, identity, black)), what);
    expect_error(at_fault ? wanted : ICET_SANITY_CHECK_FAIL, what);
}

static void frame_succeeds(const char *what) {
    const IceTImage image = icetDrawFrame(identity, identity, black);
    expect(icetImageIsNull(image) == (rank != 0), what);
    expect_error(ICET_NO_ERROR, what);
}

static void frames(void) {
    const int last = rank == size - 1;
    int number = 0;
    double seconds = -1;
    frame_fails(1, ICET_INVALID_OPERATION, "no tiles");
    for (int i = 0; i < (size < 3 ? size : 3); ++i)
        icetAddTile(10 * i, 0, 10, 8, i);
    frame_fails(1, ICET_INVALID_OPERATION, "no callback");
    if (!last)
        icetDrawCallback(callback);
    frame_fails(last, ICET_INVALID_OPERATION, "no callback on the last rank");
    icetDrawCallback(callback);
    icetCompositeMode(ICET_COMPOSITE_MODE_Z_BUFFER);
    if (last)
        icetSetDepthFormat(ICET_IMAGE_DEPTH_NONE);
    frame_fails(last, ICET_INVALID_OPERATION, "no depth on the last rank");
    icetSetDepthFormat(ICET_IMAGE_DEPTH_FLOAT);
    if (size > 1) {
        const IceTInt pair[2] = {0, 1};
        icetDataReplicationGroup(rank == 0 ? 2 : 1, rank == 0 ? pair : &rank);
        frame_fails(rank == 0, ICET_INVALID_VALUE, "rank 0's group is not rank 1's");
        icetDataReplicationGroupColor(rank);
    }
    callbacks = 0;
    icetBoundingBoxf(-1, 1, -1, 1, -1, 1);
    expect(icetImageIsNull(icetDrawFrame(last ? NULL : identity, identity, black)), "no matrix on the last rank");
    expect_error(last ? ICET_INVALID_VALUE : ICET_SANITY_CHECK_FAIL, "no matrix on the last rank");
    expect(icetImageIsNull(icetCompositeImage(last ? NULL : black, black, NULL, NULL, NULL, NULL)), "no background");
    expect_error(ICET_INVALID_VALUE, "no background");
    if (last)
        icetAddTile(-100, 0, 10, 8, size > 3 ? 3 : 0);
    if (size > 3) {
        callbacks = 0;
        expect(icetImageIsNull(icetDrawFrame(identity, identity, black)), "another tile on the last rank");
        expect_error(ICET_INVALID_VALUE, "another tile on the last rank");
    } else if (last)
        expect_error(ICET_INVALID_VALUE, "a rank with two tiles");
    icetResetTiles();
    icetAddTile(0, 0, 10, 8, 0);
    frame_succeeds("after all that went wrong");
    expect(callbacks > 0, "the callback was called");
    icetGetIntegerv(ICET_FRAME_COUNT, &number);
    expect(number >= 7, "the number of frames");
    icetGetDoublev(ICET_TOTAL_DRAW_TIME, &seconds);
    expect(seconds > 0, "the time of a frame");
    icetDisable(ICET_COLLECT_IMAGES);
    icetCompositeMode(last && size > 1 ? ICET_COMPOSITE_MODE_BLEND : ICET_COMPOSITE_MODE_Z_BUFFER);
    if (size > 1)
        frame_fails(0, 0, "blended on the last rank");
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    without_a_context();
    IceTCommunicator communicator = icetCreateMPICommunicator(MPI_COMM_WORLD);
    IceTContext context = icetCreateContext(communicator), other;
    settings();
    images();
    frames();
    other = icetCreateContext(communicator);
    expect(icetGetContext() == other && other != context, "a new context is current");
    icetCopyState(other, context);
    expect(!icetIsEnabled(ICET_COLLECT_IMAGES), "a feature of the other context");
    icetDestroyContext(other);
    expect(icetGetContext() == NULL, "no context after the current one's end");
    icetSetContext(context);
    icetDestroyMPICommunicator(communicator);
    icetDestroyContext(context);
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
