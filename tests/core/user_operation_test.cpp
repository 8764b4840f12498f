// Users' operations on the host, and the text of their shaders.
#include "combine/combine.h"
#include "combine/for_shader.h"
#include "twice_less.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <set>

using namespace pixmpi;

namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::size_t count, std::mt19937_64 &random) {
    Bytes all(count);
    for (std::byte &one : all)
        one = static_cast<std::byte>(random());
    return all;
}

/// What a call was given.
struct Seen {
    std::size_t pixels = 0;
    pixMPI_Format format = PIXMPI_FORMAT_NONE;
    bool result_is_first = false, result_is_second = false, even = true;
};

void look(const void *first, const void *second, void *result, size_t pixels, pixMPI_Format format, void *data) {
    auto &seen = *static_cast<Seen *>(data);
    seen.pixels += pixels;
    seen.format = format;
    seen.result_is_first = result == first;
    seen.result_is_second = result == second;
    for (const void *one : {first, second})
        seen.even = seen.even && reinterpret_cast<std::uintptr_t>(one) % 4 == 0;
}

Combination by(pixMPI_Op_function function, Order order, const char *glsl = nullptr, void *data = nullptr) {
    return {Operation::user, order, make_user_operation(function, glsl, data)};
}

/// What is a name in GLSL, or may be one of OpenGL's and Vulkan's compilers' own.
bool is_glsl(const std::string &word) {
    static const std::regex words(
        "gl_.*|GL_.*|__.*|VULKAN|std430|[biu]?vec[234]|u?image2D|u?texture2D|sampler2D|r32ui|local_size_x"
        "|readonly|writeonly|volatile|coherent|imageLoad|imageStore|texelFetch|atomic.*|floatBitsTo.*|.*BitsToFloat"
        "|bitfield.*|min|max|abs|floor|clamp|mix|lessThan|greaterThan|[xyzw]{1,4}"
        "|layout|push_constant|binding|location|buffer|uniform|const|in|out|inout|struct|precise"
        "|void|bool|int|uint|float|return|if|else|for|switch|case|default|true|false|main"
        "|define|undef|ifdef|ifndef|endif|elif|defined|line|extension|require|include|error");
    return std::regex_match(word, words);
}

/// Without comments and directives.
std::string code_of(const std::string &text) {
    return std::regex_replace(std::regex_replace(text, std::regex("//[^\n]*"), ""), std::regex("(^|\n)#[^\n]*"), "\n");
}

} // namespace

TEST(user_operation, is_called_in_place_in_either_order) {
    for (const Order order : {Order::incoming_first, Order::present_first}) {
        Seen seen;
        alignas(16) std::byte present[64]{}, incoming[64]{};
        const Combiner combiner(by(look, order, nullptr, &seen), PIXMPI_RGBA32F);
        ASSERT_TRUE(combiner);
        combiner(present, incoming, 4);
        EXPECT_EQ(seen.pixels, 4u);
        EXPECT_EQ(seen.format, PIXMPI_RGBA32F);
        EXPECT_EQ(seen.result_is_first, order == Order::present_first);
        EXPECT_EQ(seen.result_is_second, order == Order::incoming_first);
        seen = {};
        combiner(present, incoming, 0);
        EXPECT_EQ(seen.format, PIXMPI_FORMAT_NONE) << "there was nothing to do";
    }
}

TEST(user_operation, sees_whole_channels_wherever_pixels_lie) {
    std::mt19937_64 random(5);
    for (const pixMPI_Format format : {PIXMPI_RGBA32F, PIXMPI_RGB10_A2, PIXMPI_RGB32UI})
        for (const std::size_t here : {0u, 1u, 2u, 3u})
            for (const std::size_t there : {0u, 1u, 4u}) {
                Seen seen;
                Bytes present = random_bytes(9000, random), incoming = random_bytes(9000, random);
                const Combiner combiner(by(look, Order::present_first, nullptr, &seen), format);
                const Bytes before = present;
                combiner(present.data() + here, incoming.data() + there, 500);
                EXPECT_TRUE(seen.even) << here << ", " << there;
                EXPECT_EQ(seen.pixels, 500u);
                EXPECT_TRUE(present == before);
            }
}

TEST(user_operation, gives_the_same_at_any_address) {
    std::mt19937_64 random(6);
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        if (format_info(format).numbers == Numbers::depth_stencil)
            continue;
        const auto pixel = static_cast<std::size_t>(format_info(format).bytes);
        for (const Order order : {Order::incoming_first, Order::present_first})
            for (const std::size_t count : {1u, 127u, 128u, 611u}) {
                const Bytes a = random_bytes(count * pixel, random), b = random_bytes(count * pixel, random);
                Bytes even = a, odd(1 + a.size() + 1, std::byte{0x5a}), other(1 + b.size());
                std::copy(a.begin(), a.end(), odd.begin() + 1);
                std::copy(b.begin(), b.end(), other.begin() + 1);
                std::atomic<int> calls{0};
                const Combiner combiner(by(twice_less::combine, order, nullptr, &calls), format);
                combiner(odd.data() + 1, other.data() + 1, count);
                EXPECT_GE(calls, 1);
                const bool here_first = order == Order::present_first;
                twice_less::combine(here_first ? a.data() : b.data(), here_first ? b.data() : a.data(), even.data(),
                                    count, format, nullptr);
                EXPECT_TRUE(std::equal(even.begin(), even.end(), odd.begin() + 1)) << format_info(format).name;
                EXPECT_EQ(odd.front(), std::byte{0x5a});
                EXPECT_EQ(odd.back(), std::byte{0x5a});
            }
    }
}

