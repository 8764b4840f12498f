// Whether a dispatch of this context can wait for messages while it runs.
#include "running.glsl.h"

#include "endpoint/gl_endpoint.h"
#include "endpoint/trial.h"
#include "shader/compute.h"

#include <algorithm>
#include <cstring>

namespace glmpi {

using namespace pixmpi;

namespace {

/// What shaders/running.comp is bound to.
struct Blocks {
    std::unique_ptr<SharedBuffer> answers, said, payload;
};

Status make_blocks(GlDevice &device, Blocks &blocks) {
    for (std::unique_ptr<SharedBuffer> *const buffer : {&blocks.answers, &blocks.said, &blocks.payload}) {
        if (const Status status = SharedBuffer::make(device, Trial::bytes, *buffer))
            return status;
        std::memset((*buffer)->memory, 0, Trial::bytes);
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

bool succeeds(GlDevice &device, const Blocks &blocks, GLsync fence) {
    Trial trial(blocks.answers->memory, blocks.said->memory);
    auto *const payload = reinterpret_cast<std::uint32_t *>(blocks.payload->memory);
    const Status failed = trial.answer(
        [&](bool &over) {
            over = device.ring.ask(fence, 0) != Fence::ahead;
            return PIXMPI_SUCCESS;
        },
        [&](std::uint32_t turn) {
            std::fill_n(payload, Trial::bytes / sizeof turn, turn);
            return PIXMPI_SUCCESS;
        });
    return !failed && device.ring.ask(fence, Trial::patience) == Fence::passed && trial.succeeded();
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
    const std::string source =
        "#version 430\n" + define("turns", Trial::turns) + define("looks", Trial::looks) + running;
    const GLuint program = compile_compute(gl, source);
    if (!program)
        return false;
    if (const GLsync fence = begin_waiting(*this, blocks, program)) {
        shows_writes_ = succeeds(*this, blocks, fence);
        delete_fence(fence);
    } else {
        shows_writes_.reset(); // another time
    }
    gl.DeleteProgram(program);
    return shows_writes_.value_or(false);
}

} // namespace glmpi
