#include "transfer/transfer.h"

#include "combine/nearest.h"
#include "region/worklist.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

namespace cudampi {

using namespace pixmpi;

CudaTransfer::CudaTransfer(Direction direction, std::shared_ptr<CudaSurface> surface,
                           std::shared_ptr<const Region> region)
    : direction_(direction), surface_(std::move(surface)), region_(std::move(region)), device_(surface_->cuda()) {
    submits_each_ = true;
}

CudaTransfer::~CudaTransfer() {
    give_up();
    const Current current(device_.context.handle);
    if (stream_ && !pending_.empty() && current.pushed())
        (void)CUDA_DO(cuStreamSynchronize, stream_);
    for (Pending &one : pending_) {
        device_.streams.give_event(one.event);
        device_.buffers.give_back(Place::host, std::move(one.carry));
    }
    pending_.clear();
    give_stream();
    give_order();
}

void CudaTransfer::start() {
    started_ = true;
    in_order_ = depths_in_order_ = false;
    give_order();
    bands_ = over_ = 0;
    for (Pending &one : pending_) // of a start that has failed, which nobody asks after
        one.ticket = 0;
}

// The program's streams are asked while the envelope is on its way. Thousands may wait: no stream is made for that.
void CudaTransfer::await() {
    if (direction_ != Direction::unpack || !started_ || in_order_ || (!stream_ && !device_.streams.any_idle()))
        return;
    const Current current(device_.context.handle);
    (void)ready(false); // what fails now fails again
}

Status CudaTransfer::begin(std::uint64_t) {
    open_ = surface_->watch != nullptr;
    return surface_->watch ? surface_->watch->begins() : PIXMPI_SUCCESS;
}

// A transfer that is a part of another one's message is not told when a message starts: it looks anew when nothing of
// it is under way.
Status CudaTransfer::ready(bool soon) {
    if (!stream_)
        if (const Status status = device_.streams.acquire(stream_))
            return status;
    if (!started_ && pending_.empty())
        in_order_ = depths_in_order_ = false;
    const CudaSurface *const own = surface_->ordered ? surface_.get() : nullptr, *const base = surface_->base_owner();
    if (!in_order_ && own)
        if (const Status status = device_.streams.order(stream_, own->stream, soon))
            return status;
    if (!in_order_ && base && base->ordered && !(own && own->stream == base->stream))
        if (const Status status = device_.streams.order(stream_, base->stream, soon))
            return status;
    in_order_ = true;
    return PIXMPI_SUCCESS;
}

void CudaTransfer::give_stream() {
    if (stream_)
        device_.streams.release(stream_);
    stream_ = nullptr;
    in_order_ = depths_in_order_ = false;
}

CudaTransfer::BandWork CudaTransfer::band_of(std::uint64_t first, std::uint64_t count, Stage &stage,
                                             std::size_t offset) const {
    auto *const own = dynamic_cast<CudaStage *>(&stage);
    return {first,
            count,
            static_cast<std::size_t>(count) * static_cast<std::size_t>(surface_->pixel_bytes),
            own && own->address ? own->address + offset : 0,
            stage.host ? stage.host + offset : nullptr,
            own};
}

Status CudaTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) {
    bool accepted = false;
    return process(band_of(first, count, stage, offset), ticket, accepted);
}

Status CudaTransfer::combine(const Combination &how, Surface *depths, std::uint64_t first, std::uint64_t count,
                             Stage &stage, std::size_t offset, Ticket &ticket, bool &accepted) {
    BandWork band = band_of(first, count, stage, offset);
    band.how = how;
    accepted = device_.kernels() && !surface_->is_array();
    if (accepted && depths) {
        band.depths = static_cast<CudaSurface *>(depths); // planes are on one device
        band.bytes += static_cast<std::size_t>(count) * static_cast<std::size_t>(depths->pixel_bytes);
        accepted = lies_as(*band.depths);
    }
    return accepted ? process(band, ticket, accepted) : PIXMPI_SUCCESS;
}

