/*
 * What IceT's manual says of single calls: the size that is rendered, pixels that no rank draws, depth of images, state of
 * a frame, and what a communicator's functions do.
 */
#include <IceT.h>
#include <IceTMPI.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { width = 40, height = 24 };

static int rank, size, failures, drawn_width, drawn_height;
static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const float background[4] = {0.2f, 0.4f, 0.6f, 1};

static void expect(int holds, const char *what) {
    if (!holds)
        printf("rank %d: %s\n", rank, what);
    failures += !holds;
}

static void draw(const IceTDouble *projection, const IceTDouble *modelview, const IceTFloat *clear,
                 const IceTInt *wanted, IceTImage image) {
    (void)projection, (void)modelview, (void)clear, (void)wanted;
    drawn_width = icetImageGetWidth(image);
    drawn_height = icetImageGetHeight(image);
    memset(icetImageGetColorub(image), 0, 4 * (size_t)icetImageGetNumPixels(image));
    for (int i = 0; i < icetImageGetNumPixels(image); ++i)
        icetImageGetDepthf(image)[i] = 1;
}

static void rendered_size(void) {
    IceTInt state[2];
    icetAddTile(0, 0, 100, 80, 0);
    icetPhysicalRenderSize(200, 150);
    icetDrawFrame(identity, identity, background);
    expect(drawn_width == 200 && drawn_height == 150, "the size that was set");
    icetResetTiles();
    icetGetIntegerv(ICET_PHYSICAL_RENDER_WIDTH, state);
    expect(state[0] == 0, "no size without tiles");
    icetAddTile(0, 0, width, height, 0);
    icetGetIntegerv(ICET_PHYSICAL_RENDER_WIDTH, state);
    icetGetIntegerv(ICET_PHYSICAL_RENDER_HEIGHT, state + 1);
    icetDrawFrame(identity, identity, background);
    expect(state[0] == width && state[1] == height, "the size of the new tile, as state");
    expect(drawn_width == width && drawn_height == height, "the size of the new tile");
}

/* Each rank has one pixel in front, and an own colour where it has drawn nothing, at `far`. */
static void undrawn(float far, int with_depth, const IceTInt *valid, const char *what) {
    static unsigned char color[width * height * 4];
    static float depth[width * height];
    memset(color, 17 * (rank + 1), sizeof color);
    for (int i = 0; i < width * height; ++i)
        depth[i] = far;
    depth[width * 3 + rank] = 0.5f;
    if (with_depth)
        icetDisable(ICET_COMPOSITE_ONE_BUFFER);
    const IceTImage image = icetCompositeImage(color, depth, valid, NULL, NULL, background);
    icetEnable(ICET_COMPOSITE_ONE_BUFFER);
    expect(icetGetError() == ICET_NO_ERROR, what);
    if (rank != 0)
        return;
    const int has_depth = icetImageGetDepthFormat(image) == ICET_IMAGE_DEPTH_FLOAT;
    expect(has_depth == (with_depth || size == 1), "depth where it is wanted, and of one rank alone");
    for (int i = 0; i < width * height; ++i) {
        const int owner = i / width == 3 && i % width < size ? i % width : -1;
        const unsigned char *const pixel = icetImageGetColorcub(image) + 4 * i, own = (unsigned char)(17 * (owner + 1));
        const unsigned char wanted[4] = {owner < 0 ? 51 : own, owner < 0 ? 102 : own, owner < 0 ? 153 : own,
                                         owner < 0 ? 255 : own};
        if (memcmp(pixel, wanted, 4) || (has_depth && icetImageGetDepthcf(image)[i] != (owner < 0 ? 1 : 0.5f)))
            return expect(0, what);
    }
}

/* Garbage outside of the valid pixels, after a frame that had pixels there. */
static void invalid_pixels(void) {
    static unsigned char color[width * height * 4];
    static float depth[width * height];
    const IceTInt parts[3][4] = {{3, 2, 20, 20}, {12, 9, 25, 7}, {0, 0, 5, 5}};
    memset(color, 200, sizeof color);
    for (int part = 0; part < 3; ++part) {
        const IceTImage image = icetCompositeImage(color, depth, parts[part], NULL, NULL, background);
        for (int i = 0; rank == 0 && i < width * height; ++i) {
            const int x = i % width - parts[part][0], y = i / width - parts[part][1];
            const int in = x >= 0 && x < parts[part][2] && y >= 0 && y < parts[part][3];
            if (icetImageGetColorcub(image)[4 * i] != (in ? 200 : 51))
                return expect(0, "pixels around the valid ones");
        }
    }
}

