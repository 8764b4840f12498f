#include "transfer/transfer_direct.h"

#include "region/copy_rows.h"
#include "region/worklist.h"
#include "transfer/gl_stage.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

namespace {

/// Bytes before a rectangle in the box around it.
std::size_t offset_in(const pixMPI_Rect &box, const pixMPI_Rect &rect, std::size_t pixel_bytes) {
    return (static_cast<std::size_t>(rect.y - box.y) * static_cast<std::size_t>(box.width) +
            static_cast<std::size_t>(rect.x - box.x)) *
           pixel_bytes;
}

} // namespace

DirectTransfer::DirectTransfer(Direction direction, std::shared_ptr<GlSurface> surface,
                               std::shared_ptr<const Region> region)
    : direction_(direction), surface_(std::move(surface)), region_(std::move(region)) {
    strip_copies_ = this;
}

PlanInput DirectTransfer::plan_input() const {
    return {direction_, surface_->pixel_bytes, surface_->rate(Direction::pack), surface_->rate(Direction::unpack),
            surface_->rewritable()};
}

std::uint64_t DirectTransfer::band_pixels() const {
    // Each row of a narrow rectangle lies in another page and costs both ends more than its bytes do.
    if (region_->rects.size() == 1 && surface_->row_bytes(region_->bounds.width) <= 64 && region_->bounds.height >= 512)
        return region_->pixels / 4;
    if (region_->rects.size() <= few_rectangles || !surface_->gathers())
        return 0;
    constexpr std::size_t most = 16 << 20;
    GlDevice &device = surface_->gl_device;
    return device.plans.band_pixels(region_, surface_->format, device.band_bytes(), most, plan_input());
}

Status DirectTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset,
                            Ticket &ticket) {
    Status status = open();
    std::byte *memory = stage.host ? stage.host + offset : nullptr;
    const auto *own = memory ? nullptr : static_cast<const GlStage *>(&stage);
    if (own && own->memory)
        memory = own->memory + offset;
    else if (own && status == PIXMPI_SUCCESS) // a buffer for both ends of a message within this context
        status = map(*own, offset, count, memory);
    if (status == PIXMPI_SUCCESS)
        status = move(first, count, memory);
    if (own && !own->memory && memory)
        unmap(*own);
    ticket = done;
    return close(status);
}

Status DirectTransfer::open() {
    if (opened_)
        return PIXMPI_SUCCESS;
    opened_.emplace(surface_->gl_device);
    return surface_->open(opened_->state, direction_, 0);
}

// After copies that came to `status`, which is what OpenGL says of them when it is success so far.
Status DirectTransfer::close(Status status) {
    if (status == PIXMPI_SUCCESS)
        status =
            opened_->errors.check(direction_ == Direction::pack ? "reading the surface" : "writing to the surface");
    if (!burst_ || status != PIXMPI_SUCCESS)
        put_back();
    return status;
}

void DirectTransfer::put_back() {
    if (!opened_)
        return;
    surface_->close();
    opened_.reset();
}

void DirectTransfer::burst(bool on) {
    burst_ = on;
    if (!on)
        put_back();
}

Status DirectTransfer::map(const GlStage &stage, std::size_t offset, std::uint64_t count, std::byte *&memory) {
    const auto bytes = static_cast<GLsizeiptr>(count) * surface_->pixel_bytes;
    opened_->state.bind_buffer(stage_target(), stage.buffer);
    memory = static_cast<std::byte *>(
        surface_->gl_device.gl.MapBufferRange(stage_target(), static_cast<GLintptr>(offset), bytes,
                                              direction_ == Direction::pack ? GL_MAP_WRITE_BIT : GL_MAP_READ_BIT));
    return memory ? PIXMPI_SUCCESS : fail(PIXMPI_ERR_MEMORY, "OpenGL: a stage is not mapped, expected that it is");
}

void DirectTransfer::unmap(const GlStage &stage) {
    opened_->state.bind_buffer(stage_target(), stage.buffer);
    surface_->gl_device.gl.UnmapBuffer(stage_target());
}

const CopyPlan &DirectTransfer::plan(std::uint64_t first, std::uint64_t count) const {
    return surface_->gl_device.plans.get(region_, surface_->format, first, count, plan_input());
}

std::byte *DirectTransfer::scratch(const CopyPlan &plan) const {
    return surface_->gl_device.slab_memory(plan.slab_pixels * static_cast<std::size_t>(surface_->pixel_bytes));
}

