// A device's part of a message by itself: between an object and memory of the card, beside what else copies there.
#pragma once

#include "device.h"
#include "object.h"
#include "shapes.h"

#include <functional>
#include <memory>
#include <string>

/// What one API has for that. What is asked for is under way when the functions return.
class CardMemory {
  public:
    virtual ~CardMemory() = default;
    /// The object as the library's devices see it.
    virtual std::shared_ptr<pixmpi::Surface> surface(pixmpi::Direction direction) = 0;
    /// The packed pixels, from memory of the card to other memory of the card: by the API's command, and by a shader;
    /// false: there is none.
    virtual void copy_by_command() = 0;
    virtual bool copy_by_shader() = 0;
    /// The rectangles by the API's own calls or commands, between the object and memory of the card.
    virtual void naive(pixmpi::Direction direction) = 0;
    /// Seconds that the card needs for what `work` asks for. Where it has clocks of its own, it is kept busy until all
    /// of it has been asked for, so that no time is counted in which it waits for the processor.
    virtual double time(const std::function<void()> &work) = 0;
};

std::unique_ptr<CardMemory> make_gl_card_memory(Object &object, const RegionCase &what, bool software);
namespace demo {
class Gpu;
}
std::unique_ptr<CardMemory> make_vk_card_memory(const demo::Gpu &gpu, Object &object, const RegionCase &what,
                                                bool software);
