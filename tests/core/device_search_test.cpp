// A search by a device's shaders that cannot be made now: nothing is found, and nothing stays under way.
#include "composite/device_search.h"
#include "host/host_device.h"

#include <gtest/gtest.h>
#include <vector>

using namespace pixmpi;

namespace {

/// Of a device in a state where no shader runs.
class NoShaders final : public Passes {
  public:
    std::size_t most_bytes() const override { return 1 << 20; }
    Status run(std::span<const Pass>, Ticket &, bool &accepted) override {
        accepted = false;
        return PIXMPI_SUCCESS;
    }
    Status poll(Ticket, bool &) override { return fail(PIXMPI_ERR_DEVICE, "nothing runs"); }
};

/// The host, with such passes.
class Refusing final : public Device {
  public:
    explicit Refusing(bool has_memory) : has_memory_(has_memory) {
        traits_.api = "none";
        traits_.name = "refusing";
        traits_.band_bytes = 1 << 16;
        traits_.direct = true;
    }
    bool usable() const override { return true; }
    Status make_stage(StageKind kind, std::byte *memory, std::size_t bytes, std::unique_ptr<Stage> &stage) override {
        return has_memory_ ? host_device()->make_stage(kind, memory, bytes, stage)
                           : fail(PIXMPI_ERR_MEMORY, "no memory");
    }
    Status make_transfer(Direction direction, std::shared_ptr<Surface> surface, std::shared_ptr<const Region> region,
                         std::unique_ptr<Transfer> &transfer) override {
        return host_device()->make_transfer(direction, std::move(surface), std::move(region), transfer);
    }
    Status make_scratch(pixMPI_Format format, Extent extent, std::shared_ptr<Surface> &surface) override {
        return host_device()->make_scratch(format, extent, surface);
    }
    Status make_passes(std::unique_ptr<Passes> &passes) override {
        passes = std::make_unique<NoShaders>();
        return PIXMPI_SUCCESS;
    }

  private:
    const bool has_memory_;
};

} // namespace

TEST(DeviceSearch, WhatShadersDoNotTakeIsNotFound) {
    std::vector<std::byte> pixels(40 * 30 * 4);
    std::shared_ptr<Surface> plane;
    ASSERT_EQ(make_host_surface(pixMPI_Memory(pixels.data(), PIXMPI_RGBA8, 40, 30), plane), PIXMPI_SUCCESS);
    for (const bool has_memory : {true, false}) {
        std::unique_ptr<DeviceSearch> search;
        ASSERT_EQ(DeviceSearch::make(std::make_shared<Refusing>(has_memory), search), PIXMPI_SUCCESS);
        ASSERT_NE(search, nullptr);
        ASSERT_EQ(search->begin(plane, {3, 4, 30, 20}, false), PIXMPI_SUCCESS) << pixMPI_Error_text();
        bool over = false;
        for (int i = 0; i < 1000 && !over; ++i)
            ASSERT_EQ(search->advance(over), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_TRUE(over);
        EXPECT_FALSE(search->found().has_value());
        EXPECT_TRUE(search->settled());
    }
}

TEST(DeviceSearch, TheHostHasNoShaders) {
    std::unique_ptr<DeviceSearch> search;
    EXPECT_EQ(DeviceSearch::make(host_device(), search), PIXMPI_SUCCESS);
    EXPECT_EQ(search, nullptr);
}
