// Whether a dispatch of this context can wait for messages while it runs: no specification promises it.
#include "running.glsl.h"

#include "endpoint/gl_endpoint.h"
#include "endpoint/published.h"
#include "shader/compute.h"

#include <chrono>
#include <cstring>

namespace glmpi {

using namespace pixmpi;

namespace {

constexpr std::uint32_t turns = 3, looks = 20000; // some 15 ms on a card
constexpr std::size_t bytes = 256;
constexpr double patience = 5;

/// What shaders/running.comp is bound to.
struct Blocks {
    std::unique_ptr<SharedBuffer> answers, said, payload;
    static std::uint32_t &word(const SharedBuffer &buffer, std::size_t i = 0) {
        return reinterpret_cast<std::uint32_t *>(buffer.memory)[i];
    }
    bool good() const { return look_at(word(*said, 1)) == 1 && look_at(word(*said, 2)) == 0; }
};

Status make_blocks(GlDevice &device, Blocks &blocks) {
    for (std::unique_ptr<SharedBuffer> *const buffer : {&blocks.answers, &blocks.said, &blocks.payload}) {
        if (const Status status = SharedBuffer::make(device, bytes, *buffer))
            return status;
        std::memset((*buffer)->memory, 0, bytes);
    }
    return PIXMPI_SUCCESS;
}

/// Null: it is not under way.
GLsync begin_waiting(GlDevice &device, const Blocks &blocks, GLuint program) {
    SavedState state(device);
    if (!shaders_run(device))
        return nullptr;
    const GLuint names[] = {blocks.answers->name, blocks.said->name, blocks.payload->name};
    for (GLuint i = 0; i < std::size(names); ++i)
        state.storage_buffer(i, names[i]);
    state.use_program(program);
    device.gl.DispatchCompute(1, 1, 1);
    return device.ring.fence();
}

bool answer(GlDevice &device, const Blocks &blocks, GLsync fence) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    for (std::uint32_t turn = 0; turn < turns;) {
        if (look_at(Blocks::word(*blocks.said)) == turn + 1) {
            ++turn;
            for (std::size_t i = 0; i < bytes / sizeof(std::uint32_t); ++i)
                Blocks::word(*blocks.payload, i) = turn;
            publish(Blocks::word(*blocks.answers), turn);
        } else if (device.ring.ask(fence, 0) != Fence::ahead ||
                   Clock::now() - begin > std::chrono::duration<double>(patience)) {
            break;
        }
    }
    return device.ring.ask(fence, patience) == Fence::passed && blocks.good();
}

} // namespace

bool GlDevice::shows_writes() {
    if (software || !features.compute || !features.buffer_storage)
        return false; // software drivers return from a dispatch when it is over
    if (shows_writes_)
        return *shows_writes_;
    shows_writes_ = false;
    const GlAttempt errors(gl);
    Blocks blocks;
    if (make_blocks(*this, blocks))
        return false;
    const std::string source = "#version 430\n" + define("turns", turns) + define("looks", looks) + running;
    const GLuint program = compile_compute(gl, source);
    if (!program)
        return false;
    if (const GLsync fence = begin_waiting(*this, blocks, program)) {
        shows_writes_ = answer(*this, blocks, fence);
        delete_fence(fence);
    } else {
        shows_writes_.reset(); // another time
    }
    gl.DeleteProgram(program);
    return shows_writes_.value_or(false);
}

} // namespace glmpi
