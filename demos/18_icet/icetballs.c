/*
 * A program for IceT that knows nothing of pixmpi: twelve balls, which the ranks share out. Each rank draws its balls by
 * the CPU, and IceT's interface composes them by depth. Rank 0 writes the image as a file.
 *
 *     mpiexec -n 4 icetballs balls.ppm
 *
 * It runs on IceT as well: cc icetballs.c -lIceTMPI -lIceTCore -lmpi -lm
 */
#include <IceT.h>
#include <IceTMPI.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { width = 640, height = 480, ball_count = 12 };

static int rank, size;

/* Where ball `number` is, from -1 to 1 on each axis; the third one is the depth. */
static void place(int number, double center[3], double *radius) {
    const double turn = number * 2.4;
    center[0] = 0.6 * cos(turn) * (0.4 + 0.05 * number);
    center[1] = 0.6 * sin(turn) * (0.4 + 0.05 * number);
    center[2] = 0.5 * sin(1.7 * number);
    *radius = 0.12 + 0.015 * (number % 5);
}

/* IceT asks for a part of the display: the projection says which, and `wanted` says which pixels of it count. */
static void draw(const IceTDouble *projection, const IceTDouble *modelview, const IceTFloat *background,
                 const IceTInt *wanted, IceTImage image) {
    const int columns = icetImageGetWidth(image), rows = icetImageGetHeight(image);
    IceTUByte *const colors = icetImageGetColorub(image);
    IceTFloat *const depths = icetImageGetDepthf(image);
    (void)modelview;
    for (int i = 0; i < columns * rows; ++i) {
        for (int k = 0; k < 4; ++k)
            colors[4 * i + k] = (IceTUByte)(background[k] * 255 + 0.5f);
        depths[i] = 1;
    }
    for (int number = rank; number < ball_count; number += size) {
        double center[3], radius;
        place(number, center, &radius);
        for (int y = wanted[1]; y < wanted[1] + wanted[3]; ++y)
            for (int x = wanted[0]; x < wanted[0] + wanted[2]; ++x) {
                const double at_x = ((2 * x + 1.0) / columns - 1 - projection[12]) / projection[0] - center[0];
                const double at_y = ((2 * y + 1.0) / rows - 1 - projection[13]) / projection[5] - center[1];
                const double square = radius * radius - at_x * at_x - at_y * at_y;
                if (square <= 0)
                    continue;
                const double nearer = sqrt(square), light = 0.3 + 0.7 * nearer / radius;
                const float depth = (float)((center[2] - nearer + 1) / 2);
                const int i = y * columns + x;
                if (depth >= depths[i])
                    continue;
                depths[i] = depth;
                colors[4 * i] = (IceTUByte)(255 * light * (number % 3 == 0 ? 1 : 0.4));
                colors[4 * i + 1] = (IceTUByte)(255 * light * (number % 3 == 1 ? 1 : 0.4));
                colors[4 * i + 2] = (IceTUByte)(255 * light * (number % 3 == 2 ? 1 : 0.4));
                colors[4 * i + 3] = 255;
            }
    }
}

/* A box around this rank's balls: IceT composes no more than that. */
static void bound(void) {
    double corners[ball_count][2][3];
    int count = 0;
    for (int number = rank; number < ball_count; number += size, ++count) {
        double center[3], radius;
        place(number, center, &radius);
        for (int axis = 0; axis < 3; ++axis) {
            corners[count][0][axis] = center[axis] - radius;
            corners[count][1][axis] = center[axis] + radius;
        }
    }
    icetBoundingVertices(3, ICET_DOUBLE, 0, 2 * count, corners);
}

static int save(const char *path, const IceTUByte *pixels) {
    FILE *const file = fopen(path, "wb");
    if (!file)
        return 1;
    fprintf(file, "P6\n%d %d\n255\n", width, height);
    for (int y = height - 1; y >= 0; --y) /* files begin at the top, IceT's images at the bottom */
        for (int x = 0; x < width; ++x)
            fwrite(pixels + 4 * (y * width + x), 1, 3, file);
    return fclose(file) != 0;
}

int main(int argc, char **argv) {
    const double aspect[16] = {(double)height / width, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const float background[4] = {0.1f, 0.1f, 0.2f, 1};
    int failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 2 || argv[1][0] == '-') {
        if (rank == 0)
            fprintf(argc == 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr,
                    "Usage: mpiexec -n RANKS icetballs FILE.ppm\n");
        MPI_Finalize();
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    IceTCommunicator communicator = icetCreateMPICommunicator(MPI_COMM_WORLD);
    IceTContext context = icetCreateContext(communicator);
    icetDestroyMPICommunicator(communicator);
    icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_UBYTE);
    icetSetDepthFormat(ICET_IMAGE_DEPTH_FLOAT);
    icetCompositeMode(ICET_COMPOSITE_MODE_Z_BUFFER);
    icetStrategy(ICET_STRATEGY_REDUCE);
    icetAddTile(0, 0, width, height, 0);
    icetDrawCallback(draw);
    bound();
    const IceTImage image = icetDrawFrame(aspect, identity, background);
    if (rank == 0)
        failed = icetImageIsNull(image) || save(argv[1], icetImageGetColorcub(image));
    if (failed)
        fprintf(stderr, "icetballs: %s: not written\n", argv[1]);
    icetDestroyContext(context);
    MPI_Finalize();
    return failed;
}
