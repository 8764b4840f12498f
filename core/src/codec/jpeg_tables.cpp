#include "codec/jpeg_library.h"

#include <array>
#include <new>

namespace pixmpi {
namespace {

/// Lets `inspect` look at what the library sets by itself. Throws std::bad_alloc.
template <class Inspect> void look_at_defaults(int quality, Inspect inspect) {
    JpegObject<jpeg_compress_struct> object;
    const bool done = object.guard([&] {
        jpeg_create_compress(&object.jpeg);
        object.jpeg.in_color_space = JCS_RGB;
        object.jpeg.input_components = 3;
        jpeg_set_defaults(&object.jpeg);
        jpeg_set_quality(&object.jpeg, quality, TRUE);
        inspect(object.jpeg);
    });
    if (!done)
        throw std::bad_alloc();
}

/// The table says how many codes there are of each length, and what each one stands for. Codes are numbered through.
template <std::size_t n> void assign(const JHUFF_TBL &table, std::array<std::uint32_t, n> &codes) {
    std::uint32_t code = 0;
    std::size_t next = 0;
    for (unsigned length = 1; length <= 16; ++length, code *= 2)
        for (unsigned k = 0; k < table.bits[length]; ++k, ++code, ++next)
            if (table.huffval[next] < n)
                codes[table.huffval[next]] = length << 16 | code;
}

} // namespace

JpegSteps jpeg_steps(int quality) {
    JpegSteps steps{};
    look_at_defaults(quality, [&](const jpeg_compress_struct &jpeg) {
        for (std::size_t k = 0; k < steps.size(); ++k)
            std::copy(jpeg.quant_tbl_ptrs[k]->quantval, jpeg.quant_tbl_ptrs[k]->quantval + DCTSIZE2, steps[k].begin());
    });
    return steps;
}

JpegCodes jpeg_codes() {
    JpegCodes codes;
    look_at_defaults(50, [&](const jpeg_compress_struct &jpeg) {
        for (std::size_t k = 0; k < codes.means.size(); ++k) {
            assign(*jpeg.dc_huff_tbl_ptrs[k], codes.means[k]);
            assign(*jpeg.ac_huff_tbl_ptrs[k], codes.coefficients[k]);
        }
    });
    return codes;
}

Status jpeg_header(const JpegGrid &grid, int quality, unsigned interval, std::vector<std::byte> &header) {
    return without_throwing([&]() -> Status {
        std::array<std::byte, 4096> bytes; // ours have about 600
        JpegObject<jpeg_compress_struct> object;
        jpeg_destination_mgr destination{};
        destination.next_output_byte = reinterpret_cast<JOCTET *>(bytes.data());
        destination.free_in_buffer = bytes.size();
        destination.init_destination = destination.term_destination = [](j_compress_ptr) {};
        destination.empty_output_buffer = [](j_compress_ptr any) -> boolean {
            JpegObject<jpeg_compress_struct>::of(any).give_up(PIXMPI_ERR_MEMORY, "a header that is too long");
        };
        const bool done = object.guard([&] {
            jpeg_compress_struct &jpeg = object.jpeg;
            jpeg_create_compress(&jpeg);
            jpeg.dest = &destination;
            describe(jpeg, grid, quality, grid.grey ? JCS_GRAYSCALE : JCS_YCbCr, static_cast<int>(grid.components()));
            jpeg.image_height = grid.size.height;
            jpeg.restart_interval = interval;
            jpeg_start_compress(&jpeg, TRUE);
            jpeg_write_scanlines(&jpeg, nullptr, 0); // with the first call it writes the rest of the header
        });
        if (!done)
            return fail(object.failure.code == PIXMPI_ERR_MEMORY ? PIXMPI_ERR_MEMORY : PIXMPI_ERR_FORMAT, "JPEG: %s",
                        object.failure.text);
        header.assign(bytes.data(), bytes.data() + (bytes.size() - destination.free_in_buffer));
        return PIXMPI_SUCCESS;
    });
}

} // namespace pixmpi
