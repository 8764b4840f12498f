// JPEG as libjpeg does it alone, in one piece: what our streams and our pixels are compared with.
#pragma once

#include "codec/jpeg.h"
#include "codec_pictures.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <jpeglib.h>

namespace codec_pictures {

constexpr Subsampling subsamplings[] = {Subsampling::s444, Subsampling::s422, Subsampling::s420};
constexpr pixMPI_Format jpeg_formats[] = {PIXMPI_R8,    PIXMPI_RGB8,       PIXMPI_RGB8_SRGB, PIXMPI_BGR8,
                                          PIXMPI_RGBA8, PIXMPI_RGBA8_SRGB, PIXMPI_BGRA8,     PIXMPI_BGRA8_SRGB};

inline J_COLOR_SPACE space_of(pixMPI_Format format) {
    const FormatInfo &info = format_info(format);
    if (info.channels == 1)
        return JCS_GRAYSCALE;
    if (info.channels == 3)
        return info.bgr ? JCS_EXT_BGR : JCS_EXT_RGB;
    return info.bgr ? JCS_EXT_BGRA : JCS_EXT_RGBA;
}

/// Rows without gaps. `restart_rows`: of units in an interval; 0: `restart_units` are in one.
inline Bytes plain_encode(const Bytes &data, pixMPI_Format format, unsigned width, int quality, Subsampling subsampling,
                          int restart_rows, unsigned restart_units = 0) {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char *memory = nullptr;
    unsigned long bytes = 0;
    jpeg_mem_dest(&jpeg, &memory, &bytes);
    jpeg.input_components = format_info(format).channels;
    jpeg.image_width = width;
    jpeg.image_height = static_cast<JDIMENSION>(data.size() / width / static_cast<std::size_t>(jpeg.input_components));
    jpeg.in_color_space = space_of(format);
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg.restart_in_rows = restart_rows;
    jpeg.restart_interval = restart_units;
    if (jpeg.num_components == 3) {
        jpeg.comp_info[0].h_samp_factor = subsampling == Subsampling::s444 ? 1 : 2;
        jpeg.comp_info[0].v_samp_factor = subsampling == Subsampling::s420 ? 2 : 1;
    }
    jpeg_start_compress(&jpeg, TRUE);
    for (std::size_t y = 0; y < jpeg.image_height; ++y) {
        const std::byte *const at = data.data() + y * width * static_cast<std::size_t>(jpeg.input_components);
        JSAMPROW row = reinterpret_cast<JSAMPROW>(const_cast<std::byte *>(at));
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    const auto *const first = reinterpret_cast<std::byte *>(memory);
    Bytes stream(first, first + bytes);
    jpeg_destroy_compress(&jpeg);
    std::free(memory);
    return stream;
}

inline Bytes plain_decode(const Bytes &stream, pixMPI_Format format) {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char *>(stream.data()), stream.size());
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = space_of(format);
    jpeg_start_decompress(&jpeg);
    const std::size_t row_bytes = std::size_t{jpeg.output_width} * static_cast<std::size_t>(jpeg.output_components);
    Bytes pixels(row_bytes * jpeg.output_height);
    for (std::size_t y = 0; y < jpeg.output_height; ++y) {
        JSAMPROW row = reinterpret_cast<JSAMPROW>(pixels.data() + y * row_bytes);
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    EXPECT_EQ(errors.num_warnings, 0);
    jpeg_destroy_decompress(&jpeg);
    return pixels;
}

inline int restart_rows(unsigned width, pixMPI_Format format, Subsampling subsampling) {
    const unsigned unit = format == PIXMPI_R8 || subsampling == Subsampling::s444 ? 8 : 16;
    const unsigned across = (width + unit - 1) / unit;
    return static_cast<int>((64 + across - 1) / across);
}

/// In dB; alpha does not count.
inline double psnr(const Bytes &a, const Bytes &b, pixMPI_Format format) {
    const auto channels = static_cast<std::size_t>(format_info(format).channels);
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (channels < 4 || i % 4 != 3) {
            const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
            sum += difference * difference;
            ++count;
        }
    return sum == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * count / sum);
}

} // namespace codec_pictures
