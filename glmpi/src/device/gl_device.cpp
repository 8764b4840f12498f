#include "device/gl_device.h"

#include "base/environment.h"
#include "surface/away_surface.h"
#include "surface/buffer_surface.h"
#include "surface/texture_surface.h"
#include "transfer/gl_stage.h"
#include "transfer/texture_copy.h"
#include "transfer/transfer_buffered.h"
#include "transfer/transfer_direct.h"

#include <atomic>

namespace glmpi {

using namespace pixmpi;

namespace {

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

} // namespace

GlDevice::GlDevice(const CurrentContext &current)
    : context(current), number(next_number()), framebuffers(*this), scratches(*this), choices(*this), ring(*this),
      flags(*this), shader_packer(*this), pass_programs(*this), buffer_shaders(*this), depth_painter(*this) {}

GlDevice::~GlDevice() {
    peer_memory.reset();
    if (slab_bytes_)
        core().release_stage(slab_bytes_);
}

Status GlDevice::make(const CurrentContext &context, std::shared_ptr<GlDevice> &device) {
    std::shared_ptr<GlDevice> made(new GlDevice(context));
    if (const Status status = made->open())
        return status;
    core().add_device(made);
    device = std::move(made);
    return PIXMPI_SUCCESS;
}

Status GlDevice::open() {
    if (!load_functions(context.system->lookup, gl))
        return fail(PIXMPI_ERR_CONTEXT, "context: %s does not find its functions, expected those of OpenGL 3.3",
                    context.system->name);
    const GlErrors errors(gl);
    const auto text = [&](GLenum what) {
        const auto *string = reinterpret_cast<const char *>(gl.GetString(what));
        return std::string(string ? string : "");
    };
    const std::string version = text(GL_VERSION), renderer = text(GL_RENDERER);
    if (version.rfind("OpenGL ES", 0) == 0)
        return fail(PIXMPI_ERR_CONTEXT, "context: %s, expected OpenGL 3.3 or later", version.c_str());
    features = find_features(gl);
    gl.debug_output = features.labels;
    if (features.version < 33)
        return fail(PIXMPI_ERR_CONTEXT, "context: OpenGL %s, expected 3.3 or later", version.c_str());
    if (features.compatibility) {
        pixel_transferi = reinterpret_cast<decltype(pixel_transferi)>(context.system->lookup("glPixelTransferi"));
        pixel_transferf = reinterpret_cast<decltype(pixel_transferf)>(context.system->lookup("glPixelTransferf"));
        features.compatibility = pixel_transferi && pixel_transferf;
    }
    traits_.name = renderer + ", OpenGL " + version + ", " + context.system->name;

    if (features.direct_state)
        probe_texture_target();
    if (features.texture_storage)
        probe_hidden_levels();
    if (features.direct_state && !features.no_errors)
        make_idle_query();
    if (const Status error = choose_path(renderer))
        return error;
    if (const Status error = shader_packer.choose_way())
        return error;
    if (features.compute)
        gl.GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most_storage);
    if (features.memory_descriptors)
        find_gpu();
    mark();
    return PIXMPI_SUCCESS;
}

void GlDevice::probe_texture_target() {
    GlAttempt errors(gl);
    SavedState state(*this);
    GLuint texture = 0;
    GLint target = 0;
    gl.GenTextures(1, &texture);
    state.bind_texture(GL_TEXTURE_3D, texture);
    gl.GetTextureParameteriv(texture, GL_TEXTURE_TARGET, &target);
    features.texture_target = !errors.any() && target == GL_TEXTURE_3D;
    gl.DeleteTextures(1, &texture);
}

void GlDevice::probe_hidden_levels() {
    constexpr GLubyte large[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, small[4] = {};
    GLubyte seen[4] = {};
    GLuint texture = 0;
    GlAttempt errors(gl);
    SavedState state(*this);
    state.pixels(Direction::unpack, 0);
    state.pixels(Direction::pack, 0);
    gl.GenTextures(1, &texture);
    state.bind_texture(GL_TEXTURE_2D, texture);
    gl.TexStorage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 2, 2);
    gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, large);
    gl.TexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, small);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    const std::uint64_t serial = Framebuffers::new_serial();
    framebuffers.bind(state, Framebuffers::Use::read, Aspect::color, {GL_TEXTURE_2D, texture, 0, 0, GL_RGBA8}, serial);
    gl.ReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, seen);
    features.hidden_levels = !errors.any() && seen[0] == large[0];
    framebuffers.release(state, serial);
    gl.DeleteTextures(1, &texture);
}

