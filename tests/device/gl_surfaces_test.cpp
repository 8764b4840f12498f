// What only OpenGL has: objects that change behind their names, contexts that end, unusual textures, conversions.
#include "gl_surfaces.h"

#include <algorithm>
#include <cstring>

using namespace gl_rig;
using device_suite::Bytes;
using pixmpi::Direction;
using pixmpi::Extent;

TEST_P(GlSurfaces, every_texture_format_arrives_with_every_bit) {
    for (int i = 1; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        if (glmpi::gl_format(format).internal == 0)
            continue;
        for (const Direction direction : {Direction::pack, Direction::unpack}) {
            const glmpi::FormatChoice &choice = device->choices.get(format, direction);
            EXPECT_NE(choice.way, glmpi::Way::none) << pixMPI_Format_name(format);
            EXPECT_TRUE(choice.exact) << pixMPI_Format_name(format);
            EXPECT_GT(choice.rate.bytes_per_second, 0) << pixMPI_Format_name(format);
        }
    }
}

TEST_P(GlSurfaces, the_least_number_of_a_signed_normalised_format_stays) {
    const Bytes sent{std::byte{0x80}, std::byte{0x81}, std::byte{0x00}, std::byte{0x7f}};
    const GLuint name = texture(GL_RGBA8_SNORM, 1, 1, GL_RGBA, GL_BYTE, nullptr);
    unpack(glMPI_Texture2D(name), sent);
    EXPECT_EQ(pack(glMPI_Texture2D(name)), sent);
    glDeleteTextures(1, &name);
}

TEST_P(GlSurfaces, objects_that_change_are_seen_anew) {
    const Bytes small = some(4 * 4 * 4), large = some(8 * 2 * 4);
    GLuint name = texture(GL_RGBA8, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, small.data());
    EXPECT_EQ(pack(glMPI_Texture2D(name)), small);
    specify(name, GL_RGBA8, 8, 2, GL_RGBA, GL_UNSIGNED_BYTE, large.data());
    EXPECT_EQ(pack(glMPI_Texture2D(name)), large);
    specify(name, GL_RG16UI, 4, 4, GL_RG_INTEGER, GL_UNSIGNED_SHORT, small.data());
    EXPECT_EQ(resolved(*device, glMPI_Texture2D(name))->format, PIXMPI_RG16UI);
    EXPECT_EQ(pack(glMPI_Texture2D(name)), small);
    glDeleteTextures(1, &name);
    EXPECT_EQ(refusal(glMPI_Texture2D(name)), PIXMPI_ERR_SURFACE);
    const Bytes other(small.rbegin(), small.rend());
    GLuint again = name; // the compatibility profile lets programs choose names
    if (device->features.compatibility)
        specify(again, GL_RGBA8, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, other.data());
    else
        again = texture(GL_RGBA8, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, other.data());
    EXPECT_EQ(pack(glMPI_Texture2D(again)), other);
    glDeleteTextures(1, &again);
}

// Without its smaller levels a texture is incomplete, and some calls of OpenGL refuse it.
TEST_P(GlSurfaces, columns_of_a_texture_without_smaller_levels) {
    const Bytes colors = some(32 * 32 * 4);
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
    glBindTexture(GL_TEXTURE_2D, 0);
    std::vector<pixMPI_Rect> columns;
    for (int x = 0; x < 32; x += 2)
        columns.push_back({x, 0, 1, 32});
    const auto region = device_suite::region_of(columns);
    Bytes packed(16 * 32 * 4);
    move(Direction::pack, resolved(*device, glMPI_Texture2D(name)), region, packed);
    for (std::size_t i = 0; i < packed.size(); ++i) {
        const std::size_t pixel = i / 4, column = pixel / 32, row = pixel % 32;
        ASSERT_EQ(packed[i], colors[(row * 32 + 2 * column) * 4 + i % 4]) << i;
    }
    std::fill(packed.begin(), packed.end(), std::byte{7});
    move(Direction::unpack, resolved(*device, glMPI_Texture2D(name)), region, packed);
    const Bytes after = pack(glMPI_Texture2D(name));
    for (std::size_t i = 0; i < after.size(); ++i)
        ASSERT_EQ(after[i], i / 4 % 2 ? colors[i] : std::byte{7}) << i;
    glDeleteTextures(1, &name);
}

