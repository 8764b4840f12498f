// The headers in C++, after and before those of OpenGL; what goes wrong has a text.
#include <glmpi.h>

#include <GL/gl.h>

#include <cstdio>

static_assert(PIXMPI_FORMAT_NONE == 0 && PIXMPI_RGBA8 > 0, "formats are constants");

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const pixMPI_Rect rects[] = {{0, 0, 2, 2}, {5, 5, 3, 1}};
    pixMPI_Region region = PIXMPI_REGION_NULL;
    int64_t pixels = 0;
    const int made = pixMPI_Region_indexed(2, rects, &region);
    const int counted = pixMPI_Region_pixels(region, &pixels);
    const int sent = pixMPI_Send(pixMPI_Memory(&pixels, PIXMPI_RGBA8, 2, 1), PIXMPI_WHOLE, 0, 0, MPI_COMM_NULL);
    const int freed = pixMPI_Region_free(&region);
    std::printf("%d %d %d, %s of %d bytes, %d pixels, %s\n", made, counted, freed, pixMPI_Format_name(PIXMPI_RGBA8),
                pixMPI_Format_bytes(PIXMPI_RGBA8), static_cast<int>(pixels),
                sent == PIXMPI_ERR_COMM && pixMPI_Error_text()[0] ? "no communicator" : "no error");
    const pixMPI_Surface texture = glMPI_As(glMPI_Texture2D(1), PIXMPI_R8);
    const bool good = texture.api == PIXMPI_API_GL && texture.name == 1 && sizeof texture == 64;
    MPI_Finalize();
    return good ? 0 : 1;
}
