// What holds the pixels of a case on one rank: a texture, a buffer, host memory. Each API has its own kind of it.
#pragma once

#include "object/ends.h"
#include "object/host_memory.h"
#include "pixels/pixels_fill.h"
#include "pixmpi.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct Shape2D {
    pixMPI_Format format = PIXMPI_RGBA8;
    int width = 0, height = 0;
};

class Object {
  public:
    explicit Object(const Shape2D &shape)
        : format(shape.format), width(shape.width), height(shape.height),
          pixel_bytes(pixMPI_Format_bytes(shape.format)) {}
    virtual ~Object() = default;
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;

    const pixMPI_Format format;
    const int width, height, pixel_bytes;
    std::size_t row_bytes() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(pixel_bytes); }
    std::size_t bytes() const { return row_bytes() * static_cast<std::size_t>(height); }
    std::size_t bytes_of(pixMPI_Rect rect) const {
        return static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(rect.height) *
               static_cast<std::size_t>(pixel_bytes);
    }
    pixMPI_Rect whole() const { return {0, 0, width, height}; }

    /// By hand: a rectangle to host memory and back without rows' padding, over when they return as far as `memory` is
    /// concerned. This is what the naive way does and the library has to beat, so it is written as well as can be.
    virtual void read(pixMPI_Rect rect, void *memory) = 0;
    virtual void write(pixMPI_Rect rect, const void *memory) = 0;
    /// The same for many rectangles, one after the other in memory.
    virtual void read_all(std::span<const pixMPI_Rect> rects, std::byte *memory) {
        for (const pixMPI_Rect &rect : rects) {
            read(rect, memory);
            memory += bytes_of(rect);
        }
    }
    virtual void write_all(std::span<const pixMPI_Rect> rects, const std::byte *memory) {
        for (const pixMPI_Rect &rect : rects) {
            write(rect, memory);
            memory += bytes_of(rect);
        }
    }
    /// Host memory as large as the object which read and write are fastest with; null: any is.
    virtual std::byte *staging() { return nullptr; }
    /// Whether read and write copy straight from and to any host memory.
    virtual bool straight() const { return false; }
    /// Whether the processor reaches the pixels without any call.
    virtual bool by_pointer() const { return false; }
    /// Where the rectangle lies in host memory in one piece, or null.
    virtual std::byte *in_place(pixMPI_Rect) { return nullptr; }
    /// How host memory may hold the pixels: the ways among which read and write choose. See Naive.
    virtual int layouts() const { return 1; }
    virtual void use_layout(int) {}

    /// For limits: memory of the API, `bytes` of it, which a GPU copies to by itself; false: there is none.
    /// Copies are under way when these return, and over after finish().
    virtual bool make_own_memory(std::size_t) { return false; }
    virtual void read_to_own(pixMPI_Rect, std::size_t) {}
    virtual void write_from_own(pixMPI_Rect, std::size_t) {}

    /// Waits until all that was asked for has happened.
    virtual void finish() {}
    /// Waits until what has been received can be used, which completed receives need not have waited for.
    virtual void await_received() { finish(); }
    /// A small change, different for each frame: what a program draws before it sends.
    virtual void touch(int frame) = 0;
    virtual End end() = 0;
    /// The mode pixels' computation, `steps` of it for each pixel; what is wrong in `problem`.
    virtual std::unique_ptr<Fill> make_fill(int steps, std::string &problem) = 0;

  protected:
    /// Rows of a rectangle of packed pixels that lie in memory or in a buffer, one piece when it is as wide as that:
    /// visit(bytes before it in the object, in the rectangle, length).
    template <class Visit> void for_each_row(pixMPI_Rect rect, Visit visit) const {
        const bool one_piece = rect.width == width;
        const auto rows = static_cast<std::size_t>(one_piece ? 1 : rect.height);
        const auto size = static_cast<std::size_t>(pixel_bytes), row = static_cast<std::size_t>(rect.width) * size;
        const std::size_t length = one_piece ? row * static_cast<std::size_t>(rect.height) : row;
        for (std::size_t i = 0; i < rows; ++i)
            visit((static_cast<std::size_t>(rect.y) + i) * row_bytes() + static_cast<std::size_t>(rect.x) * size,
                  i * length, length);
    }
};

/// Bytes that any format keeps as they are: no NaNs, no bits that mean nothing.
std::vector<std::byte> test_pixels(pixMPI_Format format, std::int64_t pixels, std::uint32_t seed);
