// Transfers of an OpenGL that fails, on all paths, those of OpenGL 3.3 among them: an error or the right pixels, and a
// transfer that works again.
#define GL_GLEXT_PROTOTYPES
#include "device/combining_transfer.h"
#include "gl_interpose.h"
#include "gl_rig_contexts.h"
#include "headless.h"
#include "suite.h"

#include <gtest/gtest.h>

using namespace gl_rig;
using device_suite::Bytes;
using gl_interpose::hand;
using pixmpi::Direction;

namespace {

constexpr int edge = 300;
constexpr std::size_t all_bytes = std::size_t{edge} * edge * 4;

class GlFailures : public testing::TestWithParam<Path> {
  protected:
    void SetUp() override {
        device = use(GetParam());
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, edge, edge, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        glBindTexture(GL_TEXTURE_2D, 0);
    }
    void TearDown() override {
        gl_interpose::heal_all();
        glDeleteTextures(1, &texture);
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }

    /// The whole texture, one way. A transfer that fails gives up.
    pixmpi::Status move(Direction direction, Bytes &pixels) {
        const auto surface = resolved(*device, glMPI_Texture2D(texture));
        const auto region = device_suite::region_of({{0, 0, edge, edge}});
        std::unique_ptr<pixmpi::Transfer> transfer;
        std::unique_ptr<pixmpi::Stage> stage;
        EXPECT_EQ(device->make_transfer(direction, surface, region, transfer), PIXMPI_SUCCESS);
        EXPECT_EQ(device->make_stage(pixmpi::StageKind::shared, pixels.data(), pixels.size(), stage), PIXMPI_SUCCESS);
        transfer->start();
        pixmpi::Ticket ticket = pixmpi::done;
        pixmpi::Status status = transfer->begin(region->pixels);
        if (status == PIXMPI_SUCCESS)
            status = transfer->copy(0, region->pixels, *stage, 0, ticket);
        for (bool over = ticket == pixmpi::done; status == PIXMPI_SUCCESS && !over;)
            status = transfer->poll(ticket, over);
        if (status == PIXMPI_SUCCESS)
            status = transfer->end();
        else
            transfer->give_up();
        return status;
    }
    /// Writes the pixels and reads them back while `function` fails; then once more without.
    void fail(const char *function, GLenum error, int after, int times, Direction direction) {
        SCOPED_TRACE(std::string(function) + " after " + std::to_string(after) + " calls");
        device_suite::Random random(1);
        Bytes sent = random.bytes(all_bytes), seen(all_bytes);
        for (const bool healed : {false, true}) {
            if (healed)
                gl_interpose::heal_all();
            const auto move_with = [&](Direction one, Bytes &pixels) {
                if (!healed && one == direction)
                    hand(function).fail(error, after, times);
                const pixmpi::Status status = move(one, pixels);
                hand(function).heal();
                return status;
            };
            const pixmpi::Status written = move_with(Direction::unpack, sent);
            const pixmpi::Status read = written ? written : move_with(Direction::pack, seen);
            if (healed || read == PIXMPI_SUCCESS) {
                EXPECT_EQ(read, PIXMPI_SUCCESS) << pixMPI_Error_text();
                EXPECT_TRUE(seen == sent);
            } else {
                EXPECT_TRUE(read == PIXMPI_ERR_MEMORY || read == PIXMPI_ERR_DEVICE) << pixMPI_Error_text();
            }
            EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        }
    }

