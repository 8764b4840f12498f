// What the device suite needs of a device: surfaces with known pixels, and a look at them afterwards. Each kind of
// surface is a rig; a program that links the suite adds its rigs before main() begins:
//
//     const bool added = add_rig("gl_texture", [] { return std::unique_ptr<DeviceRig>(new TextureRig); });
#pragma once

#include "device/device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace device_suite {

using Bytes = std::vector<std::byte>;

class DeviceRig {
  public:
    virtual ~DeviceRig() = default;

    virtual pixmpi::Device &device() = 0;

    /// The formats that its surfaces can have, for each way: what is packed only (a default framebuffer, say) is left
    /// out of `unpack`.
    virtual std::vector<pixMPI_Format> formats(pixmpi::Direction direction) const = 0;

    /// Bytes are random; where a surface would not keep all bits (NaNs, say), this makes them such that it does.
    virtual void tame(pixMPI_Format, Bytes &) const {}

    /// Offsets into a stage are multiples of this. The engine promises 16.
    virtual std::size_t offset_unit() const { return 16; }

    /// Surfaces need not be wider or higher.
    virtual int largest() const { return 300; }

    /// Whether its device runs passes of shaders.
    virtual bool has_passes() const { return false; }

    /// Memory that a route might hand over, for shared stages, of at least so many bytes; null: any will do. One stage
    /// at a time uses it.
    virtual std::byte *shared_memory(std::size_t) { return nullptr; }

    /// A surface with these pixels: rows without gaps, the one with y = 0 first. It lives as long as what it returns,
    /// or as the rig.
    virtual std::shared_ptr<pixmpi::Surface> make(pixMPI_Format format, pixmpi::Extent extent, const Bytes &pixels) = 0;

    /// Its pixels now, in the same order.
    virtual Bytes read(pixmpi::Surface &surface) = 0;

    /// After each case: fails the test when something is not as it should be (gaps between rows, OpenGL's error).
    virtual void check(pixmpi::Surface &) {}
};

using MakeRig = std::function<std::unique_ptr<DeviceRig>()>;

/// `name` becomes part of the tests' names: letters, digits, underscores.
bool add_rig(const char *name, MakeRig make);

/// Makes random bytes into numbers that survive being stored as such: no NaNs, infinities or denormals, no -128 in
/// SNORM, depths from 0 to 1. For DeviceRig::tame.
void make_plain(pixMPI_Format format, Bytes &pixels);

} // namespace device_suite