Status DirectTransfer::move(std::uint64_t first, std::uint64_t count, std::byte *pixels) {
    if (region_->rects.size() > few_rectangles && surface_->gathers())
        if (const CopyPlan &slabs = plan(first, count); !slabs.slabs.empty() && scratch(slabs))
            return by_slabs(slabs, pixels);
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

Status DirectTransfer::by_slabs(const CopyPlan &plan, std::byte *pixels) {
    for (const Slab &slab : plan.slabs)
        if (const Status status = copy_slab(plan, slab, pixels))
            return status;
    return PIXMPI_SUCCESS;
}

// The surface's old pixels in a slab are read again for the pixels that the region leaves out; nothing else runs in
// between, so that they are put back as they are.
Status DirectTransfer::copy_slab(const CopyPlan &plan, const Slab &slab, std::byte *pixels) {
    const auto size = static_cast<std::size_t>(surface_->pixel_bytes);
    std::byte *const strip = scratch(plan);
    const bool pack = direction_ == Direction::pack;
    if (pack)
        surface_->read(slab.box, strip);
    else if (!slab.full)
        if (const Status status = read_old(slab.box, strip))
            return status;
    const auto row = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(slab.box.width) * size);
    const Piece *part = &plan.parts[slab.first];
    for (std::size_t i = 0; i < slab.count; ++i, ++part) {
        std::byte *const in_slab = strip + offset_in(slab.box, part->rect, size);
        copy_rows(direction_, {in_slab, row}, static_cast<std::size_t>(part->rect.width) * size,
                  static_cast<std::size_t>(part->rect.height), pixels + part->at * size);
    }
    if (!pack)
        surface_->write(slab.box, strip);
    return PIXMPI_SUCCESS;
}

bool DirectTransfer::has_strips() const {
    return region_->rects.size() > few_rectangles && surface_->gathers() &&
           (direction_ == Direction::pack || surface_->rewritable());
}

std::shared_ptr<const Strips> DirectTransfer::strips() {
    if (!has_strips())
        return nullptr;
    std::shared_ptr<const Strips> all = core().strips(*region_, surface_->pixel_bytes);
    const bool room =
        surface_->gl_device.slab_memory(2 * all->largest_box * static_cast<std::size_t>(surface_->pixel_bytes));
    return room ? all : nullptr;
}

bool DirectTransfer::gains_by_strips() {
    return has_strips() &&
           surface_->gl_device.plans.gains_by_strips(region_, surface_->format,
                                                     *core().strips(*region_, surface_->pixel_bytes), plan_input());
}

Status DirectTransfer::copy_strip(std::size_t k, Stage &stage, std::size_t offset, Ticket &ticket) {
    const std::shared_ptr<const Strips> all = strips();
    if (!all || !stage.host)
        return fail(PIXMPI_ERR_MEMORY, "OpenGL: no memory for a strip of the region, expected that there is");
    ticket = done;
    Status status = open();
    if (status == PIXMPI_SUCCESS)
        status = move_strip(*all, all->strips[k], stage.host + offset);
    return close(status);
}

Status DirectTransfer::move_strip(const Strips &all, const Strip &strip, std::byte *pixels) {
    const auto size = static_cast<std::size_t>(surface_->pixel_bytes);
    const bool pack = direction_ == Direction::pack;
    GlDevice &device = surface_->gl_device;
    std::byte *const scratch = device.slab_memory(0), *const box = strip.whole ? pixels : scratch;
    if (pack)
        surface_->read(strip.box, box);
    else if (const Status status = keep_holes(all, strip, box, scratch + all.largest_box * size))
        return status;
    const auto row = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(strip.box.width) * size);
    for (std::size_t i = strip.first; !strip.whole && i < strip.first + strip.count; ++i) {
        const Piece &part = all.parts[i];
        std::byte *const in_box = box + offset_in(strip.box, part.rect, size);
        copy_rows(direction_, {in_box, row}, static_cast<std::size_t>(part.rect.width) * size,
                  static_cast<std::size_t>(part.rect.height), pixels + part.at * size);
    }
    if (!pack)
        surface_->write(strip.box, box);
    return PIXMPI_SUCCESS;
}

// What the region leaves out of a strip is written back as it was.
Status DirectTransfer::keep_holes(const Strips &all, const Strip &strip, std::byte *box, std::byte *old) {
    const pixMPI_Rect &around = strip.around_holes;
    if (around.width == 0)
        return PIXMPI_SUCCESS;
    if (!strip.whole && around.width == strip.box.width && around.height == strip.box.height)
        return read_old(strip.box, box);
    if (const Status status = read_old(around, old))
        return status;
    const auto size = static_cast<std::size_t>(surface_->pixel_bytes);
    const auto row = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(strip.box.width) * size),
               old_row = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(around.width) * size);
    const auto put_back = [&](const pixMPI_Rect &hole) {
        copy_rows(box + offset_in(strip.box, hole, size), row, old + offset_in(around, hole, size), old_row,
                  static_cast<std::size_t>(hole.width) * size, static_cast<std::size_t>(hole.height));
    };
    if (!strip.whole)
        put_back(around); // the parts come over it
    for (std::size_t i = strip.first_hole; i < strip.first_hole + strip.hole_count; ++i)
        put_back(all.holes[i]);
    return PIXMPI_SUCCESS;
}

Status DirectTransfer::read_old(const pixMPI_Rect &rect, std::byte *pixels) {
    if (const Status status = surface_->open(opened_->state, Direction::pack, 0))
        return status;
    surface_->read(rect, pixels);
    return PIXMPI_SUCCESS;
}

Status DirectTransfer::end() {
    put_back();
    return finish_message(*surface_, direction_);
}

void DirectTransfer::give_up() {
    if (surface_->gl_device.usable())
        end();
}

} // namespace glmpi
