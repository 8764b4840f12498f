#include "shader/gl_passes.h"

#include "device/gl_device.h"
#include "find_active.glsl.h"
#include "jpeg.glsl.h"
#include "jpeg_entropy.glsl.h"
#include "jpeg_forward.glsl.h"
#include "jpeg_inverse.glsl.h"
#include "jpeg_join.glsl.h"
#include "shader/compute.h"
#include "transfer/gl_stage.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

namespace {

struct Source {
    const char *text, *define = "", *common = jpeg;
    std::array<const char *, 4> names{"BYTES", "ACROSS", "DOWN", "BLUE_FIRST"}; ///< of the pass's constants
};

Source source_of(PassKind kind) {
    switch (kind) {
    case PassKind::copy:
        break;
    case PassKind::jpeg_forward:
        return {jpeg_forward};
    case PassKind::jpeg_entropy:
        return {jpeg_entropy};
    case PassKind::jpeg_begins:
        return {jpeg_join, "#define BEGINS\n"};
    case PassKind::jpeg_join:
        return {jpeg_join};
    case PassKind::jpeg_samples:
        return {jpeg_inverse, "#define SAMPLES\n"};
    case PassKind::jpeg_pixels:
        return {jpeg_inverse};
    case PassKind::find_active:
        return {find_active, "", "", {"BYTES", "KIND"}};
    }
    return {};
}

const GlStage &of_gl(const Stage *stage) { return static_cast<const GlStage &>(*stage); }

} // namespace

GLuint PassPrograms::get(const Pass &pass) {
    const auto [found, is_new] = programs_.try_emplace({pass.kind, pass.constants}, 0);
    if (!is_new)
        return found->second;
    const Source source = source_of(pass.kind);
    std::string all = std::string("#version 430\n") + source.define;
    for (std::size_t i = 0; i < source.names.size() && source.names[i]; ++i)
        all += define(source.names[i], pass.constants[i]);
    found->second = compile_compute(device_.gl, all + source.common + source.text);
    if (!found->second)
        core().log(PIXMPI_LOG_INFO, "glmpi: this driver does not take the shaders of JPEG or compositors; the CPU does "
                                    "their work");
    return found->second;
}

void PassPrograms::destroy() {
    for (const auto &[kind, program] : programs_)
        if (program)
            device_.gl.DeleteProgram(program);
    programs_.clear();
}

GlPasses::~GlPasses() {
    constexpr double patience = 2;
    for (GLsync fence : pending_) {
        if (device_->usable())
            device_->ring.ask(fence, patience);
        if (fence)
            device_->delete_fence(fence);
    }
}

std::size_t GlPasses::most_bytes() const {
    return static_cast<std::size_t>(std::min<GLint64>(device_->most_storage, GLint64{1} << 31) - 512);
}

bool GlPasses::possible(std::span<const Pass> passes) const {
    return shaders_run(*device_) && std::all_of(passes.begin(), passes.end(), [&](const Pass &pass) {
               return pass.kind == PassKind::copy || device_->pass_programs.get(pass);
           });
}

Status GlPasses::run(std::span<const Pass> passes, Ticket &ticket, bool &accepted) {
    const Gl &gl = device_->gl;
    GlErrors errors(gl);
    GLsync fence = nullptr;
    {
        SavedState state(*device_);
        accepted = possible(passes);
        if (!accepted)
            return PIXMPI_SUCCESS;
        device_->finish_drawing();
        for (const Pass &pass : passes) {
            if (pass.kind == PassKind::copy) {
                state.bind_buffer(GL_COPY_READ_BUFFER, of_gl(pass.stages[0]).buffer);
                state.bind_buffer(GL_COPY_WRITE_BUFFER, of_gl(pass.stages[1]).buffer);
                gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, pass.sizes[0], pass.sizes[1],
                                     pass.sizes[2]);
            } else {
                for (std::size_t i = 0; i < pass.stages.size(); ++i)
                    if (const Stage *stage = pass.stages[i])
                        state.storage_buffer(static_cast<GLuint>(i), of_gl(stage).buffer, 0,
                                             static_cast<GLsizeiptr>((stage->bytes + 3) / 4 * 4));
                state.use_program(device_->pass_programs.get(pass));
                gl.Uniform4uiv(0, static_cast<GLsizei>(pass.sizes.size() / 4), pass.sizes.data());
                gl.DispatchCompute(pass.across, pass.down, 1);
            }
            gl.MemoryBarrier(GL_ALL_BARRIER_BITS);
        }
        fence = device_->ring.fence();
    }
    if (const Status status = errors.check("running shaders over stages")) {
        if (fence)
            gl.DeleteSync(fence);
        return status;
    }
    pending_.push_back(fence);
    ticket = ++last_;
    return PIXMPI_SUCCESS;
}

Status GlPasses::poll(Ticket ticket, bool &over) {
    GlErrors errors(device_->gl);
    while (!pending_.empty() && ticket > last_ - pending_.size()) {
        const Fence state = device_->ring.ask(pending_.front(), 0);
        if (state == Fence::failed) {
            const Status status = errors.check("waiting for its fence");
            return status ? status
                          : fail(PIXMPI_ERR_DEVICE, "OpenGL: a fence cannot be waited for, expected that it can");
        }
        if (state == Fence::ahead)
            break;
        if (pending_.front())
            device_->gl.DeleteSync(pending_.front());
        pending_.pop_front();
    }
    over = ticket <= last_ - pending_.size();
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
