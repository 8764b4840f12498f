// Images: what a program draws into and gets back, and what messages of pixels see of it.
#pragma once

#include "icet_pixmpi.h"

#include <array>
#include <cstddef>
#include <memory>
#include <pixmpi.h>

namespace icet {

/// Memory that only grows, and is not written when it does.
class Buffer {
  public:
    void make_room(std::size_t bytes);
    std::byte *get() const { return memory_.get(); }

  private:
    struct Free {
        void operator()(std::byte *memory) const { std::free(memory); }
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::size_t bytes_ = 0;
};

/// Which planes an image has.
struct Formats {
    IceTEnum color = ICET_IMAGE_COLOR_RGBA_UBYTE, depth = ICET_IMAGE_DEPTH_FLOAT;
    bool operator==(const Formats &) const = default;
};

/// Of a pixel; 0 where there is no such plane.
int color_bytes(IceTEnum color_format);
int channels(IceTEnum color_format);
pixMPI_Format pixel_format(IceTEnum color_format);

/// A surface of one plane, or the two of one with depth.
struct Planes {
    pixMPI_Surface first, depths{};
    bool with_depth = false;
    /// Lives as long as this.
    pixMPI_Surface surface() const { return with_depth ? pixMPI_With_depth(&first, &depths) : first; }
};
Planes planes_of(const pixMPI_Surface &colors, const pixMPI_Surface &depths, Formats formats);

struct Image {
    Formats formats{ICET_IMAGE_COLOR_NONE, ICET_IMAGE_DEPTH_NONE};
    int width = 0, height = 0;
    Buffer color, depth;
    bool lent = false; ///< the program has had a pointer by which it may write

    /// What the image holds is undefined then.
    void shape(Formats planes, int columns, int rows);
    IceTImage handle() { return {this}; }
    Planes planes() const;
};

/// In host memory.
Planes planes_of(const void *color, const void *depth, Formats formats, int width, int height);
/// Of surfaces in host memory.
bool in_memory(const Planes &planes);
Planes cut(const Planes &planes, const pixMPI_Rect &rect);
/// Whether surfaces in host memory have nothing but background around `active`: depths from 1, or no colour and no alpha.
bool empty_around(const Planes &planes, const pixMPI_Rect &active);
/// From surfaces in host memory to parts of such of the same size.
void copy(const Planes &from, const Planes &to);

/// What is behind everything that is drawn.
struct Background {
    std::array<float, 4> color{};
    bool operator==(const Background &) const = default;
    void fill(Image &image, const pixMPI_Rect &rect) const;
    /// All but `kept`, of the rectangle `all`.
    void fill_around(Image &image, const pixMPI_Rect &all, const pixMPI_Rect &kept) const;
    /// Blends `count` pixels from the first over the background; colours are multiplied by their alpha.
    void put_behind(Image &image, std::size_t first, std::size_t count) const;
    IceTUInt word() const;

  private:
    std::array<std::uint8_t, 4> levels() const;
};

} // namespace icet
