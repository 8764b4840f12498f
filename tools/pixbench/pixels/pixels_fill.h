// The computation of the mode `pixels`: a rectangle is filled by a compute shader (shaders/fill_image.comp), host
// memory by the processor. All of them find the same numbers.
#pragma once

#include "pixmpi.h"

#include <cstdint>
#include <memory>
#include <string>

class Object;
namespace demo {
class Buffer;
class Gpu;
} // namespace demo

class Fill {
  public:
    virtual ~Fill() = default;
    /// Under way when it returns.
    virtual void run(pixMPI_Rect rect, std::uint32_t seed) = 0;
    /// Until it is over, by the way that notices it first.
    virtual void await() = 0;
};

/// Of an object in that memory, that texture or buffer, that image or buffer; what is wrong in `problem`.
std::unique_ptr<Fill> make_memory_fill(const Object &object, std::byte *memory, int steps, std::string &problem);
std::unique_ptr<Fill> make_gl_fill(const Object &object, unsigned texture, unsigned buffer, int steps,
                                   std::string &problem);

/// What is wrong with filling such pixels, or nothing.
std::string fill_problem(const Object &object);

/// A word's bits are a plain number in any format.
inline std::uint32_t fill_word(std::uint32_t number, std::uint32_t k) {
    return ((number + k * 0x9e3779b9U) & 0x0f0f0f0fU) | 0x20202020U;
}
inline std::uint32_t fill_number(int x, int y, std::uint32_t seed, int steps) {
    std::uint32_t number =
        static_cast<std::uint32_t>(x) * 73856093U ^ static_cast<std::uint32_t>(y) * 19349663U ^ seed * 83492791U;
    for (int i = 0; i < steps; ++i) {
        number = number * 1664525U + 1013904223U;
        number ^= number >> 13;
    }
    return number;
}