TEST_P(GlSurfaces, one_dimension) {
    const Bytes row = some(20 * 4), rows = some(20 * 4 * 3);
    GLuint names[2];
    glGenTextures(2, names);
    glBindTexture(GL_TEXTURE_1D, names[0]);
    glTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8, 20, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_1D, GL_TEXTURE_MAX_LEVEL, 0);
    glBindTexture(GL_TEXTURE_1D_ARRAY, names[1]);
    glTexImage2D(GL_TEXTURE_1D_ARRAY, 0, GL_RGBA8, 20, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, rows.data());
    glTexParameteri(GL_TEXTURE_1D_ARRAY, GL_TEXTURE_MAX_LEVEL, 0);
    const pixMPI_Surface line = glMPI_Texture(GL_TEXTURE_1D, names[0], 0, 0);
    unpack(line, row);
    EXPECT_EQ(pack(line), row);
    for (int layer = 0; layer < 3; ++layer)
        EXPECT_EQ(pack(glMPI_Texture(GL_TEXTURE_1D_ARRAY, names[1], 0, layer)),
                  Bytes(rows.begin() + layer * 80, rows.begin() + (layer + 1) * 80));
    unpack(glMPI_Texture(GL_TEXTURE_1D_ARRAY, names[1], 0, 1), row);
    EXPECT_EQ(pack(glMPI_Texture(GL_TEXTURE_1D_ARRAY, names[1], 0, 1)), row);
    EXPECT_EQ(pack(glMPI_Texture(GL_TEXTURE_1D_ARRAY, names[1], 0, 2)), Bytes(rows.begin() + 160, rows.end()));
    EXPECT_EQ(refusal(glMPI_Texture(GL_TEXTURE_1D_ARRAY, names[1], 0, 3)), PIXMPI_ERR_SURFACE);
    glDeleteTextures(2, names);
}

TEST_P(GlSurfaces, faces_of_a_cube) {
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_CUBE_MAP, name);
    for (GLenum face = 0; face < 6; ++face)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     Bytes(256, static_cast<std::byte>(face + 1)).data());
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAX_LEVEL, 0);
    glBindTexture(GL_TEXTURE_CUBE_MAP, 0);
    unpack(glMPI_Texture(GL_TEXTURE_CUBE_MAP, name, 0, 3), some(256));
    for (int face = 0; face < 6; ++face)
        EXPECT_EQ(pack(glMPI_Texture(GL_TEXTURE_CUBE_MAP, name, 0, face)),
                  face == 3 ? some(256) : Bytes(256, static_cast<std::byte>(face + 1)));
    EXPECT_EQ(refusal(glMPI_Texture(GL_TEXTURE_CUBE_MAP, name, 0, 6)), PIXMPI_ERR_SURFACE);
    glDeleteTextures(1, &name);
}