    std::shared_ptr<glmpi::GlDevice> device;
    GLuint texture = 0;
};

TEST_P(GlFailures, EachCall) {
    for (const char *function :
         {"glBufferData", "glBufferStorage", "glMapBufferRange", "glUnmapBuffer", "glFenceSync", "glClientWaitSync",
          "glReadPixels", "glGetTextureSubImage", "glTexSubImage2D", "glTextureSubImage2D", "glDispatchCompute"})
        for (const Direction direction : {Direction::pack, Direction::unpack})
            for (const int after : {0, 1})
                fail(function, GL_OUT_OF_MEMORY, after, 1, direction);
}

TEST_P(GlFailures, WithoutAnError) {
    for (const char *function : {"glMapBufferRange", "glUnmapBuffer", "glFenceSync", "glClientWaitSync"})
        for (const Direction direction : {Direction::pack, Direction::unpack})
            fail(function, GL_NO_ERROR, 0, 1'000'000, direction);
}

TEST_P(GlFailures, WaysOfFormatsAreMeasuredAgain) {
    glmpi::FormatChoices choices(*device);
    hand("glTexStorage2D").fail(GL_OUT_OF_MEMORY);
    hand("glTexImage2D").fail(GL_OUT_OF_MEMORY);
    EXPECT_NE(choices.get(PIXMPI_RGBA8, Direction::pack).way, glmpi::Way::none);
    EXPECT_FALSE(choices.get(PIXMPI_RGBA8, Direction::pack).exact);
    gl_interpose::heal_all();
    EXPECT_TRUE(choices.get(PIXMPI_RGBA8, Direction::pack).exact);
    EXPECT_TRUE(choices.get(PIXMPI_RGBA8, Direction::unpack).exact);
}

// A message that ends early frees its stage only when the GPU has left it, however long that takes.
TEST(GlEarlyEnds, StagesAreKeptUntilTheGpuHasLeftThem) {
    const auto device = use(Path::pixel_buffers);
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 300, 300, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindTexture(GL_TEXTURE_2D, 0);
    const auto region = device_suite::region_of({{0, 0, 300, 300}});
    std::unique_ptr<pixmpi::Transfer> transfer;
    std::unique_ptr<pixmpi::Stage> stage;
    ASSERT_EQ(device->make_transfer(Direction::pack, resolved(*device, glMPI_Texture2D(texture)), region, transfer),
              PIXMPI_SUCCESS);
    ASSERT_EQ(device->make_stage(pixmpi::StageKind::mapped, nullptr, 300 * 300 * 4, stage), PIXMPI_SUCCESS);
    transfer->start();
    ASSERT_EQ(transfer->begin(region->pixels), PIXMPI_SUCCESS);
    pixmpi::Ticket ticket = pixmpi::done;
    ASSERT_EQ(transfer->copy(0, region->pixels, *stage, 0, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
    const glmpi::Gl driver = device->gl;
    device->gl.ClientWaitSync = [](GLsync, GLbitfield, GLuint64) { return GLenum{GL_TIMEOUT_EXPIRED}; };
    transfer->give_up();
    EXPECT_FALSE(transfer->settled());
    device->gl = driver;
    glFinish();
    EXPECT_TRUE(transfer->settled());
    transfer.reset();
    glDeleteTextures(1, &texture);
}

// Pixels of one texture, what arrives, and the result in another one: one dispatch, and nothing that the CPU reads. A
// texture whose state changes, so that shaders no longer reach it, is combined with by the CPU.
TEST(GlCombining, OneTextureOntoAnother) {
    const auto device = use(Path::shaders);
    device_suite::Random random(1);
    const auto region = device_suite::region_of({{0, 0, edge, edge}});
    Bytes contents[2], incoming = random.bytes(all_bytes), seen(all_bytes);
    GLuint names[2];
    glGenTextures(2, names);
    for (int i = 0; i < 2; ++i) {
        contents[i] = random.bytes(all_bytes);
        glBindTexture(GL_TEXTURE_2D, names[i]);
        glTexStorage2D(GL_TEXTURE_2D, 2, GL_RGBA8, edge, edge);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, edge, edge, GL_RGBA, GL_UNSIGNED_BYTE, contents[i].data());
    }
    glBindTexture(GL_TEXTURE_2D, 0);
    const auto surface = [&](int i) { return resolved(*device, glMPI_Texture2D(names[i])); };
    const pixmpi::Combination sum{pixmpi::Operation::sum, pixmpi::Order::present_first};
    const auto move = [&](pixmpi::Transfer &transfer, Bytes &pixels) {
        std::unique_ptr<pixmpi::Stage> stage;
        ASSERT_EQ(device->make_stage(pixmpi::StageKind::shared, pixels.data(), pixels.size(), stage), PIXMPI_SUCCESS);
        transfer.start();
        ASSERT_EQ(transfer.begin(region->pixels), PIXMPI_SUCCESS);
        pixmpi::Ticket ticket = pixmpi::done;
        ASSERT_EQ(transfer.copy(0, region->pixels, *stage, 0, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
        for (bool over = ticket == pixmpi::done; !over;)
            ASSERT_EQ(transfer.poll(ticket, over), PIXMPI_SUCCESS) << pixMPI_Error_text();
        ASSERT_EQ(transfer.end(), PIXMPI_SUCCESS);
    };
    Bytes expected = contents[1];
    pixmpi::Combiner(sum, PIXMPI_RGBA8)(expected.data(), incoming.data(), region->pixels);
    const auto check = [&] {
        for (const auto &[i, pixels] : {std::pair(0, &expected), {1, &contents[1]}}) {
            std::unique_ptr<pixmpi::Transfer> pack;
            ASSERT_EQ(device->make_transfer(Direction::pack, surface(i), region, pack), PIXMPI_SUCCESS);
            move(*pack, seen);
            EXPECT_TRUE(seen == *pixels) << "texture " << i;
        }
    };
    const auto onto = device->combine_onto(surface(0), surface(1), 0, 0);
    ASSERT_NE(onto, nullptr);
    std::unique_ptr<pixmpi::Transfer> transfer;
    ASSERT_EQ(pixmpi::make_transfer(Direction::unpack, sum, onto, region, transfer), PIXMPI_SUCCESS);
    const int dispatches = hand("glDispatchCompute").calls, copies = hand("glCopyImageSubData").calls;
    move(*transfer, incoming);
    EXPECT_EQ(hand("glDispatchCompute").calls, dispatches + 1);
    EXPECT_EQ(hand("glCopyImageSubData").calls, copies);
    check();

    glTextureParameteri(names[1], GL_TEXTURE_BASE_LEVEL, 1);
    EXPECT_EQ(device->combine_onto(surface(0), surface(1), 0, 0), nullptr);
    if (device->features.hidden_levels) {
        Bytes nothing(all_bytes);
        std::unique_ptr<pixmpi::Transfer> clear;
        ASSERT_EQ(device->make_transfer(Direction::unpack, surface(0), region, clear), PIXMPI_SUCCESS);
        move(*clear, nothing);
        move(*transfer, incoming);
        check();
    }
    glDeleteTextures(2, names);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

// Out of a texture into memory of the GPU, and back: the last workgroup says that it is over, without a fence. What it
// writes may not be seen, as where a dispatch does nothing here: then a fence tells, and fences are used from then on.
TEST(GlFlags, FencesWhereNoneIsSeen) {
    const auto device = use(Path::shaders);
    device_suite::Random random(1);
    const auto region = device_suite::region_of({{0, 0, edge, edge}});
    GLuint names[2];
    glGenTextures(2, names);
    const Bytes pixels = random.bytes(all_bytes), other = random.bytes(all_bytes);
    const auto write = [&](int i, const Bytes &content) {
        glBindTexture(GL_TEXTURE_2D, names[i]);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, edge, edge, GL_RGBA, GL_UNSIGNED_BYTE, content.data());
    };
    for (int i = 0; i < 2; ++i) {
        glBindTexture(GL_TEXTURE_2D, names[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, edge, edge);
        write(i, i == 0 ? pixels : other);
    }
    const auto content = [&] {
        Bytes seen(all_bytes);
        glBindTexture(GL_TEXTURE_2D, names[1]);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
        return seen;
    };
    std::unique_ptr<pixmpi::Stage> stage;
    ASSERT_EQ(device->make_stage(pixmpi::StageKind::local, nullptr, all_bytes, stage), PIXMPI_SUCCESS);
    std::unique_ptr<pixmpi::Transfer> transfer;
    const auto begin = [&](Direction direction, pixmpi::Ticket &ticket) {
        const auto surface = resolved(*device, glMPI_Texture2D(names[direction == Direction::pack ? 0 : 1]));
        ASSERT_EQ(device->make_transfer(direction, surface, region, transfer), PIXMPI_SUCCESS);
        transfer->start();
        ASSERT_EQ(transfer->begin(region->pixels), PIXMPI_SUCCESS);
        ASSERT_EQ(transfer->copy(0, region->pixels, *stage, 0, ticket), PIXMPI_SUCCESS) << pixMPI_Error_text();
    };
    const auto both = [&] {
        const int before = hand("glFenceSync").calls;
        for (const Direction direction : {Direction::pack, Direction::unpack}) {
            pixmpi::Ticket ticket = pixmpi::done;
            begin(direction, ticket);
            for (bool over = ticket == pixmpi::done; !over;)
                EXPECT_EQ(transfer->poll(ticket, over), PIXMPI_SUCCESS) << pixMPI_Error_text();
            EXPECT_EQ(transfer->end(), PIXMPI_SUCCESS);
        }
        return hand("glFenceSync").calls - before;
    };
    for (int i = 0; i < 100; ++i) // more than there are words
        EXPECT_EQ(both(), 0);
    EXPECT_TRUE(content() == pixels);
    pixmpi::Ticket ticket = pixmpi::done;
    begin(Direction::unpack, ticket);
    transfer->give_up();
    while (!transfer->settled()) {
    }

    write(1, other);
    hand("glDispatchCompute").fail(GL_NO_ERROR, 1, 1);
    EXPECT_EQ(both(), 1);
    gl_interpose::heal_all();
    EXPECT_TRUE(content() == other);
    EXPECT_EQ(both(), 2);
    EXPECT_TRUE(content() == pixels);
    transfer.reset();
    glDeleteTextures(2, names);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_P(GlFailures, ScratchTextures) {
    glmpi::SavedState state(*device);
    glmpi::Scratches scratches(*device);
    glmpi::Scratch scratch;
    hand("glTexStorage2D").fail(GL_OUT_OF_MEMORY);
    hand("glTexImage2D").fail(GL_OUT_OF_MEMORY);
    EXPECT_EQ(scratches.get(state, PIXMPI_RGBA8, GL_RGBA8, {64, 64}, scratch), PIXMPI_ERR_MEMORY);
    gl_interpose::heal_all();
    EXPECT_EQ(scratches.get(state, PIXMPI_RGBA8, GL_RGBA8, {64, 64}, scratch), PIXMPI_SUCCESS) << pixMPI_Error_text();
    EXPECT_NE(scratch.texture, 0u);
    scratches.destroy();
}

const char *const second = "PIXEL combine(PIXEL first, PIXEL second) { return second; }";

template <class Compile> void expect_one_is_kept(Compile compile, int before) {
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(compile(second), PIXMPI_SUCCESS) << pixMPI_Error_text();
    EXPECT_EQ(gl_interpose::alive()["Program"], before + 1);
    EXPECT_EQ(compile("nonsense"), PIXMPI_ERR_ARGUMENT);
}

// What is compiled for an operation of a program's goes after it, and a driver that compiles nothing is not its fault.
TEST(GlUserOperations, ProgramsGoWithThem) {
    const auto device = use(Path::shaders);
    glmpi::ShaderPacker packer(*device);
    const auto compile = [&](const char *glsl) {
        const auto function = [](const void *, const void *, void *, size_t, pixMPI_Format, void *) {};
        const pixmpi::Combination how{pixmpi::Operation::user, pixmpi::Order::present_first,
                                      pixmpi::make_user_operation(function, glsl, nullptr)};
        glmpi::ShaderPacker::BandWork band{};
        band.direction = Direction::unpack;
        band.pixel_bytes = 4;
        band.user = how.user;
        EXPECT_TRUE(pixmpi::for_shader(how, PIXMPI_RGBA8, band.how));
        return packer.compile_user(band);
    };
    const int before = gl_interpose::alive()["Program"];
    expect_one_is_kept(compile, before);
    EXPECT_EQ(gl_interpose::alive()["Program"], before + 1) << "the plain program alone, of which nothing was wrong";
    packer.destroy();
    EXPECT_EQ(gl_interpose::alive()["Program"], before);
    hand("glLinkProgram").fail(GL_NO_ERROR);
    EXPECT_EQ(compile(second), PIXMPI_SUCCESS) << "the CPU does";
    gl_interpose::heal_all();
    EXPECT_FALSE(packer.may_run());
    packer.destroy();
}

TEST(GlUserOperations, ProgramsForBuffersGoWithThem) {
    const auto device = use(Path::shaders);
    glmpi::BufferShaders shaders(*device);
    pixmpi::Region region;
    region.add({0, 0, 4, 4});
    region.commit();
    const auto band_of = [&](const pixmpi::Combination &how) {
        pixmpi::ShaderCombination shader;
        EXPECT_TRUE(pixmpi::for_shader(how, PIXMPI_RGB8, shader));
        return glmpi::BufferShaders::BandWork{{shader, {3, 12}, region, 0, 16}, {}, {}, how.user};
    };
    const auto compile = [&](const char *glsl) {
        const auto function = [](const void *, const void *, void *, size_t, pixMPI_Format, void *) {};
        return shaders.compile_user(band_of({pixmpi::Operation::user, pixmpi::Order::present_first,
                                             pixmpi::make_user_operation(function, glsl, nullptr)}));
    };
    const int before = gl_interpose::alive()["Program"];
    expect_one_is_kept(compile, before);
    EXPECT_EQ(gl_interpose::alive()["Program"], before + 1) << "that of a sum alone, of which nothing was wrong";
    EXPECT_TRUE(shaders.possible(band_of({pixmpi::Operation::sum})));
    shaders.destroy();
    EXPECT_EQ(gl_interpose::alive()["Program"], before);
    hand("glLinkProgram").fail(GL_NO_ERROR);
    EXPECT_EQ(compile(second), PIXMPI_SUCCESS) << "the CPU does";
    gl_interpose::heal_all();
    EXPECT_FALSE(shaders.possible(band_of({pixmpi::Operation::sum})));
    shaders.destroy();
}

INSTANTIATE_TEST_SUITE_P(device, GlFailures, testing::ValuesIn(paths),
                         [](const auto &each) { return path_name(each.param); });

} // namespace
