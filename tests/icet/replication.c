/*
 * Ranks that draw the same data form a group, and share what one of them would draw: pixels of a group count once, by
 * all strategies. Groups are layers of a pattern, and this test composes the layers itself.
 */
#include <IceT.h>
#include <IceTMPI.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 61, height = 47, most_ranks = 16 };

static int rank, size, failures, blends;
static int group_of[most_ranks]; /* the lowest rank of each rank's group */
static const float background[4] = {0.25f, 0.5f, 0.125f, 1};
static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static void fail(const char *what, int number) {
    printf("rank %d: %s: %d\n", rank, what, number);
    ++failures;
}

/* A layer has two pixels of three. */
static int layer(int group, int x, int y, float color[4], float *depth) {
    const int number = (x * 7 + y * 13 + group * 5) % 97, drawn = (x + 2 * y + group) % 3 != 0;
    const float alpha = blends ? 0.25f + 0.5f * (float)(number % 3) / 2 : 1;
    for (int k = 0; k < 3; ++k)
        color[k] = drawn ? alpha * (float)((number + 31 * k) % 97) / 96 : blends ? 0 : background[k];
    color[3] = drawn ? alpha : blends ? 0 : background[3];
    *depth = drawn ? 0.9f * (float)((number * 11) % 97) / 97 : 1;
    return drawn;
}

/* Pixels that are not wanted may be anything. */
static void draw(const IceTDouble *projection, const IceTDouble *modelview, const IceTFloat *clear,
                 const IceTInt *wanted, IceTImage image) {
    (void)projection, (void)modelview, (void)clear;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float *const color = icetImageGetColorf(image) + 4 * (y * width + x), depth;
            layer(group_of[rank], x, y, color, &depth);
            if (x < wanted[0] || x >= wanted[0] + wanted[2] || y < wanted[1] || y >= wanted[1] + wanted[3])
                color[0] = color[3] = 0.75f, depth = 0;
            if (!blends)
                icetImageGetDepthf(image)[y * width + x] = depth;
        }
}

/* From the front: groups in the order of the first of their ranks. */
static void compose(const int *order, int x, int y, float result[4]) {
    float nearest = 1;
    int done[most_ranks] = {0};
    for (int k = 0; k < 4; ++k)
        result[k] = blends ? 0 : background[k];
    for (int i = 0; i < size; ++i) {
        const int group = group_of[order ? order[i] : i];
        float color[4], depth;
        if (done[group]++ || !layer(group, x, y, color, &depth) || (!blends && depth >= nearest))
            continue;
        const float through = blends ? 1 - result[3] : 1;
        for (int k = 0; k < 4; ++k)
            result[k] = (blends ? result[k] : 0) + through * color[k];
        nearest = depth;
    }
    const float through = blends ? 1 - result[3] : 0;
    for (int k = 0; k < 4; ++k)
        result[k] += through * background[k];
}

static void compare(IceTImage image, const int tile[4], const int *order, const char *what) {
    if (icetGetError() != ICET_NO_ERROR || icetImageIsNull(image))
        return fail(what, -1);
    int wrong = 0;
    for (int i = 0; i < tile[2] * tile[3]; ++i) {
        float wanted[4];
        compose(order, tile[0] + i % tile[2], tile[1] + i / tile[2], wanted);
        for (int k = 0; k < 4; ++k)
            wrong += !(fabsf(icetImageGetColorcf(image)[4 * i + k] - wanted[k]) < 1e-5f);
    }
    if (wrong)
        fail(what, wrong);
}

/* One tile that a callback draws, then two tiles that are drawn before. */
static void frames(const int *order, const char *what) {
    static float color[width * height * 4], depth[width * height];
    const int tiles[2][4] = {{0, 0, width, 20}, {0, 20, width, height - 20}}, whole[4] = {0, 0, width, height};
    int rows[4];
    icetResetTiles();
    icetAddTile(0, 0, width, height, size - 1);
    IceTImage image = icetDrawFrame(identity, identity, background);
    if (rank == size - 1)
        compare(image, whole, order, what);
    icetGetIntegerv(ICET_CONTAINED_VIEWPORT, rows);
    int mine = rows[3] + (group_of[rank] << 16), all[most_ranks], sum = 0;
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i)
        sum += all[i] >> 16 == group_of[rank] ? all[i] & 0xffff : 0;
    if (sum != height)
        fail("rows that the ranks of a group draw", sum);
    if (size < 2)
        return;
    icetResetTiles();
    for (int i = 0; i < 2; ++i)
        icetAddTile(tiles[i][0], tiles[i][1], tiles[i][2], tiles[i][3], i);
    for (int i = 0; i < width * height; ++i)
        layer(group_of[rank], i % width, i / width, color + 4 * i, depth + i);
    image = icetCompositeImage(color, blends ? NULL : depth, NULL, NULL, NULL, background);
    if (rank < 2)
        compare(image, tiles[rank], order, what);
}

/* Pairs by lists, then by colours; then one group for all. */
static void make_groups(int kind) {
    int members[most_ranks], count = 0;
    for (int i = 0; i < size; ++i)
        group_of[i] = kind == 0 ? i - i % 2 : kind == 1 ? i % 2 : 0;
    for (int i = size - 1; i >= 0; --i)
        if (group_of[i] == group_of[rank])
            members[count++] = i;
    if (kind == 0)
        icetDataReplicationGroup(count, members);
    else
        icetDataReplicationGroupColor(group_of[rank] - 100);
    int told = 0, list[most_ranks] = {0};
    icetGetIntegerv(ICET_DATA_REPLICATION_GROUP_SIZE, &told);
    if (told != count)
        return fail("ICET_DATA_REPLICATION_GROUP_SIZE", told);
    icetGetIntegerv(ICET_DATA_REPLICATION_GROUP, list);
    for (int i = 0; i < count; ++i)
        if (list[i] != members[count - 1 - i])
            fail("ICET_DATA_REPLICATION_GROUP", list[i]);
}

int main(int argc, char **argv) {
    const IceTEnum strategies[] = {ICET_STRATEGY_DIRECT, ICET_STRATEGY_SEQUENTIAL, ICET_STRATEGY_SPLIT,
                                   ICET_STRATEGY_REDUCE, ICET_STRATEGY_VTREE,      ICET_STRATEGY_REDUCE};
    const char *const names[] = {"pairs", "every second rank", "all ranks"};
    int order[most_ranks], all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    IceTCommunicator communicator = icetCreateMPICommunicator(MPI_COMM_WORLD);
    IceTContext context = icetCreateContext(communicator);
    icetDestroyMPICommunicator(communicator);
    icetDrawCallback(draw);
    icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_FLOAT);
    for (int i = 0; i < size; ++i)
        order[i] = (size - 1 - i + size / 2) % size;
    icetCompositeOrder(order);
    for (blends = 0; blends < 2; ++blends) {
        icetCompositeMode(blends ? ICET_COMPOSITE_MODE_BLEND : ICET_COMPOSITE_MODE_Z_BUFFER);
        icetSetDepthFormat(blends ? ICET_IMAGE_DEPTH_NONE : ICET_IMAGE_DEPTH_FLOAT);
        for (int kind = 0; kind < 3; ++kind) {
            make_groups(kind);
            for (int way = 0; way < 6; ++way) {
                icetStrategy(strategies[way]);
                icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC + (IceTEnum)way);
                icetDisable(ICET_ORDERED_COMPOSITE);
                frames(NULL, names[kind]);
                icetEnable(ICET_ORDERED_COMPOSITE);
                frames(order, names[kind]);
            }
        }
    }
    icetDestroyContext(context);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
