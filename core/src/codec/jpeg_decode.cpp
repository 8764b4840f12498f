#include "base/format.h"
#include "codec/jpeg_library.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::byte end_of_image[2] = {std::byte{0xff}, std::byte{0xd9}};

/// Some restart intervals of a stream as a separate JPEG: the stream's header with another height, those intervals, an
/// end.
class StripDecoder : public JpegObject<jpeg_decompress_struct> {
  public:
    StripDecoder(std::span<const std::byte> stream, const JpegMap &map, std::size_t first, std::size_t last,
                 unsigned height)
        : header_(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(map.data)), first_(first) {
        header_[map.height_at] = static_cast<std::byte>(height >> 8);
        header_[map.height_at + 1] = static_cast<std::byte>(height & 0xff);
        parts_[0] = header_;
        parts_[1] = map.between(stream, first, last);
        parts_[2] = end_of_image;
    }

    /// `extract` gets the pixels or the coefficients from the library after it has read the header. False: `failure`.
    template <class Extract> bool decode(const JpegGrid &grid, Extract extract) {
        return guard([&] {
            jpeg_create_decompress(&jpeg);
            source_.init_source = [](j_decompress_ptr) {};
            source_.fill_input_buffer = [](j_decompress_ptr any) -> boolean {
                auto &self = static_cast<StripDecoder &>(of(any));
                if (self.next_ == std::size(self.parts_))
                    self.give_up(PIXMPI_ERR_CODEC, "the stream ends within the pixels");
                const std::span<const std::byte> part = self.parts_[self.next_++];
                any->src->next_input_byte = reinterpret_cast<const JOCTET *>(part.data());
                any->src->bytes_in_buffer = part.size();
                return part.empty() ? any->src->fill_input_buffer(any) : TRUE;
            };
            source_.skip_input_data = [](j_decompress_ptr any, long bytes) {
                if (bytes > 0 && static_cast<std::size_t>(bytes) > any->src->bytes_in_buffer)
                    of(any).give_up(PIXMPI_ERR_CODEC, "the header is cut or damaged");
                if (bytes > 0) {
                    any->src->next_input_byte += bytes;
                    any->src->bytes_in_buffer -= static_cast<std::size_t>(bytes);
                }
            };
            // Markers are numbered from the picture's beginning, not from the strip's.
            source_.resync_to_restart = [](j_decompress_ptr any, int desired) -> boolean {
                auto &self = static_cast<StripDecoder &>(of(any));
                if (any->unread_marker !=
                    static_cast<int>(0xd0 + (static_cast<std::size_t>(desired) + self.first_) % 8))
                    self.give_up(PIXMPI_ERR_CODEC, "a restart marker is missing");
                any->unread_marker = 0;
                return TRUE;
            };
            source_.term_source = [](j_decompress_ptr) {};
            jpeg.src = &source_;
            jpeg_read_header(&jpeg, TRUE);
            if (jpeg.jpeg_color_space != (grid.grey ? JCS_GRAYSCALE : JCS_YCbCr))
                give_up(PIXMPI_ERR_CODEC, "other colours than grey and YCbCr");
            extract(jpeg);
        });
    }

  private:
    std::vector<std::byte> header_;
    const std::size_t first_; ///< interval
    std::span<const std::byte> parts_[3];
    std::size_t next_ = 0;
    jpeg_source_mgr source_{};
};

/// A strip's intervals, and its rows of pixels.
struct Piece {
    std::size_t first, last; ///< intervals
    unsigned top, bottom;    ///< rows
};

/// What a stream's map allows to do apart: whole strips.
class Pieces {
  public:
    /// `around`: strips above and below a piece that are decoded with it, which pays when it has several itself.
    Pieces(const Workers &workers, const JpegMap &map, std::size_t around) : map_(map) {
        if (map.strip_rows)
            count_ = jpeg_strips(workers, map.grid, strips() / (1 + 3 * around));
    }
    std::size_t count() const { return count_; }
    /// With the strips around it, as far as there are some.
    Piece piece(std::size_t k, std::size_t around = 0) const {
        if (count_ == 1)
            return {0, map_.count(), 0, map_.grid.size.height};
        std::size_t first = strips() * k / count_, last = strips() * (k + 1) / count_;
        first -= std::min(around, first);
        last = std::min(strips(), last + around);
        return {first * map_.strip_intervals, std::min(map_.count(), last * map_.strip_intervals), row(first),
                row(last)};
    }

  private:
    std::size_t strips() const { return (map_.count() + map_.strip_intervals - 1) / map_.strip_intervals; }
    unsigned row(std::size_t strip) const {
        return static_cast<unsigned>(
            std::min<std::size_t>(map_.grid.size.height, strip * map_.strip_rows * map_.grid.unit_height()));
    }
    const JpegMap &map_;
    std::size_t count_ = 1;
};

/// decode(k, scratch) does a piece and returns its failure.
template <class Decode> Status decode_pieces(Workers &workers, const Pieces &pieces, Decode decode) {
    std::vector<JpegFailure> failures(pieces.count());
    workers.for_all(failures.size(), [&](std::size_t k, Scratch &scratch) { failures[k] = decode(k, scratch); });
    for (const JpegFailure &failure : failures)
        if (failure.code)
            return fail(failure.code, "JPEG: %s", failure.text);
    return PIXMPI_SUCCESS;
}

