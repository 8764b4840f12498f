// The APIs that pixbench measures, each behind the same interface. Another one is another file with an Api
// and an Object, and a line in api.cpp; no mode knows which one it measures.
#pragma once

#include "object/object.h"
#include "pack/pack.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// VkPhysicalDeviceIDProperties::deviceUUID and what other APIs call so; all zero when there is none.
using GpuUuid = std::array<unsigned char, 16>;

class Api {
  public:
    virtual ~Api() = default;
    /// Of --api and of the rows: "gl".
    virtual const char *name() const = 0;
    /// Of --object, the usual one first.
    virtual std::vector<std::string> objects() const = 0;
    /// Makes a context or a device, of the GPU of that number or of the one that this rank gets by itself, and the
    /// library's use of it. Returns what is wrong, or nothing.
    virtual std::string open(std::optional<int> card) = 0;
    /// Before pixMPI_Comm_detach, on every rank.
    virtual void close() {}
    /// What the device says of itself.
    virtual std::string driver() const = 0;
    /// The processor moves the pixels: they lie in host memory, or the driver's do.
    virtual bool software() const = 0;
    virtual GpuUuid gpu() const { return {}; }
    /// What is wrong, or nothing, in `problem`. See make_object.
    virtual std::unique_ptr<Object> make(const std::string &kind, const Shape2D &shape, std::string &problem) = 0;
    /// For the mode pack.
    virtual std::unique_ptr<CardMemory> card_memory(Object &, const RegionCase &, std::string &problem) {
        problem = std::string("pack: --api ") + name() + " has no GPU, expected gl or vk";
        return nullptr;
    }
};

/// Null with what is wrong; of any API.
std::unique_ptr<Object> make_object(Api &api, const std::string &kind, const Shape2D &shape, std::string &problem);
/// Why one of the ranks has no objects of this kind with depths, on rank 0; or nothing. Collective.
std::string no_depths(Api &api, const std::string &kind, MPI_Comm comm);

std::vector<std::string> api_names();
std::unique_ptr<Api> make_api(const std::string &name);