/// What pixels of so many bytes are aligned to, as far as their size says.
static std::uint64_t alignment_of(std::uint64_t pixel_bytes) { return pixel_bytes & (~pixel_bytes + 1); }

/// Whether a kernel finds the colours of a depth: at as many pixels from the first one.
bool CudaTransfer::lies_as(const CudaSurface &depths) const {
    constexpr std::uint64_t word = 4;
    const auto color = static_cast<std::uint64_t>(surface_->pixel_bytes),
               depth = static_cast<std::uint64_t>(depths.pixel_bytes);
    return !depths.is_array() && surface_->row_bytes * depth == depths.row_bytes * color &&
           surface_->corner_x == depths.corner_x && surface_->corner_y == depths.corner_y &&
           (surface_->address | surface_->base) % word == 0 &&
           (depths.address | depths.base | depths.row_bytes) % depth == 0;
}

Status CudaTransfer::choose_nearest(const BandWork &band, Pending &pending, bool &accepted) {
    CudaSurface &depths = *band.depths;
    const PlanesInBand at(surface_->format, depths.format, band.count);
    for (const CudaSurface *one : {static_cast<const CudaSurface *>(&depths), depths.base_owner()})
        if (!depths_in_order_ && one && one->ordered && !(surface_->ordered && surface_->stream == one->stream))
            if (const Status status = device_.streams.order(stream_, one->stream, true))
                return status;
    depths_in_order_ = true;
    Launch what{{.address = depths.address, .row_bytes = depths.row_bytes},
                region_,
                band.first,
                band.count,
                band.packed + at.depths};
    what.backwards = true;
    what.pixel_bytes = static_cast<std::size_t>(depths.pixel_bytes);
    what.how = band.how;
    what.format = depths.format;
    what.present = depths.base ? depths.base : depths.address;
    what.colors = {surface_->address, band.packed + at.colors, surface_->base ? surface_->base : surface_->address,
                   static_cast<std::uint32_t>(surface_->pixel_bytes)};
    accepted = what.colors.there % 4 == 0;
    return accepted ? device_.kernels()->launch(stream_, what, pending.held, accepted) : PIXMPI_SUCCESS;
}

Status CudaTransfer::process(BandWork band, Ticket &ticket, bool &accepted) {
    const Current current(device_.context.handle);
    Pending pending;
    Status status = ready();
    if (!status && !band.packed)
        status = carry(band, pending);
    if (!status)
        status = device_.streams.acquire_event(pending.event);
    accepted = true;
    const bool packs = direction_ == Direction::pack;
    if (!status && band.stage && !packs)
        status = band.stage->await_filled(stream_);
    if (!status)
        status = submit(band, pending, accepted);
    if (!status && band.stage && packs && band.stage->tell_filled(stream_))
        status = PIXMPI_ERR_DEVICE;
    if (!status && accepted && CUDA_TRY(cuEventRecord, pending.event, stream_))
        status = PIXMPI_ERR_DEVICE; // never for memory, or the band would be combined once more
    if (status || !accepted) {
        // Nobody asks after what may be under way, but it has to be over before its memory goes.
        if (status && pending.event && CUDA_DO(cuEventRecord, pending.event, stream_)) {
            pending.to = nullptr;
            pending_.push_back(std::move(pending));
            return status;
        }
        if (pending.event)
            device_.streams.give_event(pending.event);
        device_.buffers.give_back(Place::host, std::move(pending.carry));
        return status;
    }
    pending.ticket = ticket = ++bands_;
    pending_.push_back(std::move(pending));
    return PIXMPI_SUCCESS;
}

// Host memory that CUDA has not registered is copied by the CPU, by way of pinned memory.
Status CudaTransfer::carry(BandWork &band, Pending &pending) {
    if (const Status status = device_.buffers.acquire(Place::host, band.bytes, pending.carry))
        return status;
    band.packed = pending.carry->address();
    if (direction_ == Direction::unpack) {
        std::memcpy(pending.carry->host(), band.host, band.bytes);
        core().count_copied(band.bytes);
    } else {
        pending.to = band.host;
        pending.bytes = band.bytes;
    }
    return PIXMPI_SUCCESS;
}

