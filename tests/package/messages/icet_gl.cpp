// A C++ program that includes IceT's headers with OpenGL's, and has no context of either.
#include <IceTGL.h>
#include <IceTMPI.h>
#include <cstdio>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    icetDiagnostics(ICET_DIAG_OFF);
    const IceTImage image = icetGLDrawFrame();
    const GLenum error = icetGetError();
    std::printf("%d %d\n", static_cast<int>(icetImageIsNull(image)), static_cast<int>(error == ICET_INVALID_OPERATION));
    MPI_Finalize();
}
