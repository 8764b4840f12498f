#include "shader/gl_work_lists.h"

#include "device/gl_device.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

namespace {

/// A binding of no bytes is an error.
std::size_t buffer_bytes(const WorkLayout &list) { return list.owners_at + std::max(list.owners_bytes, list.grain); }

} // namespace

const WorkLists::CachedWork &WorkLists::get(SavedState &state, const std::shared_ptr<const Region> &region,
                                            std::uint64_t first, std::uint64_t count, const How &how) {
    if (const CachedWork *found = entries_.find(region, how, first, count))
        return *found;
    WorkList list = cut_work(*region, first, count, how.cut);
    CachedWork made(list);
    if (how.boxed && list.units) {
        for_each_piece(*region, first, count, [&](const Piece &piece) { made.box = around(made.box, piece.rect); });
        for (WorkPiece &piece : list.pieces) // both halves at once: none is less than the box's
            piece.corner -= static_cast<std::uint32_t>(made.box.x) | static_cast<std::uint32_t>(made.box.y) << 16;
        if (made.kind == 0)
            made.few = FewPieces(list);
    }
    if (made.needs_buffer() && upload(state, list, made)) // which has made room, too
        return entries_.add(region, how, first, count, made, buffer_bytes(made));
    single_ = made.needs_buffer() ? CachedWork() : made;
    return single_;
}

bool WorkLists::upload(SavedState &state, const WorkList &list, CachedWork &entry) {
    const auto pieces = static_cast<GLsizeiptr>(entry.pieces_bytes),
               owners_at = static_cast<GLsizeiptr>(entry.owners_at),
               owners = static_cast<GLsizeiptr>(entry.owners_bytes);
    entries_.make_room(buffer_bytes(entry), [&](const CachedWork &one) { drop(one); });
    const Gl &gl = device_.gl;
    GlAttempt errors(gl);
    gl.GenBuffers(1, &entry.buffer);
    state.bind_buffer(GL_COPY_WRITE_BUFFER, entry.buffer);
    gl.BufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(buffer_bytes(entry)), nullptr, GL_STATIC_DRAW);
    gl.BufferSubData(GL_COPY_WRITE_BUFFER, 0, pieces, list.pieces.data());
    if (owners)
        gl.BufferSubData(GL_COPY_WRITE_BUFFER, owners_at, owners, list.owners.data());
    const bool good = !errors.any();
    if (!good)
        drop(entry);
    return good;
}

void WorkLists::drop(const CachedWork &entry) const { device_.gl.DeleteBuffers(1, &entry.buffer); }

void WorkLists::destroy() {
    entries_.clear([&](const CachedWork &one) { drop(one); });
}

} // namespace glmpi