TEST_P(GlSurfaces, conversions) {
    const float floats[] = {0.0f, 0.5f, 1.0f, 2.0f, -1.0f, 0.25f, 0.75f, 1.0f};
    const GLuint name = texture(GL_RGBA32F, 2, 1, GL_RGBA, GL_FLOAT, floats);
    const Bytes bytes = pack(glMPI_As(glMPI_Texture2D(name), PIXMPI_RGBA8));
    ASSERT_EQ(bytes.size(), 8u);
    EXPECT_EQ(bytes[0], std::byte{0});
    EXPECT_NEAR(static_cast<int>(bytes[1]), 128, 1);
    EXPECT_EQ(bytes[3], std::byte{255});
    EXPECT_EQ(bytes[4], std::byte{0});
    unpack(glMPI_As(glMPI_Texture2D(name), PIXMPI_RGBA8), Bytes(8, std::byte{255}));
    float back[8] = {};
    const Bytes after = pack(glMPI_Texture2D(name));
    ASSERT_EQ(after.size(), sizeof back);
    std::memcpy(back, after.data(), sizeof back);
    for (const float value : back)
        EXPECT_EQ(value, 1.0f);
    EXPECT_EQ(refusal(glMPI_As(glMPI_Texture2D(name), PIXMPI_RGBA8UI)), PIXMPI_ERR_FORMAT);
    EXPECT_EQ(refusal(glMPI_As(glMPI_Texture2D(name), PIXMPI_DEPTH24)), PIXMPI_ERR_FORMAT);
    glDeleteTextures(1, &name);

    const Bytes colors = some(16);
    const GLuint swapped = texture(GL_RGBA8, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
    const Bytes bgra = pack(glMPI_As(glMPI_Texture2D(swapped), PIXMPI_BGRA8));
    ASSERT_EQ(bgra.size(), 16u);
    for (std::size_t i = 0; i < 16; i += 4) {
        EXPECT_EQ(bgra[i], colors[i + 2]);
        EXPECT_EQ(bgra[i + 1], colors[i + 1]);
        EXPECT_EQ(bgra[i + 2], colors[i]);
    }
    glDeleteTextures(1, &swapped);
}

TEST_P(GlSurfaces, unsized_and_unknown_formats) {
    const Bytes colors = some(4 * 4 * 4);
    GLuint name = texture(GL_RGBA, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
    EXPECT_EQ(resolved(*device, glMPI_Texture2D(name))->format, PIXMPI_RGBA8);
    EXPECT_EQ(pack(glMPI_Texture2D(name)), colors);
    specify(name, GL_SRGB_ALPHA, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
    EXPECT_EQ(resolved(*device, glMPI_Texture2D(name))->format, PIXMPI_RGBA8_SRGB);
    EXPECT_EQ(pack(glMPI_Texture2D(name)), colors);
    specify(name, GL_RGBA4, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_EQ(refusal(glMPI_Texture2D(name)), PIXMPI_ERR_FORMAT);
    specify(name, GL_COMPRESSED_RED_RGTC1, 4, 4, GL_RED, GL_UNSIGNED_BYTE, colors.data());
    EXPECT_EQ(refusal(glMPI_Texture2D(name)), PIXMPI_ERR_FORMAT);
    glDeleteTextures(1, &name);
}

TEST_P(GlSurfaces, the_default_framebuffer) {
    const auto area = static_cast<std::size_t>(window_width * window_height);
    const pixMPI_Surface back = glMPI_Framebuffer(0, GL_BACK);
    const auto surface = resolved(*device, back);
    ASSERT_NE(surface, nullptr);
    EXPECT_EQ(surface->extent.width, window_width);
    EXPECT_EQ(surface->extent.height, window_height);
    const Bytes colors = some(area * static_cast<std::size_t>(surface->pixel_bytes));
    unpack(back, colors);
    EXPECT_EQ(pack(back), colors);
    glClearColor(1, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_EQ(pack(back)[0], std::byte{255});
    EXPECT_EQ(pack(back)[1], std::byte{0});
    GLint depth = GL_NONE;
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_DEPTH, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &depth);
    if (depth == GL_NONE) {
        EXPECT_EQ(refusal(glMPI_Framebuffer(0, GL_DEPTH)), PIXMPI_ERR_SURFACE);
        return;
    }
    const pixMPI_Surface depths = glMPI_Framebuffer(0, GL_DEPTH);
    Bytes values = some(area * static_cast<std::size_t>(resolved(*device, depths)->pixel_bytes));
    device_suite::drop_unused(resolved(*device, depths)->format, values);
    unpack(depths, values);
    Bytes arrived = pack(depths);
    device_suite::drop_unused(resolved(*device, depths)->format, arrived);
    ASSERT_EQ(arrived.size(), values.size());
    for (std::size_t i = 0; i + 4 <= values.size(); i += 4) { // drawing may round, by one of 24 bits
        std::uint32_t is, was;
        std::memcpy(&is, &arrived[i], 4);
        std::memcpy(&was, &values[i], 4);
        ASSERT_LE(std::max(is, was) - std::min(is, was), 0x100u) << "pixel " << i / 4;
    }
}

// Whatever is saved in one scope is put back, also all of it together.
TEST_P(GlSurfaces, saves_all_that_there_is) {
    const auto values = [](const std::vector<GLenum> &names) {
        std::vector<GLint> seen;
        for (const GLenum name : names)
            glGetIntegerv(name, &seen.emplace_back());
        return seen;
    };
    const std::vector<GLenum> stores{GL_PACK_ROW_LENGTH,    GL_PACK_SKIP_ROWS,     GL_PACK_SKIP_PIXELS,
                                     GL_PACK_SKIP_IMAGES,   GL_PACK_IMAGE_HEIGHT,  GL_UNPACK_ROW_LENGTH,
                                     GL_UNPACK_SKIP_ROWS,   GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_IMAGES,
                                     GL_UNPACK_IMAGE_HEIGHT};
    const std::vector<GLenum> flags{GL_PACK_SWAP_BYTES, GL_UNPACK_SWAP_BYTES};
    struct Binding {
        GLenum target, name;
    };
    const std::vector<Binding> textures{{GL_TEXTURE_1D, GL_TEXTURE_BINDING_1D},
                                        {GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D},
                                        {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D},
                                        {GL_TEXTURE_RECTANGLE, GL_TEXTURE_BINDING_RECTANGLE},
                                        {GL_TEXTURE_1D_ARRAY, GL_TEXTURE_BINDING_1D_ARRAY},
                                        {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY},
                                        {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP},
                                        {GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_BINDING_CUBE_MAP_ARRAY},
                                        {GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_BINDING_2D_MULTISAMPLE},
                                        {GL_TEXTURE_2D_MULTISAMPLE_ARRAY, GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY}};
    const std::vector<Binding> buffers{{GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING},
                                       {GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING},
                                       {GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING},
                                       {GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER_BINDING},
                                       {GL_SHADER_STORAGE_BUFFER, GL_SHADER_STORAGE_BUFFER_BINDING}};
    std::vector<GLenum> names = stores;
    names.insert(names.end(), flags.begin(), flags.end());
    for (const GLenum name : stores)
        glPixelStorei(name, 3);
    for (const GLenum name : flags)
        glPixelStorei(name, 1);
    std::vector<GLuint> made(textures.size() + buffers.size());
    for (std::size_t i = 0; i < textures.size(); ++i) {
        glGenTextures(1, &made[i]);
        glBindTexture(textures[i].target, made[i]);
        names.push_back(textures[i].name);
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        glGenBuffers(1, &made[textures.size() + i]);
        glBindBuffer(buffers[i].target, made[textures.size() + i]);
        names.push_back(buffers[i].name);
    }
    // Of the compatibility profile: what maps colours, and a scale and a bias for each channel and depth.
    for (GLenum name = 0x0D10; device->features.compatibility && name <= 0x0D1F; ++name) {
        if (name == 0x0D16 || name == 0x0D17)
            continue; // zooms
        if (name < 0x0D14)
            device->pixel_transferi(name, 1);
        else
            device->pixel_transferf(name, 3);
        names.push_back(name);
    }
    const std::vector<GLint> before = values(names);
    {
        glmpi::SavedState state(*device);
        state.pixels(pixmpi::Direction::pack, 0);
        state.pixels(pixmpi::Direction::unpack, 0);
        for (const Binding &one : textures)
            state.bind_texture(one.target, 0);
        for (const Binding &one : buffers)
            state.bind_buffer(one.target, 0);
        state.plain_blits();
        state.use_program(0);
        for (GLuint unit = 0; unit < 4; ++unit) {
            state.storage_buffer(unit, made.back(), 0, 16);
            state.image(unit, {GL_TEXTURE_2D, 0, 0, 0}, GL_READ_ONLY, GL_RGBA8);
        }
        EXPECT_NE(values(names), before);
    }
    EXPECT_EQ(values(names), before);

    // The context also serves other tests.
    for (const GLenum name : stores)
        glPixelStorei(name, 0);
    for (const GLenum name : flags)
        glPixelStorei(name, 0);
    for (GLenum name = 0x0D10; device->features.compatibility && name <= 0x0D1F; ++name)
        if (name < 0x0D14)
            device->pixel_transferi(name, 0);
        else if (name != 0x0D16 && name != 0x0D17)
            device->pixel_transferf(name, name % 2 == 0 ? 1.f : 0.f); // a scale, or a bias
    glDeleteTextures(static_cast<GLsizei>(textures.size()), made.data());
    glDeleteBuffers(static_cast<GLsizei>(buffers.size()), made.data() + textures.size());
}

// Bands of different sizes, all under way before the first is waited for, also while our scratch memory grows.
TEST_P(GlSurfaces, many_columns_in_many_bands) {
    const int side = 128;
    const std::uint64_t pixels = side * side;
    const Bytes colors = some(pixels * 4);
    const GLuint name = texture(GL_RGBA8, side, side, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
    std::vector<pixMPI_Rect> columns;
    Bytes turned(colors.size());
    for (int x = 0; x < side; ++x) {
        columns.push_back({x, 0, 1, side});
        for (int y = 0; y < side; ++y)
            std::copy_n(&colors[static_cast<std::size_t>(y * side + x) * 4], 4,
                        &turned[static_cast<std::size_t>(x * side + y) * 4]);
    }
    const auto surface = resolved(*device, glMPI_Texture2D(name));
    ASSERT_NE(surface, nullptr);
    const auto region = device_suite::region_of(columns);
    for (int round = 0; round < 20; ++round) {
        Bytes arrived(colors.size());
        std::unique_ptr<pixmpi::Transfer> transfer;
        std::unique_ptr<pixmpi::Stage> stage;
        ASSERT_EQ(device->make_transfer(Direction::pack, surface, region, transfer), PIXMPI_SUCCESS);
        ASSERT_EQ(device->make_stage(pixmpi::StageKind::shared, arrived.data(), arrived.size(), stage), PIXMPI_SUCCESS);
        ASSERT_EQ(transfer->begin(pixels), PIXMPI_SUCCESS);
        std::vector<pixmpi::Ticket> tickets;
        for (std::uint64_t first = 0, band = 0; first < pixels; first += band) {
            band = std::min<std::uint64_t>(pixels - first, side * (13 + (first / side + round) % 17));
            ASSERT_EQ(transfer->copy(first, band, *stage, first * 4, tickets.emplace_back(pixmpi::done)),
                      PIXMPI_SUCCESS)
                << pixMPI_Error_text();
        }
        for (const pixmpi::Ticket ticket : tickets)
            for (bool over = ticket == pixmpi::done; !over;)
                ASSERT_EQ(transfer->poll(ticket, over), PIXMPI_SUCCESS);
        ASSERT_EQ(transfer->end(), PIXMPI_SUCCESS);
        ASSERT_TRUE(arrived == turned) << "round " << round;
    }
    glDeleteTextures(1, &name);
}

// A new context may get an old one's address, and its objects the old names.
TEST_P(GlSurfaces, contexts_that_end_unannounced) {
    for (int i = 0; i < 8; ++i) {
        std::string error;
        demo::HeadlessOptions options;
        const auto context = demo::Headless::make(options, error);
        ASSERT_NE(context, nullptr) << error;
        std::shared_ptr<glmpi::GlDevice> found;
        GLuint framebuffers[4];
        glGenFramebuffers(4, framebuffers); // names that a device of before would take for its own
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        ASSERT_EQ(glmpi::current_device(found), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_TRUE(found->same_context());
        EXPECT_TRUE(found->usable());
        device = found;
        const Bytes colors = some(4 * 4 * 4);
        const GLuint name = texture(GL_RGBA8, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
        EXPECT_EQ(pack(glMPI_Texture2D(name)), colors);
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }
    device = use(GetParam());
    EXPECT_TRUE(device->same_context());
}

INSTANTIATE_TEST_SUITE_P(gl, GlSurfaces, testing::ValuesIn(paths),
                         [](const auto &each) { return path_name(each.param); });
