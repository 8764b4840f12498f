// The calls of <GL/mpiglut.h>.
#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/virtual.h"
#include "sync/comm.h"
#include "sync/content.h"

#include <GL/mpiglut.h>

#include <algorithm>
#include <iterator>

using namespace mpiglut;

MPIGLUT_EXPORT int mpiglutGetRank(void) { return active() ? comm::rank() : 0; }
MPIGLUT_EXPORT int mpiglutGetSize(void) { return active() ? comm::size() : 1; }

MPIGLUT_EXPORT const char *mpiglutGetTileName(void) {
    return active() ? state().plan.tiles[comm::rank()].name.c_str() : "(0,0)";
}

namespace {

// The size of the wall when there is no launcher: the current window's.
bool plain_size(int &width, int &height) {
    if (!REAL(glutGet)(GLUT_INIT_STATE) || !REAL(glutGetWindow)())
        return false;
    width = REAL(glutGet)(GLUT_WINDOW_WIDTH);
    height = REAL(glutGet)(GLUT_WINDOW_HEIGHT);
    return true;
}

// The wall over the current window, or over the first one.
const pixmpi::Wall &current_wall() {
    const mpiglut::Window *window = state().current();
    return window ? wall_of(*window) : state().wall;
}

bool wall_size(int &width, int &height) {
    if (!active())
        return plain_size(width, height);
    width = current_wall().width;
    height = current_wall().height;
    return width > 0 && height > 0;
}

/// The program is about to know its tile, and may draw by that.
void report_tile() {
    if (active() && clock::on_main_thread())
        content::differs_by_tile();
}

} // namespace

MPIGLUT_EXPORT int mpiglutGetWallSize(int *width, int *height) {
    int w = 0, h = 0;
    if (!wall_size(w, h))
        return MPIGLUT_ERR_STATE;
    if (width)
        *width = w;
    if (height)
        *height = h;
    return MPIGLUT_SUCCESS;
}

MPIGLUT_EXPORT int mpiglutGetTileRect(int rect[4]) {
    int width = 0, height = 0;
    if (!rect)
        return MPIGLUT_ERR_ARG;
    if (!wall_size(width, height))
        return MPIGLUT_ERR_STATE;
    report_tile();
    const pixmpi::Rect tile = active() ? current_wall().tiles[comm::rank()].rect : pixmpi::Rect{0, 0, width, height};
    const int values[4] = {tile.x, tile.y, tile.width, tile.height};
    std::copy(std::begin(values), std::end(values), rect);
    return MPIGLUT_SUCCESS;
}

MPIGLUT_EXPORT int mpiglutGetTileRectMillimetres(double rect[4]) {
    int width = 0, height = 0;
    if (!rect)
        return MPIGLUT_ERR_ARG;
    if (!wall_size(width, height))
        return MPIGLUT_ERR_STATE;
    report_tile();
    const pixmpi::Tile tile = active() ? state().plan.tiles[comm::rank()] : pixmpi::Tile{};
    const double values[4] = {tile.mm_x, tile.mm_y, tile.mm_width, tile.mm_height};
    std::copy(std::begin(values), std::end(values), rect);
    return MPIGLUT_SUCCESS;
}

namespace {

void identity(float m[16]) {
    for (int i = 0; i < 16; ++i)
        m[i] = i % 5 == 0 ? 1.0f : 0.0f;
}

} // namespace

MPIGLUT_EXPORT void mpiglutGetSubwindowMatrixf(float m[16]) {
    if (m)
        identity(m);
}

MPIGLUT_EXPORT int mpiglutGetTileMatrixf(float m[16]) {
    if (!m)
        return MPIGLUT_ERR_ARG;
    int width = 0, height = 0;
    if (!active()) {
        if (!plain_size(width, height))
            return MPIGLUT_ERR_STATE;
        identity(m);
        return MPIGLUT_SUCCESS;
    }
    const mpiglut::Window *window = state().current();
    if (!window)
        return MPIGLUT_ERR_STATE;
    report_tile();
    const gl::Part &part = window->surface.part;
    const float sx = static_cast<float>(part.full_width) / static_cast<float>(part.width);
    const float sy = static_cast<float>(part.full_height) / static_cast<float>(part.height);
    identity(m);
    m[0] = sx;
    m[5] = sy;
    m[12] = sx - 1 - 2.0f * static_cast<float>(part.x) / static_cast<float>(part.width);
    m[13] = sy - 1 - 2.0f * static_cast<float>(part.y) / static_cast<float>(part.height);
    return MPIGLUT_SUCCESS;
}

MPIGLUT_EXPORT int mpiglutAgree(void *value, size_t bytes) {
    if (!value && bytes > 0)
        return MPIGLUT_ERR_ARG;
    if (!active())
        return REAL(glutGet)(GLUT_INIT_STATE) ? MPIGLUT_SUCCESS : MPIGLUT_ERR_STATE;
    if (!comm::broadcast(comm::Collective::agree, {static_cast<std::byte *>(value), bytes}))
        return MPIGLUT_ERR_DIVERGED;
    const auto *data = static_cast<const unsigned char *>(value);
    for (size_t i = 0; i < bytes; ++i)
        note(Did::agreement, data[i]);
    return MPIGLUT_SUCCESS;
}
