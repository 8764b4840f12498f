// What the tests of the device suite share: random choices that can be repeated, a packer that is too simple to be
// wrong, and one message's way through a transfer.
#pragma once

#include "rig.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace device_suite {

using pixmpi::Direction;
using pixmpi::Extent;
using pixmpi::Region;

/// Random choices of one round. Its seed is PIXMPI_SEED, else drawn from PIXMPI_SEEDS, a number for a whole run, or 1.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    /// 0 to n-1.
    std::uint64_t below(std::uint64_t n) { return n ? engine_() % n : 0; }
    int between(int least, int most) {
        return least + static_cast<int>(below(static_cast<std::uint64_t>(most - least) + 1));
    }
    Bytes bytes(std::size_t count);
    template <class List> const auto &one_of(const List &list) { return list[below(list.size())]; }
    template <class List> void shuffle(List &list) { std::shuffle(list.begin(), list.end(), engine_); }

  private:
    std::mt19937_64 engine_;
};

/// The next seeds of a test that would like `rounds` of them: with PIXMPI_SEED that one only.
std::vector<std::uint64_t> seeds(int rounds);
/// For SCOPED_TRACE: how to repeat a round.
std::string how_to_repeat(std::uint64_t seed);

std::shared_ptr<const Region> region_of(const std::vector<pixMPI_Rect> &rects);

/// Clears bits that mean nothing, and need not survive.
void drop_unused(pixMPI_Format format, Bytes &pixels);

/// A surface's content, and where the suite expects which pixel.
struct Picture {
    pixMPI_Format format = PIXMPI_FORMAT_NONE;
    Extent extent;
    Bytes pixels; ///< rows without gaps

    /// The region's pixels one after another.
    Bytes packed(const Region &region) const;
    /// Overwrites the region's first pixels with `packed`.
    void unpack(const Region &region, const Bytes &packed);
};

/// Random bytes that a surface of the rig can hold.
Picture random_picture(DeviceRig &rig, pixMPI_Format format, Extent extent, Random &random);

/// Sends the whole region through `transfer` in bands of random sizes, several at a time, at random places of stages of
/// both kinds that the CPU sees. Returns what was packed. Checks that nothing outside the bands is written.
void pack_all(DeviceRig &rig, pixmpi::Transfer &transfer, std::size_t pixel_bytes, std::uint64_t pixels, Random &random,
              Bytes &packed);
/// The same the other way.
void unpack_all(DeviceRig &rig, pixmpi::Transfer &transfer, std::size_t pixel_bytes, const Bytes &packed,
                Random &random);

/// Says where they differ, not only that they do.
void expect_same(pixMPI_Format format, Bytes expected, Bytes actual, const char *what);

/// One message out of a new surface; one into a new surface. Everything is compared with the naive packer.
void check_pack(DeviceRig &rig, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
                Random &random);
void check_unpack(DeviceRig &rig, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
                  Random &random);
/// Those of both that the rig has the format for.
void check_both(DeviceRig &rig, pixMPI_Format format, Extent extent, const std::vector<pixMPI_Rect> &rects,
                Random &random);

bool has(const DeviceRig &rig, Direction direction, pixMPI_Format format);
/// In either direction, each once.
std::vector<pixMPI_Format> all_formats(const DeviceRig &rig);
/// Those that it has both ways and that have an order.
std::vector<pixMPI_Format> formats_to_combine(const DeviceRig &rig);

/// Runs once for each rig.
class OnEachRig : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override;
    std::unique_ptr<DeviceRig> rig;
};

std::vector<std::string> rig_names();

/// Behind the tests of a file.
#define ON_EACH_RIG(Suite)                                                                                             \
    INSTANTIATE_TEST_SUITE_P(device, Suite, testing::ValuesIn(device_suite::rig_names()),                              \
                             [](const auto &each) { return each.param; })

} // namespace device_suite
