#include "context.h"

#include <utility>

namespace icet {
namespace {

pixMPI_Strategy strategy_of(const Settings &settings) {
    switch (settings.single_strategy) {
    case ICET_SINGLE_IMAGE_STRATEGY_BSWAP:
    case ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING: // ours folds, too
        return PIXMPI_STRATEGY_SWAP;
    case ICET_SINGLE_IMAGE_STRATEGY_TREE:
        return PIXMPI_STRATEGY_TREE;
    case ICET_SINGLE_IMAGE_STRATEGY_RADIXK:
    case ICET_SINGLE_IMAGE_STRATEGY_RADIXKR:
        return PIXMPI_STRATEGY_RADIX;
    default:
        return PIXMPI_STRATEGY_AUTO;
    }
}

} // namespace

TileCompositor::~TileCompositor() {
    if (handle_ != PIXMPI_COMPOSITOR_NULL)
        pixMPI_Compositor_free(&handle_);
}

int TileCompositor::prepare(pixMPI_Op op, int result, const Settings &settings, const std::vector<int> &order,
                            MPI_Comm comm) {
    if (handle_ != PIXMPI_COMPOSITOR_NULL && (op != op_ || result != result_))
        pixMPI_Compositor_free(&handle_);
    if (handle_ == PIXMPI_COMPOSITOR_NULL) {
        has_background_ = false;
        if (const int error = pixMPI_Compositor_create(op, result, comm, &handle_))
            return error;
        if (const int error = forget_picture())
            return error;
    }
    op_ = op;
    result_ = result;
    if (const int error = pixMPI_Compositor_set_order(handle_, static_cast<int>(order.size()), order.data()))
        return error;
    return pixMPI_Compositor_set_strategy(handle_, strategy_of(settings), 0);
}

// A background that stays the same is set once, so that the compositor need not write it again.
int TileCompositor::set_background(const Background *background, Formats formats, int width) {
    if (!background) {
        if (!std::exchange(has_background_, false))
            return PIXMPI_SUCCESS;
        return pixMPI_Compositor_set_background(handle_, nullptr);
    }
    if (has_background_ && blank_ == *background && behind_.formats == formats && behind_.width == width)
        return PIXMPI_SUCCESS;
    has_background_ = false;
    if (const int error = pixMPI_Compositor_set_background(handle_, nullptr)) // the row is about to change
        return error;
    blank_.reset();
    behind_.shape(formats, width, 1);
    background->fill(behind_, {0, 0, width, 1});
    blank_ = *background;
    const Planes planes = behind_.planes();
    const pixMPI_Surface surface = planes.surface();
    const int error = pixMPI_Compositor_set_background(handle_, &surface);
    has_background_ = error == PIXMPI_SUCCESS;
    return error;
}

} // namespace icet