TEST(user_operation, of_every_format_but_none_and_planes) {
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
        EXPECT_EQ(check_operation(Operation::user, static_cast<pixMPI_Format>(i)), PIXMPI_SUCCESS);
    EXPECT_EQ(check_operation(Operation::user, PIXMPI_FORMAT_NONE), PIXMPI_ERR_FORMAT);
    EXPECT_EQ(check_operation(Operation::user, PIXMPI_RGBA8, PIXMPI_DEPTH16), PIXMPI_ERR_FORMAT);
    EXPECT_NE(std::strstr(pixMPI_Error_text(), "expected NEAREST"), nullptr) << pixMPI_Error_text();
}

/// What devices keep programs by.
TEST(user_operation, shaders_differ_by_operation_order_and_numbers) {
    std::set<ShaderCombination> all;
    for (int turn = 0; turn < 3; ++turn) // each is gone when the next one is made, perhaps at its address
        for (const Order order : {Order::incoming_first, Order::present_first}) {
            const Combination how = by(twice_less::combine, order, twice_less::glsl);
            for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_BGRA8, PIXMPI_RGBA8UI, PIXMPI_RGBA8I}) {
                ShaderCombination shader;
                ASSERT_TRUE(for_shader(how, format, shader)) << format_info(format).name;
                EXPECT_TRUE(all.insert(shader).second) << format_info(format).name;
            }
        }
    ShaderCombination shader;
    for (const pixMPI_Format format : {PIXMPI_RGBA8_SRGB, PIXMPI_DEPTH32F, PIXMPI_STENCIL8, PIXMPI_DEPTH24_STENCIL8})
        EXPECT_FALSE(for_shader(by(twice_less::combine, Order::present_first, twice_less::glsl), format, shader));
    EXPECT_FALSE(for_shader(by(twice_less::combine, Order::present_first), PIXMPI_RGBA8, shader)) << "it has no GLSL";
}

namespace {

/// In front of the user's text, each of our names begins with pixmpi_, and no macro is left.
void expect_names_of_its_own(PixelsIn place, const std::string &head) {
    const std::string text =
        make_user_operation(twice_less::combine, twice_less::glsl, nullptr)->shader(place, head, 0, true);
    const std::size_t users = text.rfind("#line 1\n");
    ASSERT_NE(users, std::string::npos);
    EXPECT_EQ(text.substr(users + 8), std::string(twice_less::glsl) + "\n");
    const std::string ours = text.substr(0, users);
    std::set<std::string> macros, freed;
    const std::regex directive("#(define|undef) +([A-Za-z_0-9]+)");
    for (std::sregex_iterator at(ours.begin(), ours.end(), directive), end; at != end; ++at) {
        const std::string name = (*at)[2];
        if ((*at)[1] == "define") {
            macros.insert(name);
        } else {
            macros.erase(name);
            freed.insert(name);
        }
    }
    EXPECT_EQ(macros, std::set<std::string>{"PIXEL"});
    // What stands outside of all braces and parentheses, or in those of a block of buffers, is a name for all the text.
    const std::string code = code_of(ours);
    const std::regex word("\\b[A-Za-z_][A-Za-z_0-9]*");
    std::string outside;
    int depth = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        const std::string before = code.substr(i > 60 ? i - 60 : 0, std::min<std::size_t>(i, 60));
        const bool block = c == '{' && std::regex_search(before, std::regex("(buffer|uniform) +[A-Za-z]+ *$"));
        depth += (c == '{' && !block) || c == '(' ? 1 : (c == '}' && depth > 0) || c == ')' ? -1 : 0;
        outside += depth == 0 ? c : ' ';
    }
    int names = 0;
    for (std::sregex_iterator at(outside.begin(), outside.end(), word), end; at != end; ++at) {
        const std::string name = at->str();
        if (is_glsl(name) || name == "PIXEL" || name.rfind("pixmpi_", 0) == 0)
            continue;
        ++names;
        EXPECT_TRUE(freed.count(name)) << name << " is everybody's";
    }
    EXPECT_GT(names, 50);
}

} // namespace

TEST(user_operation, the_users_text_is_alone_with_its_names) {
    expect_names_of_its_own(PixelsIn::image, "#version 450\n#define FORMAT r32ui\n#define BYTES 4\n#define HALVES\n"
                                             "#define AT_ONCE 1u\n");
    expect_names_of_its_own(PixelsIn::buffer, "#version 450\n#define BYTES 6\n#define WORDS 3u\n");
}
