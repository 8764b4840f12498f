#include "transfer/transfer_buffered.h"

#include "region/worklist.h"
#include "surface/buffer_surface.h"
#include "transfer/gl_stage.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace glmpi {

using namespace pixmpi;

namespace {

BufferShaders::Place place_of(const BufferSurface &surface) {
    return {surface.place().name, static_cast<std::size_t>(surface.place().offset)};
}

CombiningBand::Plane plane_of(const BufferSurface &surface, std::size_t in_band) {
    return {static_cast<std::uint64_t>(surface.pixel_bytes), static_cast<std::uint64_t>(surface.place().row_bytes),
            in_band};
}

} // namespace

BufferedTransfer::BufferedTransfer(Direction direction, std::shared_ptr<GlSurface> surface,
                                   std::shared_ptr<const Region> region)
    : direction_(direction), surface_(std::move(surface)), region_(std::move(region)), device_(surface_->gl_device) {
    submits_each_ = true;
}

Status BufferedTransfer::begin(std::uint64_t) { return surface_->watch ? surface_->watch->begins() : PIXMPI_SUCCESS; }

Status BufferedTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset,
                              Ticket &ticket) {
    GlErrors errors(device_.gl);
    Status status;
    Ticket made = done;
    {
        SavedState state(device_);
        auto *own = dynamic_cast<GlStage *>(&stage);
        if (own && own->buffer) {
            if (own->is_foreign() && direction_ == Direction::unpack)
                device_.sees_what_others_wrote();
            const std::size_t at = own->base + offset;
            std::uint32_t flag = 0;
            if (move_by_shader(state, first, count, own->buffer, at, !own->host, own->host ? nullptr : &flag))
                status = PIXMPI_SUCCESS;
            else if (needs_own_buffer(*own))
                status = move_by_own_buffer(state, first, count, *own, offset);
            else
                status = move_by_calls(state, first, count, own->buffer, reinterpret_cast<std::byte *>(at));
            if (status == PIXMPI_SUCCESS)
                made = add_end(flag);
        } else {
            std::byte *const memory = (own ? own->memory : stage.host) + offset;
            status = direction_ == Direction::pack ? pack_through(state, first, count, memory, made)
                                                   : unpack_through(state, first, count, memory, made);
        }
    }
    if (status == PIXMPI_SUCCESS)
        status = errors.check(direction_ == Direction::pack ? "reading the surface" : "writing to the surface");
    if (status == PIXMPI_SUCCESS)
        ticket = made;
    return status;
}

Status BufferedTransfer::move(SavedState &state, std::uint64_t first, std::uint64_t count, GLuint buffer,
                              std::byte *base) {
    if (buffer && move_by_shader(state, first, count, buffer, reinterpret_cast<std::size_t>(base), false))
        return PIXMPI_SUCCESS;
    return move_by_calls(state, first, count, buffer, base);
}

bool BufferedTransfer::move_by_shader(SavedState &state, std::uint64_t first, std::uint64_t count, GLuint buffer,
                                      std::size_t offset, bool near, std::uint32_t *flag) {
    DepthTarget target;
    if (direction_ == Direction::unpack && surface_->drawn_depth(target))
        return device_.depth_painter.paint(state, {target, *region_, first, count, buffer, offset});
    Image image;
    const auto *rows = dynamic_cast<const BufferSurface *>(surface_.get());
    const bool depth = direction_ == Direction::pack && surface_->sampled_depth(image);
    if (!depth && !surface_->image(image) && !(rows && rows->place().whole_words))
        return false;
    ShaderPacker::BandWork band{direction_, image, surface_->pixel_bytes, region_, first, count, buffer, offset, near};
    band.flag = flag;
    if (depth)
        band.depth = surface_->format;
    if (rows)
        band.rows = rows->rows();
    return device_.shader_packer.move(state, band);
}

