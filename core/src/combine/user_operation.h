// A user's operation (pixMPI_Op_create): a C function for the host, and GLSL that does the same on a device.
//
// The core writes the shader's text, which is the same for all graphics APIs; a device compiles it. A device keeps the
// result under the operation's number, and drops it when the operation is freed.
#pragma once

#include "combine/operation.h"
#include "pixmpi_collectives.h"

#include <cstddef>
#include <string>

namespace pixmpi {

/// What a shader combines pixels in.
enum class PixelsIn { image, buffer };

class UserOperation {
  public:
    virtual ~UserOperation() = default;
    const std::uint64_t number; ///< from 1; of no other operation, earlier or later
    const bool has_shader;
    /// By the C function, in `present`. Both lie without gaps, at any address, and do not overlap.
    virtual void combine(Order order, pixMPI_Format format, std::byte *present, const std::byte *incoming,
                         std::size_t pixels) const = 0;
    /// A compute shader: pack_image.comp that combines, or combine_buffer.comp. `head`: its #version and constants,
    /// such as the image's FORMAT. `numbers`: as for_shader.h has it.
    virtual std::string shader(PixelsIn place, const std::string &head, std::uint32_t numbers,
                               bool present_first) const = 0;
    /// PIXMPI_ERR_ARGUMENT for a shader that does not compile; `complaint`: what the compiler says.
    virtual Status refuse(std::uint32_t numbers, const std::string &complaint) const = 0;

  protected:
    UserOperation(std::uint64_t number_, bool has_shader_) : number(number_), has_shader(has_shader_) {}
};

/// `glsl`: may be null.
std::shared_ptr<const UserOperation> make_user_operation(pixMPI_Op_function function, const char *glsl, void *data);

} // namespace pixmpi
