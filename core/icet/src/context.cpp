#include "context.h"

#include <algorithm>
#include <numeric>

namespace icet {
namespace {
Context *current = nullptr; // IceT's interface has one for all calls
}

pixMPI_Rect Settings::display() const {
    if (tiles.empty())
        return {0, 0, 0, 0};
    const pixMPI_Rect &first = tiles.front().viewport;
    int left = first.x, bottom = first.y, right = left, top = bottom;
    for (const Tile &tile : tiles) {
        const pixMPI_Rect &at = tile.viewport;
        left = std::min(left, at.x);
        bottom = std::min(bottom, at.y);
        right = std::max(right, at.x + at.width);
        top = std::max(top, at.y + at.height);
    }
    return {left, bottom, right - left, top - bottom};
}

void TileWork::make_blank(Formats formats, int width, int height, const Background &background,
                          const pixMPI_Rect &active) {
    const bool same = drawn.formats == formats && drawn.width == width && drawn.height == height;
    const pixMPI_Rect before = same && blank == background ? dirty : pixMPI_Rect{0, 0, width, height};
    blank.reset();
    drawn.shape(formats, width, height);
    const pixMPI_Rect kept{std::max(active.x, before.x), std::max(active.y, before.y),
                           std::min(active.x + active.width, before.x + before.width),
                           std::min(active.y + active.height, before.y + before.height)};
    if (kept.x < kept.width && kept.y < kept.height)
        background.fill_around(drawn, before, {kept.x, kept.y, kept.width - kept.x, kept.height - kept.y});
    else
        background.fill(drawn, before);
    blank = background;
    dirty = active;
}

Context *icetInternalCurrent() { return current; }

} // namespace icet

using namespace icet;

int IceTContextStruct::tile_displayed() const {
    for (std::size_t i = 0; i < settings.tiles.size(); ++i)
        if (settings.tiles[i].display == rank())
            return static_cast<int>(i);
    return -1;
}

IceTContext icetCreateContext(IceTCommunicator comm) {
    const char *const call = "icetCreateContext";
    try {
        auto context = std::make_unique<Context>();
        context->communicator = shared_of(comm);
        context->settings.order.resize(static_cast<std::size_t>(context->size()));
        std::iota(context->settings.order.begin(), context->settings.order.end(), 0);
        context->settings.group = {context->rank()};
        pixMPI_Options options = PIXMPI_OPTIONS_INIT;
        options.errors = PIXMPI_ERRORS_RETURN; // icetDiagnostics says what is printed
        check(pixMPI_Comm_attach(context->communicator->comm, &options));
        return current = context.release();
    } catch (const Failure &failure) {
        icetInternalRaise(call, failure.error, failure.text.c_str());
    } catch (const std::bad_alloc &) {
        icetInternalRaise(call, ICET_OUT_OF_MEMORY, "out of memory");
    }
    return nullptr;
}

void icetDestroyContext(IceTContext context) {
    if (context == current)
        current = nullptr;
    delete context;
}

IceTContext icetGetContext(void) { return current; }

void icetSetContext(IceTContext context) { current = context; }

void icetCopyState(IceTContext dest, const IceTContext src) {
    const char *const call = "icetCopyState";
    if (!dest || !src)
        return icetInternalRaise(call, ICET_INVALID_VALUE, !dest ? "dest: null" : "src: null");
    if (dest->size() != src->size())
        return icetInternalRaise(call, ICET_INVALID_VALUE, "src: another number of ranks than dest, expected the same");
    if (dest->drawing)
        return icetInternalRaise(call, ICET_INVALID_OPERATION, "dest: draws a frame, expected one that does not");
    dest->settings = src->settings;
    std::vector<IceTInt> &group = dest->settings.group;
    if (std::find(group.begin(), group.end(), dest->rank()) == group.end())
        group = {dest->rank()};
}