Status BufferedTransfer::move_by_calls(SavedState &state, std::uint64_t first, std::uint64_t count, GLuint buffer,
                                       std::byte *base) {
    GlSurface &surface = *surface_;
    Status status = surface.open(state, direction_, buffer);
    const auto size = static_cast<std::uint64_t>(surface.pixel_bytes);
    if (status == PIXMPI_SUCCESS)
        for_each_piece(*region_, first, count, [&](const Piece &piece) {
            if (direction_ == Direction::pack)
                surface.read(piece.rect, base + piece.at * size);
            else
                surface.write(piece.rect, base + piece.at * size);
        });
    surface.close();
    return status;
}

// NVIDIA's driver (580.159) moves depth and stencil between surfaces and pixel buffers by the CPU. That is slow in the
// GPU's own memory, and wrong in memory that other processes write to: it does not see what they wrote.
bool BufferedTransfer::needs_own_buffer(const GlStage &stage) const {
    const bool by_cpu = stage.is_foreign() || (!stage.host && !device_.software);
    return by_cpu && aspect_of(surface_->format) != Aspect::color &&
           !dynamic_cast<const BufferSurface *>(surface_.get());
}

Status BufferedTransfer::move_by_own_buffer(SavedState &state, std::uint64_t first, std::uint64_t count,
                                            const GlStage &stage, std::size_t offset) {
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(surface_->pixel_bytes);
    PixelBuffer *const own = device_.ring.acquire(state, direction_, std::max(bytes, device_.band_bytes()));
    if (!own)
        return fail(PIXMPI_ERR_MEMORY, "OpenGL has no memory for a pixel buffer of %zu bytes", bytes);
    const auto copy = [&](GLuint from, std::size_t at, GLuint to, std::size_t there) {
        state.bind_buffer(GL_COPY_READ_BUFFER, from);
        state.bind_buffer(GL_COPY_WRITE_BUFFER, to);
        device_.gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(at),
                                     static_cast<GLintptr>(there), static_cast<GLsizeiptr>(bytes));
    };
    if (direction_ == Direction::unpack)
        copy(stage.buffer, stage.base + offset, own->name, 0);
    const Status status = move(state, first, count, own->name, nullptr);
    if (direction_ == Direction::pack)
        copy(own->name, 0, stage.buffer, stage.base + offset);
    device_.ring.release(own, device_.ring.fence());
    return status;
}

// So few bytes are there before a fence is: the driver reads them back, or takes them, at once. Rows of a few pixels
// would take it a microsecond each, and a row or a column of a large texture 2.4 us for each pixel (NVIDIA 580.159),
// where pixel buffers take none of that. It also waits for all that has been drawn before: unless the program also
// waits, they are read back when that is over.
bool BufferedTransfer::by_pointer(std::size_t bytes) const {
    constexpr std::size_t few = 64 << 10;
    constexpr std::size_t short_row = 64;
    Image image;
    const std::size_t all = surface_->row_bytes(surface_->full.width) * static_cast<std::size_t>(surface_->full.height);
    return bytes <= few && region_->rects.size() == 1 && (all <= few || !surface_->image(image)) &&
           surface_->row_bytes(region_->bounds.width) >= short_row && device_.small_by_pointer;
}

// The GPU fills a pixel buffer; when its fence has passed, the CPU copies to the stage. Without a buffer the driver
// copies to the stage itself, and we wait for it.
Status BufferedTransfer::pack_through(SavedState &state, std::uint64_t first, std::uint64_t count, std::byte *to,
                                      Ticket &ticket) {
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(surface_->pixel_bytes);
    if (by_pointer(bytes)) {
        if (awaited_)
            return move(state, first, count, 0, to);
        ticket = add({.to = to, .first = first, .count = count});
        return PIXMPI_SUCCESS;
    }
    PixelBuffer *buffer = device_.ring.acquire(state, direction_, std::max(bytes, device_.band_bytes()));
    if (!buffer)
        return move(state, first, count, 0, to);
    const Status status = move(state, first, count, buffer->name, nullptr);
    const GLsync fence = device_.ring.fence();
    if (status == PIXMPI_SUCCESS)
        ticket = add({.fence = fence, .buffer = buffer, .to = to, .bytes = bytes});
    else
        device_.ring.release(buffer, fence);
    return status;
}

