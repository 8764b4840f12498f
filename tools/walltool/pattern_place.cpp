#include "pattern_place.h"

#include <GL/mpiglut.h>

#include <dlfcn.h>
#include <unistd.h>

namespace walltool {

namespace {

/// A call of libmpiglut, or null when the program was started without mpiglutrun.
template <class Function> Function *optional_call(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}
#define OPTIONAL(function) optional_call<decltype(function)>(#function)

std::string host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

} // namespace

Place find_place(int window_width, int window_height) {
    Place place;
    place.host = host_name();
    place.name = "window";
    place.width = window_width;
    place.height = window_height;
    place.tile = {0, 0, window_width, window_height};
    if (const auto rank = OPTIONAL(mpiglutGetRank))
        place.rank = rank();
    if (const auto size = OPTIONAL(mpiglutGetSize))
        place.ranks = size();
    if (const auto name = OPTIONAL(mpiglutGetTileName))
        place.name = name();
    if (const auto size = OPTIONAL(mpiglutGetWallSize))
        size(&place.width, &place.height);
    int rect[4];
    if (const auto tile = OPTIONAL(mpiglutGetTileRect); tile && tile(rect) == MPIGLUT_SUCCESS)
        place.tile = {rect[0], rect[1], rect[2], rect[3]};
    if (const auto tile = OPTIONAL(mpiglutGetTileRectMillimetres))
        tile(place.mm);
    return place;
}

} // namespace walltool
