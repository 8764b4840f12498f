// Three ways to add up words of all ranks.
#pragma once

#include "rings.h"
#include "vk_world.h"

#include <memory>

class Way {
  public:
    explicit Way(const Rings &given) : rings(given) {}
    virtual ~Way() = default;
    /// This rank's words.
    virtual void write(const std::vector<float> &words) = 0;
    /// Makes sums of them, of all ranks. No rank writes before all have returned.
    virtual void run() = 0;
    virtual std::vector<float> sums() const = 0;

    const Rings rings; ///< `rings` of it: 0: the library's own order, from rank 0 on
};

/// All rings in one run of a shader, a workgroup each.
std::unique_ptr<Way> make_device_rings(const demo::VkWorld &world, const Rings &rings);
/// One ring: persistent messages between dispatches.
std::unique_ptr<Way> make_host_rings(const demo::VkWorld &world, const Rings &rings);
