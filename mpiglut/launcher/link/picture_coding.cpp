#include "link/picture_coding.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <jpeglib.h>
#include <png.h>

namespace mpiglut::launcher {

namespace {

constexpr int jpeg_quality = 80;

struct Failure {
    jpeg_error_mgr manager;
    std::jmp_buf back;
};

[[noreturn]] void give_up(j_common_ptr info) { std::longjmp(reinterpret_cast<Failure *>(info->err)->back, 1); }

/// No C++ object lives across the jump. `*bytes` is the library's, by malloc.
bool compress(const unsigned char *rgb, int columns, int rows, unsigned char **bytes, unsigned long *size) {
    jpeg_compress_struct info{};
    Failure failure;
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = give_up;
    if (setjmp(failure.back)) {
        jpeg_destroy_compress(&info);
        return false;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, bytes, size);
    info.image_width = static_cast<JDIMENSION>(columns);
    info.image_height = static_cast<JDIMENSION>(rows);
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, jpeg_quality, TRUE);
    info.dct_method = JDCT_IFAST;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        auto *row = const_cast<unsigned char *>(rgb) + static_cast<std::size_t>(info.next_scanline) * columns * 3;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    return true;
}

bool fits(std::span<const std::byte> rgb, int columns, int rows) {
    return columns > 0 && rows > 0 && rgb.size() >= std::size_t{3} * columns * rows;
}

} // namespace

std::string encode_jpeg(std::span<const std::byte> rgb, int columns, int rows) {
    unsigned char *bytes = nullptr;
    unsigned long size = 0;
    std::string coded;
    if (fits(rgb, columns, rows) &&
        compress(reinterpret_cast<const unsigned char *>(rgb.data()), columns, rows, &bytes, &size))
        coded.assign(reinterpret_cast<const char *>(bytes), size);
    std::free(bytes);
    return coded;
}

std::string encode_png(std::span<const std::byte> rgb, int columns, int rows) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(columns);
    image.height = static_cast<png_uint_32>(rows);
    image.format = PNG_FORMAT_RGB;
    image.flags = PNG_IMAGE_FLAG_FAST;
    if (!fits(rgb, columns, rows))
        return {};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string coded(size, '\0');
    if (!png_image_write_to_memory(&image, coded.data(), &size, 0, rgb.data(), 0, nullptr))
        return {};
    coded.resize(size);
    return coded;
}

std::optional<Picture> decode_png(const std::string &bytes, int columns, int rows) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()))
        return std::nullopt;
    Picture picture;
    bool good = static_cast<int>(image.width) == columns && static_cast<int>(image.height) == rows;
    if (good) {
        picture = Picture(columns, rows);
        image.format = PNG_FORMAT_RGB;
        good = png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) != 0;
    }
    png_image_free(&image);
    return good ? std::optional(std::move(picture)) : std::nullopt;
}

} // namespace mpiglut::launcher