// The CPU copies from the stage at once, so that it is free again before the GPU has begun.
Status BufferedTransfer::unpack_through(SavedState &state, std::uint64_t first, std::uint64_t count,
                                        const std::byte *from, Ticket &ticket) {
    ticket = done;
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(surface_->pixel_bytes);
    PixelBuffer *buffer = by_pointer(bytes) ? nullptr : uploaded(state, from, bytes);
    if (!buffer)
        return move(state, first, count, 0, const_cast<std::byte *>(from));
    const Status status = move(state, first, count, buffer->name, nullptr);
    device_.ring.release(buffer, device_.ring.fence());
    return status;
}

PixelBuffer *BufferedTransfer::uploaded(SavedState &state, const std::byte *from, std::size_t bytes) {
    PixelBuffer *buffer = device_.ring.acquire(state, direction_, std::max(bytes, device_.band_bytes()));
    std::byte *const mapped = buffer ? device_.ring.map(state, *buffer) : nullptr;
    if (mapped) {
        std::memcpy(mapped, from, bytes);
        core().count_copied(bytes);
        if (device_.ring.unmap(state, *buffer))
            return buffer;
    }
    if (buffer)
        device_.ring.release(buffer, nullptr);
    return nullptr;
}

// By a shader, from a pixel buffer; else it is not accepted.
template <class Combine>
Status BufferedTransfer::combine_from(Stage &stage, std::size_t offset, std::size_t bytes, Ticket &ticket,
                                      bool &accepted, Combine combine) {
    GlErrors errors(device_.gl);
    Ticket made = done;
    {
        SavedState state(device_);
        auto *own = dynamic_cast<GlStage *>(&stage);
        PixelBuffer *buffer = nullptr;
        std::uint32_t flag = 0;
        if (own && own->buffer) {
            if (own->is_foreign())
                device_.sees_what_others_wrote();
            accepted = combine(state, own->buffer, own->base + offset, own->host ? nullptr : &flag);
        } else {
            buffer = uploaded(state, (own ? own->memory : stage.host) + offset, bytes);
            accepted = buffer && combine(state, buffer->name, std::size_t{0}, nullptr);
        }
        if (buffer)
            device_.ring.release(buffer, device_.ring.fence());
        else if (accepted)
            made = add_end(flag);
    }
    const Status status = accepted ? errors.check("combining with the surface") : PIXMPI_SUCCESS;
    if (status == PIXMPI_SUCCESS)
        ticket = made;
    return status;
}

Status BufferedTransfer::combine(const Combination &how, Surface *depths, std::uint64_t first, std::uint64_t count,
                                 Stage &stage, std::size_t offset, Ticket &ticket, bool &accepted) {
    if (depths)
        return combine_with_depth(how.order, *depths, first, count, stage, offset, ticket, accepted);
    accepted = false;
    Image image;
    ShaderCombination shader;
    if (!for_shader(how, surface_->format, shader))
        return PIXMPI_SUCCESS;
    if (const auto *buffer = dynamic_cast<const BufferSurface *>(surface_.get())) {
        if (!buffer->place().whole_words)
            return PIXMPI_SUCCESS;
        return combine_in_buffer(
            {{shader, plane_of(*buffer, 0), *region_, first, count}, place_of(*buffer), {}, how.user}, stage, offset,
            ticket, accepted);
    }
    if (!surface_->image(image))
        return PIXMPI_SUCCESS;
    ShaderPacker::BandWork band{direction_, image,   surface_->pixel_bytes, region_, first, count, 0, 0, false,
                                shader,     how.user};
    if (surface_->base)
        surface_->base->image(band.base);
    if (!device_.shader_packer.may_combine(band))
        return PIXMPI_SUCCESS;
    if (how.user)
        if (const Status error = device_.shader_packer.compile_user(band))
            return error;
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(surface_->pixel_bytes);
    return combine_from(stage, offset, bytes, ticket, accepted,
                        [&](SavedState &state, GLuint buffer, std::size_t at, std::uint32_t *flag) {
                            band.buffer = buffer;
                            band.offset = at;
                            band.flag = flag;
                            return device_.shader_packer.move(state, band);
                        });
}