/// Maps a stream of so many pixels.
Status map_expected(std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels, JpegMap &map) {
    if (const Status status = check_jpeg_format(format))
        return status;
    if (const Status status = map_jpeg(stream, map))
        return status;
    const JpegSize size = map.grid.size;
    const bool fits = size.pixels() >= pixels && size.pixels() - pixels < size.width && size.width <= pixels;
    if (!fits)
        return fail(PIXMPI_ERR_CODEC, "JPEG: %u x %u pixels, expected %llu, up to the end of a row", size.width,
                    size.height, static_cast<unsigned long long>(pixels));
    if (map.grid.grey != jpeg_format(format).grey())
        return fail(PIXMPI_ERR_FORMAT, "format: %s, and the JPEG that came has %s", format_info(format).name,
                    map.grid.grey ? "grey alone" : "colours");
    return PIXMPI_SUCCESS;
}

} // namespace

Status jpeg_decode(Workers &workers, std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels,
                   std::byte *out) {
    return without_throwing([&]() -> Status {
        JpegMap map;
        if (const Status status = map_expected(stream, format, pixels, map))
            return status;
        const JpegFormat kind = jpeg_format(format);
        const std::size_t row_bytes = std::size_t{map.grid.size.width} * static_cast<std::size_t>(kind.bytes);
        const std::uint64_t full_rows = pixels / map.grid.size.width;
        // Where chromas have half the rows, pixels at a strip's edge also depend on those beyond it.
        const std::size_t around = map.grid.unit_height() == 16 ? 1 : 0;
        const Pieces pieces(workers, map, around);
        return decode_pieces(workers, pieces, [&](std::size_t k, Scratch &scratch) {
            const Piece own = pieces.piece(k), all = pieces.piece(k, around);
            StripDecoder strip(stream, map, all.first, all.last, all.bottom - all.top);
            std::byte *const aside = scratch.get(row_bytes);
            strip.decode(map.grid, [&](jpeg_decompress_struct &jpeg) {
                jpeg.out_color_space = kind.out;
                jpeg_start_decompress(&jpeg);
                for (unsigned y = all.top; y < own.bottom; ++y) {
                    const bool wanted = y >= own.top, cut = y >= full_rows;
                    std::byte *const at = wanted && !cut ? out + y * row_bytes : aside;
                    JSAMPROW row = reinterpret_cast<JSAMPROW>(at);
                    jpeg_read_scanlines(&jpeg, &row, 1);
                    if (wanted && cut)
                        std::memcpy(out + y * row_bytes, aside,
                                    pixels % map.grid.size.width * static_cast<std::size_t>(kind.bytes));
                }
                if (own.bottom == all.bottom)
                    jpeg_finish_decompress(&jpeg);
            });
            return strip.failure;
        });
    });
}

Status jpeg_read_grid(std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels, JpegGrid &grid) {
    return without_throwing([&]() -> Status {
        JpegMap map;
        if (const Status status = map_expected(stream, format, pixels, map))
            return status;
        grid = map.grid;
        return PIXMPI_SUCCESS;
    });
}

Status jpeg_decode_coefficients(Workers &workers, std::span<const std::byte> stream, const JpegGrid &grid,
                                std::int16_t *coefficients, JpegSteps &steps) {
    return without_throwing([&]() -> Status {
        JpegMap map;
        if (const Status status = map_jpeg(stream, map))
            return status;
        if (map.grid != grid)
            return fail(PIXMPI_ERR_CODEC, "JPEG: another picture than the one that the grid was read of");
        const Pieces pieces(workers, map, 0);
        return decode_pieces(workers, pieces, [&](std::size_t k, Scratch &) {
            const Piece own = pieces.piece(k);
            StripDecoder strip(stream, map, own.first, own.last, own.bottom - own.top);
            strip.decode(grid, [&](jpeg_decompress_struct &jpeg) {
                jvirt_barray_ptr *const arrays = jpeg_read_coefficients(&jpeg);
                const unsigned first = own.top / grid.unit_height();
                const unsigned units = (own.bottom - own.top + grid.unit_height() - 1) / grid.unit_height();
                for (unsigned c = 0; c < grid.components(); ++c) {
                    const JpegGrid::Component part = grid.component(c);
                    std::int16_t *to =
                        coefficients + (part.first + std::size_t{first} * part.down * part.columns) * DCTSIZE2;
                    for (unsigned y = 0; y < units * part.down; ++y, to += part.columns * DCTSIZE2)
                        std::memcpy(to,
                                    jpeg.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&jpeg), arrays[c], y, 1,
                                                                 FALSE)[0],
                                    part.columns * sizeof(JBLOCK));
                    if (k == 0)
                        std::copy(jpeg.comp_info[c].quant_table->quantval,
                                  jpeg.comp_info[c].quant_table->quantval + DCTSIZE2, steps[c ? 1 : 0].begin());
                }
                jpeg_finish_decompress(&jpeg);
            });
            return strip.failure;
        });
    });
}

} // namespace pixmpi
