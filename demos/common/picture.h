// A picture in memory, and PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace demo {

/// RGBA, 8 bits each; the first row is the lowest one, as in OpenGL.
struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba;

    Picture() = default;
    Picture(int w, int h) : width(w), height(h), rgba(std::size_t{4} * w * h) {}
    bool operator==(const Picture &) const = default;
};

/// Both throw demo::Error, with the file's name.
Picture load_png(const std::string &file);
void save_png(const Picture &picture, const std::string &file);

/// How many pixels differ, and where the first of them is: "3 of 4096 pixels, the first at (7,1): ...". Empty when
/// none.
std::string differences(const Picture &one, const Picture &other);

} // namespace demo