// One that was never begun has a result, if the driver sees it so.
void GlDevice::make_idle_query() {
    GlAttempt errors(gl);
    gl.CreateQueries(GL_ANY_SAMPLES_PASSED, 1, &idle_query);
    gl.BeginConditionalRender(idle_query, GL_QUERY_NO_WAIT);
    if (!errors.any())
        return gl.EndConditionalRender();
    gl.DeleteQueries(1, &idle_query);
    idle_query = 0;
}

// Drivers that draw with the CPU copy pixels straight to where a pointer says; a pixel buffer would be a copy more.
Status GlDevice::choose_path(const std::string &renderer) {
    for (const char *one : {"llvmpipe", "softpipe", "SWR", "Software Rasterizer", "SwiftShader"})
        software = software || renderer.find(one) != std::string::npos;
    enum class Path { direct, card, pbo } path = software ? Path::direct : Path::card;
    const Status status = read_word("PIXMPI_GL_PATH", path);
    const bool direct = path == Path::direct;
    traits_.api = "gl";
    traits_.direct = direct;
    traits_.copies_in_order = traits_.has_one_queue = !direct; // as commands of one context are
    traits_.gains_by_passes = !software;
    // By pointer, a band should stay in the CPU's cache between two copies; through pixel buffers, it should outlast the
    // latency of a command.
    traits_.band_bytes = direct ? std::size_t{256} << 10 : std::size_t{2} << 20;
    small_by_pointer = path != Path::pbo;
    return status;
}

void GlDevice::find_gpu() {
    GlAttempt errors(gl);
    gl.GetUnsignedBytei_vEXT(GL_DEVICE_UUID_EXT, 0, traits_.gpu.device.data());
    gl.GetUnsignedBytevEXT(GL_DRIVER_UUID_EXT, traits_.gpu.driver.data());
    if (errors.any())
        traits_.gpu = {};
}

void GlDevice::mark() {
    static std::atomic<unsigned> count{0};
    mark_ = "glmpi context " + std::to_string(++count);
    gl.GenFramebuffers(1, &marker_);
    GLint read = 0;
    gl.GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read);
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, marker_); // exists from its first binding on
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read));
    if (features.labels)
        gl.ObjectLabel(GL_FRAMEBUFFER, marker_, static_cast<GLsizei>(mark_.size()), mark_.c_str());
}

bool GlDevice::same_context() const {
    if (!gl.IsFramebuffer(marker_))
        return false;
    if (!features.labels)
        return true;
    char label[64] = "";
    GLsizei length = 0;
    gl.GetObjectLabel(GL_FRAMEBUFFER, marker_, sizeof label, &length, label);
    return mark_ == label;
}

bool GlDevice::usable() const { return !lost_ && current_context().handle == context.handle; }

Status GlDevice::make_stage(StageKind kind, std::byte *memory, std::size_t bytes, std::unique_ptr<Stage> &stage) {
    need_lock("a device's stage was made");
    auto made = std::make_unique<GlStage>(shared_from_this(), kind);
    if (const Status status = made->open(memory, bytes))
        return status;
    stage = std::move(made);
    return PIXMPI_SUCCESS;
}

Status GlDevice::make_transfer(Direction direction, std::shared_ptr<Surface> surface,
                               std::shared_ptr<const Region> region, std::unique_ptr<Transfer> &transfer) {
    need_lock("a device's transfer was made");
    std::shared_ptr<GlSurface> mine;
    if (const auto *away = dynamic_cast<const AwaySurface *>(surface.get())) {
        if (const Status status = away->here(mine))
            return status;
    } else {
        mine = std::static_pointer_cast<GlSurface>(std::move(surface));
    }
    if (direction == Direction::pack && mine->base) // where the CPU combines
        mine = mine->base;
    if (direct() || mine->by_pointer(direction))
        transfer = std::make_unique<DirectTransfer>(direction, std::move(mine), std::move(region));
    else
        transfer = std::make_unique<BufferedTransfer>(direction, std::move(mine), std::move(region));
    return PIXMPI_SUCCESS;
}

// Stages are buffer objects then, those that the CPU sees too.
Status GlDevice::make_passes(std::unique_ptr<Passes> &passes) {
    if (features.compute && features.buffer_storage && !direct())
        passes = std::make_unique<GlPasses>(shared_from_this());
    return PIXMPI_SUCCESS;
}

Status GlDevice::make_scratch(pixMPI_Format format, Extent extent, std::shared_ptr<Surface> &surface) {
    return BufferSurface::make(*this, format, extent, surface);
}

Status GlDevice::make_straight_copy(std::span<const Ends> planes, std::unique_ptr<StraightCopy> &copy) {
    if (!direct())
        make_texture_copy(planes, copy);
    return PIXMPI_SUCCESS;
}

