#include "kernel/kernels.h"

#include "base/environment.h"
#include "base/format.h"

#include <cstring>

#ifdef CUDAMPI_PTX
#include "array.ptx.h"
#include "combine.ptx.h"
#include "move.ptx.h"
#endif

namespace cudampi {

using namespace pixmpi;
using kernels::Piece;
using kernels::Work;

namespace {

/// Of what the format can be combined by: the bytes of an element that the kernels combine at least; 0: they do not.
/// NEAREST: the format of depths, which have colours.
std::uint32_t combined_bytes(const Combination &how, pixMPI_Format format, bool has_colors = false) {
    const FormatInfo &info = format_info(format);
    if (how.operation == Operation::nearest && has_colors)
        return static_cast<std::uint32_t>(info.bytes);
    if (how.operation == Operation::user || how.operation == Operation::nearest || info.numbers == Numbers::srgb)
        return 0;
    switch (how.operation) {
    case Operation::over:
    case Operation::over_straight:
        return static_cast<std::uint32_t>(info.bytes);
    case Operation::band:
    case Operation::bor:
    case Operation::bxor:
        return 1;
    default:
        return static_cast<std::uint32_t>(info.channel_bytes == 0 ? info.bytes : info.channel_bytes);
    }
}

std::uint32_t chunk_of(const Work &work) { return kernels::lanes * work.turns; }
std::uint32_t chunks_of(const Work &work) { return (work.elements - 1) / chunk_of(work) + 1; }

/// As many that a GPU has chunks for all of its processors.
std::uint32_t turns_for(const Work &work) {
    constexpr std::uint32_t enough = 8192;
    return std::clamp(work.elements / (kernels::lanes * enough), 1u, kernels::turns_of(work.element_bytes));
}

} // namespace

Status Kernels::make(const Context &context, Buffers &buffers, std::unique_ptr<Kernels> &kernels) {
    bool copies = false;
    if (const Status status = read_word("PIXMPI_CUDA_PACK", copies))
        return status;
#ifdef CUDAMPI_PTX
    constexpr int least = 7; // sm_70, for which the PTX is; the driver makes code for later ones of it
    int major = 0;
    const Current current(context.handle);
    constexpr unsigned not_blocking = 1;
    if (copies || !CUDA_DO(cuDeviceGetAttribute, &major, cuda_major, context.device) || major < least)
        return PIXMPI_SUCCESS;
    std::unique_ptr<Kernels> made(new Kernels(context, buffers));
    if (!load(made->move_, move_ptx, kernels::move_name) ||
        !CUDA_DO(cuModuleGetFunction, &made->chunks_, made->move_.module, kernels::chunks_name) ||
        !CUDA_DO(cuStreamCreate, &made->uploads_, not_blocking)) {
        core().log(PIXMPI_LOG_INFO, "cudampi: the driver does not load the kernels; copy commands move all pixels");
        return PIXMPI_SUCCESS;
    }
    if (!load(made->array_, array_ptx, kernels::array_name))
        core().log(PIXMPI_LOG_INFO, "cudampi: the driver does not load the kernel of arrays; copy commands move them");
    kernels = std::move(made);
#else
    (void)context;
    (void)buffers;
    (void)kernels;
#endif
    return PIXMPI_SUCCESS;
}

bool Kernels::load(Kernel &kernel, const char *ptx, const char *name) {
    if (!kernel.tried)
        (void)(CUDA_DO(cuModuleLoadData, &kernel.module, ptx) &&
               CUDA_DO(cuModuleGetFunction, &kernel.function, kernel.module, name));
    kernel.tried = true;
    return kernel.function != nullptr;
}

Kernels::~Kernels() {
    const Current current(context_.handle);
    entries_.clear();
    if (!current.pushed())
        return;
    if (uploads_)
        (void)CUDA_DO(cuStreamDestroy_v2, uploads_);
    for (const Kernel &kernel : {move_, array_, combine_})
        if (kernel.module)
            (void)CUDA_DO(cuModuleUnload, kernel.module);
}

void *Kernels::function_for(const Launch &what) {
#ifdef CUDAMPI_PTX
    if (what.how.operation != Operation::replace)
        return load(combine_, combine_ptx, kernels::combine_name) ? combine_.function : nullptr;
#endif
    return what.here.is_array ? array_.function : move_.function;
}

bool Kernels::combine(const Combination &how, pixMPI_Format format) {
    Launch what{};
    what.how = how;
    return combined_bytes(how, format) > 0 && function_for(what);
}

bool Kernels::Key::operator==(const Key &other) const {
    return most == other.most && combines == other.combines && row_bytes == other.row_bytes &&
           there_row_bytes == other.there_row_bytes && pixel_bytes == other.pixel_bytes &&
           same(there_rect, other.there_rect) && !there_region.owner_before(other.there_region) &&
           !other.there_region.owner_before(there_region);
}

Status Kernels::prepare(const Launch &what, Ready &ready, bool &accepted) {
    const bool combines = what.how.operation != Operation::replace;
    const std::uint32_t least = combines ? combined_bytes(what.how, what.format, what.colors.here) : 1;
    void *const function = least > 0 && what.count > 0 ? function_for(what) : nullptr;
    accepted = function != nullptr;
    if (!accepted)
        return PIXMPI_SUCCESS;
    CachedWork entry;
    if (const Status status = work_of(what, entry, accepted)) {
        accepted = status != PIXMPI_ERR_MEMORY; // copy commands need none
        return accepted ? status : PIXMPI_SUCCESS;
    }
    Work &work = entry.work;
    accepted = accepted && work.element_bytes >= least;
    if (!accepted)
        return PIXMPI_SUCCESS;
    work.here = what.here.address;
    work.there = what.there;
    work.present = what.present;
    work.backwards = what.backwards ? 1 : 0;
    work.shape = what.here.shape;
    work.layer = what.here.layer;
    work.operation = static_cast<std::int32_t>(what.how.operation);
    work.order = static_cast<std::int32_t>(what.how.order);
    work.format = static_cast<std::int32_t>(what.format);
    work.colors_here = what.colors.here;
    work.colors_there = what.colors.there;
    work.colors_present = what.colors.present;
    work.color_bytes = what.colors.pixel_bytes;
    work.depth_bytes = static_cast<std::uint32_t>(what.pixel_bytes);
    ready = {work.list && !work.owners ? chunks_ : function, work, entry.list};
    return PIXMPI_SUCCESS;
}

Status Kernels::launch(void *stream, const Ready &ready) {
    Work work = ready.work;
    FormatInfo info = format_info(static_cast<pixMPI_Format>(work.format));
    info.name = nullptr; // an address of the host
    void *parameters[] = {&work, &info};
    constexpr std::uint32_t chunks = kernels::threads / kernels::lanes;
    return CUDA_TRY(cuLaunchKernel, ready.function, (chunks_of(work) - 1) / chunks + 1, 1, 1, kernels::threads, 1, 1, 0,
                    stream, parameters, nullptr);
}

Status Kernels::launch(void *stream, const Launch &what, Held &held, bool &accepted) {
    Ready ready;
    const Status status = prepare(what, ready, accepted);
    held = ready.held;
    return status || !accepted ? status : launch(stream, ready);
}

Status Kernels::work_of(const Launch &what, CachedWork &entry, bool &accepted) {
    Evenness evenness;
    for (const std::uint64_t number : {what.here.is_array ? 0 : what.here.address, what.present, what.there})
        evenness.add(number);
    const Region *const other = what.there_region.get();
    const bool one_rect = other && other->rects.size() == 1;
    const Key key{evenness.bytes(),
                  what.how.operation != Operation::replace,
                  what.here.row_bytes,
                  what.there_row_bytes,
                  what.pixel_bytes,
                  one_rect ? other->rects.front() : pixMPI_Rect{},
                  one_rect ? nullptr : what.there_region};
    if (const CachedWork *found = entries_.find(what.region, key, what.first, what.count)) {
        entry = *found;
        return PIXMPI_SUCCESS;
    }
    const Blocks here = blocks_of(*what.region, what.first, what.count, what.pixel_bytes, what.here.row_bytes),
                 there = other ? blocks_of(*other, 0, other->pixels, what.pixel_bytes, what.there_row_bytes)
                               : packed_blocks(what.count * what.pixel_bytes);
    std::vector<Piece> pieces;
    Work &work = entry.work;
    accepted = make_pieces(common_rows(here, there, what.here.is_array), what.here.is_array, key.most, pieces,
                           work.element_bytes);
    if (!accepted)
        return PIXMPI_SUCCESS;
    work.elements = pieces.back().end;
    work.turns = turns_for(work);
    work.pieces = static_cast<std::uint32_t>(pieces.size());
    if (pieces.size() <= kernels::few) {
        std::copy(pieces.begin(), pieces.end(), work.only);
        return PIXMPI_SUCCESS;
    }
    const std::vector<kernels::Chunk> chunks = key.combines || what.here.is_array
                                                   ? std::vector<kernels::Chunk>()
                                                   : make_chunks(pieces, work.element_bytes, chunk_of(work));
    if (const Status status = chunks.empty() ? upload(pieces, entry) : upload(chunks, entry))
        return status;
    entries_.add(what.region, key, what.first, what.count, entry, entry.list->memory->bytes());
    return PIXMPI_SUCCESS;
}

// A later launch in another stream may find the list: so it is there before the first one begins. Messages' own streams
// may wait for the program's work, so this has one of its own.
template <class Fill> Status Kernels::upload(std::size_t bytes, CachedWork &entry, Fill fill) const {
    auto list = std::make_shared<List>(buffers_);
    if (const Status status = buffers_.acquire(Place::device, bytes, list->memory))
        return status;
    std::unique_ptr<Buffer> by;
    if (const Status status = buffers_.acquire(Place::host, bytes, by))
        return status;
    fill(by->host());
    Status status = CUDA_TRY(cuMemcpyAsync, list->memory->address(), by->address(), bytes, uploads_);
    if (!status)
        status = CUDA_TRY(cuStreamSynchronize, uploads_);
    buffers_.give_back(Place::host, std::move(by));
    if (status)
        return status;
    entry.work.list = list->memory->address();
    entry.list = std::move(list);
    return PIXMPI_SUCCESS;
}

Status Kernels::upload(const std::vector<kernels::Chunk> &chunks, CachedWork &entry) const {
    const std::size_t bytes = chunks.size() * sizeof chunks.front();
    entry.work.pieces = static_cast<std::uint32_t>(chunks.size());
    entry.work.elements = entry.work.pieces * chunk_of(entry.work);
    return upload(bytes, entry, [&](std::byte *to) { std::memcpy(to, chunks.data(), bytes); });
}

Status Kernels::upload(const std::vector<Piece> &pieces, CachedWork &entry) const {
    const std::uint32_t chunks = chunks_of(entry.work), chunk = chunk_of(entry.work);
    const std::size_t pieces_bytes = pieces.size() * sizeof(Piece);
    const Status status =
        upload(pieces_bytes + (std::size_t{chunks} + 1) * sizeof(std::uint32_t), entry, [&](std::byte *to) {
            std::memcpy(to, pieces.data(), pieces_bytes);
            auto *const owners = reinterpret_cast<std::uint32_t *>(to + pieces_bytes);
            std::uint32_t piece = 0;
            for (std::uint32_t i = 0; i < chunks; ++i) {
                while (pieces[piece].end <= std::uint64_t{i} * chunk)
                    ++piece;
                owners[i] = piece;
            }
            owners[chunks] = static_cast<std::uint32_t>(pieces.size()) - 1;
        });
    entry.work.owners = entry.work.list + pieces_bytes;
    return status;
}

} // namespace cudampi