// A copy command takes a microsecond or more for each piece, of an array four, and is slow where rows have gaps between
// them. Copy engines reach the host's memory as fast as kernels, if rows are long.
bool CudaTransfer::wants_kernel(const BandWork &band) const {
    if (band.stage && band.stage->rows)
        return true;
    constexpr std::size_t few = 2;
    constexpr std::uint64_t long_row = 4096;
    if (!device_.kernels() || surface_->is_array())
        return device_.kernels() != nullptr;
    const auto rect_of = [&](std::uint64_t pixel) {
        return std::upper_bound(region_->starts.begin(), region_->starts.end(), pixel);
    };
    if (band.count > 0 &&
        rect_of(band.first + band.count - 1) - rect_of(band.first) >= static_cast<std::ptrdiff_t>(few))
        return true; // without looking at thousands
    const bool on_gpu = band.stage && !band.stage->host;
    std::size_t pieces = 0;
    bool short_rows = false;
    for_each_piece(*region_, band.first, band.count, [&](const Piece &piece) {
        const std::uint64_t row =
            static_cast<std::uint64_t>(piece.rect.width) * static_cast<std::uint64_t>(surface_->pixel_bytes);
        ++pieces;
        short_rows = short_rows || (piece.rect.height > 1 && row != surface_->row_bytes && (on_gpu || row < long_row));
    });
    return pieces > few || short_rows;
}

Status CudaTransfer::submit(const BandWork &band, Pending &pending, bool &accepted) {
    const bool combines = band.how.operation != Operation::replace;
    if (band.depths)
        return choose_nearest(band, pending, accepted);
    if (copy_ticket_) { // packed already, as it was shown
        accepted = true;
        const std::uint64_t first = band.first * static_cast<std::uint64_t>(surface_->pixel_bytes);
        return CUDA_TRY(cuMemcpyAsync, band.packed, copy_->address() + first, band.bytes, stream_);
    }
    Pixels here;
    if ((combines || wants_kernel(band)) && surface_->show(here)) {
        if (!here.is_array)
            here.address = pixels();
        const Launch what{here,
                          region_,
                          band.first,
                          band.count,
                          band.packed,
                          band.stage ? band.stage->row_bytes : 0,
                          band.stage ? band.stage->rows : nullptr,
                          direction_ == Direction::unpack,
                          static_cast<std::size_t>(surface_->pixel_bytes),
                          band.how,
                          surface_->format,
                          surface_->base ? surface_->base : pixels()};
        if (const Status status = device_.kernels()->launch(stream_, what, pending.held, accepted))
            return status;
        if (accepted || combines)
            return PIXMPI_SUCCESS;
    }
    if (band.stage && band.stage->rows) // see() has found that a kernel does it, if there is memory for its list
        return fail(PIXMPI_ERR_MEMORY, "GPU memory: used up, expected some for a list of rectangles");
    accepted = true;
    return copy_pieces(band);
}

Status CudaTransfer::copy_pieces(const BandWork &band) {
    const auto pixel = static_cast<std::size_t>(surface_->pixel_bytes);
    Status status = PIXMPI_SUCCESS;
    for_each_piece(*region_, band.first, band.count, [&](const Piece &piece) {
        if (status)
            return;
        const auto x = static_cast<std::size_t>(piece.rect.x) * pixel, y = static_cast<std::size_t>(piece.rect.y);
        const std::size_t row = static_cast<std::size_t>(piece.rect.width) * pixel;
        if (!surface_->is_array() && (row == surface_->row_bytes || piece.rect.height == 1)) { // in one piece
            const CudaAddress from = pixels() + y * surface_->row_bytes + x, packed = band.packed + piece.at * pixel;
            const bool packs = direction_ == Direction::pack;
            status = CUDA_TRY(cuMemcpyAsync, packs ? packed : from, packs ? from : packed,
                              row * static_cast<std::size_t>(piece.rect.height), stream_);
            return;
        }
        CudaCopy copy{};
        copy.width_bytes = row;
        copy.height = static_cast<std::size_t>(piece.rect.height);
        copy.depth = 1;
        CudaCopyEnd here{}, packed{};
        packed.type = CudaMemoryType::any;
        packed.address = band.packed + piece.at * pixel;
        packed.pitch = copy.width_bytes;
        packed.height = copy.height;
        if (surface_->is_array()) {
            here.type = CudaMemoryType::array;
            here.array = surface_->array;
            here.x_bytes = x;
            here.y = y;
            here.z = surface_->layer;
        } else {
            here.type = CudaMemoryType::any;
            here.address = pixels() + y * surface_->row_bytes + x;
            here.pitch = surface_->row_bytes;
            here.height = copy.height;
        }
        copy.from = direction_ == Direction::pack ? here : packed;
        copy.to = direction_ == Direction::pack ? packed : here;
        status = CUDA_TRY(cuMemcpy3DAsync_v2, &copy, stream_);
    });
    return status;
}

