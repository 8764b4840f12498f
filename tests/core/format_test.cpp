// Formats: sizes and names.
#include "base/format.h"

#include <cctype>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace {

pixMPI_Format beyond(int value) { return static_cast<pixMPI_Format>(value); }

} // namespace

TEST(format, bytes) {
    const std::pair<pixMPI_Format, int> sizes[] = {{PIXMPI_R8, 1},
                                                   {PIXMPI_R8_SNORM, 1},
                                                   {PIXMPI_RG8UI, 2},
                                                   {PIXMPI_RGB8I, 3},
                                                   {PIXMPI_RGBA8, 4},
                                                   {PIXMPI_R16, 2},
                                                   {PIXMPI_RGB16F, 6},
                                                   {PIXMPI_RGBA16_SNORM, 8},
                                                   {PIXMPI_R32F, 4},
                                                   {PIXMPI_RG32UI, 8},
                                                   {PIXMPI_RGB32F, 12},
                                                   {PIXMPI_RGBA32I, 16},
                                                   {PIXMPI_BGR8, 3},
                                                   {PIXMPI_BGRA8, 4},
                                                   {PIXMPI_RGB8_SRGB, 3},
                                                   {PIXMPI_RGBA8_SRGB, 4},
                                                   {PIXMPI_BGRA8_SRGB, 4},
                                                   {PIXMPI_RGB10_A2, 4},
                                                   {PIXMPI_RGB10_A2UI, 4},
                                                   {PIXMPI_R11F_G11F_B10F, 4},
                                                   {PIXMPI_DEPTH16, 2},
                                                   {PIXMPI_DEPTH24, 4},
                                                   {PIXMPI_DEPTH32F, 4},
                                                   {PIXMPI_DEPTH24_STENCIL8, 4},
                                                   {PIXMPI_DEPTH32F_STENCIL8, 8},
                                                   {PIXMPI_STENCIL8, 1}};
    for (const auto &[format, bytes] : sizes)
        EXPECT_EQ(pixMPI_Format_bytes(format), bytes) << pixMPI_Format_name(format);
}

TEST(format, every_one_has_a_size_and_a_name_of_its_own) {
    std::set<std::string> names;
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
        const pixMPI_Format format = beyond(i);
        const std::string name = pixMPI_Format_name(format);
        const int bytes = pixMPI_Format_bytes(format);
        EXPECT_GT(bytes, 0) << i;
        EXPECT_LE(bytes, 16) << i;
        EXPECT_TRUE(names.insert(name).second) << name;
        std::string lower = "pixmpi_" + name;
        for (char &c : lower)
            c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        EXPECT_EQ(pixMPI_Format_named(name.c_str()), format) << name;
        EXPECT_EQ(pixMPI_Format_named(("PIXMPI_" + name).c_str()), format) << name;
        EXPECT_EQ(pixMPI_Format_named(lower.c_str()), format) << lower;
    }
    EXPECT_EQ(names.size(), 62u);
}

TEST(format, what_does_not_exist) {
    for (const int none : {0, static_cast<int>(PIXMPI_FORMAT_END), -1, 100'000}) {
        EXPECT_EQ(pixMPI_Format_bytes(beyond(none)), 0) << none;
        EXPECT_STREQ(pixMPI_Format_name(beyond(none)), "?") << none;
    }
    for (const char *name : {"", "?", "PIXMPI_", "RGBA", "RGBA88", "NONE", "PIXMPI_PIXMPI_RGBA8", " RGBA8"})
        EXPECT_EQ(pixMPI_Format_named(name), PIXMPI_FORMAT_NONE) << name;
    EXPECT_EQ(pixMPI_Format_named(nullptr), PIXMPI_FORMAT_NONE);
}
