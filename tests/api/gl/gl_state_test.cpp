// Calls leave all of the GL state as they found it, whatever it was, and pixels arrive all the same. Every rank runs
// this; messages go around in a ring.
#define GL_GLEXT_PROTOTYPES
#include "gl/gl_context_snapshot.h"
#include "glmpi.h"
#include "headless.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <optional>

namespace {

class Mpi : public testing::Environment {
  public:
    void SetUp() override {
        MPI_Init(nullptr, nullptr);
        ASSERT_EQ(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr), PIXMPI_SUCCESS) << pixMPI_Error_text();
    }
    void TearDown() override { MPI_Finalize(); }
};
const auto *const mpi = testing::AddGlobalTestEnvironment(new Mpi);

int ring(int step) {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return (rank + step + size) % size;
}

constexpr int width = 96, height = 64;

struct Setup {
    bool compatibility;
    const char *path;
};

std::string name_of(const testing::TestParamInfo<Setup> &info) {
    return std::string(info.param.compatibility ? "compatibility_" : "core_") + info.param.path;
}

// Surfaces of all kinds, four bytes a pixel.
class State : public testing::TestWithParam<Setup> {
  protected:
    void SetUp() override {
        setenv("PIXMPI_GL_PATH", GetParam().path, 1);
        demo::HeadlessOptions options;
        options.compatibility = GetParam().compatibility;
        options.width = width;
        options.height = height;
        options.on_error = [](const char *text) { ADD_FAILURE() << "OpenGL's debug callback was told: " << text; };
        std::string error;
        context = demo::Headless::make(options, error);
        ASSERT_NE(context, nullptr) << error;
        make_surfaces();
        ASSERT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }
    void TearDown() override {
        EXPECT_EQ(glMPI_Context_release(), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        setenv("PIXMPI_GL_PATH", "", 1);
    }

    void make_surfaces() {
        const std::vector<GLubyte> content(std::size_t{4} * width * height, GLubyte{0x42});
        const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_2D,       GL_TEXTURE_2D_ARRAY,
                                  GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_RECTANGLE};
        GLuint textures[7];
        glGenTextures(7, textures);
        for (int i = 0; i < 6; ++i) {
            glBindTexture(targets[i], textures[i]);
            if (targets[i] == GL_TEXTURE_2D_ARRAY || targets[i] == GL_TEXTURE_3D)
                glTexStorage3D(targets[i], 1, GL_RGBA8, width, height, 3);
            else
                glTexStorage2D(targets[i], 1, GL_RGBA8, width, targets[i] == GL_TEXTURE_CUBE_MAP ? width : height);
            surfaces.push_back(glMPI_Texture(targets[i], textures[i], 0, i > 1 && i < 5 ? 2 : 0));
        }
        glBindTexture(GL_TEXTURE_2D, textures[6]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH24_STENCIL8, width, height);
        GLuint renderbuffer = 0, framebuffer = 0, buffer = 0;
        glGenRenderbuffers(1, &renderbuffer);
        glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
        glGenFramebuffers(1, &framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[1], 0);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D, textures[6], 0);
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glBufferData(GL_ARRAY_BUFFER, 4 * width * height, content.data(), GL_STATIC_DRAW);
        glBindBuffer(GL_ARRAY_BUFFER, 0);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glBindRenderbuffer(GL_RENDERBUFFER, 0);
        surfaces.push_back(glMPI_Renderbuffer(renderbuffer));
        surfaces.push_back(glMPI_Framebuffer(framebuffer, GL_COLOR_ATTACHMENT0));
        surfaces.push_back(glMPI_Framebuffer(framebuffer, GL_DEPTH_ATTACHMENT));
        surfaces.push_back(glMPI_Framebuffer(framebuffer, GL_DEPTH_STENCIL_ATTACHMENT));
        surfaces.push_back(glMPI_Buffer(buffer, PIXMPI_RGBA8, width, height));
        surfaces.push_back(glMPI_Framebuffer(0, GL_BACK));
        surfaces.push_back(glMPI_As(glMPI_Texture2D(textures[0]), PIXMPI_BGRA8));
    }

    // Does it with the state in disorder, and compares the state before and after.
    void undisturbed(const char *what, const std::function<int()> &call, bool counts = true) {
        SCOPED_TRACE(what);
        const gl_state::Disorder disorder(GetParam().compatibility, counts);
        const gl_state::Snapshot before = gl_state::take(GetParam().compatibility);
        EXPECT_GT(before.size(), 250u);
        EXPECT_EQ(call(), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        EXPECT_EQ(gl_state::difference(before, gl_state::take(GetParam().compatibility)), "");
    }

    std::unique_ptr<demo::Headless> context;
    /// In the order of make_surfaces().
    enum Which { depth = 8, depth_stencil = 9, window = 11 };
    int which(const pixMPI_Surface &surface) const { return static_cast<int>(&surface - surfaces.data()); }
    std::string describe(const pixMPI_Surface &surface) const { return "surface " + std::to_string(which(surface)); }
    std::vector<pixMPI_Surface> surfaces;
};

} // namespace

