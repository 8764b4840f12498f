// A device's part of a message by itself: between an object and memory of the GPU, compared with other ways to copy
// there.
#pragma once

#include "device/device.h"
#include "object/object.h"
#include "object/shapes.h"

#include <functional>
#include <memory>
#include <string>

/// What one API has for that. It has the library's lock, under which devices are used.
class CardMemory {
  public:
    CardMemory() { (void)pixmpi::pixMPI_Internal_lock(false); }
    virtual ~CardMemory() { pixmpi::pixMPI_Internal_unlock(); }
    CardMemory(const CardMemory &) = delete;
    CardMemory &operator=(const CardMemory &) = delete;
    /// The object as the library's devices see it.
    virtual std::shared_ptr<pixmpi::Surface> surface(pixmpi::Direction direction) = 0;

    // Each of these does a thing `times` in a row, and returns the seconds that one took: by the GPU's own clocks where
    // it has any, within one submission, so that only the GPU's work counts.

    /// The packed pixels, from memory of the GPU to other memory of it: by the API's command, and by a shader;
    /// NaN: there is none.
    virtual double copy_by_command(int times) = 0;
    virtual double copy_by_shader(int times) = 0;
    /// The rectangles by the API's own calls or commands, between the object and memory of the card.
    virtual double naive(pixmpi::Direction direction, int times) = 0;
    /// The library's commands for a band that is the whole region, in memory of the GPU; NaN: it has some that the CPU
    /// takes part in.
    virtual double library(pixmpi::Direction direction, const std::shared_ptr<const pixmpi::Region> &region,
                           int times) = 0;
};

/// The case's rectangles, as devices take them.
std::shared_ptr<const pixmpi::Region> region_of(const RegionCase &what);

std::unique_ptr<CardMemory> make_gl_card_memory(Object &object, const RegionCase &what, bool software);
namespace demo {
class Gpu;
}
std::unique_ptr<CardMemory> make_vk_card_memory(const demo::Gpu &gpu, Object &object, const RegionCase &what,
                                                bool software);
