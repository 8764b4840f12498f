#include "base/format.h"
#include "codec/jpeg_library.h"

#include <algorithm>
#include <cmath>

namespace pixmpi {
namespace {

/// A JPEG of one strip, in memory that has room for the worst of them and is touched as far as it is used.
class StripEncoder : public JpegObject<jpeg_compress_struct> {
  public:
    explicit StripEncoder(const JpegGrid &grid, JpegStrip strip) : grid_(grid), strip_(strip) {}

    unsigned first_row() const { return strip_.first * grid_.unit_height(); }
    unsigned rows() const { return std::min(grid_.size.height, strip_.last * grid_.unit_height()) - first_row(); }

    /// `feed` gives the pixels or the coefficients to the library between its start and its end. False: `failure`.
    template <class Feed> bool encode(int quality, J_COLOR_SPACE from, int bytes, Feed feed) {
        const std::size_t blocks = grid_.blocks() / grid_.units_down() * (strip_.last - strip_.first);
        // A coefficient takes 26 bits at most, and a byte of 255 is followed by one of 0.
        constexpr std::size_t block = 2 * DCTSIZE2 * 26 / 8;
        room_ = blocks * block + 8 * grid_.units_down() + 4096;
        memory_ = std::make_unique_for_overwrite<std::byte[]>(room_);
        return guard([&] {
            begin(quality, from, bytes);
            feed(jpeg);
            jpeg_finish_compress(&jpeg);
        });
    }

    std::span<std::byte> stream() { return {memory_.get(), room_ - destination_.free_in_buffer}; }

  private:
    void begin(int quality, J_COLOR_SPACE from, int bytes) {
        jpeg_create_compress(&jpeg);
        destination_.init_destination = [](j_compress_ptr any) {
            auto &self = static_cast<StripEncoder &>(of(any));
            any->dest->next_output_byte = reinterpret_cast<JOCTET *>(self.memory_.get());
            any->dest->free_in_buffer = self.room_;
        };
        destination_.empty_output_buffer = [](j_compress_ptr any) -> boolean {
            of(any).give_up(PIXMPI_ERR_MEMORY, "larger than a JPEG can be");
        };
        destination_.term_destination = [](j_compress_ptr) {};
        jpeg.dest = &destination_;
        describe(jpeg, grid_, quality, from, bytes);
        jpeg.image_height = rows();
        jpeg.restart_in_rows = static_cast<int>(jpeg_interval_rows(grid_));
    }

    const JpegGrid &grid_;
    const JpegStrip strip_;
    std::size_t room_ = 0;
    std::unique_ptr<std::byte[]> memory_;
    jpeg_destination_mgr destination_{};
};

/// One JPEG of the strips': the first one's header, with the height of them all, and the intervals of each, numbered
/// on.
Status join(const JpegGrid &grid, std::vector<std::unique_ptr<StripEncoder>> &strips, std::vector<std::byte> &out) {
    std::size_t bytes = 0, intervals = 0;
    for (const auto &strip : strips)
        bytes += strip->stream().size();
    out.clear();
    out.reserve(bytes);
    for (const auto &strip : strips) {
        const std::span<std::byte> stream = strip->stream();
        JpegMap map;
        if (const Status status = map_jpeg(stream, map))
            return status;
        if (out.empty()) {
            stream[map.height_at] = static_cast<std::byte>(grid.size.height >> 8);
            stream[map.height_at + 1] = static_cast<std::byte>(grid.size.height & 0xff);
            out.insert(out.end(), stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(map.data));
        }
        const std::span<std::byte> data = stream.subspan(map.data, stream.size() - map.data);
        shift_restarts(data.first(data.size() - 2), intervals);
        intervals += map.count();
        if (strip != strips.back()) // its end becomes a marker
            data.back() = static_cast<std::byte>(0xd0 + (intervals - 1) % 8);
        out.insert(out.end(), data.begin(), data.end());
    }
    return PIXMPI_SUCCESS;
}

/// encode(strip) gives each strip its content.
template <class Encode>
Status encode_strips(Workers &workers, const JpegGrid &grid, std::vector<std::byte> &out, Encode encode) {
    return without_throwing([&]() -> Status {
        const unsigned interval_rows = jpeg_interval_rows(grid), units = grid.units_down();
        const std::size_t intervals = (units + interval_rows - 1) / interval_rows;
        const std::size_t count = jpeg_strips(workers, grid, intervals);
        std::vector<std::unique_ptr<StripEncoder>> strips(count);
        workers.for_all(count, [&](std::size_t k, Scratch &) {
            const auto bound = [&](std::size_t i) {
                return static_cast<unsigned>(std::min<std::size_t>(units, intervals * i / count * interval_rows));
            };
            strips[k] = std::make_unique<StripEncoder>(grid, JpegStrip{bound(k), bound(k + 1)});
            encode(*strips[k]);
        });
        for (const auto &strip : strips)
            if (strip->failure.code)
                return fail(strip->failure.code == PIXMPI_ERR_MEMORY ? PIXMPI_ERR_MEMORY : PIXMPI_ERR_FORMAT,
                            "JPEG: %s", strip->failure.text);
        return join(grid, strips, out);
    });
}

/// The pixels' last row, filled up; where it is full, null.
const std::byte *filled_row(const PackedPixels &pixels, JpegSize size, std::size_t bytes, std::vector<std::byte> &row) {
    const std::uint64_t some = pixels.pixels % size.width;
    if (some == 0)
        return nullptr;
    row.resize(size.width * bytes);
    const std::byte *const last = pixels.data + (pixels.pixels - some) * bytes;
    std::memcpy(row.data(), last, some * bytes);
    std::memcpy(row.data() + some * bytes, last - (size.width - some) * bytes, (size.width - some) * bytes);
    return row.data();
}

} // namespace

JpegSize jpeg_size(const PackedPixels &pixels) {
    const auto height = [&](std::uint64_t width) { return (pixels.pixels + width - 1) / width; };
    if (pixels.pixels == 0)
        return {};
    std::uint64_t width = std::min(pixels.width, pixels.pixels);
    if (width == 0 || width > jpeg_most_side || height(width) > jpeg_most_side) {
        // About a square, in whole blocks.
        const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(pixels.pixels)));
        width = std::min({(side / 16 + 1) * 16, jpeg_most_side / 16 * 16, pixels.pixels});
        if (height(width) > jpeg_most_side)
            return {};
    }
    return {static_cast<unsigned>(width), static_cast<unsigned>(height(width))};
}

