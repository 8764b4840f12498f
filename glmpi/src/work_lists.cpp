#include "work_lists.h"

#include "gl_device.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

namespace {

pixMPI_Rect box_around(const Region &region, std::uint64_t first, std::uint64_t count) {
    int left = 1 << 30, right = 0, bottom = 1 << 30, top = 0;
    for_each_piece(region, first, count, [&](const Piece &piece) {
        const pixMPI_Rect &r = piece.rect;
        left = std::min(left, r.x);
        right = std::max(right, r.x + r.width);
        bottom = std::min(bottom, r.y);
        top = std::max(top, r.y + r.height);
    });
    return {left, bottom, right - left, top - bottom};
}

} // namespace

const WorkLists::Entry &WorkLists::get(SavedState &state, const Range &range) {
    const auto matches = [&](const Entry &e) {
        return e.first == range.first && e.count == range.count && e.cut == range.cut && e.boxed == range.boxed &&
               !e.region.owner_before(range.region) && !range.region.owner_before(e.region);
    };
    if (next_ >= entries_.size() || !matches(entries_[next_]))
        next_ = static_cast<std::size_t>(std::find_if(entries_.begin(), entries_.end(), matches) - entries_.begin());
    if (next_ < entries_.size())
        return entries_[next_++];
    WorkList list = cut_work(*range.region, range.first, range.count, range.cut);
    Entry made;
    made.region = range.region;
    made.first = range.first;
    made.count = range.count;
    made.cut = range.cut;
    made.boxed = range.boxed;
    made.units = list.units;
    made.kind = list.kind();
    if (range.boxed && list.units) {
        made.box = box_around(*range.region, range.first, range.count);
        for (WorkPiece &piece : list.pieces) // both halves at once: none is less than the box's
            piece.corner -= static_cast<std::uint32_t>(made.box.x) | static_cast<std::uint32_t>(made.box.y) << 16;
    }
    if (list.units == 0 || made.kind == 0) {
        made.few = FewPieces(list);
        single_ = std::move(made);
        return single_;
    }
    if (!upload(state, list, made)) {
        single_ = {};
        return single_;
    }
    entries_.push_back(std::move(made));
    next_ = entries_.size();
    return entries_.back();
}

bool WorkLists::upload(SavedState &state, const WorkList &list, Entry &entry) {
    constexpr GLsizeiptr grain = 256; // as far as storage buffers' offsets ever ask
    const Gl &gl = device_.gl;
    entry.pieces_bytes = static_cast<GLsizeiptr>(list.pieces.size() * sizeof(WorkPiece));
    entry.owners_at = (entry.pieces_bytes + grain - 1) / grain * grain;
    entry.owners_bytes = static_cast<GLsizeiptr>(list.owners.size() * sizeof(std::uint32_t));
    const GLsizeiptr bytes = entry.owners_at + std::max(entry.owners_bytes, grain);
    make_room(static_cast<std::size_t>(bytes));
    GlErrors errors(gl);
    gl.GenBuffers(1, &entry.buffer);
    state.bind_buffer(GL_COPY_WRITE_BUFFER, entry.buffer);
    gl.BufferData(GL_COPY_WRITE_BUFFER, bytes, nullptr, GL_STATIC_DRAW);
    gl.BufferSubData(GL_COPY_WRITE_BUFFER, 0, entry.pieces_bytes, list.pieces.data());
    if (entry.owners_bytes)
        gl.BufferSubData(GL_COPY_WRITE_BUFFER, entry.owners_at, entry.owners_bytes, list.owners.data());
    const bool good = !errors.any();
    if (!good)
        drop(entry);
    return good;
}

// Regions that are gone first, then those that came first.
void WorkLists::make_room(std::size_t bytes) {
    constexpr std::size_t most_bytes = 8 << 20, most_entries = 256;
    std::erase_if(entries_, [&](const Entry &one) {
        if (one.region.expired())
            drop(one);
        return one.region.expired();
    });
    const auto size = [](const Entry &one) { return static_cast<std::size_t>(one.owners_at + one.owners_bytes); };
    for (const Entry &one : entries_)
        bytes += size(one);
    while (!entries_.empty() && (bytes > most_bytes || entries_.size() >= most_entries)) {
        bytes -= size(entries_.front());
        drop(entries_.front());
        entries_.erase(entries_.begin());
    }
}

void WorkLists::drop(const Entry &entry) const { device_.gl.DeleteBuffers(1, &entry.buffer); }

void WorkLists::destroy() {
    for (const Entry &one : entries_)
        drop(one);
    entries_.clear();
}

} // namespace glmpi