/* A frame of one pixel for each rank, at another place each time. By `writes` the program spoils the image before it. */
static void images_that_stay(int blends, int writes, int alike) {
    static unsigned char color[width * height * 4];
    static float depth[width * height];
    const float others[4] = {0, 0, 0.4f, 0.4f};
    icetCompositeMode(blends ? ICET_COMPOSITE_MODE_BLEND : ICET_COMPOSITE_MODE_Z_BUFFER);
    icetSetDepthFormat(blends ? ICET_IMAGE_DEPTH_NONE : ICET_IMAGE_DEPTH_FLOAT);
    for (int frame = 0; frame < 4; ++frame) {
        const int line = 5 * frame;
        memset(color, 0, sizeof color);
        for (int i = 0; i < width * height; ++i)
            depth[i] = 1;
        depth[line * width + 2 * rank] = 0.5f;
        memset(color + 4 * (line * width + 2 * rank), 255, 4);
        const float *const own = alike || rank == 0 ? background : others; /* the displaying rank's counts */
        const IceTImage image =
            icetCompositeImage(color, blends ? NULL : depth, NULL, NULL, NULL, blends ? own : background);
        for (int i = 0; rank == 0 && i < width * height; ++i) {
            const int drawn = i / width == line && i % width % 2 == 0 && i % width < 2 * size;
            if (icetImageGetColorcub(image)[4 * i] != (drawn ? 255 : 51))
                return expect(0, blends ? "blended images that stay" : "images that stay");
        }
        if (rank == 0 && writes)
            memset(icetImageGetColorub(image), 99, 4 * width * height);
    }
    icetCompositeMode(ICET_COMPOSITE_MODE_Z_BUFFER);
    icetSetDepthFormat(ICET_IMAGE_DEPTH_FLOAT);
}

static void state_of_a_frame(void) {
    IceTDouble matrix[16], depths[2];
    IceTInt viewport[4], count = 0, list[2] = {-1, -1};
    double scaled[16];
    memcpy(scaled, identity, sizeof scaled);
    scaled[0] = 0.5, scaled[10] = 0.25;
    icetBoundingBoxd(-1, 1, -1, 1, -1, 1);
    icetDrawFrame(scaled, identity, background);
    icetGetDoublev(ICET_PROJECTION_MATRIX, matrix);
    expect(!memcmp(matrix, scaled, sizeof scaled), "ICET_PROJECTION_MATRIX");
    icetGetDoublev(ICET_MODELVIEW_MATRIX, matrix);
    expect(!memcmp(matrix, identity, sizeof scaled), "ICET_MODELVIEW_MATRIX");
    icetGetIntegerv(ICET_CONTAINED_VIEWPORT, viewport);
    expect(viewport[0] == width / 4 && viewport[2] == width / 2 && viewport[3] == height, "ICET_CONTAINED_VIEWPORT");
    icetGetIntegerv(ICET_RENDERED_VIEWPORT, viewport);
    expect(viewport[0] == width / 4 && viewport[2] == width / 2 && viewport[3] == height, "ICET_RENDERED_VIEWPORT");
    icetGetDoublev(ICET_NEAR_DEPTH, depths);
    icetGetDoublev(ICET_FAR_DEPTH, depths + 1);
    expect(depths[0] == -0.25 && depths[1] == 0.25, "ICET_NEAR_DEPTH, ICET_FAR_DEPTH");
    icetGetIntegerv(ICET_NUM_CONTAINED_TILES, &count);
    icetGetIntegerv(ICET_CONTAINED_TILES_LIST, list);
    expect(count == 1 && list[0] == 0 && list[1] == -1, "ICET_CONTAINED_TILES_LIST");
    icetBoundingVertices(0, ICET_VOID, 0, 0, NULL);
    expect(icetGetError() == ICET_NO_ERROR, "state of a frame");
}