Status CudaTransfer::poll(Ticket ticket, bool &over) {
    if (const Status status = collect())
        return status;
    over = ticket <= over_ || pending_.empty();
    return PIXMPI_SUCCESS;
}

Status CudaTransfer::collect() {
    if (pending_.empty())
        return PIXMPI_SUCCESS;
    const Current current(device_.context.handle);
    while (!pending_.empty()) {
        bool over = false;
        if (const Status status = device_.streams.query(pending_.front().event, over))
            return status;
        if (!over)
            break;
        finish_front();
    }
    return PIXMPI_SUCCESS;
}

void CudaTransfer::finish_front() {
    Pending &front = pending_.front();
    if (front.to) {
        std::memcpy(front.to, front.carry->host(), front.bytes);
        core().count_copied(front.bytes);
    }
    over_ = std::max(over_, front.ticket);
    device_.streams.give_event(front.event);
    device_.buffers.give_back(Place::host, std::move(front.carry));
    pending_.pop_front();
}

bool CudaTransfer::show(ShownPixels &shown, bool may_pack) {
    if (direction_ != Direction::pack || surface_->base || surface_->watch)
        return false;
    if (surface_->is_array() || region_->rects.size() != 1)
        return may_pack && show_copy(shown);
    const Block block =
        blocks_of(*region_, 0, region_->pixels, static_cast<std::size_t>(surface_->pixel_bytes), surface_->row_bytes)
            .front();
    const Current current(device_.context.handle);
    if (!device_.shown_memories.show(surface_->address + block.begin, shown))
        return false;
    shown.width = block.width;
    shown.row_bytes = block.rows > 1 ? block.pitch : block.width;
    return true;
}

/// While it is packed the receiver hears of it. Many pixels are better packed into the other GPU's memory.
bool CudaTransfer::show_copy(ShownPixels &shown) {
    constexpr std::size_t most = std::size_t{4} << 20;
    const std::size_t bytes =
        static_cast<std::size_t>(region_->pixels) * static_cast<std::size_t>(surface_->pixel_bytes);
    const Current current(device_.context.handle);
    if (!device_.kernels() || bytes > most || device_.buffers.acquire(Place::device, bytes, copy_))
        return false;
    bool accepted = false;
    if (!device_.shown_memories.show(copy_->address(), shown) ||
        process({0, region_->pixels, bytes, copy_->address(), nullptr, nullptr}, copy_ticket_, accepted)) {
        device_.buffers.give_back(Place::device, std::move(copy_));
        return false;
    }
    shown.width = shown.row_bytes = bytes;
    return true;
}

Status CudaTransfer::look_at_order(bool &over) {
    if (copy_)
        return poll(copy_ticket_, over);
    const Current current(device_.context.handle);
    over = !surface_->ordered;
    if (!over && !order_) {
        if (const Status status = device_.streams.mark(surface_->stream, order_))
            return status;
        over = !order_;
    }
    if (!over)
        if (const Status status = device_.streams.query(order_, over))
            return status;
    if (over)
        give_order();
    return PIXMPI_SUCCESS;
}

void CudaTransfer::give_order() {
    if (order_)
        device_.streams.give_event(std::exchange(order_, nullptr));
    device_.buffers.give_back(Place::device, std::move(copy_));
    copy_ticket_ = 0;
}

