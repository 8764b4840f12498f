/* Linked to libstubIceT: pvpixmpi makes pixmpi's of its calls. Prints the red of four pixels, two of each rank. */
#include <IceT.h>
#include <IceTMPI.h>
#include <stdio.h>

#ifdef CALLS_MORE
void icetStateDump(void);
#endif

int main(int argc, char **argv) {
    unsigned char colors[4 * 4] = {0};
    float depths[4] = {1, 1, 1, 1};
    const float background[4] = {0, 0, 0, 0};
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    IceTCommunicator communicator = icetCreateMPICommunicator(MPI_COMM_WORLD);
    IceTContext context = icetCreateContext(communicator);
    icetAddTile(0, 0, 4, 1, 0);
    for (int i = 2 * rank; i < 2 * rank + 2; ++i) {
        colors[4 * i] = (unsigned char)(10 * rank + i);
        depths[i] = 0.5f;
    }
    const IceTImage image = icetCompositeImage(colors, depths, NULL, NULL, NULL, background);
    for (int i = 0; i < icetImageGetNumPixels(image); ++i)
        printf("%d%s", icetImageGetColorcub(image)[4 * i], i < 3 ? " " : "\n");
#ifdef CALLS_MORE
    icetStateDump();
#endif
    icetDestroyContext(context);
    icetDestroyMPICommunicator(communicator);
    MPI_Finalize();
    return 0;
}
