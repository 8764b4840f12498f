#include "plain_jpeg.h"

#include "base/format.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <jpeglib.h>

namespace {

J_COLOR_SPACE space_of(pixMPI_Format format) {
    const pixmpi::FormatInfo &info = pixmpi::format_info(format);
    if (info.channels == 1)
        return JCS_GRAYSCALE;
    if (info.channels == 3)
        return info.bgr ? JCS_EXT_BGR : JCS_EXT_RGB;
    return info.bgr ? JCS_EXT_BGRA : JCS_EXT_RGBA;
}

} // namespace

std::vector<std::byte> PlainJpeg::encode(std::span<const std::byte> pixels) const {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char *memory = nullptr;
    unsigned long bytes = 0;
    jpeg_mem_dest(&jpeg, &memory, &bytes);
    jpeg.image_width = static_cast<JDIMENSION>(width);
    jpeg.image_height = static_cast<JDIMENSION>(height);
    jpeg.input_components = pixmpi::format_info(format).channels;
    jpeg.in_color_space = space_of(format);
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg.restart_in_rows = restart_rows;
    jpeg.restart_interval = restart_units;
    if (jpeg.num_components == 3) {
        jpeg.comp_info[0].h_samp_factor = chroma_columns;
        jpeg.comp_info[0].v_samp_factor = chroma_rows;
    }
    jpeg_start_compress(&jpeg, TRUE);
    const std::size_t row_bytes = pixels.size() / static_cast<std::size_t>(height);
    while (jpeg.next_scanline < jpeg.image_height) {
        const std::byte *const at = pixels.data() + jpeg.next_scanline * row_bytes;
        JSAMPROW row = reinterpret_cast<JSAMPROW>(const_cast<std::byte *>(at)); // it only reads
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    const auto *const first = reinterpret_cast<const std::byte *>(memory);
    std::vector<std::byte> stream(first, first + bytes);
    jpeg_destroy_compress(&jpeg);
    std::free(memory);
    return stream;
}

std::vector<std::byte> PlainJpeg::decode(std::span<const std::byte> stream, long *warnings) const {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char *>(stream.data()), stream.size());
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = space_of(format);
    jpeg_start_decompress(&jpeg);
    const std::size_t row_bytes = std::size_t{jpeg.output_width} * static_cast<std::size_t>(jpeg.output_components);
    std::vector<std::byte> pixels(row_bytes * jpeg.output_height);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = reinterpret_cast<JSAMPROW>(pixels.data() + jpeg.output_scanline * row_bytes);
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    if (warnings)
        *warnings = errors.num_warnings;
    jpeg_destroy_decompress(&jpeg);
    return pixels;
}

double psnr(std::span<const std::byte> a, std::span<const std::byte> b, pixMPI_Format format) {
    const auto channels = static_cast<std::size_t>(pixmpi::format_info(format).channels);
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        if (channels < 4 || i % 4 != 3) {
            const double difference = std::to_integer<int>(a[i]) - std::to_integer<int>(b[i]);
            sum += difference * difference;
            ++count;
        }
    return sum == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * count / sum);
}
