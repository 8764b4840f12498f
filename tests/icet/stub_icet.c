/* Stands for a program's own library of IceT: names that programs call; none of them works. libstubIceT. */
#include <IceT.h>
#include <IceTMPI.h>
#include <stdio.h>
#include <stdlib.h>

void icetStateDump(void); /* of IceT's own, which no public header has */

static void stub(const char *call) {
    printf("libstubIceT: %s\n", call);
    fflush(stdout);
    exit(3);
}

IceTCommunicator icetCreateMPICommunicator(MPI_Comm mpi_comm) {
    (void)mpi_comm;
    stub("icetCreateMPICommunicator");
    return ICET_COMM_NULL;
}
void icetDestroyMPICommunicator(IceTCommunicator comm) {
    (void)comm;
    stub("icetDestroyMPICommunicator");
}
IceTContext icetCreateContext(IceTCommunicator comm) {
    (void)comm;
    stub("icetCreateContext");
    return NULL;
}
void icetDestroyContext(IceTContext context) {
    (void)context;
    stub("icetDestroyContext");
}
int icetAddTile(IceTInt x, IceTInt y, IceTSizeType width, IceTSizeType height, int display_rank) {
    (void)x, (void)y, (void)width, (void)height, (void)display_rank;
    stub("icetAddTile");
    return 0;
}
IceTImage icetCompositeImage(const IceTVoid *color_buffer, const IceTVoid *depth_buffer,
                             const IceTInt *valid_pixels_viewport, const IceTDouble *projection_matrix,
                             const IceTDouble *modelview_matrix, const IceTFloat *background_color) {
    const IceTImage none = {NULL};
    (void)color_buffer, (void)depth_buffer, (void)valid_pixels_viewport;
    (void)projection_matrix, (void)modelview_matrix, (void)background_color;
    stub("icetCompositeImage");
    return none;
}
IceTSizeType icetImageGetNumPixels(const IceTImage image) {
    (void)image;
    stub("icetImageGetNumPixels");
    return 0;
}
const IceTUByte *icetImageGetColorcub(const IceTImage image) {
    (void)image;
    stub("icetImageGetColorcub");
    return NULL;
}
void icetStateDump(void) { stub("icetStateDump"); }
