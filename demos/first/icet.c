/* A program written for IceT: each rank draws a square, and rank 0 gets what is in front.    mpiexec -n 3 icet */
#include <IceT.h>
#include <IceTMPI.h>
#include <stdio.h>

enum { width = 24, height = 10 };

int main(int argc, char **argv) {
    static unsigned char colors[height][width][4];
    static float depths[height][width];
    const float background[4] = {0, 0, 0, 0};
    IceTCommunicator communicator;
    IceTContext context;
    IceTImage image;
    int rank, ranks, x, y, wrong = 0;

    MPI_Init(&argc, &argv);
    communicator = icetCreateMPICommunicator(MPI_COMM_WORLD);
    context = icetCreateContext(communicator);
    icetGetIntegerv(ICET_RANK, &rank);
    icetGetIntegerv(ICET_NUM_PROCESSES, &ranks);
    icetResetTiles();
    icetAddTile(0, 0, width, height, 0); /* one tile, shown by rank 0 */
    icetStrategy(ICET_STRATEGY_SEQUENTIAL);
    icetCompositeMode(ICET_COMPOSITE_MODE_Z_BUFFER);
    icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_UBYTE);
    icetSetDepthFormat(ICET_IMAGE_DEPTH_FLOAT);

    for (y = 0; y < height; ++y)
        for (x = 0; x < width; ++x) { /* later ranks are nearer */
            int inside = x >= 4 * rank && x < 4 * rank + 8;
            colors[y][x][0] = (unsigned char)(inside ? 10 + rank : 0);
            depths[y][x] = inside ? 1 / (2.0f + (float)rank) : 1;
        }
    image = icetCompositeImage(colors, depths, NULL, NULL, NULL, background);
    for (x = 0; rank == 0 && x < 4 * ranks + 4; ++x) {
        int nearest = x / 4 < ranks ? x / 4 : ranks - 1;
        int red = icetImageGetColorcub(image)[4 * x];
        wrong += red != 10 + nearest;
        printf("%d%s", red, x < 4 * ranks + 3 ? " " : "\n");
    }
    icetDestroyContext(context);
    icetDestroyMPICommunicator(communicator);
    MPI_Finalize();
    return wrong > 0;
}
