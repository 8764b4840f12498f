// JPEG by the devices' shaders: streams and pixels are those of libjpeg, bit for bit.
#include "../core/codec_jpeg_rig.h"
#include "suite.h"

#include "base/wait.h"
#include "coding/jpeg_coder.h"

using namespace device_suite;
using codec_pictures::noise;
using codec_pictures::plain_decode;
using codec_pictures::plain_encode;
using pixmpi::JpegCoder;
using pixmpi::JpegGrid;
using pixmpi::JpegSteps;
using pixmpi::JpegTask;
using pixmpi::StageKind;
using pixmpi::Subsampling;
using pixmpi::Ticket;

namespace {

struct Case {
    pixMPI_Format format;
    Subsampling subsampling;
    int width, height, quality;
};
// All formats and samplings; sizes around those of a block, a unit, an interval and a word.
constexpr Case cases[] = {
    {PIXMPI_RGBA8, Subsampling::s420, 1, 1, 90},       {PIXMPI_RGBA8, Subsampling::s420, 250, 131, 95},
    {PIXMPI_RGBA8, Subsampling::s420, 64, 1, 50},      {PIXMPI_RGBA8, Subsampling::s444, 100, 75, 60},
    {PIXMPI_RGBA8, Subsampling::s422, 17, 33, 90},     {PIXMPI_BGRA8, Subsampling::s420, 3, 2, 90},
    {PIXMPI_BGRA8, Subsampling::s420, 300, 40, 90},    {PIXMPI_RGBA8_SRGB, Subsampling::s420, 5, 70, 100},
    {PIXMPI_BGRA8_SRGB, Subsampling::s422, 61, 9, 75}, {PIXMPI_RGB8, Subsampling::s420, 33, 17, 90},
    {PIXMPI_RGB8, Subsampling::s444, 7, 15, 1},        {PIXMPI_BGR8, Subsampling::s422, 97, 48, 85},
    {PIXMPI_R8, Subsampling::s444, 9, 9, 90},          {PIXMPI_R8, Subsampling::s444, 203, 57, 30}};

std::size_t pixel_bytes(pixMPI_Format format) { return static_cast<std::size_t>(pixMPI_Format_bytes(format)); }

/// Units in an interval, as the stream's header says.
unsigned interval_of(std::span<const std::byte> stream) {
    constexpr std::byte marker[] = {std::byte{0xff}, std::byte{0xdd}, std::byte{0}, std::byte{4}};
    const auto at = std::search(stream.begin(), stream.end(), std::begin(marker), std::end(marker));
    if (stream.end() - at < 6)
        return 0;
    return std::to_integer<unsigned>(at[4]) << 8 | std::to_integer<unsigned>(at[5]);
}

class Jpeg : public OnEachRig {
  protected:
    void SetUp() override {
        OnEachRig::SetUp();
        surface_ = rig->make(any_format(), {1, 1}, Bytes(pixel_bytes(any_format())));
        ASSERT_NE(surface_, nullptr);
        coder_ = make_coder();
        ASSERT_EQ(coder_ != nullptr, rig->has_passes());
    }

    std::unique_ptr<JpegCoder> make_coder() {
        std::unique_ptr<JpegCoder> coder;
        EXPECT_EQ(JpegCoder::make(surface_->device, coder), PIXMPI_SUCCESS) << pixMPI_Error_text();
        return coder;
    }

    pixMPI_Format any_format() const { return all_formats(*rig).front(); }

    template <class Work> static void wait_for(Work &work, Ticket ticket) {
        pixmpi::Wait wait;
        for (bool over = ticket == pixmpi::done; !over; wait.pause()) {
            ASSERT_EQ(work.poll(ticket, over), PIXMPI_SUCCESS) << pixMPI_Error_text();
            ASSERT_LT(wait.waited(), std::chrono::seconds(60));
        }
    }

    std::unique_ptr<pixmpi::Stage> stage(std::size_t bytes) {
        std::unique_ptr<pixmpi::Stage> made;
        EXPECT_EQ(rig->device().make_stage(StageKind::local, nullptr, bytes, made), PIXMPI_SUCCESS)
            << pixMPI_Error_text();
        return made;
    }

