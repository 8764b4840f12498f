// libjpeg-turbo, without its habit of ending the program: what it finds wrong ends the guarded calls instead. The one
// file that includes its headers; jpeg_encode.cpp, jpeg_decode.cpp and jpeg_tables.cpp include this one.
#pragma once

#include "codec/jpeg_map.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
// These want stdio's declarations first.
#include <jerror.h>
#include <jpeglib.h>

namespace pixmpi {

/// Why a strip could not be done. Threads tell it to the one that calls fail().
struct JpegFailure {
    Status code = PIXMPI_SUCCESS;
    char text[JMSG_LENGTH_MAX] = "";
};

/// What both directions share. `Struct`: jpeg_compress_struct or jpeg_decompress_struct.
template <class Struct> class JpegObject {
  public:
    JpegObject() {
        jpeg.err = jpeg_std_error(&errors_);
        jpeg.client_data = this;
        errors_.error_exit = [](j_common_ptr any) {
            JpegObject &self = of(any);
            self.failure.code = any->err->msg_code == JERR_OUT_OF_MEMORY ? PIXMPI_ERR_MEMORY : PIXMPI_ERR_CODEC;
            any->err->format_message(any, self.failure.text);
            std::longjmp(self.back_, 1);
        };
        // A warning is a stream that is damaged.
        errors_.emit_message = [](j_common_ptr any, int level) {
            if (level < 0)
                any->err->error_exit(any);
        };
        errors_.output_message = [](j_common_ptr) {};
    }
    ~JpegObject() { jpeg_destroy(reinterpret_cast<j_common_ptr>(&jpeg)); }
    JpegObject(const JpegObject &) = delete;
    JpegObject &operator=(const JpegObject &) = delete;

    /// False when the library has left `body` in the middle: nothing in `body` may need a destructor.
    template <class Body> bool guard(Body body) {
        if (setjmp(back_))
            return false;
        body();
        return true;
    }
    [[noreturn]] void give_up(Status code, const char *text) {
        failure.code = code;
        std::snprintf(failure.text, sizeof failure.text, "%s", text);
        std::longjmp(back_, 1);
    }
    template <class Any> static JpegObject &of(Any any) { return *static_cast<JpegObject *>(any->client_data); }

    Struct jpeg{};
    JpegFailure failure;

  private:
    jpeg_error_mgr errors_{};
    std::jmp_buf back_;
};

/// How the library calls the pixels of a format; false where it knows none.
struct JpegFormat {
    J_COLOR_SPACE in = JCS_UNKNOWN, out = JCS_UNKNOWN;
    int bytes = 0;
    explicit operator bool() const { return bytes != 0; }
    bool grey() const { return in == JCS_GRAYSCALE; }
};

inline JpegFormat jpeg_format(pixMPI_Format format) {
    switch (format) {
    case PIXMPI_R8:
        return {JCS_GRAYSCALE, JCS_GRAYSCALE, 1};
    case PIXMPI_RGB8:
    case PIXMPI_RGB8_SRGB:
        return {JCS_EXT_RGB, JCS_EXT_RGB, 3};
    case PIXMPI_BGR8:
        return {JCS_EXT_BGR, JCS_EXT_BGR, 3};
    case PIXMPI_RGBA8:
    case PIXMPI_RGBA8_SRGB:
        return {JCS_EXT_RGBX, JCS_EXT_RGBA, 4};
    case PIXMPI_BGRA8:
    case PIXMPI_BGRA8_SRGB:
        return {JCS_EXT_BGRX, JCS_EXT_BGRA, 4};
    default:
        return {};
    }
}

/// Tells the library what a stream of ours is, all but the height and the restart intervals; `from` and `bytes`: of the
/// pixels that it gets. It has been created, and knows where its bytes go.
inline void describe(jpeg_compress_struct &jpeg, const JpegGrid &grid, int quality, J_COLOR_SPACE from, int bytes) {
    jpeg.image_width = grid.size.width;
    jpeg.input_components = bytes;
    jpeg.in_color_space = from;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, grid.grey ? JCS_GRAYSCALE : JCS_YCbCr);
    jpeg_set_quality(&jpeg, quality, TRUE);
    for (unsigned c = 0; c < grid.components(); ++c) {
        jpeg.comp_info[c].h_samp_factor = static_cast<int>(grid.component(c).across);
        jpeg.comp_info[c].v_samp_factor = static_cast<int>(grid.component(c).down);
    }
}

/// Rows of units first to last-1 of a picture, as a separate picture.
struct JpegStrip {
    unsigned first, last;
};

/// How many strips keep the threads busy: two for each of them, none of too few pixels to be worth it.
inline std::size_t jpeg_strips(const Workers &workers, const JpegGrid &grid, std::size_t most) {
    constexpr std::uint64_t enough = 1 << 15; // pixels: a twelfth of a millisecond
    if (workers.count() == 1)
        return 1;
    const std::uint64_t wanted = std::min(std::uint64_t{2} * workers.count(), grid.size.pixels() / enough);
    return std::clamp<std::uint64_t>(wanted, 1, std::max<std::size_t>(1, most));
}

} // namespace pixmpi
