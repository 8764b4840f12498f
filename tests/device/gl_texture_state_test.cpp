// What a program may ask of its textures for its own shaders, and what pixels of messages take no notice of: swizzles,
// levels, comparisons, stencils in the place of depths.
#define GL_GLEXT_PROTOTYPES
#include "gl_rig_contexts.h"
#include "suite.h"

#include <cstring>
#include <gtest/gtest.h>
#include <tuple>

using namespace gl_rig;
using device_suite::Bytes;
using device_suite::Picture;
using pixmpi::Direction;

namespace {

struct Parameter {
    GLenum name;
    GLint value;
};
struct State {
    const char *name;
    std::vector<Parameter> parameters;
    bool samplers_have_it = false; ///< sampler objects, too
};
const State states[] = {
    {"as_it_is_made", {}},
    {"swizzle_zero", {{GL_TEXTURE_SWIZZLE_R, GL_ZERO}}},
    {"swizzle_turned",
     {{GL_TEXTURE_SWIZZLE_R, GL_ALPHA}, {GL_TEXTURE_SWIZZLE_G, GL_RED}, {GL_TEXTURE_SWIZZLE_A, GL_ONE}}},
    {"base_level_behind", {{GL_TEXTURE_BASE_LEVEL, 1}}},
    {"max_level_before_base", {{GL_TEXTURE_BASE_LEVEL, 2}, {GL_TEXTURE_MAX_LEVEL, 1}}},
    {"max_level_zero", {{GL_TEXTURE_MAX_LEVEL, 0}}},
    {"compares", {{GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE}, {GL_TEXTURE_COMPARE_FUNC, GL_NEVER}}, true},
    {"stencils", {{GL_DEPTH_STENCIL_TEXTURE_MODE, GL_STENCIL_INDEX}}},
    {"filters", {{GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR}, {GL_TEXTURE_MAG_FILTER, GL_LINEAR}}, true},
    {"levels_of_detail", {{GL_TEXTURE_MIN_LOD, 3}, {GL_TEXTURE_MAX_LOD, 2}}, true},
    {"wraps", {{GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER}, {GL_TEXTURE_WRAP_T, GL_MIRRORED_REPEAT}}, true},
};

constexpr pixMPI_Format formats[] = {PIXMPI_RGBA8,
                                     PIXMPI_R8UI,
                                     PIXMPI_RG16F,
                                     PIXMPI_RGBA8_SRGB,
                                     PIXMPI_DEPTH16,
                                     PIXMPI_DEPTH32F,
                                     PIXMPI_DEPTH24,
                                     PIXMPI_DEPTH24_STENCIL8,
                                     PIXMPI_DEPTH32F_STENCIL8};
constexpr int edge = 48, levels = 3;

class GlTextureState : public testing::TestWithParam<Path> {
  protected:
    void SetUp() override {
        device = use(GetParam());
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    }
    void TearDown() override { EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }

    /// With this picture as its level.
    GLuint texture(const Picture &picture, int level, bool fixed) {
        const glmpi::GlFormat &gl = glmpi::gl_format(picture.format);
        // As GL_UNSIGNED_INT, drivers may round the upper 24 bits.
        const glmpi::PixelTypes types =
            picture.format == PIXMPI_DEPTH24 ? glmpi::PixelTypes{GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8} : gl.natural;
        GLuint name = 0;
        glGenTextures(1, &name);
        glBindTexture(GL_TEXTURE_2D, name);
        if (fixed)
            glTexStorage2D(GL_TEXTURE_2D, levels, gl.internal, edge << level, edge << level);
        for (int i = 0; !fixed && i < levels; ++i)
            glTexImage2D(GL_TEXTURE_2D, i, static_cast<GLint>(gl.internal), (edge << level) >> i, (edge << level) >> i,
                         0, types.format, types.type, nullptr);
        glTexSubImage2D(GL_TEXTURE_2D, level, 0, 0, edge, edge, types.format, types.type, picture.pixels.data());
        return name;
    }