JpegGrid jpeg_grid(const PackedPixels &pixels, Subsampling wanted) {
    const JpegSize size = jpeg_size(pixels);
    const bool grey = jpeg_format(pixels.format).grey();
    const bool rows_are_theirs = pixels.width > 0 && size.width == std::min(pixels.width, pixels.pixels);
    constexpr unsigned unit = 16; // of averaged chroma: half of it would be filled up
    if (grey || !rows_are_theirs || (pixels.apart && size.width < unit))
        return {size, grey, Subsampling::s444};
    return {size, grey, pixels.apart && wanted == Subsampling::s420 ? Subsampling::s422 : wanted};
}

bool jpeg_supports(pixMPI_Format format) { return static_cast<bool>(jpeg_format(format)); }

Status check_jpeg_format(pixMPI_Format format) {
    if (jpeg_supports(format))
        return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_FORMAT, "format: %s, expected R8, RGB8, BGR8, RGBA8 or BGRA8, which JPEG can hold",
                format_info(format).name);
}

Status jpeg_encode(Workers &workers, const PackedPixels &pixels, int quality, Subsampling subsampling,
                   std::vector<std::byte> &out) {
    if (const Status status = check_jpeg_format(pixels.format))
        return status;
    const JpegFormat format = jpeg_format(pixels.format);
    const JpegSize size = jpeg_size(pixels);
    if (!size)
        return fail(PIXMPI_ERR_FORMAT, "JPEG: %llu pixels, expected 1 to %u x %u",
                    static_cast<unsigned long long>(pixels.pixels), static_cast<unsigned>(jpeg_most_side),
                    static_cast<unsigned>(jpeg_most_side));
    return without_throwing([&] {
        const auto bytes = static_cast<std::size_t>(format.bytes);
        const JpegGrid grid = jpeg_grid(pixels, subsampling);
        std::vector<std::byte> row;
        const std::byte *const last = filled_row(pixels, size, bytes, row);
        return encode_strips(workers, grid, out, [&](StripEncoder &strip) {
            strip.encode(quality, format.in, format.bytes, [&](jpeg_compress_struct &jpeg) {
                jpeg_start_compress(&jpeg, TRUE);
                while (jpeg.next_scanline < jpeg.image_height) {
                    const unsigned y = strip.first_row() + jpeg.next_scanline;
                    const std::byte *const from =
                        last && y + 1 == size.height ? last : pixels.data + std::size_t{y} * size.width * bytes;
                    JSAMPROW one = reinterpret_cast<JSAMPROW>(const_cast<std::byte *>(from)); // it only reads
                    jpeg_write_scanlines(&jpeg, &one, 1);
                }
            });
        });
    });
}

Status jpeg_encode_coefficients(Workers &workers, const JpegGrid &grid, int quality, const std::int16_t *coefficients,
                                std::vector<std::byte> &out) {
    return encode_strips(workers, grid, out, [&](StripEncoder &strip) {
        const J_COLOR_SPACE from = grid.grey ? JCS_GRAYSCALE : JCS_YCbCr;
        strip.encode(quality, from, static_cast<int>(grid.components()), [&](jpeg_compress_struct &jpeg) {
            const auto any = reinterpret_cast<j_common_ptr>(&jpeg);
            const unsigned first = strip.first_row() / grid.unit_height();
            const unsigned units = (strip.rows() + grid.unit_height() - 1) / grid.unit_height();
            // The library keeps the pointer.
            auto *const arrays = static_cast<jvirt_barray_ptr *>(
                jpeg.mem->alloc_small(any, JPOOL_IMAGE, grid.components() * sizeof(jvirt_barray_ptr)));
            for (unsigned c = 0; c < grid.components(); ++c) {
                const JpegGrid::Component part = grid.component(c);
                arrays[c] =
                    jpeg.mem->request_virt_barray(any, JPOOL_IMAGE, FALSE, part.columns, units * part.down, part.down);
            }
            jpeg_write_coefficients(&jpeg, arrays);
            for (unsigned c = 0; c < grid.components(); ++c) {
                const JpegGrid::Component part = grid.component(c);
                const std::int16_t *from_row =
                    coefficients + (part.first + std::size_t{first} * part.down * part.columns) * DCTSIZE2;
                for (unsigned y = 0; y < units * part.down; ++y, from_row += part.columns * DCTSIZE2)
                    std::memcpy(jpeg.mem->access_virt_barray(any, arrays[c], y, 1, TRUE)[0], from_row,
                                part.columns * sizeof(JBLOCK));
            }
        });
    });
}

} // namespace pixmpi
