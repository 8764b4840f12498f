#include "picture.h"

#include "error.h"

#include <cstdio>
#include <cstring>
#include <png.h>

namespace demo {

namespace {

png_image image_of(const Picture &picture) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = PNG_FORMAT_RGBA;
    return image;
}

} // namespace

// libpng takes a negative row stride for pictures with the lowest row first.
void save_png(const Picture &picture, const std::string &file) {
    png_image image = image_of(picture);
    if (!png_image_write_to_file(&image, file.c_str(), 0, picture.rgba.data(), -4 * picture.width, nullptr))
        throw Error(file + ": " + image.message);
}

Picture load_png(const std::string &file) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, file.c_str()))
        throw Error(file + ": " + image.message);
    image.format = PNG_FORMAT_RGBA;
    Picture picture(static_cast<int>(image.width), static_cast<int>(image.height));
    if (!png_image_finish_read(&image, nullptr, picture.rgba.data(), -4 * picture.width, nullptr))
        throw Error(file + ": " + image.message);
    return picture;
}

std::string differences(const Picture &one, const Picture &other) {
    char text[160] = "";
    if (one.width != other.width || one.height != other.height) {
        std::snprintf(text, sizeof text, "%dx%d pixels, the other %dx%d", one.width, one.height, other.width,
                      other.height);
        return text;
    }
    std::size_t count = 0, first = 0;
    for (std::size_t i = 0; i < one.rgba.size(); i += 4)
        if (std::memcmp(&one.rgba[i], &other.rgba[i], 4) != 0 && count++ == 0)
            first = i;
    if (count == 0)
        return "";
    const std::size_t pixel = first / 4, width = static_cast<std::size_t>(one.width);
    const std::uint8_t *a = &one.rgba[first], *b = &other.rgba[first];
    std::snprintf(text, sizeof text, "%zu of %zu pixels, the first at (%zu,%zu): %d %d %d %d, the other %d %d %d %d",
                  count, one.rgba.size() / 4, pixel % width, pixel / width, a[0], a[1], a[2], a[3], b[0], b[1], b[2],
                  b[3]);
    return text;
}

} // namespace demo
