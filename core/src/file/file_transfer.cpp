#include "file/file_transfer.h"

#include "region/worklist.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pixmpi {
namespace {

constexpr std::int64_t unit = OpenFile::direct_unit;
std::int64_t down(std::int64_t offset) { return offset / unit * unit; }
std::int64_t up(std::int64_t offset) { return down(offset + unit - 1); }

void fill(std::byte *memory, std::size_t bytes, const std::vector<std::byte> &pixel) {
    for (std::size_t i = 0; i < bytes; i += pixel.size())
        std::copy(pixel.begin(), pixel.end(), memory + i);
}

} // namespace

FileTransfer::FileTransfer(Direction direction, std::shared_ptr<FileSurface> surface,
                           std::shared_ptr<const Region> region)
    : direction_(direction), surface_(std::move(surface)), region_(std::move(region)),
      device_(static_cast<FileDevice &>(*surface_->device)) {}

// The system writes to the stage until it has done.
FileTransfer::~FileTransfer() {
    give_up();
    while (!settled())
        device_.doze(1e-3);
}

void FileTransfer::start() {
    if (surface_->last)
        *surface_->last = {};
}

std::vector<FileTransfer::Span> FileTransfer::spans_of(std::uint64_t first, std::uint64_t count, std::byte *memory) {
    const auto size = static_cast<std::uint64_t>(surface_->pixel_bytes);
    std::vector<Span> spans;
    for_each_piece(*region_, first, count, [&](const Piece &piece) {
        std::byte *next = memory + piece.at * size;
        for (int y = 0; y < piece.rect.height; ++y)
            surface_->grid->for_each_span(
                piece.rect.x, piece.rect.y + y, piece.rect.width, [&](std::int64_t offset, std::size_t bytes) {
                    Span *const last = spans.empty() ? nullptr : &spans.back();
                    if (offset == Grid::unwritten)
                        fill(next, bytes, surface_->grid->unwritten_pixel);
                    else if (last && last->end() == offset && last->memory + last->bytes == next)
                        last->bytes += bytes;
                    else
                        spans.push_back({offset, bytes, next});
                    next += bytes;
                });
    });
    std::stable_sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) { return a.offset < b.offset; });
    return spans;
}

void FileTransfer::hold_last_byte(std::vector<Span> &spans) const {
    if (!surface_->last || spans.empty() || spans.back().end() != surface_->grid->end())
        return;
    Span &last = spans.back();
    --last.bytes;
    *surface_->last = {true, last.memory[last.bytes]};
    if (last.bytes == 0)
        spans.pop_back();
}

Status FileTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) {
    constexpr std::int64_t least_gap = 16 << 10; // what lies between is read with the rest
    std::vector<Span> spans = spans_of(first, count, stage.host + offset);
    if (!reads()) {
        hold_last_byte(spans);
        surface_->file->note_written();
    }
    const std::size_t waiting = waiting_.size();
    const Ticket band = last_ + 1;
    const std::int64_t gap = reads() ? least_gap : 0;
    for (std::size_t i = 0, next = 0; i < spans.size(); i = next) {
        std::int64_t end = spans[i].end();
        for (next = i + 1; next < spans.size() && spans[next].offset <= end + gap; ++next)
            end = std::max(end, spans[next].end());
        add_blocks(&spans[i], &spans[0] + next, band);
    }
    last_ = band;
    ticket = band;
    bands_.emplace_back(band, static_cast<int>(waiting_.size() - waiting));
    start_waiting();
    return PIXMPI_SUCCESS;
}

/// Spans that are read or written together. Past the page cache whole units are read; of what is written, the ends that
/// are no whole units go through the page cache.
void FileTransfer::add_blocks(const Span *first, const Span *last, Ticket band) {
    constexpr std::int64_t least_direct = 16 << 10;
    std::int64_t begin = first->offset, end = begin;
    for (const Span *span = first; span != last; ++span)
        end = std::max(end, span->end());
    if (surface_->file->direct() < 0 || end - begin < least_direct)
        return add_cut(begin, end, first, last, false, band);
    if (reads())
        return add_cut(down(begin), up(end), first, last, true, band);
    const std::int64_t whole = std::min(up(begin), end), rest = std::max(down(end), whole);
    add_cut(begin, whole, first, last, false, band);
    add_cut(whole, rest, first, last, true, band);
    add_cut(rest, end, first, last, false, band);
}

void FileTransfer::add_cut(std::int64_t from, std::int64_t to, const Span *first, const Span *last, bool direct,
                           Ticket band) {
    constexpr auto most = static_cast<std::int64_t>(FileDevice::block_bytes);
    for (std::int64_t at = from; at < to;) {
        const std::int64_t next = std::min(to, (at / most + 1) * most);
        while (first + 1 < last && first->end() <= at && first[1].offset <= at)
            ++first;
        add_block(at, next, first, last, direct, band);
        at = next;
    }
}

