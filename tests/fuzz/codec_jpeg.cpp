// A stream that claims to be pixels by JPEG; or any pixels, and the same number has to come back.
#include "entries.h"

#include "base/format.h"
#include "codec/jpeg.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

using namespace pixmpi;

namespace {

enum : std::uint8_t { kind_pixels = 1, kind_coefficients = 2, kind_threads = 4, kind_420 = 8, kind_422 = 16 };

struct Announced {
    std::uint8_t kind, format;
    std::uint16_t width;  ///< of pixels
    std::uint32_t pixels; ///< of a stream
};

constexpr pixMPI_Format formats[] = {PIXMPI_R8, PIXMPI_RGB8, PIXMPI_BGR8, PIXMPI_RGBA8, PIXMPI_BGRA8, PIXMPI_RGBA16};

std::unique_ptr<std::byte[]> exactly(std::span<const std::byte> bytes) {
    auto copy = std::make_unique<std::byte[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), copy.get());
    return copy;
}

void require_known(Status status) {
    fuzz::require(status == PIXMPI_SUCCESS || status == PIXMPI_ERR_CODEC || status == PIXMPI_ERR_FORMAT,
                  "pixels, or an error of the stream or of its format");
    fuzz::require(status == PIXMPI_SUCCESS || pixmpi::error_text()[0], "an error has a text");
}

void there_and_back(Workers &workers, const Announced &announced, pixMPI_Format format,
                    std::span<const std::byte> data) {
    const std::size_t pixels = data.size() / static_cast<std::size_t>(format_info(format).bytes);
    if (pixels == 0 || check_jpeg_format(format))
        return;
    const Subsampling subsampling = announced.kind & kind_420   ? Subsampling::s420
                                    : announced.kind & kind_422 ? Subsampling::s422
                                                                : Subsampling::s444;
    data = data.first(pixels * static_cast<std::size_t>(format_info(format).bytes));
    const auto input = exactly(data), out = exactly(data);
    std::vector<std::byte> stream;
    fuzz::require(jpeg_encode(workers, {input.get(), format, pixels, announced.width},
                              1 + static_cast<int>(announced.pixels % 100), subsampling, stream) == 0,
                  "any pixels can be encoded");
    fuzz::require(jpeg_decode(workers, stream, format, pixels, out.get()) == 0, "what was encoded is decoded");
}

void coefficients(Workers &workers, std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels) {
    JpegGrid grid;
    if (const Status status = jpeg_read_grid(stream, format, pixels, grid))
        return require_known(status);
    fuzz::require(grid.blocks() <= 12 * (pixels / 64 + 2 * (grid.size.width + grid.size.height)),
                  "there are no more blocks than pixels make");
    std::vector<std::int16_t> values(grid.blocks() * 64);
    JpegSteps steps{};
    const Status status = jpeg_decode_coefficients(workers, stream, grid, values.data(), steps);
    require_known(status);
    std::vector<std::byte> again;
    for (std::int16_t &value : values) // those of a damaged stream may be larger than any of ours
        value = std::clamp<std::int16_t>(value, -1023, 1023);
    if (status == PIXMPI_SUCCESS)
        require_known(jpeg_encode_coefficients(workers, grid, 50, values.data(), again));
}

} // namespace

void fuzz::codec_jpeg(Input input) {
    static Workers alone(1), several(3);
    Announced announced;
    if (input.size() < sizeof announced)
        return;
    std::memcpy(&announced, input.data(), sizeof announced);
    const pixMPI_Format format = formats[announced.format % std::size(formats)];
    Workers &workers = announced.kind & kind_threads ? several : alone;
    const std::span<const std::byte> rest = std::as_bytes(input.subspan(sizeof announced));
    if (announced.kind & kind_pixels)
        return there_and_back(workers, announced, format, rest);
    announced.pixels %= 1 << 18;
    const auto stream = exactly(rest);
    if (announced.kind & kind_coefficients)
        return coefficients(workers, {stream.get(), rest.size()}, format, announced.pixels);
    const auto out =
        std::make_unique<std::byte[]>(announced.pixels * static_cast<std::size_t>(format_info(format).bytes));
    Codec codec(workers);
    require_known(codec.decode({stream.get(), rest.size()}, format, announced.pixels, out.get()));
}