// Where both planes are buffers without gaps between rows, as scratch memory is.
Status BufferedTransfer::combine_with_depth(Order order, Surface &depths, std::uint64_t first, std::uint64_t count,
                                            Stage &stage, std::size_t offset, Ticket &ticket, bool &accepted) {
    accepted = false;
    const auto *mine = dynamic_cast<const BufferSurface *>(surface_.get());
    const auto *other = dynamic_cast<const BufferSurface *>(&depths);
    const auto plain = [](const BufferSurface &surface) {
        const BufferSurface::Place &place = surface.place();
        return place.whole_words && place.offset % 4 == 0 &&
               place.row_bytes == std::int64_t{surface.extent.width} * surface.pixel_bytes;
    };
    if (!mine || !other || !plain(*mine) || !plain(*other))
        return PIXMPI_SUCCESS;
    const PlanesInBand at(mine->format, other->format, count);
    return combine_in_buffer({{nearest_for_shader(order, mine->format, other->format), plane_of(*mine, at.colors),
                               plane_of(*other, at.depths), *region_, first, count},
                              place_of(*mine),
                              place_of(*other)},
                             stage, offset, ticket, accepted);
}

Status BufferedTransfer::combine_in_buffer(BufferShaders::BandWork band, Stage &stage, std::size_t offset,
                                           Ticket &ticket, bool &accepted) {
    BufferShaders &shaders = device_.buffer_shaders;
    if (!shaders.possible(band))
        return PIXMPI_SUCCESS;
    if (band.user)
        if (const Status error = shaders.compile_user(band))
            return error;
    return combine_from(stage, offset, static_cast<std::size_t>(band.band.bytes()), ticket, accepted,
                        [&](SavedState &state, GLuint buffer, std::size_t at, std::uint32_t *) {
                            band.incoming = {buffer, at};
                            return shaders.run(state, band);
                        });
}

Ticket BufferedTransfer::add(const Pending &pending) {
    pending_.push_back(pending);
    return pending_.back().ticket = ++last_;
}

Ticket BufferedTransfer::add_end(std::uint32_t flag) {
    if (!flag)
        return add({.fence = device_.ring.fence()});
    device_.gl.Flush();
    return add({.flag = flag, .since = std::chrono::steady_clock::now()});
}

bool BufferedTransfer::awaits_flag(const Pending &pending) const {
    constexpr std::chrono::milliseconds patience{1};
    return !device_.flags.seen(pending.flag) && std::chrono::steady_clock::now() - pending.since < patience;
}

// A flag that does not come gets a fence behind it. When that has passed, flags are not seen on this driver.
Fence BufferedTransfer::ask_behind_flag(Pending &pending) {
    if (device_.flags.seen(pending.flag))
        return Fence::passed;
    if (!pending.fence)
        pending.fence = device_.ring.fence();
    const Fence fence = pending.fence ? device_.ring.ask(pending.fence, 0) : Fence::failed;
    if (fence == Fence::passed)
        device_.flags.came_late(pending.flag);
    return fence == Fence::failed && device_.flags.seen(pending.flag) ? Fence::passed : fence;
}