    pixmpi::Status move(Direction direction, const std::shared_ptr<const pixmpi::Region> &region, GLuint name,
                        int level, Bytes &pixels) {
        return move(direction, region, glMPI_Texture(GL_TEXTURE_2D, name, level, 0), pixels);
    }
    pixmpi::Status move(Direction direction, const std::shared_ptr<const pixmpi::Region> &region,
                        const pixMPI_Surface &named, Bytes &pixels) {
        const auto surface = resolved(*device, named);
        std::unique_ptr<pixmpi::Transfer> transfer;
        std::unique_ptr<pixmpi::Stage> stage;
        EXPECT_EQ(device->make_transfer(direction, surface, region, transfer), PIXMPI_SUCCESS);
        EXPECT_EQ(device->make_stage(pixmpi::StageKind::shared, pixels.data(), pixels.size(), stage), PIXMPI_SUCCESS);
        pixmpi::Ticket ticket = pixmpi::done;
        pixmpi::Status status = transfer->begin(region->pixels);
        if (status == PIXMPI_SUCCESS)
            status = transfer->copy(0, region->pixels, *stage, 0, ticket);
        for (bool over = ticket == pixmpi::done; status == PIXMPI_SUCCESS && !over;)
            status = transfer->poll(ticket, over);
        return status ? status : transfer->end();
    }

    /// Out of a texture in that state, and into it.
    void round_trip(pixMPI_Format format, const State &state, int level, bool fixed) {
        device_suite::Random random(1);
        Picture picture{format, {edge, edge}, random.bytes(std::size_t{edge} * edge * bytes_of(format))};
        device_suite::make_plain(format, picture.pixels);
        const GLuint name = texture(picture, level, fixed);
        for (const Parameter &one : state.parameters)
            glTexParameteri(GL_TEXTURE_2D, one.name, one.value);
        glBindTexture(GL_TEXTURE_2D, 0);
        if (fixed && !device->features.hidden_levels && is_hidden(state, level)) {
            std::shared_ptr<glmpi::GlSurface> surface;
            EXPECT_EQ(glmpi::resolve(*device, glMPI_Texture(GL_TEXTURE_2D, name, level, 0), surface),
                      PIXMPI_ERR_SURFACE);
            glDeleteTextures(1, &name);
            return;
        }
        const auto region = tiles();
        Bytes seen(region->pixels * bytes_of(format)), sent = random.bytes(seen.size());
        EXPECT_EQ(move(Direction::pack, region, name, level, seen), PIXMPI_SUCCESS) << pixMPI_Error_text();
        device_suite::expect_same(format, picture.packed(*region), seen, "packed");
        device_suite::make_plain(format, sent);
        EXPECT_EQ(move(Direction::unpack, region, name, level, sent), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_EQ(move(Direction::pack, region, name, level, seen), PIXMPI_SUCCESS) << pixMPI_Error_text();
        device_suite::expect_same(format, sent, seen, "unpacked");
        glDeleteTextures(1, &name);
    }

    /// So many that shaders are asked.
    static std::shared_ptr<const pixmpi::Region> tiles() {
        std::vector<pixMPI_Rect> all;
        for (int i = 0; i < 16; ++i)
            all.push_back({i % 4 * 12, i / 4 * 12, 11, 7});
        return device_suite::region_of(all);
    }

    static bool is_hidden(const State &state, int level) {
        bool hidden = false;
        for (const Parameter &one : state.parameters)
            hidden = hidden || (one.name == GL_TEXTURE_BASE_LEVEL && level < one.value);
        return hidden;
    }

    static std::size_t bytes_of(pixMPI_Format format) { return static_cast<std::size_t>(pixMPI_Format_bytes(format)); }

    std::shared_ptr<glmpi::GlDevice> device;
};

int draws = 0;
glmpi::Gl driver;

void draw_arrays(GLenum mode, GLint first, GLsizei count) {
    ++draws;
    driver.DrawArrays(mode, first, count);
}

} // namespace

class GlDepths : public GlTextureState {
  protected:
    void SetUp() override {
        GlTextureState::SetUp();
        driver = device->gl;
        device->gl.DrawArrays = draw_arrays;
    }
    void TearDown() override {
        device->gl = driver;
        GlTextureState::TearDown();
    }

