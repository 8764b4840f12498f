// libtiff: what it says, and how it calls the channels of a format. The one file that includes its headers;
// tiff_read.cpp and tiff_layout.cpp include this one.
#pragma once

#include "file/tiff.h"

#include <cstdarg>
#include <cstdio>
#include <tiffio.h>

namespace pixmpi {

struct CloseTiff {
    void operator()(TIFF *tiff) const { TIFFClose(tiff); }
};
using Tiff = std::unique_ptr<TIFF, CloseTiff>;

/// What libtiff says last, in this thread; it prints nothing.
inline thread_local char tiff_said[256];

inline void hear_tiff(const char *, const char *format, va_list arguments) {
    std::vsnprintf(tiff_said, sizeof tiff_said, format, arguments);
}

/// While it lives, libtiff's errors go to `tiff_said`.
class TiffListening {
  public:
    TiffListening() : error_(TIFFSetErrorHandler(hear_tiff)), warning_(TIFFSetWarningHandler(nullptr)) {
        tiff_said[0] = 0;
    }
    ~TiffListening() {
        TIFFSetErrorHandler(error_);
        TIFFSetWarningHandler(warning_);
    }
    TiffListening(const TiffListening &) = delete;
    TiffListening &operator=(const TiffListening &) = delete;

  private:
    const TIFFErrorHandler error_, warning_;
};

struct TiffChannels {
    std::uint16_t count, bits, numbers; ///< SAMPLEFORMAT_*
    bool operator==(const TiffChannels &) const = default;
};

/// False for formats that TIFF does not have.
inline bool channels_of(pixMPI_Format format, TiffChannels &channels) {
    const FormatInfo &info = format_info(format);
    std::uint16_t numbers = SAMPLEFORMAT_UINT;
    switch (info.numbers) {
    case Numbers::unorm:
    case Numbers::uint:
    case Numbers::srgb:
        break;
    case Numbers::snorm:
    case Numbers::sint:
        numbers = SAMPLEFORMAT_INT;
        break;
    case Numbers::sfloat:
        numbers = SAMPLEFORMAT_IEEEFP;
        break;
    case Numbers::depth: // of words, but one number
        if (format != PIXMPI_DEPTH16 && format != PIXMPI_DEPTH32F)
            return false;
        channels = {1, static_cast<std::uint16_t>(8 * info.bytes),
                    static_cast<std::uint16_t>(format == PIXMPI_DEPTH16 ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_IEEEFP)};
        return true;
    default:
        return false;
    }
    channels = {static_cast<std::uint16_t>(info.channels), static_cast<std::uint16_t>(8 * info.channel_bytes), numbers};
    return info.channel_bytes > 0 && !info.bgr;
}

} // namespace pixmpi
