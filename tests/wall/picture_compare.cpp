#include "picture_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <png.h>

namespace wall_test {

bool read_png(const std::string &path, Picture &picture, std::string &error) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, path.c_str())) {
        error = path + ": " + image.message;
        return false;
    }
    image.format = PNG_FORMAT_RGB;
    picture = Picture(static_cast<int>(image.width), static_cast<int>(image.height));
    if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr))
        return true;
    error = path + ": " + image.message;
    return false;
}

bool read_ppm(const std::string &file, Picture &picture) {
    std::ifstream in(file, std::ios::binary);
    std::string magic;
    int width = 0, height = 0, most = 0;
    if (!(in >> magic >> width >> height >> most) || magic != "P6" || most != 255 || width <= 0 || height <= 0)
        return false;
    in.get();
    picture = Picture(width, height);
    return static_cast<bool>(in.read(reinterpret_cast<char *>(picture.rgb.data()),
                                     static_cast<std::streamsize>(picture.rgb.size())));
}

bool Difference::acceptable(bool exact) const {
    const auto share = [this, exact](double part) {
        return exact ? 0 : static_cast<long>(std::floor(static_cast<double>(pixels) * part));
    };
    return sizes.empty() && pixels > 0 && different <= share(0.0005) && far <= share(0.0001);
}

std::string Difference::text() const {
    if (!sizes.empty())
        return sizes;
    return std::to_string(different) + " of " + std::to_string(pixels) + " pixels differ, " + std::to_string(far) +
           " by more than 2 levels";
}

Difference compare(const Picture &plain, const Picture &captured, const pixmpi::Wall &wall) {
    Difference result;
    if (plain.width != captured.width || plain.height != captured.height) {
        result.sizes = "one window is " + std::to_string(plain.width) + " by " + std::to_string(plain.height) +
                       ", the wall " + std::to_string(captured.width) + " by " + std::to_string(captured.height);
        return result;
    }
    const auto on_a_tile = [&wall](int x, int y) {
        return std::any_of(wall.tiles.begin(), wall.tiles.end(), [x, y](const pixmpi::Tile &tile) {
            return x >= tile.rect.x && x < tile.rect.right() && y >= tile.rect.y && y < tile.rect.bottom();
        });
    };
    result.shown = Picture(plain.width, plain.height);
    const auto width = static_cast<std::size_t>(plain.width);
    for (int y = 0; y < plain.height; ++y) {
        for (int x = 0; x < plain.width; ++x) {
            const std::size_t at = (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)) * 3;
            const bool shown = on_a_tile(x, y);
            int most = 0;
            for (std::size_t c = 0; c < 3; ++c)
                most = std::max(most, std::abs((shown ? plain.rgb[at + c] : 0) - captured.rgb[at + c]));
            result.pixels += shown;
            result.different += most > 0;
            result.far += most > 2;
            for (std::size_t c = 0; c < 3; ++c)
                result.shown.rgb[at + c] = most > 2   ? (c ? 0 : 255)
                                           : most > 0 ? 255
                                                      : static_cast<unsigned char>(plain.rgb[at + c] / 4);
        }
    }
    return result;
}

} // namespace wall_test
