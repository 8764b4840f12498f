// Shaders of a device that work on packed pixels in its own memory: passes over stages, one after another.
#pragma once

#include "base/status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pixmpi {

class Stage;
using Ticket = std::uint64_t;

enum class PassKind : std::uint8_t {
    copy,         ///< bytes from the first stage to the second one
    jpeg_forward, ///< jpeg_forward.comp, and so on
    jpeg_entropy,
    jpeg_begins, ///< both of jpeg_join.comp
    jpeg_join,
    jpeg_samples, ///< both of jpeg_inverse.comp
    jpeg_pixels,
    find_active
};
constexpr int pass_kinds = 8;

struct Pass {
    PassKind kind;
    std::array<Stage *, 3> stages{};          ///< by binding; null where there is none
    std::array<std::uint32_t, 12> sizes{};    ///< as the shader has them; copy: from byte, to byte, bytes
    std::uint32_t across = 0, down = 0;       ///< work groups
    std::array<std::uint32_t, 4> constants{}; ///< of the shader, in the order of their numbers
};

/// Passes of one user on one device. The destructor waits for passes under way.
class Passes {
  public:
    virtual ~Passes() = default;
    /// The most bytes that a stage may have.
    virtual std::size_t most_bytes() const = 0;
    /// Begins them: each sees what those before have written, and what the CPU has. Stages are of StageKind::local or
    /// mapped, made by the device, and the passes' until the ticket is done; then the CPU sees what has been written.
    /// `accepted` is false where they cannot run now, and nothing has happened: OpenGL may be in a state where shaders
    /// do nothing, or may not compile them.
    virtual Status run(std::span<const Pass> passes, Ticket &ticket, bool &accepted) = 0;
    virtual Status poll(Ticket ticket, bool &over) = 0;
};

} // namespace pixmpi