// Textures that the shader has both at once.
std::shared_ptr<Surface> GlDevice::combine_onto(const std::shared_ptr<Surface> &room,
                                                const std::shared_ptr<Surface> &base, int x, int y) {
    const auto *to = dynamic_cast<const TextureSurface *>(room.get()),
               *from = dynamic_cast<const TextureSurface *>(base.get());
    if (!to || !from || direct() || !usable())
        return nullptr;
    const bool moved = x + from->corner_x != to->corner_x || y + from->corner_y != to->corner_y;
    Image there, here;
    if (moved || to->format != from->format || to->base || from->base || to->watch || from->watch ||
        !to->image(there) || !from->image(here) || !shader_packer.may_combine_onto(there, here, to->pixel_bytes))
        return nullptr;
    std::shared_ptr<GlSurface> made = to->another();
    made->extent = to->extent;
    made->corner_x = to->corner_x;
    made->corner_y = to->corner_y;
    made->base = from->another();
    return made;
}

Status GlDevice::import_memory(int descriptor, std::size_t bytes, std::unique_ptr<DeviceMemory> &memory) {
    auto made = std::make_unique<GlMemory>(*this);
    if (const Status status = made->open(descriptor, bytes))
        return status;
    memory = std::move(made);
    return PIXMPI_SUCCESS;
}

void GlDevice::sees_what_others_wrote() const {
    if (features.compute)
        gl.MemoryBarrier(GL_ALL_BARRIER_BITS);
}

std::byte *GlDevice::slab_memory(std::size_t bytes) {
    if (bytes <= slab_bytes_)
        return slab_.get();
    if (!core().reserve_stage(bytes - slab_bytes_))
        return nullptr;
    slab_.reset(static_cast<std::byte *>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)));
    if (!slab_) {
        core().release_stage(bytes);
        slab_bytes_ = 0;
        return nullptr;
    }
    slab_bytes_ = bytes;
    return slab_.get();
}

void GlDevice::give_idle_memory() {
    ring.drop_idle();
    scratches.destroy();
    slab_.reset();
    core().release_stage(std::exchange(slab_bytes_, 0));
}

void GlDevice::delete_buffer(GLuint buffer) {
    need_lock("a context's leftovers were used");
    if (usable())
        gl.DeleteBuffers(1, &buffer);
    else if (!lost_)
        leftover_buffers_.push_back(buffer);
}

OwnBuffer GlDevice::acquire_buffer(SavedState &state, std::size_t bytes) {
    need_lock("a device's buffers were used");
    if (const auto idle = idle_buffers_.pop(bytes))
        return *idle;
    OwnBuffer made{0, (std::max<std::size_t>(bytes, 1) + 3) / 4 * 4}; // shaders read and write whole words
    gl.GenBuffers(1, &made.name);
    state.bind_buffer(GL_COPY_WRITE_BUFFER, made.name);
    gl.BufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(made.bytes), nullptr, GL_DYNAMIC_COPY);
    return made;
}

void GlDevice::give_back(const OwnBuffer &buffer) {
    need_lock("a device's buffers were used");
    if (!usable())
        return delete_buffer(buffer.name);
    for (const OwnBuffer &dropped : idle_buffers_.give_back(buffer))
        delete_buffer(dropped.name);
}

void GlDevice::delete_fence(GLsync fence) {
    need_lock("a context's leftovers were used");
    if (usable())
        gl.DeleteSync(fence);
    else if (!lost_)
        leftover_fences_.push_back(fence);
}

void GlDevice::delete_leftovers() {
    need_lock("a context's leftovers were used");
    for (GLsync fence : leftover_fences_)
        gl.DeleteSync(fence);
    leftover_fences_.clear();
    if (leftover_buffers_.empty())
        return;
    gl.DeleteBuffers(static_cast<GLsizei>(leftover_buffers_.size()), leftover_buffers_.data());
    leftover_buffers_.clear();
}

void GlDevice::release() {
    GlErrors errors(gl);
    peer_memory.reset();
    for (const OwnBuffer &one : idle_buffers_.pop_all())
        delete_buffer(one.name);
    delete_leftovers();
    scratches.destroy();
    ring.destroy();
    flags.destroy();
    shader_packer.destroy();
    pass_programs.destroy();
    buffer_shaders.destroy();
    depth_painter.destroy();
    framebuffers.destroy();
    gl.DeleteFramebuffers(1, &marker_);
    if (idle_query)
        gl.DeleteQueries(1, &idle_query);
    windows_.clear();
    plans.clear();
    lost_ = true;
}

void GlDevice::forget() {
    lost_ = true;
    idle_buffers_.pop_all();
    windows_.clear();
    peer_memory.reset();
    scratches.forget();
    ring.forget();
    flags.forget();
    plans.clear();
}

} // namespace glmpi