TEST_P(State, stays_when_messages_are_sent_and_received) {
    const MPI_Comm world = MPI_COMM_WORLD;
    pixMPI_Region all, columns, tiles; // a cube's face is square, and so larger than the others
    ASSERT_EQ(pixMPI_Region_rect(0, 0, width, height, &all), PIXMPI_SUCCESS);
    ASSERT_EQ(pixMPI_Region_columns(0, height, 3, 40, 2, &columns), PIXMPI_SUCCESS);
    ASSERT_EQ(pixMPI_Region_strided({0, 0, 5, 3}, 9, 10, 8, 6, &tiles), PIXMPI_SUCCESS);
    for (pixMPI_Region *region : {&all, &columns, &tiles})
        pixMPI_Region_commit(region);
    for (const pixMPI_Surface &s : surfaces) {
        SCOPED_TRACE(describe(s));
        for (const pixMPI_Region region : {all, columns, tiles}) {
            undisturbed("Sendrecv_replace", [&] {
                return glMPI_Sendrecv_replace(s, region, ring(1), 1, ring(-1), 1, world, MPI_STATUS_IGNORE);
            });
            undisturbed("Irecv, Send, Wait", [&] {
                pixMPI_Request request;
                if (const int error = glMPI_Irecv(surfaces[0], region, ring(-1), 2, world, &request))
                    return error;
                if (const int error = glMPI_Send(s, region, ring(1), 2, world))
                    return error;
                return pixMPI_Wait(&request, MPI_STATUS_IGNORE);
            });
            undisturbed("Isend, Recv, Wait", [&] {
                pixMPI_Request request;
                if (const int error = glMPI_Isend(surfaces[0], region, ring(1), 3, world, &request))
                    return error;
                if (const int error = glMPI_Recv(s, region, ring(-1), 3, world, MPI_STATUS_IGNORE))
                    return error;
                return pixMPI_Wait(&request, MPI_STATUS_IGNORE);
            });
        }
        undisturbed("persistent", [&] {
            pixMPI_Request requests[2];
            if (const int error = glMPI_Send_init(surfaces[0], PIXMPI_WHOLE, ring(1), 4, world, &requests[0]))
                return error;
            if (const int error = glMPI_Recv_init(s, all, ring(-1), 4, world, &requests[1]))
                return error;
            for (int i = 0; i < 2; ++i) {
                if (const int error = pixMPI_Startall(2, requests))
                    return error;
                if (const int error = pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE))
                    return error;
            }
            pixMPI_Request_free(&requests[0]);
            return pixMPI_Request_free(&requests[1]);
        });
        undisturbed("queries", [&] {
            int w = 0, h = 0;
            pixMPI_Format format = PIXMPI_FORMAT_NONE;
            if (const int error = pixMPI_Surface_get_format(s, &format))
                return error;
            EXPECT_NE(format, PIXMPI_FORMAT_NONE);
            const int error = pixMPI_Surface_get_size(s, &w, &h);
            EXPECT_EQ(w, width);
            return error;
        });
    }
    for (pixMPI_Region *region : {&all, &columns, &tiles})
        pixMPI_Region_free(region);
}

