#include "combine/user_operation.h"

#include "base/format.h"
#include "combine/for_shader.h"

#include "combine_buffer_text.glsl.h"
#include "numbers_text.glsl.h"
#include "pack_image_text.glsl.h"
#include "rectangles_text.glsl.h"
#include "user_pixels_text.glsl.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace pixmpi {
namespace {

/// What our part of a shader defines for all of it. These names begin with pixmpi_ there, so that the user's part may
/// use them.
constexpr const char *our_names[] = {
    "sizes", "only_a", "only_b", "Sizes", "Pieces", "pieces", "Band", "words", "Owners", "owners", "pixels", "in_word",
    "pixel_bits", "pixel_mask", "Walk", "begin", "Word", "next", "load_image", "load_words", "store_image",
    "store_words", "combined", "place", "there", "byte_of", "load_pixel", "store_pixel", "base", "shift",
    "move_unit", "flag", "Flags", "flags", "Counts", "counts",
    // rectangles.glsl and combine_buffer.comp
    "places", "List", "list", "Part", "find_rectangle", "find_part", "Pixels", "GROUP", "words_at", "flip",
    // numbers.glsl
    "UNORM8", "UNORM16", "SNORM8", "SNORM16", "UINT8", "UINT16", "UINT32", "SINT8", "SINT16", "SINT32", "FLOAT16",
    "FLOAT32", "UNORM10", "UINT10", "FLOAT11", "UNORM8_BGR", "decode_float", "encode_float", "bits_of",
    // user_pixels.glsl
    "WORD10", "WORD11", "SIGNED", "CHANNEL_BITS", "CHANNELS", "MOST", "channels_of", "words_of", "decode",
    "not_negative", "encode", "pixel_of", "combine_pixel", "bits_from", "bits_to", "combine"};
/// Macros of our part, which the user's does not see.
constexpr const char *our_macros[] = {"FORMAT",        "BYTES", "HALVES",  "COMBINE", "USER",    "ONTO",  "FLAG",
                                      "PRESENT_FIRST", "BASE",  "AT_ONCE", "WORDS",   "NUMBERS", "IMAGE", "SHOWN",
                                      "LOAD",          "STORE", "TAKE",    "PUT"};

/// The first lines, as one.
std::string beginning(const std::string &text) {
    constexpr int most_lines = 3;
    std::string all;
    int lines = 0;
    for (std::size_t at = 0; at < text.size() && lines < most_lines;) {
        const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
        if (end > at)
            all += (lines++ ? "; " : "") + text.substr(at, end - at);
        at = end + 1;
    }
    return all;
}

class Made final : public UserOperation {
  public:
    Made(std::uint64_t number_, pixMPI_Op_function function, const char *glsl, void *data)
        : UserOperation(number_, glsl != nullptr), function_(function), glsl_(glsl ? glsl : ""), data_(data) {}

    void combine(Order order, pixMPI_Format format, std::byte *present, const std::byte *incoming,
                 std::size_t pixels) const override {
        const FormatInfo &info = format_info(format);
        const auto pixel = static_cast<std::size_t>(info.bytes),
                   channel =
                       static_cast<std::size_t>(info.channel_bytes ? info.channel_bytes : std::min(info.bytes, 4));
        const auto is_even = [&](const std::byte *at) { return reinterpret_cast<std::uintptr_t>(at) % channel == 0; };
        if (is_even(present) && is_even(incoming))
            return call(order, format, present, incoming, pixels);
        // The function may read whole channels; so it gets them where these may lie.
        constexpr std::size_t some = 128, largest_pixel = 16;
        alignas(16) std::byte here[some * largest_pixel], there[some * largest_pixel];
        for (std::size_t first = 0, count = 0; first < pixels; first += count) {
            count = std::min(some, pixels - first);
            std::memcpy(here, present + first * pixel, count * pixel);
            std::memcpy(there, incoming + first * pixel, count * pixel);
            call(order, format, here, there, count);
            std::memcpy(present + first * pixel, here, count * pixel);
        }
    }

    std::string shader(PixelsIn place, const std::string &head, std::uint32_t numbers,
                       bool present_first) const override {
        std::string text = head;
        text += "#define COMBINE\n#define USER\n#define NUMBERS " + std::to_string(numbers) + "u\n" +
                "#define PRESENT_FIRST " + (present_first ? "1u\n" : "0u\n") + "#define PIXEL " + pixel_type(numbers) +
                "\nPIXEL combine(PIXEL first, PIXEL second);\n"
                "PIXEL pixmpi_call(PIXEL first, PIXEL second) { return combine(first, second); }\n";
        for (const char *name : our_names)
            text += std::string("#define ") + name + " pixmpi_" + name + "\n";
        text += std::string(numbers_text) + user_pixels_text +
                (place == PixelsIn::image ? pack_image_text : std::string(rectangles_text) + combine_buffer_text);
        for (const char *name : our_names)
            text += std::string("#undef ") + name + "\n";
        for (const char *name : our_macros)
            text += std::string("#undef ") + name + "\n";
        return text + "#line 1\n" + glsl_ + "\n";
    }

    Status refuse(std::uint32_t numbers, const std::string &complaint) const override {
        const char *const type = pixel_type(numbers);
        return fail(PIXMPI_ERR_ARGUMENT, "op: its glsl does not compile, expected %s combine(%s first, %s second): %s",
                    type, type, type, beginning(complaint).c_str());
    }

  private:
    void call(Order order, pixMPI_Format format, std::byte *present, const std::byte *incoming,
              std::size_t pixels) const {
        if (pixels == 0)
            return;
        const bool here_first = order == Order::present_first;
        const NamedCall inside("an operation of the program"); // it may not call the library
        function_(here_first ? present : incoming, here_first ? incoming : present, present, pixels, format, data_);
    }

    const pixMPI_Op_function function_;
    const std::string glsl_;
    void *const data_;
};

} // namespace

std::shared_ptr<const UserOperation> make_user_operation(pixMPI_Op_function function, const char *glsl, void *data) {
    static std::atomic<std::uint64_t> made{0};
    return std::make_shared<Made>(++made, function, glsl, data);
}

} // namespace pixmpi