    /// The region's first pixels, at `offset` of a stage; or the way back.
    void move(Direction direction, std::shared_ptr<pixmpi::Surface> surface, const std::vector<pixMPI_Rect> &rects,
              std::uint64_t pixels, pixmpi::Stage &stage, std::size_t offset) {
        std::unique_ptr<pixmpi::Transfer> transfer;
        ASSERT_EQ(rig->device().make_transfer(direction, std::move(surface), region_of(rects), transfer),
                  PIXMPI_SUCCESS)
            << pixMPI_Error_text();
        transfer->start();
        ASSERT_EQ(transfer->begin(pixels), PIXMPI_SUCCESS);
        Ticket ticket = pixmpi::done;
        ASSERT_EQ(transfer->copy(0, pixels, stage, offset, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
        wait_for(*transfer, ticket);
        ASSERT_EQ(transfer->end(), PIXMPI_SUCCESS);
    }

    /// `pixels` of the region's, 0: all. Empty when the stream does not fit into `most` bytes.
    Bytes encode(const Picture &picture, const pixMPI_Rect &rect, const Case &c, std::uint64_t pixels = 0,
                 std::size_t most = std::size_t{4} << 20) {
        constexpr std::size_t offset = 48;
        const auto surface = rig->make(picture.format, picture.extent, picture.pixels);
        if (pixels == 0)
            pixels = static_cast<std::uint64_t>(rect.width) * static_cast<std::uint64_t>(rect.height);
        const auto from = stage(offset + pixels * pixel_bytes(picture.format));
        move(Direction::pack, surface, {rect}, pixels, *from, offset);
        Ticket ticket = pixmpi::done;
        bool accepted = false;
        const JpegTask task{c.format, pixels, static_cast<std::uint64_t>(rect.width), c.quality, c.subsampling};
        EXPECT_EQ(coder_->encode(task, *from, offset, most, ticket, accepted), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_TRUE(accepted);
        if (!accepted)
            return {};
        wait_for(*coder_, ticket);
        const std::span<const std::byte> stream = coder_->stream();
        rig->check(*surface);
        return {stream.begin(), stream.end()};
    }

    void check_stream(const Case &c, const Bytes &stream, const Bytes &data) {
        ASSERT_FALSE(stream.empty());
        const Bytes expected = plain_encode(data, c.format, static_cast<unsigned>(c.width), c.quality, c.subsampling, 0,
                                            interval_of(stream));
        EXPECT_TRUE(stream == expected) << stream.size() << " bytes, expected " << expected.size();
    }

    /// What the shaders make of a stream, in a part of a surface.
    void check_decoded(const Case &c, const Bytes &stream, std::uint64_t pixels) {
        constexpr std::size_t offset = 32;
        const pixMPI_Rect rect{3, 2, c.width, c.height};
        Random random(1);
        Picture picture = random_picture(*rig, c.format, {c.width + 5, c.height + 3}, random);
        const auto surface = rig->make(c.format, picture.extent, picture.pixels);
        JpegGrid grid;
        ASSERT_EQ(pixmpi::jpeg_read_grid(stream, c.format, pixels, grid), PIXMPI_SUCCESS) << pixMPI_Error_text();
        std::int16_t *coefficients = nullptr;
        bool accepted = false;
        ASSERT_EQ(coder_->make_room(grid, c.format, coefficients, accepted), PIXMPI_SUCCESS) << pixMPI_Error_text();
        ASSERT_TRUE(accepted);
        JpegSteps steps;
        pixmpi::Workers workers(2);
        ASSERT_EQ(pixmpi::jpeg_decode_coefficients(workers, stream, grid, coefficients, steps), PIXMPI_SUCCESS)
            << pixMPI_Error_text();
        const auto to = stage(offset + (pixels * pixel_bytes(c.format) + 3) / 4 * 4);
        Ticket ticket = pixmpi::done;
        ASSERT_EQ(coder_->decode(steps, pixels, *to, offset, ticket, accepted), PIXMPI_SUCCESS) << pixMPI_Error_text();
        ASSERT_TRUE(accepted);
        wait_for(*coder_, ticket);
        move(Direction::unpack, surface, {rect}, pixels, *to, offset);
        Bytes expected = plain_decode(stream, c.format);
        expected.resize(pixels * pixel_bytes(c.format));
        picture.unpack(*region_of({rect}), expected);
        expect_same(c.format, picture.pixels, rig->read(*surface), "decoded");
        rig->check(*surface);
    }

    std::unique_ptr<JpegCoder> coder_; ///< null: the device has none, which SetUp() has checked
    std::shared_ptr<pixmpi::Surface> surface_;
};

std::string name_of(const Case &c) {
    return std::string(pixMPI_Format_name(c.format)) + " " + std::to_string(c.width) + " x " +
           std::to_string(c.height) + ", subsampling " + std::to_string(static_cast<int>(c.subsampling));
}

Bytes picture_of(const Case &c) { return codec_pictures::picture(c.format, c.width, c.height); }

/// Nothing between black and white, point by point: coefficients are as large as they get.
Bytes extremes(std::size_t bytes) {
    Bytes all = noise(bytes);
    for (std::byte &byte : all)
        byte = (byte & std::byte{1}) == std::byte{0} ? std::byte{0} : std::byte{0xff};
    return all;
}

} // namespace

TEST_P(Jpeg, streams_are_the_librarys) {
    for (const Case &c : cases)
        if (coder_ && has(*rig, Direction::pack, c.format)) {
            SCOPED_TRACE(name_of(c));
            const Bytes picture = picture_of(c);
            for (const Bytes &data : {picture, noise(picture.size())}) {
                const Extent extent{c.width, c.height};
                check_stream(c, encode({c.format, extent, data}, {0, 0, c.width, c.height}, c), data);
            }
        }
}

TEST_P(Jpeg, a_part_of_a_surface_makes_a_stream_of_its_own) {
    const Case c{PIXMPI_RGBA8, Subsampling::s420, 83, 47, 90};
    if (!coder_ || !has(*rig, Direction::pack, c.format))
        return;
    const Picture picture{c.format, {150, 90}, codec_pictures::picture(c.format, 150, 90)};
    const pixMPI_Rect rect{31, 22, c.width, c.height};
    check_stream(c, encode(picture, rect, c), picture.packed(*region_of({rect})));
}

TEST_P(Jpeg, a_last_row_that_is_short_is_filled_from_the_one_above) {
    for (const pixMPI_Format format : {PIXMPI_R8, PIXMPI_RGB8, PIXMPI_RGBA8}) {
        const Case c{format, format == PIXMPI_R8 ? Subsampling::s444 : Subsampling::s420, 50, 40, 80};
        if (!coder_ || !has(*rig, Direction::pack, format))
            continue;
        const Bytes data = picture_of(c);
        Bytes filled = data;
        const auto at = [&](int pixel) { return static_cast<std::ptrdiff_t>(pixel_bytes(format)) * pixel; };
        std::copy(data.begin() + at(1911), data.begin() + at(1950), filled.begin() + at(1961));
        const Bytes stream = encode({format, {50, 40}, data}, {0, 0, 50, 40}, c, 1961);
        check_stream(c, stream, filled);
        if (has(*rig, Direction::unpack, format))
            check_decoded(c, stream, 1961);
    }
}

TEST_P(Jpeg, a_stream_that_does_not_fit_is_told) {
    const Case c{PIXMPI_RGBA8, Subsampling::s444, 70, 50, 100};
    if (!coder_ || !has(*rig, Direction::pack, c.format))
        return;
    const pixMPI_Rect all{0, 0, c.width, c.height};
    const Picture picture{c.format, {c.width, c.height}, noise(picture_of(c).size())};
    const Bytes stream = encode(picture, all, c);
    ASSERT_FALSE(stream.empty());
    EXPECT_TRUE(encode(picture, all, c, 0, stream.size()) == stream);
    EXPECT_TRUE(encode(picture, all, c, 0, stream.size() - 1).empty());
    // Intervals that are larger than any of use.
    const Picture worst{c.format, {c.width, c.height}, extremes(picture.pixels.size())};
    EXPECT_TRUE(encode(worst, all, c).empty());
    EXPECT_TRUE(encode(picture, all, c) == stream) << "after one that did not fit";
}

TEST_P(Jpeg, pixels_are_the_librarys) {
    for (const Case &c : cases)
        if (coder_ && has(*rig, Direction::unpack, c.format)) {
            SCOPED_TRACE(name_of(c));
            const Bytes picture = picture_of(c);
            for (const Bytes &data : {picture, noise(picture.size())}) {
                const Bytes stream =
                    plain_encode(data, c.format, static_cast<unsigned>(c.width), c.quality, c.subsampling, 0, 3);
                check_decoded(c, stream, static_cast<std::uint64_t>(c.width) * static_cast<std::uint64_t>(c.height));
            }
        }
}

TEST_P(Jpeg, what_no_shader_does_is_not_taken) {
    if (!coder_)
        return;
    const auto from = stage(4096);
    Ticket ticket = pixmpi::done;
    for (const auto &[format, pixels, most] : {std::tuple{PIXMPI_R16, 64u, 4096u},
                                               {PIXMPI_DEPTH32F, 64u, 4096u},
                                               {PIXMPI_RGBA8, 0u, 4096u},
                                               {PIXMPI_RGBA8, 64u, 100u}}) {
        bool accepted = true;
        EXPECT_EQ(coder_->encode({format, pixels, 8, 90, Subsampling::s420}, *from, 0, most, ticket, accepted),
                  PIXMPI_SUCCESS);
        EXPECT_FALSE(accepted);
        EXPECT_TRUE(coder_->stream().empty());
    }
    bool accepted = true;
    std::int16_t *coefficients = nullptr;
    EXPECT_EQ(coder_->make_room({{65500, 65500}, false, Subsampling::s444}, PIXMPI_RGBA8, coefficients, accepted),
              PIXMPI_SUCCESS);
    EXPECT_FALSE(accepted);
}

TEST_P(Jpeg, a_coder_may_go_with_a_picture_under_way) {
    if (!coder_)
        return;
    const auto from = stage(64 * 64 * 4);
    const auto other = make_coder();
    Ticket ticket = pixmpi::done, others = pixmpi::done;
    bool accepted = false;
    const JpegTask task{PIXMPI_RGBA8, 64 * 64, 64, 90, Subsampling::s420};
    ASSERT_EQ(coder_->encode(task, *from, 0, 1 << 20, ticket, accepted), PIXMPI_SUCCESS) << pixMPI_Error_text();
    ASSERT_EQ(other->encode(task, *from, 0, 1 << 20, others, accepted), PIXMPI_SUCCESS) << pixMPI_Error_text();
    coder_.reset();
    wait_for(*other, others);
    EXPECT_FALSE(other->stream().empty());
}

ON_EACH_RIG(Jpeg);
