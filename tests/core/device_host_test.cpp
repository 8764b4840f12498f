// Host memory as a device: what it makes, and the surfaces it refuses. That it copies right is in tests/device.
#include "base/format.h"
#include "host/host_device.h"

#include <climits>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

using namespace pixmpi;

namespace {

std::byte pixels[4096];

pixMPI_Surface named() { return pixMPI_Memory(pixels, PIXMPI_RGBA8, 16, 8); }

void refused(const pixMPI_Surface &surface, int code, const std::vector<std::string> &words) {
    std::shared_ptr<Surface> made;
    EXPECT_EQ(make_host_surface(surface, made), code);
    EXPECT_EQ(made, nullptr);
    const std::string text = pixMPI_Error_text();
    for (const std::string &word : words)
        EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

void taken(const pixMPI_Surface &surface) {
    std::shared_ptr<Surface> made;
    ASSERT_EQ(make_host_surface(surface, made), PIXMPI_SUCCESS) << pixMPI_Error_text();
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->device, host_device());
    EXPECT_EQ(made->extent.width, surface.width);
    EXPECT_EQ(made->extent.height, surface.height);
    EXPECT_EQ(made->pixel_bytes, pixMPI_Format_bytes(surface.format));
}

} // namespace

TEST(device_host, surfaces) {
    taken(named());
    pixMPI_Surface surface = named();
    surface.row_bytes = 68;
    taken(surface);
    surface.row_bytes = -64;
    taken(surface);
    for (const auto &[width, height] : {std::pair{0, 0}, {0, 5}, {5, 0}})
        taken(pixMPI_Memory(nullptr, PIXMPI_R8, width, height));
}

TEST(device_host, surfaces_that_are_none) {
    pixMPI_Surface surface = named();
    surface.data = nullptr;
    refused(surface, PIXMPI_ERR_SURFACE, {"surface.data", "null", "expected"});
    for (const int negative : {-1, INT_MIN}) {
        surface = named();
        surface.width = negative;
        refused(surface, PIXMPI_ERR_SURFACE, {"surface.width", std::to_string(negative), "expected"});
        surface = named();
        surface.height = negative;
        refused(surface, PIXMPI_ERR_SURFACE, {"surface.height", std::to_string(negative), "expected"});
    }
    for (const std::ptrdiff_t bytes :
         {std::ptrdiff_t{63}, std::ptrdiff_t{-63}, std::ptrdiff_t{0}, PTRDIFF_MAX, PTRDIFF_MIN}) {
        surface = named();
        surface.row_bytes = bytes;
        refused(surface, PIXMPI_ERR_SURFACE, {"surface.row_bytes", std::to_string(bytes), "expected", "64", "RGBA8"});
    }
    surface = pixMPI_Memory(pixels, PIXMPI_RGBA32F, INT_MAX, INT_MAX);
    refused(surface, PIXMPI_ERR_SURFACE, {"surface: 2147483647x2147483647", "RGBA32F", "expected at most"});
    for (const int format : {0, static_cast<int>(PIXMPI_FORMAT_END), -1}) {
        surface = named();
        surface.format = static_cast<pixMPI_Format>(format);
        refused(surface, PIXMPI_ERR_FORMAT, {"surface.format", std::to_string(format), "expected"});
    }
}

TEST(device_host, what_it_says_of_itself) {
    const std::shared_ptr<Device> host = host_device();
    EXPECT_STREQ(host->api(), "host");
    EXPECT_NE(std::strlen(host->name()), 0u);
    EXPECT_TRUE(host->usable());
    EXPECT_TRUE(host->direct());
    EXPECT_EQ(host->band_bytes(), std::size_t{256} << 10);
    EXPECT_EQ(host, host_device()) << "there is one";
}

TEST(device_host, stages) {
    std::byte memory[100];
    std::unique_ptr<Stage> stage;
    ASSERT_EQ(host_device()->make_stage(StageKind::shared, memory, sizeof memory, stage), PIXMPI_SUCCESS);
    EXPECT_EQ(stage->host, memory) << "shared memory is used where it lies";
    EXPECT_EQ(stage->bytes, sizeof memory);
    for (const StageKind kind : {StageKind::mapped, StageKind::local})
        for (const std::size_t bytes : {1, 64, 1000, 300'001}) {
            ASSERT_EQ(host_device()->make_stage(kind, nullptr, bytes, stage), PIXMPI_SUCCESS);
            EXPECT_EQ(stage->bytes, bytes);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stage->host) % 64, 0u);
            std::memset(stage->host, 0x5a, bytes);
        }
}

TEST(device_host, out_of_memory) {
    std::unique_ptr<Stage> stage;
    for (const std::size_t bytes : {PTRDIFF_MAX - std::size_t{4096}, SIZE_MAX}) {
        EXPECT_EQ(host_device()->make_stage(StageKind::mapped, nullptr, bytes, stage), PIXMPI_ERR_MEMORY);
        EXPECT_EQ(stage, nullptr);
        EXPECT_NE(std::string(pixMPI_Error_text()).find("expected"), std::string::npos);
    }
}