    int drawn_in_a_round_trip(pixMPI_Format format) {
        draws = 0;
        round_trip(format, states[0], 1, true);
        return draws;
    }

    Bytes there_and_back(const pixMPI_Surface &surface, Bytes sent) {
        Bytes seen(sent.size());
        draws = 0;
        EXPECT_EQ(move(Direction::unpack, tiles(), surface, sent), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_EQ(move(Direction::pack, tiles(), surface, seen), PIXMPI_SUCCESS) << pixMPI_Error_text();
        return seen;
    }

    /// Bit by bit as when nothing is drawn. These need not be the bits that were sent: copies of Mesa (22.3) clamp, too.
    Bytes arrives(const pixMPI_Surface &surface, const Bytes &sent) {
        const Bytes seen = there_and_back(surface, sent);
        EXPECT_GE(draws, 16) << "one for each tile";
        GLuint query = 0;
        glGenQueries(1, &query);
        glBeginQuery(GL_SAMPLES_PASSED, query);
        const Bytes copied = there_and_back(surface, sent);
        glEndQuery(GL_SAMPLES_PASSED);
        glDeleteQueries(1, &query);
        EXPECT_EQ(draws, 0);
        EXPECT_TRUE(seen == copied);
        return seen;
    }
};

TEST_P(GlDepths, AreDrawnUnlessTheProgramCountsFragments) {
    GLuint query = 0;
    for (const pixMPI_Format format : {PIXMPI_DEPTH32F, PIXMPI_DEPTH16})
        for (const GLenum target : {GL_SAMPLES_PASSED, GL_PRIMITIVES_GENERATED, GL_FRAGMENT_SHADER_INVOCATIONS,
                                    GL_VERTICES_SUBMITTED, GL_PRIMITIVES_SUBMITTED, GL_VERTEX_SHADER_INVOCATIONS,
                                    GL_CLIPPING_INPUT_PRIMITIVES, GL_CLIPPING_OUTPUT_PRIMITIVES}) {
            SCOPED_TRACE(target);
            if (target >= GL_VERTICES_SUBMITTED && !device->features.pipeline_statistics)
                continue;
            EXPECT_EQ(drawn_in_a_round_trip(format), 16) << "one for each tile";
            glGenQueries(1, &query); // each has one target for its life
            glBeginQuery(target, query);
            EXPECT_EQ(drawn_in_a_round_trip(format), 0);
            glEndQuery(target);
            glDeleteQueries(1, &query);
        }
}

GLint rectangles = 0;
GLint rectangle_mode = GL_EXCLUSIVE_EXT;
void with_rectangles(GLenum name, GLint *values) {
    if (name == GL_NUM_WINDOW_RECTANGLES_EXT)
        *values = rectangles;
    else if (name == GL_WINDOW_RECTANGLE_MODE_EXT)
        *values = rectangle_mode;
    else
        driver.GetIntegerv(name, values);
}

TEST_P(GlDepths, AreNotDrawnInWindowRectangles) {
    const glmpi::Features features = device->features;
    device->features.window_rectangles = true;
    device->gl.GetIntegerv = with_rectangles;
    for (const auto &[number, mode, expected] :
         {std::tuple(0, GL_EXCLUSIVE_EXT, 16), std::tuple(1, GL_EXCLUSIVE_EXT, 0),
          std::tuple(0, GL_INCLUSIVE_EXT, 0)}) {
        rectangles = number;
        rectangle_mode = mode;
        EXPECT_EQ(drawn_in_a_round_trip(PIXMPI_DEPTH16), expected);
    }
    device->features = features;
}

/// Drivers clamp what is drawn, and may flush small numbers to zero.
TEST_P(GlDepths, ArriveInSurfacesOfAllKindsAsCopiesDo) {
    const std::uint32_t odd_words[] = {0x3f000000, 0x3f800000,             // depths: 0.5, 1
                                       0x3f800001, 0x40000000, 0x7f7fffff, // above 1, 2, FLT_MAX
                                       0xbf800000, 0x80000000,             // -1, -0
                                       0x7f800000, 0xff800000,             // infinities
                                       0x7fc00001, 0x7f800001,             // NaNs
                                       0x00000001, 0x007fffff};            // denormals
    device_suite::Random random(1);
    for (const pixMPI_Format format : {PIXMPI_DEPTH32F, PIXMPI_DEPTH16}) {
        const GLenum internal = glmpi::gl_format(format).internal;
        GLuint textures[4], renderbuffer = 0;
        const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_ARRAY};
        glGenTextures(4, textures);
        glGenRenderbuffers(1, &renderbuffer);
        glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
        glRenderbufferStorage(GL_RENDERBUFFER, internal, edge, edge);
        glBindRenderbuffer(GL_RENDERBUFFER, 0);
        std::vector<pixMPI_Surface> surfaces{glMPI_Renderbuffer(renderbuffer)};
        for (int i = 0; i < 4; ++i) {
            glBindTexture(targets[i], textures[i]);
            if (i % 2)
                glTexStorage3D(targets[i], 2, internal, 2 * edge, 2 * edge, 6);
            else
                glTexStorage2D(targets[i], 2, internal, 2 * edge, 2 * edge);
            glBindTexture(targets[i], 0);
            surfaces.push_back(glMPI_Texture(targets[i], textures[i], 1, i ? 5 : 0));
        }
        Bytes sent = random.bytes(tiles()->pixels * bytes_of(format));
        device_suite::make_plain(format, sent);
        for (const pixMPI_Surface &surface : surfaces) {
            SCOPED_TRACE(std::string(pixMPI_Format_name(format)) + ", surface " +
                         std::to_string(&surface - surfaces.data()));
            EXPECT_TRUE(arrives(surface, sent) == sent);
            for (const std::uint32_t word : odd_words) {
                SCOPED_TRACE(word);
                Bytes odd = sent;
                std::memcpy(&odd[400], &word, sizeof word);
                arrives(surface, odd);
            }
        }
        glDeleteTextures(4, textures);
        glDeleteRenderbuffers(1, &renderbuffer);
    }
}

TEST_P(GlTextureState, DoesNotReachMessages) {
    for (const State &state : states)
        for (const pixMPI_Format format : formats)
            for (const int level : {0, 1})
                for (const bool fixed : {false, true}) {
                    SCOPED_TRACE(std::string(state.name) + ", " + pixMPI_Format_name(format) + ", level " +
                                 std::to_string(level) + (fixed ? ", of fixed levels" : ""));
                    round_trip(format, state, level, fixed);
                }
}

/// Some drivers reach another level in their place.
TEST_P(GlTextureState, HiddenLevelsAreRefusedWhereTheyAreNotReached) {
    const glmpi::Features features = device->features;
    device->features.hidden_levels = false;
    for (const State &state : states)
        for (const int level : {0, 1})
            round_trip(PIXMPI_RGBA8, state, level, true);
    device->features = features;
}

/// A sampler of the program's on the unit that shaders of ours use.
TEST_P(GlTextureState, OfSamplersDoesNotReachMessages) {
    GLuint sampler = 0;
    glGenSamplers(1, &sampler);
    for (const State &state : states)
        for (const Parameter &one : state.parameters)
            if (state.samplers_have_it)
                glSamplerParameteri(sampler, one.name, one.value);
    glBindSampler(0, sampler);
    for (const pixMPI_Format format : formats)
        round_trip(format, states[0], 0, true);
    glBindSampler(0, 0);
    glDeleteSamplers(1, &sampler);
}

INSTANTIATE_TEST_SUITE_P(gl, GlDepths, testing::Values(Path::shaders),
                         [](const auto &each) { return path_name(each.param); });
INSTANTIATE_TEST_SUITE_P(gl, GlTextureState, testing::ValuesIn(paths),
                         [](const auto &each) { return path_name(each.param); });