TEST_P(State, stays_when_formats_are_measured) {
    for (const pixMPI_Format format :
         {PIXMPI_RGBA16F, PIXMPI_RGB8, PIXMPI_DEPTH24, PIXMPI_DEPTH32F_STENCIL8, PIXMPI_R32UI})
        undisturbed(pixMPI_Format_name(format), [&] {
            double pack = 0, unpack = 0;
            const int error = glMPI_Context_rates(format, &pack, &unpack);
            EXPECT_GT(pack, 0);
            EXPECT_GT(unpack, 0);
            return error;
        });
    undisturbed("name", [] {
        const char *name = nullptr;
        const int error = glMPI_Context_name(&name);
        EXPECT_NE(std::string(name), "");
        return error;
    });
    undisturbed("release", [] { return glMPI_Context_release(); });
}

TEST_P(State, stays_when_calls_fail) {
    const gl_state::Disorder disorder(GetParam().compatibility);
    const gl_state::Snapshot before = gl_state::take(GetParam().compatibility);
    const GLuint name = surfaces[0].name;
    EXPECT_EQ(glMPI_Send(glMPI_Texture(GL_TEXTURE_2D, name, 3, 0), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD),
              PIXMPI_ERR_SURFACE);
    EXPECT_EQ(glMPI_Send(glMPI_Texture(GL_TEXTURE_3D, name, 0, 0), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD),
              PIXMPI_ERR_SURFACE);
    EXPECT_EQ(glMPI_Send(glMPI_Texture2D(9999), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD), PIXMPI_ERR_SURFACE);
    EXPECT_EQ(glMPI_Send(glMPI_As(surfaces[0], PIXMPI_DEPTH24), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD), PIXMPI_ERR_FORMAT);
    EXPECT_EQ(glMPI_Send(glMPI_Framebuffer(0, GL_STENCIL + 77), PIXMPI_WHOLE, 0, 1, MPI_COMM_WORLD),
              PIXMPI_ERR_SURFACE);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    EXPECT_EQ(gl_state::difference(before, gl_state::take(GetParam().compatibility)), "");
}

TEST_P(State, errors_of_the_program_stay) {
    const GLenum errors[] = {GL_INVALID_ENUM, GL_INVALID_VALUE, GL_INVALID_OPERATION, GL_INVALID_FRAMEBUFFER_OPERATION};
    for (const GLenum error : errors) {
        GLuint incomplete = 0;
        glGenFramebuffers(1, &incomplete);
        std::optional<gl_state::Silence> silence(std::in_place);
        if (error == GL_INVALID_ENUM) {
            glEnable(GL_RGBA);
        } else if (error == GL_INVALID_VALUE) {
            glViewport(0, 0, -1, 1);
        } else if (error == GL_INVALID_OPERATION) {
            glUseProgram(surfaces[0].name);
            while (glGetError() != GL_NO_ERROR)
                ;
            glEndQuery(GL_SAMPLES_PASSED);
        } else {
            glBindFramebuffer(GL_FRAMEBUFFER, incomplete);
            glClear(GL_COLOR_BUFFER_BIT);
            glBindFramebuffer(GL_FRAMEBUFFER, 0);
        }
        silence.reset();
        EXPECT_EQ(glMPI_Sendrecv_replace(surfaces[0], PIXMPI_WHOLE, ring(1), 1, ring(-1), 1, MPI_COMM_WORLD,
                                         MPI_STATUS_IGNORE),
                  PIXMPI_SUCCESS)
            << pixMPI_Error_text();
        EXPECT_EQ(glGetError(), error);
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        glDeleteFramebuffers(1, &incomplete);
    }
}