Status BufferedTransfer::finish(Pending &pending) {
    device_.gl.DeleteSync(pending.fence);
    if (!pending.to)
        return PIXMPI_SUCCESS;
    SavedState state(device_);
    if (!pending.buffer) {
        GlErrors errors(device_.gl);
        const Status status = move(state, pending.first, pending.count, 0, pending.to);
        return status ? status : errors.check("reading the surface");
    }
    const std::byte *mapped = device_.ring.map(state, *pending.buffer);
    bool kept = true;
    if (mapped) {
        std::memcpy(pending.to, mapped, pending.bytes);
        kept = device_.ring.unmap(state, *pending.buffer);
        core().count_copied(pending.bytes);
    }
    device_.ring.release(pending.buffer, nullptr);
    if (!mapped)
        return fail(PIXMPI_ERR_MEMORY, "OpenGL: a pixel buffer cannot be mapped, expected that it can");
    return kept ? PIXMPI_SUCCESS
                : fail(PIXMPI_ERR_DEVICE, "OpenGL: a pixel buffer has lost its contents, expected that it keeps them");
}

// Pixels that are read back by pointer get their fence at the first Test: a call that starts and then waits does not
// need it.
Fence BufferedTransfer::ask(Pending &pending) {
    if (pending.flag)
        return ask_behind_flag(pending);
    if (pending.to && !pending.buffer && !pending.fence) {
        if (awaited_)
            return Fence::passed;
        if (!std::exchange(pending.asked, true))
            return Fence::ahead;
        pending.fence = device_.ring.fence();
    }
    return device_.ring.ask(pending.fence, 0);
}

Status BufferedTransfer::poll(Ticket ticket, bool &over) {
    const auto found =
        std::find_if(pending_.begin(), pending_.end(), [&](const Pending &p) { return p.ticket == ticket; });
    over = found == pending_.end();
    if (over || (found->flag && awaits_flag(*found)))
        return PIXMPI_SUCCESS;
    GlErrors errors(device_.gl);
    const Fence fence = ask(*found);
    if (fence == Fence::failed) {
        const Status status = errors.check("waiting for its fence");
        return status ? status : fail(PIXMPI_ERR_DEVICE, "OpenGL: a fence cannot be waited for, expected that it can");
    }
    if (fence == Fence::ahead)
        return PIXMPI_SUCCESS;
    over = true;
    Pending pending = *found;
    pending_.erase(found);
    return finish(pending);
}

Status BufferedTransfer::end() { return finish_message(*surface_, direction_); }

BufferedTransfer::~BufferedTransfer() {
    give_up();
    for (const Late &late : late_) { // of a caller that has not asked whether it is settled
        if (late.fence && device_.usable())
            device_.ring.ask(late.fence, 1);
        device_.delete_fence(late.fence);
    }
}

// Nothing is copied any more; the GPU may still be at it, which the fences tell the ring, or settled().
void BufferedTransfer::give_up() {
    const bool usable = device_.usable();
    std::optional<GlErrors> errors;
    if (usable && !pending_.empty())
        errors.emplace(device_.gl);
    for (Pending &pending : pending_) {
        if (pending.buffer)
            device_.ring.release(pending.buffer, pending.fence);
        else if ((pending.fence || pending.flag) && !pending.to)
            late_.push_back({pending.fence, pending.flag});
        else if (pending.fence)
            device_.delete_fence(pending.fence);
    }
    const bool any = !pending_.empty();
    pending_.clear();
    if (usable && any)
        end();
}

// The GPU copies to or from a stage until the fence has passed. A fence that cannot be waited for is of a context that
// does nothing more.
bool BufferedTransfer::is_over(Late &late) {
    const GlErrors errors(device_.gl);
    if (late.flag && device_.flags.seen(late.flag))
        return true;
    if (!late.fence)
        late.fence = device_.ring.fence();
    return !late.fence || device_.ring.ask(late.fence, 0) != Fence::ahead;
}

bool BufferedTransfer::settled() {
    while (!late_.empty() && device_.usable()) {
        if (!is_over(late_.front()))
            return false;
        device_.delete_fence(late_.front().fence);
        late_.pop_front();
    }
    return late_.empty() || device_.lost();
}

} // namespace glmpi
