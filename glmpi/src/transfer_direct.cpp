#include "transfer_direct.h"

#include "gather.h"
#include "gl_stage.h"
#include "worklist.h"

namespace glmpi {

using namespace pixmpi;

DirectTransfer::DirectTransfer(Direction direction, std::shared_ptr<GlSurface> surface,
                               std::shared_ptr<const Region> region)
    : direction_(direction), surface_(std::move(surface)), region_(std::move(region)) {}

PlanInput DirectTransfer::plan_input() const {
    return {direction_, surface_->pixel_bytes, surface_->rate(Direction::pack), surface_->rate(Direction::unpack),
            surface_->rewritable()};
}

std::uint64_t DirectTransfer::band_pixels() const {
    // Each row of a narrow rectangle lies in a page of its own and costs both ends more than its bytes do.
    if (region_->rects.size() == 1 && region_->bounds.width * surface_->pixel_bytes <= 64 &&
        region_->bounds.height >= 512)
        return region_->pixels / 4;
    if (region_->rects.size() <= few_rectangles || !surface_->gathers())
        return 0;
    constexpr std::size_t most = 16 << 20;
    GlDevice &device = surface_->gl_device;
    return device.plans.band_pixels(region_, surface_->format, device.band_bytes(), most, plan_input());
}

Status DirectTransfer::begin(std::uint64_t) { return PIXMPI_SUCCESS; }

Status DirectTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset,
                            Ticket &ticket) {
    const Gl &gl = surface_->gl_device.gl;
    GlErrors errors(gl);
    Status status = PIXMPI_SUCCESS;
    {
        SavedState state(surface_->gl_device);
        std::byte *memory = stage.host ? stage.host + offset : nullptr;
        const auto *own = memory ? nullptr : static_cast<const GlStage *>(&stage);
        if (own && own->memory)
            memory = own->memory + offset;
        else if (own) // a buffer for both ends of a message within this context
            status = map(state, *own, offset, count, memory);
        if (status == PIXMPI_SUCCESS)
            status = surface_->open(state, direction_, 0);
        if (status == PIXMPI_SUCCESS)
            status = move(state, first, count, memory);
        surface_->close();
        if (own && !own->memory && memory) {
            state.bind_buffer(GL_COPY_WRITE_BUFFER, own->buffer);
            gl.UnmapBuffer(GL_COPY_WRITE_BUFFER);
        }
    }
    if (status == PIXMPI_SUCCESS)
        status = errors.check(direction_ == Direction::pack ? "reading the surface" : "writing to the surface");
    if (status == PIXMPI_SUCCESS)
        ticket = done;
    return status;
}

Status DirectTransfer::map(SavedState &state, const GlStage &stage, std::size_t offset, std::uint64_t count,
                           std::byte *&memory) const {
    const auto bytes = static_cast<GLsizeiptr>(count) * surface_->pixel_bytes;
    state.bind_buffer(GL_COPY_WRITE_BUFFER, stage.buffer);
    memory = static_cast<std::byte *>(
        surface_->gl_device.gl.MapBufferRange(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(offset), bytes,
                                              direction_ == Direction::pack ? GL_MAP_WRITE_BIT : GL_MAP_READ_BIT));
    return memory ? PIXMPI_SUCCESS : fail(PIXMPI_ERR_MEMORY, "OpenGL: a stage is not mapped, expected that it is");
}

Status DirectTransfer::move(SavedState &state, std::uint64_t first, std::uint64_t count, std::byte *pixels) {
    if (region_->rects.size() > few_rectangles && surface_->gathers()) {
        const CopyPlan &plan = surface_->gl_device.plans.get(region_, surface_->format, first, count, plan_input());
        if (!plan.slabs.empty())
            return by_slabs(state, plan, pixels);
    }
    by_rectangles(first, count, pixels);
    return PIXMPI_SUCCESS;
}

void DirectTransfer::by_rectangles(std::uint64_t first, std::uint64_t count, std::byte *pixels) {
    GlSurface &surface = *surface_;
    const auto size = static_cast<std::uint64_t>(surface.pixel_bytes);
    if (direction_ == Direction::pack)
        for_each_piece(*region_, first, count,
                       [&](const Piece &piece) { surface.read(piece.rect, pixels + piece.at * size); });
    else
        for_each_piece(*region_, first, count,
                       [&](const Piece &piece) { surface.write(piece.rect, pixels + piece.at * size); });
}

// The surface's old pixels in a slab are read again for the pixels that the region leaves out; nothing else runs in
// between, so that they are put back as they are.
Status DirectTransfer::by_slabs(SavedState &state, const CopyPlan &plan, std::byte *pixels) {
    const auto size = static_cast<std::size_t>(surface_->pixel_bytes);
    std::byte *const scratch = surface_->gl_device.slab_memory(plan.slab_pixels * size);
    if (!scratch) {
        by_rectangles(plan.first, plan.count, pixels);
        return PIXMPI_SUCCESS;
    }
    for (const Slab &slab : plan.slabs) {
        const bool pack = direction_ == Direction::pack;
        if (pack)
            surface_->read(slab.box, scratch);
        else if (!slab.full)
            if (const Status status = read_slab(state, slab, scratch))
                return status;
        const std::size_t row = static_cast<std::size_t>(slab.box.width) * size;
        const SlabPart *part = &plan.parts[slab.first];
        for (std::size_t i = 0; i < slab.count; ++i, ++part) {
            std::byte *const in_slab = scratch + static_cast<std::size_t>(part->rect.y - slab.box.y) * row +
                                       static_cast<std::size_t>(part->rect.x - slab.box.x) * size;
            std::byte *const packed = pixels + part->at * size;
            const std::size_t width = static_cast<std::size_t>(part->rect.width) * size;
            if (pack)
                copy_rows(packed, width, in_slab, row, width, part->rect.height);
            else
                copy_rows(in_slab, row, packed, width, width, part->rect.height);
        }
        if (!pack)
            surface_->write(slab.box, scratch);
    }
    return PIXMPI_SUCCESS;
}

Status DirectTransfer::read_slab(SavedState &, const Slab &slab, std::byte *scratch) {
    SavedState reading(surface_->gl_device);
    if (const Status status = surface_->open(reading, Direction::pack, 0))
        return status;
    surface_->read(slab.box, scratch);
    return PIXMPI_SUCCESS;
}

Status DirectTransfer::poll(Ticket, bool &over) {
    over = true;
    return PIXMPI_SUCCESS;
}

Status DirectTransfer::end() {
    GlErrors errors(surface_->gl_device.gl);
    SavedState state(surface_->gl_device);
    surface_->finish(state);
    return PIXMPI_SUCCESS;
}

void DirectTransfer::abandon() {
    if (surface_->gl_device.usable())
        end();
}

} // namespace glmpi