// Pixels go from the first surface to another and come back, while everything that could spoil them is on.
TEST_P(State, pixels_arrive_in_disorder) {
    std::vector<GLubyte> sent(std::size_t{4} * width * height), back(sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i)
        sent[i] = static_cast<GLubyte>(i * 7 + i / 251);
    const pixMPI_Surface from = pixMPI_Memory(sent.data(), PIXMPI_RGBA8, width, height);
    const pixMPI_Surface to = pixMPI_Memory(back.data(), PIXMPI_RGBA8, width, height);
    pixMPI_Region area;
    ASSERT_EQ(pixMPI_Region_rect(0, 0, width, height, &area), PIXMPI_SUCCESS);
    pixMPI_Region_commit(&area);
    for (const pixMPI_Surface &s : surfaces) {
        if (which(s) == depth)
            continue; // its low bytes mean nothing
        SCOPED_TRACE(describe(s));
        std::fill(back.begin(), back.end(), GLubyte{0});
        const gl_state::Disorder disorder(GetParam().compatibility);
        int rank = ring(0);
        pixMPI_Request request;
        EXPECT_EQ(pixMPI_Isend(from, area, rank, 1, MPI_COMM_WORLD, &request), PIXMPI_SUCCESS);
        EXPECT_EQ(glMPI_Recv(s, area, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), PIXMPI_SUCCESS)
            << pixMPI_Error_text();
        EXPECT_EQ(pixMPI_Wait(&request, MPI_STATUS_IGNORE), PIXMPI_SUCCESS);
        EXPECT_EQ(pixMPI_Irecv(to, area, rank, 1, MPI_COMM_WORLD, &request), PIXMPI_SUCCESS);
        EXPECT_EQ(glMPI_Send(s, area, rank, 1, MPI_COMM_WORLD), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_EQ(pixMPI_Wait(&request, MPI_STATUS_IGNORE), PIXMPI_SUCCESS);
        EXPECT_TRUE(sent == back);
    }
    pixMPI_Region_free(&area);
}

// Depths are drawn where that is faster (device/gl_texture_state_test sees it), unless the program counts, selects or
// feeds back what is drawn.
TEST_P(State, depths_arrive_in_disorder) {
    setenv("PIXMPI_GL_PACK", "shader", 1);
    std::vector<std::pair<bool, GLenum>> ways{{false, GL_RENDER}, {true, GL_RENDER}};
    GLuint selected[64];
    GLfloat fed_back[64];
    if (GetParam().compatibility) {
        glSelectBuffer(64, selected);
        glFeedbackBuffer(64, GL_2D, fed_back);
        ways.insert(ways.end(), {{false, GL_SELECT}, {false, GL_FEEDBACK}});
    }
    struct Depths {
        GLenum internal;
        pixMPI_Format format;
    };
    const int rank = ring(0);
    constexpr std::size_t pixels = std::size_t{width} * height;
    for (const auto &[internal, format] :
         {Depths{GL_DEPTH_COMPONENT32F, PIXMPI_DEPTH32F}, Depths{GL_DEPTH_COMPONENT16, PIXMPI_DEPTH16}}) {
        GLuint textures[2], renderbuffer = 0;
        glGenTextures(2, textures);
        glBindTexture(GL_TEXTURE_2D, textures[0]);
        glTexStorage2D(GL_TEXTURE_2D, 2, internal, width, height);
        glBindTexture(GL_TEXTURE_2D_ARRAY, textures[1]);
        glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, internal, width, height, 3);
        glGenRenderbuffers(1, &renderbuffer);
        glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
        glRenderbufferStorage(GL_RENDERBUFFER, internal, width, height);
        std::vector<float> sent(pixels), back(pixels);
        for (std::size_t i = 0; i < pixels; ++i)
            sent[i] = static_cast<float>(i) / static_cast<float>(pixels - 1);
        const pixMPI_Surface from = pixMPI_Memory(sent.data(), format, width, height),
                             to = pixMPI_Memory(back.data(), format, width, height);
        for (const pixMPI_Surface &s :
             {glMPI_Texture2D(textures[0]), glMPI_Texture(GL_TEXTURE_2D_ARRAY, textures[1], 0, 2),
              glMPI_Renderbuffer(renderbuffer)})
            for (const auto &[counted, mode] : ways) {
                std::fill(back.begin(), back.end(), -1.0f);
                if (mode != GL_RENDER)
                    glRenderMode(mode);
                undisturbed(
                    pixMPI_Format_name(format),
                    [&] {
                        const int error = pixMPI_Sendrecv(from, PIXMPI_WHOLE, rank, 1, s, PIXMPI_WHOLE, rank, 1,
                                                          MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                        return error ? error
                                     : pixMPI_Sendrecv(s, PIXMPI_WHOLE, rank, 1, to, PIXMPI_WHOLE, rank, 1,
                                                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    },
                    counted);
                if (mode != GL_RENDER) {
                    EXPECT_EQ(glRenderMode(GL_RENDER), 0) << "something was drawn";
                }
                const std::size_t bytes = pixels * static_cast<std::size_t>(pixMPI_Format_bytes(format));
                EXPECT_EQ(std::memcmp(sent.data(), back.data(), bytes), 0)
                    << s.name << ", counted " << counted << ", mode " << mode;
            }
        glDeleteTextures(2, textures);
        glDeleteRenderbuffers(1, &renderbuffer);
    }
    unsetenv("PIXMPI_GL_PACK");
}

// OpenGL drops blits then, and nothing tells that it did.
TEST_P(State, conditional_rendering) {
    GLuint query = 0;
    glGenQueries(1, &query);
    glBeginQuery(GL_SAMPLES_PASSED, query);
    glEndQuery(GL_SAMPLES_PASSED);
    glFinish();
    const int rank = ring(0);
    std::vector<GLubyte> sent(std::size_t{4} * width * height, GLubyte{9}), back(sent.size());
    const pixMPI_Surface from = pixMPI_Memory(sent.data(), PIXMPI_RGBA8, width, height);
    glBeginConditionalRender(query, GL_QUERY_WAIT);
    for (const pixMPI_Surface &s : surfaces) {
        if (which(s) == depth || which(s) == depth_stencil || which(s) == window)
            continue;
        pixMPI_Region area;
        ASSERT_EQ(pixMPI_Region_rect(0, 0, width, height, &area), PIXMPI_SUCCESS);
        pixMPI_Region_commit(&area);
        pixMPI_Request requests[2];
        const pixMPI_Surface to = pixMPI_Memory(back.data(), PIXMPI_RGBA8, width, height);
        std::fill(back.begin(), back.end(), GLubyte{0});
        EXPECT_EQ(glMPI_Irecv(s, area, rank, 1, MPI_COMM_WORLD, &requests[0]), PIXMPI_SUCCESS);
        EXPECT_EQ(pixMPI_Isend(from, area, rank, 1, MPI_COMM_WORLD, &requests[1]), PIXMPI_SUCCESS);
        EXPECT_EQ(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_EQ(glMPI_Isend(s, area, rank, 1, MPI_COMM_WORLD, &requests[0]), PIXMPI_SUCCESS);
        EXPECT_EQ(pixMPI_Irecv(to, area, rank, 1, MPI_COMM_WORLD, &requests[1]), PIXMPI_SUCCESS);
        EXPECT_EQ(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE), PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_TRUE(sent == back) << describe(s);
        pixMPI_Region_free(&area);
    }
    pixMPI_Request requests[2];
    MPI_Status statuses[2];
    EXPECT_EQ(glMPI_Irecv(glMPI_Framebuffer(0, GL_BACK), PIXMPI_WHOLE, rank, 1, MPI_COMM_WORLD, &requests[0]),
              PIXMPI_SUCCESS);
    EXPECT_EQ(pixMPI_Isend(from, PIXMPI_WHOLE, rank, 1, MPI_COMM_WORLD, &requests[1]), PIXMPI_SUCCESS);
    EXPECT_EQ(pixMPI_Waitall(2, requests, statuses), PIXMPI_ERR_STATUS);
    EXPECT_EQ(pixMPI_Status_error(&statuses[0]), PIXMPI_ERR_CONTEXT);
    glEndConditionalRender();
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    glDeleteQueries(1, &query);
}

/// How a region is copied depends on the surface: what serves a texture would lose a framebuffer's pixels.
TEST_P(State, region_serves_surfaces_of_all_kinds) {
    pixMPI_Region columns;
    ASSERT_EQ(pixMPI_Region_columns(0, height, 3, 40, 2, &columns), PIXMPI_SUCCESS);
    pixMPI_Region_commit(&columns);
    const int rank = ring(0);
    constexpr std::size_t pixels = std::size_t{width} * height;
    std::vector<std::uint32_t> below(pixels), sent(std::size_t{40} * height), back(pixels);
    for (std::size_t i = 0; i < pixels; ++i)
        below[i] = 0xFF000000u + static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < sent.size(); ++i)
        sent[i] = 0xFF800000u + static_cast<std::uint32_t>(i);
    std::vector<std::uint32_t> wanted = below;
    for (int column = 0; column < 40; ++column)
        for (int y = 0; y < height; ++y)
            wanted[static_cast<std::size_t>(y * width + 3 + 2 * column)] =
                sent[static_cast<std::size_t>(column * height + y)];
    const auto memory = [](std::vector<std::uint32_t> &of, int columns_of_it) {
        return pixMPI_Memory(of.data(), PIXMPI_RGBA8, columns_of_it, static_cast<int>(of.size()) / columns_of_it);
    };
    const auto exchange = [&](const pixMPI_Surface &from, pixMPI_Region out, const pixMPI_Surface &to,
                              pixMPI_Region in) {
        EXPECT_EQ(pixMPI_Sendrecv(from, out, rank, 1, to, in, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  PIXMPI_SUCCESS)
            << pixMPI_Error_text();
    };
    for (const pixMPI_Surface &s : surfaces) {
        if (s.as || which(s) == depth || which(s) == depth_stencil)
            continue;
        pixMPI_Region area;
        ASSERT_EQ(pixMPI_Region_rect(0, 0, width, height, &area), PIXMPI_SUCCESS);
        pixMPI_Region_commit(&area);
        exchange(memory(below, width), PIXMPI_WHOLE, s, area);
        exchange(memory(sent, height), PIXMPI_WHOLE, s, columns);
        exchange(s, area, memory(back, width), PIXMPI_WHOLE);
        EXPECT_TRUE(back == wanted) << describe(s);
        pixMPI_Region_free(&area);
    }
    pixMPI_Region_free(&columns);
}

/// Such a program goes when another one takes its place, so none may.
TEST_P(State, deleted_program_stays_current) {
    setenv("PIXMPI_GL_PACK", "shader", 1);
    const char *const text = "#version 430\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    const GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glDeleteShader(shader);
    glUseProgram(program);
    glDeleteProgram(program);
    ASSERT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));

    std::vector<GLubyte> sent(std::size_t{4} * width * height, GLubyte{9}), back(sent.size());
    const int rank = ring(0);
    pixMPI_Request requests[2];
    const auto exchange = [&](int receiving, int sending) {
        EXPECT_EQ(receiving, PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_EQ(sending, PIXMPI_SUCCESS) << pixMPI_Error_text();
        EXPECT_EQ(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE), PIXMPI_SUCCESS) << pixMPI_Error_text();
    };
    const pixMPI_Surface &texture = surfaces[0];
    const pixMPI_Surface from = pixMPI_Memory(sent.data(), PIXMPI_RGBA8, width, height),
                         to = pixMPI_Memory(back.data(), PIXMPI_RGBA8, width, height);
    exchange(glMPI_Irecv(texture, PIXMPI_WHOLE, rank, 1, MPI_COMM_WORLD, &requests[0]),
             pixMPI_Isend(from, PIXMPI_WHOLE, rank, 1, MPI_COMM_WORLD, &requests[1]));
    exchange(pixMPI_Irecv(to, PIXMPI_WHOLE, rank, 1, MPI_COMM_WORLD, &requests[0]),
             glMPI_Isend(texture, PIXMPI_WHOLE, rank, 1, MPI_COMM_WORLD, &requests[1]));
    EXPECT_TRUE(sent == back);
    GLint current = 0;
    glGetIntegerv(GL_CURRENT_PROGRAM, &current);
    EXPECT_EQ(static_cast<GLuint>(current), program);
    EXPECT_TRUE(glIsProgram(program));
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    glUseProgram(0);
    unsetenv("PIXMPI_GL_PACK");
}

INSTANTIATE_TEST_SUITE_P(gl, State,
                         testing::Values(Setup{false, "direct"}, Setup{false, "pbo"}, Setup{true, "direct"},
                                         Setup{true, "pbo"}),
                         name_of);