void FileTransfer::add_block(std::int64_t from, std::int64_t to, const Span *first, const Span *last, bool direct,
                             Ticket band) {
    Block block;
    for (const Span *span = first; span != last && span->offset < to; ++span) {
        const std::int64_t begin = std::max(span->offset, from), end = std::min(span->end(), to);
        if (begin < end)
            block.spans.push_back(
                {begin, static_cast<std::size_t>(end - begin), span->memory + (begin - span->offset)});
    }
    if (block.spans.empty())
        return; // a gap
    constexpr std::uintptr_t memory_unit = 512;
    const Span &one = block.spans.front();
    block.straight = block.spans.size() == 1 && one.offset == from && one.end() == to &&
                     (!direct || reinterpret_cast<std::uintptr_t>(one.memory) % memory_unit == 0);
    block.direct = direct;
    block.band = band;
    for (const Span &span : block.spans)
        block.needed = std::max(block.needed, static_cast<std::size_t>(span.end() - from));
    block.io.kind = reads() ? IoOperation::Kind::read : IoOperation::Kind::write;
    block.io.offset = from;
    block.io.bytes = static_cast<std::size_t>(to - from);
    waiting_.push_back(std::move(block));
}

void FileTransfer::start_waiting() {
    const OpenFile &file = *surface_->file;
    bool any = false;
    while (!waiting_.empty()) {
        Block &block = waiting_.front();
        if (!block.straight && !block.own) {
            block.own = device_.acquire_block();
            if (!block.own)
                break;
            for (const Span &span : block.spans)
                if (!reads())
                    std::memcpy(block.own + (span.offset - block.io.offset), span.memory, span.bytes);
        }
        block.io.memory = (block.straight ? block.spans.front().memory : block.own) + block.moved;
        block.direct = block.direct && file.direct() >= 0;
        block.io.descriptor = block.direct ? file.direct() : file.plain();
        block.io.over = false;
        if (!device_.queue->start(block.io))
            break;
        any = true;
        under_way_.splice(under_way_.end(), waiting_, waiting_.begin());
    }
    if (any)
        device_.queue->flush();
}

Status FileTransfer::ends_early(const Block &block) const {
    std::int64_t bytes = 0;
    if (const Status error = surface_->file->size(bytes))
        return error;
    return fail(PIXMPI_ERR_FILE,
                "%s: ends at offset %lld, expected pixels up to offset %lld, of a picture of %dx%d of %s",
                surface_->file->path.c_str(), static_cast<long long>(bytes),
                static_cast<long long>(block.io.offset) + static_cast<long long>(block.needed - block.moved),
                surface_->extent.width, surface_->extent.height, format_info(surface_->format).name);
}

/// An operation is over; `again`: it has to go on, or to be tried in another way.
Status FileTransfer::look_at(Block &block, bool &again) {
    OpenFile &file = *surface_->file;
    const char *const what = reads() ? "reading" : "writing";
    if (block.io.result == -EINTR || block.io.result == -EAGAIN) {
        again = true;
        return PIXMPI_SUCCESS;
    }
    if (block.io.result == -EINVAL && block.direct) {
        if (file.direct() >= 0)
            file.no_direct("alignment");
        again = true;
        return PIXMPI_SUCCESS;
    }
    if (block.io.result < 0)
        return file.failed(what, block.io.bytes, block.io.offset, static_cast<int>(-block.io.result));
    const auto moved = static_cast<std::size_t>(block.io.result);
    block.moved += moved;
    block.io.offset += static_cast<std::int64_t>(moved);
    block.io.bytes -= std::min(moved, block.io.bytes);
    const bool enough = reads() ? block.moved >= block.needed : block.io.bytes == 0;
    if (!enough && moved == 0)
        return reads() ? ends_early(block) : file.failed(what, block.io.bytes, block.io.offset, ENOSPC);
    if (!enough && block.io.offset % unit != 0)
        block.direct = false; // the end of the file, unless it is made longer
    again = !enough;
    return PIXMPI_SUCCESS;
}

void FileTransfer::drop(Block &block) {
    if (block.own)
        device_.give_block(block.own);
    block.own = nullptr;
}

Status FileTransfer::collect() {
    device_.queue->reap();
    Status failed = PIXMPI_SUCCESS;
    for (auto block = under_way_.begin(); block != under_way_.end();) {
        const auto here = block++;
        if (!here->io.over)
            continue;
        bool again = false;
        if (const Status error = look_at(*here, again); error && !failed)
            failed = error;
        if (again && !failed) {
            waiting_.splice(waiting_.begin(), under_way_, here);
            continue;
        }
        if (!failed && reads() && here->own) {
            const std::int64_t begin = here->io.offset - static_cast<std::int64_t>(here->moved);
            for (const Span &span : here->spans)
                std::memcpy(span.memory, here->own + (span.offset - begin), span.bytes);
        }
        drop(*here);
        const auto band =
            std::find_if(bands_.begin(), bands_.end(), [&](const auto &one) { return one.first == here->band; });
        if (band != bands_.end())
            --band->second;
        under_way_.erase(here);
    }
    return failed;
}

Status FileTransfer::poll(Ticket ticket, bool &over) {
    if (const Status failed = collect())
        return failed;
    start_waiting();
    const auto band = std::find_if(bands_.begin(), bands_.end(), [&](const auto &one) { return one.first == ticket; });
    over = band == bands_.end() || band->second == 0;
    if (over && band != bands_.end())
        bands_.erase(band);
    return PIXMPI_SUCCESS;
}

void FileTransfer::give_up() {
    for (Block &block : waiting_)
        drop(block);
    waiting_.clear();
    bands_.clear();
}

bool FileTransfer::settled() {
    if (under_way_.empty())
        return true;
    device_.queue->reap();
    for (auto block = under_way_.begin(); block != under_way_.end();) {
        const auto here = block++;
        if (here->io.over) {
            drop(*here);
            under_way_.erase(here);
        }
    }
    return under_way_.empty();
}

} // namespace pixmpi
