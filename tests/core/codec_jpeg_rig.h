// JPEG as libjpeg does it alone, in one piece: what our streams and our pixels are compared with.
#pragma once

#include "../../tools/pixbench/codec/plain_jpeg.h"
#include "codec/jpeg.h"
#include "codec_pictures.h"

#include <gtest/gtest.h>

namespace codec_pictures {

constexpr Subsampling subsamplings[] = {Subsampling::s444, Subsampling::s422, Subsampling::s420};
constexpr pixMPI_Format jpeg_formats[] = {PIXMPI_R8,    PIXMPI_RGB8,       PIXMPI_RGB8_SRGB, PIXMPI_BGR8,
                                          PIXMPI_RGBA8, PIXMPI_RGBA8_SRGB, PIXMPI_BGRA8,     PIXMPI_BGRA8_SRGB};

/// Rows without gaps. `restart_rows`: of units in an interval; 0: `restart_units` are in one.
inline Bytes plain_encode(const Bytes &data, pixMPI_Format format, unsigned width, int quality, Subsampling subsampling,
                          int restart_rows, unsigned restart_units = 0) {
    PlainJpeg jpeg;
    jpeg.width = static_cast<int>(width);
    jpeg.height = static_cast<int>(data.size() / width / static_cast<unsigned>(format_info(format).channels));
    jpeg.format = format;
    jpeg.quality = quality;
    jpeg.chroma_columns = subsampling == Subsampling::s444 ? 1 : 2;
    jpeg.chroma_rows = subsampling == Subsampling::s420 ? 2 : 1;
    jpeg.restart_rows = restart_rows;
    jpeg.restart_units = restart_units;
    return jpeg.encode(data);
}

inline Bytes plain_decode(const Bytes &stream, pixMPI_Format format) {
    PlainJpeg jpeg;
    jpeg.format = format;
    long warnings = 0;
    Bytes pixels = jpeg.decode(stream, &warnings);
    EXPECT_EQ(warnings, 0);
    return pixels;
}

inline int restart_rows(unsigned width, pixMPI_Format format, Subsampling subsampling) {
    const unsigned unit = format == PIXMPI_R8 || subsampling == Subsampling::s444 ? 8 : 16;
    const unsigned across = (width + unit - 1) / unit;
    return static_cast<int>((64 + across - 1) / across);
}

} // namespace codec_pictures
