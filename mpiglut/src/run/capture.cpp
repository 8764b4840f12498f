#include "run/capture.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <png.h>
#include <unistd.h>

namespace mpiglut {

namespace {

constexpr std::size_t channels = 3;

std::size_t offset(const Picture &picture, int x, int y) {
    return (static_cast<std::size_t>(y) * picture.width + x) * channels;
}

bool write_to(std::FILE *file, const Picture &picture, std::string &error) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = PNG_FORMAT_RGB;
    image.flags = PNG_IMAGE_FLAG_FAST; // the wall waits while this is written
    if (png_image_write_to_stdio(&image, file, 0, picture.rgb.data(), 0, nullptr))
        return true;
    error = image.message;
    return false;
}

} // namespace

void turn_upside_down(Picture &picture) {
    const std::size_t row = picture.width * channels;
    for (int y = 0; y < picture.height / 2; ++y)
        std::swap_ranges(picture.rgb.begin() + static_cast<std::ptrdiff_t>(y * row),
                         picture.rgb.begin() + static_cast<std::ptrdiff_t>((y + 1) * row),
                         picture.rgb.end() - static_cast<std::ptrdiff_t>((y + 1) * row));
}

void paste(Picture &to, const Picture &from, int x, int y) {
    const pixmpi::Rect common = pixmpi::intersect({0, 0, to.width, to.height}, {x, y, from.width, from.height});
    if (common.empty())
        return;
    for (int row = common.y; row < common.bottom(); ++row) {
        const unsigned char *source = from.rgb.data() + offset(from, common.x - x, row - y);
        std::copy_n(source, common.width * channels, to.rgb.data() + offset(to, common.x, row));
    }
}

Picture assemble(const pixmpi::Wall &wall, std::span<const Picture> tiles) {
    Picture whole(wall.width, wall.height);
    for (std::size_t i = std::min(tiles.size(), wall.tiles.size()); i-- > 0;)
        paste(whole, tiles[i], wall.tiles[i].rect.x, wall.tiles[i].rect.y);
    return whole;
}

std::string beside(const std::string &path, const std::string &what) {
    const std::size_t slash = path.rfind('/'), dot = path.rfind('.');
    const bool extension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
    const std::size_t end = extension ? dot : path.size();
    return path.substr(0, end) + what + path.substr(end);
}

std::string numbered(const std::string &path, std::size_t number) {
    return number == 1 ? path : beside(path, "." + std::to_string(number));
}

bool write_png(const std::string &path, const Picture &picture, std::string &error) {
    if (picture.width <= 0 || picture.height <= 0 || picture.rgb.size() < offset(picture, 0, picture.height)) {
        error = path + ": expected a picture of at least one pixel";
        return false;
    }
    const std::string unfinished = path + ".part" + std::to_string(getpid());
    std::FILE *file = std::fopen(unfinished.c_str(), "wbx");
    if (!file) {
        error = path + ": cannot be written: " + std::strerror(errno);
        return false;
    }
    std::string reason;
    bool good = write_to(file, picture, reason);
    if (std::fclose(file) != 0 && good) {
        good = false;
        reason = std::strerror(errno);
    }
    if (good && std::rename(unfinished.c_str(), path.c_str()) != 0) {
        good = false;
        reason = std::strerror(errno);
    }
    if (!good) {
        unlink(unfinished.c_str());
        error = path + ": cannot be written: " + reason;
    }
    return good;
}

} // namespace mpiglut
