// Pixels for the codecs' tests.
#pragma once

#include "../../tools/pixbench/codec/rendered.h"
#include "base/format.h"
#include "codec/codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace codec_pictures {

using namespace pixmpi;
using Bytes = std::vector<std::byte>;

inline Bytes noise(std::size_t bytes) {
    std::mt19937 random(7);
    Bytes all(bytes);
    for (std::byte &byte : all)
        byte = static_cast<std::byte>(random());
    return all;
}

/// The scene in a format of 8-bit channels.
inline Bytes picture(pixMPI_Format format, int width, int height) {
    const FormatInfo &info = format_info(format);
    Bytes all(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
              static_cast<std::size_t>(info.bytes));
    std::byte *at = all.data();
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            std::array<double, 4> colour = rendered(x, y, width, height);
            if (info.bgr)
                std::swap(colour[0], colour[2]);
            for (int k = 0; k < info.channels; ++k)
                *at++ = static_cast<std::byte>(std::lround(colour[static_cast<std::size_t>(k)] * 255));
        }
    return all;
}

/// Depths of a floor in front of nothing, as floats.
inline Bytes depths(int width, int height) {
    std::vector<float> all;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            all.push_back(y < height / 3 ? 1.0f
                                         : 0.9f - 0.0003f * static_cast<float>(y) + 0.00007f * static_cast<float>(x));
    Bytes bytes(all.size() * sizeof(float));
    std::memcpy(bytes.data(), all.data(), bytes.size());
    return bytes;
}

/// Exactly the bytes that are read or written, so that sanitizers see any others.
struct Exact {
    explicit Exact(std::size_t bytes) : size(bytes), data(std::make_unique<std::byte[]>(bytes)) {}
    explicit Exact(std::span<const std::byte> bytes) : Exact(bytes.size()) {
        std::copy(bytes.begin(), bytes.end(), data.get());
    }
    std::span<const std::byte> view() const { return {data.get(), size}; }
    std::size_t size;
    std::unique_ptr<std::byte[]> data;
};

inline std::string text() { return pixMPI_Error_text(); }

} // namespace codec_pictures