static void communicator(IceTCommunicator comm) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int got = -1, all[16] = {0}, sent[16], index;
    float last = -1;
    expect(comm->Comm_rank(comm) == rank && comm->Comm_size(comm) == size, "Comm_rank, Comm_size");
    comm->Sendrecv(comm, &rank, 1, ICET_INT, next, 5, &got, 1, ICET_INT, before, 5);
    expect(got == before, "Sendrecv");
    IceTCommRequest requests[2] = {comm->Irecv(comm, &last, 1, ICET_FLOAT, before, 6), ICET_COMM_REQUEST_NULL};
    const float mine = (float)rank;
    comm->Send(comm, &mine, 1, ICET_FLOAT, next, 6);
    index = comm->Waitany(comm, 2, requests);
    expect(index == 0 && !requests[0] && last == (float)before, "Irecv, Send, Waitany");
    requests[0] = comm->Isend(comm, &rank, 1, ICET_INT, next, 7);
    comm->Recv(comm, &got, 1, ICET_INT, before, 7);
    comm->Wait(comm, requests);
    expect(got == before && !requests[0], "Isend, Recv, Wait");
    comm->Allgather(comm, &rank, 1, ICET_INT, all);
    expect(all[size - 1] == size - 1, "Allgather");
    for (int i = 0; i < size; ++i)
        sent[i] = 10 * rank + i;
    comm->Alltoall(comm, sent, 1, ICET_INT, all);
    expect(all[size - 1] == 10 * (size - 1) + rank, "Alltoall");
    for (int i = 0; i < size; ++i)
        all[i] = i == rank ? 100 + rank : 0;
    comm->Allgather(comm, ICET_IN_PLACE_COLLECT, 1, ICET_INT, all);
    expect(all[0] == 100 && all[size - 1] == 99 + size, "Allgather in place");
    comm->Gather(comm, &rank, 1, ICET_INT, all, size - 1);
    expect(rank != size - 1 || (all[0] == 0 && all[rank] == rank), "Gather");
    for (int i = 0; i < size; ++i)
        sent[i] = 1, all[i] = size - 1 - i;
    int places[16];
    memcpy(places, all, sizeof places);
    comm->Gatherv(comm, &rank, 1, ICET_INT, all, sent, places, 0);
    expect(rank != 0 || (all[0] == size - 1 && all[size - 1] == 0), "Gatherv");
    comm->Barrier(comm);
    IceTCommunicator copy = comm->Duplicate(comm), some = comm->Subset(comm, 1, &next);
    expect(copy && copy->Comm_size(copy) == size, "Duplicate");
    copy->Destroy(copy);
    expect((some != ICET_COMM_NULL) == (size == 1), "Subset on a rank outside of it");
    if (some)
        some->Destroy(some);
    const IceTInt32 first = 0;
    some = comm->Subset(comm, 1, &first);
    expect((some != ICET_COMM_NULL) == (rank == 0), "Subset");
    if (some)
        some->Destroy(some);
    struct IceTCommunicatorStruct own = *comm;
    own.Destroy = NULL;
    expect(!icetCreateContext(&own) && icetGetError() == ICET_INVALID_VALUE, "a communicator of the program's own");
}

/* Where ranks have the same depth, IceT shows the last of them, or the last in the order of composition. */
static void equal_depths(IceTEnum strategy, IceTEnum single, int ordered) {
    static unsigned char color[width * height * 4];
    static float depth[width * height];
    IceTInt order[8];
    for (int i = 0; i < width * height; ++i) {
        color[4 * i] = (unsigned char)(10 * (rank + 1));
        depth[i] = rank == 0 && i % 2 ? 0.25f : 0.5f; /* every other pixel of rank 0 is in front */
    }
    for (int place = 0; place < size; ++place)
        order[place] = (place + 2) % size;
    icetStrategy(strategy);
    icetSingleImageStrategy(single);
    if (ordered) {
        icetEnable(ICET_ORDERED_COMPOSITE);
        icetCompositeOrder(order);
    }
    const IceTImage image = icetCompositeImage(color, depth, NULL, NULL, NULL, background);
    const int last = ordered ? order[size - 1] : size - 1;
    if (rank == 0 && icetImageIsNull(image))
        expect(0, "a picture");
    else if (rank == 0)
        for (int i = 0; i < width * height; ++i)
            expect(icetImageGetColorcub(image)[4 * i] == 10 * (i % 2 ? 1 : last + 1), "the last of equal depths");
    icetDisable(ICET_ORDERED_COMPOSITE);
    icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC);
}

int main(int argc, char **argv) {
    const IceTInt whole[4] = {0, 0, width, height}, part[4] = {0, 0, width, 5};
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    IceTCommunicator comm = icetCreateMPICommunicator(MPI_COMM_WORLD);
    IceTContext context = icetCreateContext(comm);
    icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_UBYTE);
    icetSetDepthFormat(ICET_IMAGE_DEPTH_FLOAT);
    icetDrawCallback(draw);
    communicator(comm);
    rendered_size();
    state_of_a_frame();
    for (int with_depth = 0; with_depth < 2; ++with_depth) {
        undrawn(1, with_depth, NULL, "pixels at depth 1 are background");
        undrawn(INFINITY, with_depth, NULL, "pixels at infinity are background");
        undrawn(INFINITY, with_depth, whole, "valid pixels at infinity are background");
        undrawn(2, with_depth, part, "pixels at depth 2 and invalid ones are background");
    }
    invalid_pixels();
    for (int kind = 0; kind < 8; ++kind)
        images_that_stay(kind % 2, kind / 4, kind / 2 % 2);
    for (int ordered = 0; ordered < 2; ++ordered) {
        equal_depths(ICET_STRATEGY_REDUCE, ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC, ordered);
        equal_depths(ICET_STRATEGY_REDUCE, ICET_SINGLE_IMAGE_STRATEGY_BSWAP, ordered);
        equal_depths(ICET_STRATEGY_REDUCE, ICET_SINGLE_IMAGE_STRATEGY_RADIXK, ordered);
        equal_depths(ICET_STRATEGY_SEQUENTIAL, ICET_SINGLE_IMAGE_STRATEGY_TREE, ordered);
    }
    icetDestroyContext(context);
    icetDestroyMPICommunicator(comm);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
