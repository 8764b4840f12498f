/* A program written for IceT: each rank has half of a picture, and rank 0 shows all of it. */
#include <IceT.h>
#include <IceTMPI.h>
#include <stdio.h>

int main(int argc, char **argv) {
    unsigned char colors[4 * 4] = {0};
    float depths[4] = {1, 1, 1, 1};
    const float background[4] = {0, 0, 0, 0};
    IceTCommunicator communicator;
    IceTContext context;
    IceTImage image;
    int rank = 0, i;
    MPI_Init(&argc, &argv);
    communicator = icetCreateMPICommunicator(MPI_COMM_WORLD);
    context = icetCreateContext(communicator);
    icetGetIntegerv(ICET_RANK, &rank);
    icetAddTile(0, 0, 4, 1, 0);
    icetStrategy(ICET_STRATEGY_SEQUENTIAL);
    for (i = 2 * rank; i < 2 * rank + 2; ++i) {
        colors[4 * i] = (unsigned char)(10 * rank + i);
        depths[i] = 0.5f;
    }
    image = icetCompositeImage(colors, depths, NULL, NULL, NULL, background);
    for (i = 0; i < icetImageGetNumPixels(image); ++i)
        printf("%d%s", icetImageGetColorcub(image)[4 * i], i < 3 ? " " : "\n");
    icetDestroyContext(context);
    icetDestroyMPICommunicator(communicator);
    MPI_Finalize();
    return 0;
}
