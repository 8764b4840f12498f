#include "ends.h"

namespace {

constexpr Verbs<pixMPI_Surface> verbs = {pixMPI_Send, pixMPI_Recv, pixMPI_Sendrecv, pixMPI_Send_init, pixMPI_Recv_init};

} // namespace

std::shared_ptr<const End> memory_end(std::byte *memory, pixMPI_Format format, int width, int height) {
    return std::make_shared<ApiEnd<pixMPI_Surface>>(verbs, pixMPI_Memory(memory, format, width, height));
}