/// Whether a kernel reads any rows for this surface.
bool CudaTransfer::kernel_reaches() {
    Pixels here;
    return device_.kernels() && device_.kernels()->move(surface_->is_array()) && surface_->show(here) &&
           surface_->row_bytes <= UINT32_MAX;
}

bool CudaTransfer::combines(const Combination &how) {
    const Current current(device_.context.handle); // the first operation loads its kernel
    const std::uint64_t alignment = alignment_of(static_cast<std::uint64_t>(surface_->pixel_bytes));
    return device_.kernels() && !surface_->is_array() && device_.kernels()->combine(how, surface_->format) &&
           (surface_->address | surface_->row_bytes) % alignment == 0;
}

// What another process says is looked at once.
Status CudaTransfer::see(const std::shared_ptr<Peer> &from, const ShownPixels &theirs, std::uint64_t bytes,
                         std::unique_ptr<Stage> &stage) {
    const ShownPixels shown = theirs;
    const auto pixel = static_cast<std::uint64_t>(surface_->pixel_bytes);
    if (direction_ != Direction::unpack || surface_->watch || shown.memory == 0 || shown.width == 0 || bytes == 0 ||
        bytes % shown.width || shown.width % pixel || (shown.offset | shown.row_bytes) % alignment_of(pixel) ||
        shown.row_bytes < shown.width || shown.row_bytes > shown.bytes || shown.offset > shown.bytes)
        return PIXMPI_SUCCESS;
    const std::uint64_t rows = bytes / shown.width, room = shown.bytes - shown.offset;
    const bool gaps = rows > 1 && shown.row_bytes != shown.width;
    if ((gaps && (rows > INT_MAX || shown.width / pixel > INT_MAX)) || shown.width > room ||
        rows - 1 > (room - shown.width) / shown.row_bytes || (gaps && (bytes > UINT32_MAX / 2 || !kernel_reaches())))
        return PIXMPI_SUCCESS;
    const Current current(device_.context.handle);
    std::shared_ptr<const void> hold;
    const CudaAddress address = device_.shown_memories.see(from, shown, hold);
    if (!address)
        return PIXMPI_SUCCESS;
    auto made = std::make_unique<CudaStage>(device_.shared_from_this());
    made->bytes = static_cast<std::size_t>(bytes);
    made->address = address;
    made->hold = std::move(hold);
    if (gaps) {
        auto all = std::make_shared<Region>();
        all->bounds = {0, 0, static_cast<int>(shown.width / pixel), static_cast<int>(rows)};
        all->rects = {all->bounds};
        all->pixels = bytes / pixel;
        all->starts = {0, all->pixels};
        all->committed = true;
        made->rows = std::move(all);
        made->row_bytes = shown.row_bytes;
    }
    stage = std::move(made);
    return PIXMPI_SUCCESS;
}

Status CudaTransfer::end() {
    started_ = open_ = false;
    if (pending_.empty()) {
        give_stream();
        give_order();
    }
    return surface_->watch ? surface_->watch->ends(direction_) : PIXMPI_SUCCESS;
}

void CudaTransfer::give_up() {
    if (open_)
        (void)surface_->watch->ends(direction_);
    started_ = open_ = false;
    for (Pending &one : pending_)
        one.to = nullptr;
}

bool CudaTransfer::settled() {
    if (collect() != PIXMPI_SUCCESS && stream_) { // the question may have failed alone, and the work goes on
        const Current current(device_.context.handle);
        const CudaResult result = driver().exiting ? cuda_success : driver().cuStreamQuery(stream_);
        if (result == cuda_not_ready || (result >= cuda_capture_first && result <= cuda_capture_last))
            return false;
        while (result == cuda_success && !pending_.empty())
            finish_front();
        if (result != cuda_success) { // the context's errors stay, and nothing of it goes on
            pending_.clear();
            stream_ = nullptr;
        }
    }
    if (!pending_.empty())
        return false;
    if (!started_) {
        give_stream();
        give_order();
    }
    return true;
}

} // namespace cudampi
