// Copies within a context that need no memory in between.
#include "rig/ends_gl.h"
#include "rig/ends_vk.h"

#include <cstdlib>
#include <cstring>

using namespace api;

namespace {

constexpr int width = 301, height = 203;

/// Whether the environment has this word, or does not say, and this is a GPU.
bool is_chosen(const char *variable, const char *word) {
    const char *const text = std::getenv(variable);
    return text ? std::strcmp(text, word) == 0 : need_vulkan().name().find("llvmpipe") == std::string::npos;
}

/// What such copies have moved.
std::uint64_t moved() {
    pixMPI_Stats now = PIXMPI_STATS_INIT;
    CHECK_OK(pixMPI_Get_stats(&now));
    return now.bytes_by_way[PIXMPI_WAY_STRAIGHT];
}

const Shape &part() {
    static const Shape shape = rectangle(7, 100, 200, 91);
    return shape;
}
/// Of the same size, and turned.
const Shape &part_elsewhere() {
    static const Shape shape = rectangle(90, 3, 200, 91);
    return shape;
}
const Shape &part_turned() {
    static const Shape shape = rectangle(3, 3, 91, 200);
    return shape;
}

/// `straight`: how many of the bytes go so.
template <class Image>
void copy(Image &from, pixMPI_Surface from_surface, Image &to, pixMPI_Surface to_surface, const Shape &here,
          const Shape &there, bool straight) {
    const int size = pixMPI_Format_bytes(from.format);
    const Bytes other = to.fill(6), sent = from.fill(5);
    Bytes expected = &to == &from ? sent : other;
    unpack(expected, width, size, there, pack(sent, width, size, here));
    const std::uint64_t before = moved();
    CHECK_OK(pixMPI_Copy(from_surface, here, to_surface, there));
    CHECK_PIXELS(to.read(), expected, width, size);
    CHECK_EQ(moved() - before, straight ? here.pixels() * static_cast<std::size_t>(size) : 0);
}

} // namespace

RANK_CASE(straight_copies, between_images, 1) {
    // A shader copies rectangles of the same sizes and the same distance; others go through memory.
    const bool shaders = is_chosen("PIXMPI_VK_PACK", "shader");
    for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_RGBA16F, PIXMPI_RGBA32F})
        for (const VkImageLayout layout : {VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}) {
            VulkanImage from(need_vulkan(), format, width, height, layout, true),
                to(need_vulkan(), format, width, height, layout, true),
                plain(need_vulkan(), format, width, height, layout);
            const auto by = [&](VulkanImage &target, const Shape &here, const Shape &there, bool straight) {
                const vkMPI_Surface source = from.surface(), sink = target.surface();
                copy(from, vkMPI_Any(&source, nullptr), target, vkMPI_Any(&sink, nullptr), here, there, straight);
            };
            by(to, rectangle(0, 0, width, height), rectangle(0, 0, width, height), shaders);
            by(to, part(), part_elsewhere(), shaders);
            by(to, columns(3, 48, 20, 64, 2), columns(50, 48, 10, 64, 2), shaders);
            by(to, part(), part_turned(), false);
            by(plain, part(), part(), false);
            by(from, part(), part_elsewhere(), false);
        }
}

RANK_CASE(straight_copies, between_textures, 1) {
    // OpenGL copies few rectangles of the same sizes.
    const bool gpu = is_chosen("PIXMPI_GL_PATH", "card") && is_chosen("PIXMPI_GL_PACK", "shader");
    for (const EndKind &kind : end_kinds()) {
        const bool texture = std::strcmp(kind.name, "texture") == 0 || std::strcmp(kind.name, "layer") == 0;
        if (std::strcmp(kind.api, "gl") != 0 || !texture)
            continue;
        for (const pixMPI_Format format : {PIXMPI_RGBA8, PIXMPI_R32UI, PIXMPI_RGBA32F}) {
            note("%s, %s", kind.name, pixMPI_Format_name(format));
            const auto from = kind.make(format, width, height), to = kind.make(format, width, height);
            const auto by = [&](End &target, const Shape &here, const Shape &there, bool straight) {
                copy(*from, from->any(), target, target.any(), here, there, straight);
                target.check_surroundings();
            };
            by(*to, rectangle(0, 0, width, height), rectangle(0, 0, width, height), gpu);
            by(*to, part(), part_elsewhere(), gpu);
            by(*to, list_of({{0, 0, 5, 5}, {20, 30, 40, 50}}), list_of({{7, 9, 5, 5}, {1, 100, 40, 50}}), gpu);
            by(*to, part(), part_turned(), false);
            by(*from, part(), part_elsewhere(), false);
        }
    }
}
