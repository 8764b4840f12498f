#include "kernel/band_work.h"

#include "base/environment.h"
#include "base/format.h"
#include "region/worklist.h"

#include <bit>
#include <cstring>

#ifdef CUDAMPI_PTX
#include "combine.ptx.h"
#include "move.ptx.h"
#endif

namespace cudampi {

using namespace pixmpi;
using kernels::Piece;
using kernels::Work;

namespace {

constexpr std::uint32_t widest = 16;

/// The largest power of two that divides all of them, up to what an access may have.
class Evenness {
  public:
    void add(std::uint64_t number) { bits_ |= number; }
    std::uint32_t bytes() const {
        return bits_ ? static_cast<std::uint32_t>(std::min<std::uint64_t>(widest, bits_ & (~bits_ + 1))) : widest;
    }

  private:
    std::uint64_t bits_ = 0;
};

/// Of what the format can be combined by: the bytes of an element that the kernels combine at least; 0: they do not.
std::uint32_t combined_bytes(const Combination &how, pixMPI_Format format) {
    const FormatInfo &info = format_info(format);
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

std::uint64_t blocks_of(const Work &work) {
    const std::uint64_t each = std::uint64_t{kernels::threads} * work.turns;
    return (work.elements + each - 1) / each;
}

/// As many that a GPU has blocks for all of its processors.
std::uint32_t turns_for(std::uint64_t elements) {
    constexpr std::uint64_t enough_blocks = 1024;
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(elements / (kernels::threads * enough_blocks), 1, kernels::turns));
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
    if (!load(made->move_, move_ptx, kernels::move_name) || !CUDA_DO(cuStreamCreate, &made->uploads_, not_blocking)) {
        core().log(PIXMPI_LOG_INFO, "cudampi: the driver does not load the kernels; copy commands move all pixels");
        return PIXMPI_SUCCESS;
    }
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
    for (const Kernel &kernel : {move_, combine_})
        if (kernel.module)
            (void)CUDA_DO(cuModuleUnload, kernel.module);
}

Status Kernels::launch(void *stream, Direction direction, const Rows &rows, pixMPI_Format format,
                       const Combination &how, const BandWork &band, Held &held, bool &taken) {
    const bool combines = direction == Direction::unpack && how.operation != Operation::replace;
    const std::uint32_t least = combines ? combined_bytes(how, format) : 1;
#ifdef CUDAMPI_PTX
    if (combines && least > 0 && !load(combine_, combine_ptx, kernels::combine_name)) {
        taken = false;
        return PIXMPI_SUCCESS;
    }
#endif
    Evenness evenness;
    for (const std::uint64_t number : {rows.address, rows.present, band.packed, std::uint64_t{rows.row_bytes}})
        evenness.add(number);
    const Key key{evenness.bytes(), rows.row_bytes, rows.pixel_bytes};
    taken = least > 0 && band.count > 0 && band.count <= UINT32_MAX / rows.pixel_bytes;
    if (!taken)
        return PIXMPI_SUCCESS;
    CachedWork entry;
    if (const Status status = work_of(key, band, entry)) {
        taken = status != PIXMPI_ERR_MEMORY; // copy commands need none
        return taken ? status : PIXMPI_SUCCESS;
    }
    Work &work = entry.work;
    taken = work.element_bytes >= least;
    if (!taken)
        return PIXMPI_SUCCESS;
    work.surface = rows.address;
    work.present = rows.present;
    work.packed = band.packed;
    work.unpacks = direction == Direction::unpack ? 1 : 0;
    work.operation = static_cast<std::int32_t>(how.operation);
    work.order = static_cast<std::int32_t>(how.order);
    work.format = static_cast<std::int32_t>(format);
    FormatInfo info = format_info(format);
    info.name = nullptr; // an address of the host
    void *parameters[] = {&work, &info};
    const auto blocks = static_cast<unsigned>(blocks_of(work));
    held = entry.list;
    return CUDA_TRY(cuLaunchKernel, (combines ? combine_ : move_).function, blocks, 1, 1, kernels::threads, 1, 1, 0,
                    stream, parameters, nullptr);
}

Status Kernels::work_of(const Key &key, const BandWork &band, CachedWork &entry) {
    if (const CachedWork *found = entries_.find(band.region, key, band.first, band.count)) {
        entry = *found;
        return PIXMPI_SUCCESS;
    }
    Evenness evenness;
    evenness.add(key.element_bytes);
    for_each_piece(*band.region, band.first, band.count, [&](const pixmpi::Piece &piece) {
        evenness.add(static_cast<std::uint64_t>(piece.rect.x) * key.pixel_bytes);
        evenness.add(static_cast<std::uint64_t>(piece.rect.width) * key.pixel_bytes);
    });
    const std::uint32_t size = evenness.bytes();
    std::vector<Piece> pieces;
    for_each_piece(*band.region, band.first, band.count, [&](const pixmpi::Piece &piece) {
        const pixMPI_Rect &rect = piece.rect;
        pieces.push_back(
            {piece.at * key.pixel_bytes / size,
             static_cast<std::uint64_t>(rect.y) * key.row_bytes + static_cast<std::uint64_t>(rect.x) * key.pixel_bytes,
             static_cast<std::uint32_t>(static_cast<std::uint64_t>(rect.width) * key.pixel_bytes / size),
             static_cast<std::uint32_t>(rect.height)});
    });
    entry.work.row_bytes = key.row_bytes;
    entry.work.elements = band.count * key.pixel_bytes / size;
    entry.work.element_bytes = size;
    entry.work.turns = turns_for(entry.work.elements);
    entry.work.pieces = static_cast<std::uint32_t>(pieces.size());
    if (pieces.size() <= kernels::few) {
        std::copy(pieces.begin(), pieces.end(), entry.work.only);
        return PIXMPI_SUCCESS;
    }
    if (const Status status = upload(pieces, entry))
        return status;
    entries_.add(band.region, key, band.first, band.count, entry, entry.list->memory->bytes());
    return PIXMPI_SUCCESS;
}

Status Kernels::upload(const std::vector<Piece> &pieces, CachedWork &entry) const {
    const std::size_t pieces_bytes = pieces.size() * sizeof(Piece),
                      bytes =
                          pieces_bytes + static_cast<std::size_t>(blocks_of(entry.work) + 1) * sizeof(std::uint32_t);
    auto list = std::make_shared<List>(buffers_);
    if (const Status status = buffers_.take(Place::device, bytes, list->memory))
        return status;
    std::unique_ptr<Buffer> by;
    if (const Status status = buffers_.take(Place::host, bytes, by))
        return status;
    const Status status = upload(pieces, entry.work, *by, *list->memory);
    buffers_.give_back(Place::host, std::move(by));
    if (status)
        return status;
    entry.work.list = list->memory->address();
    entry.work.owners = entry.work.list + pieces_bytes;
    entry.list = std::move(list);
    return PIXMPI_SUCCESS;
}

// A later launch in another stream may find the list: so it is there before the first one begins. Messages' own streams
// may wait for the program's work, so this has one of its own.
Status Kernels::upload(const std::vector<Piece> &pieces, const Work &work, const Buffer &by, const Buffer &to) const {
    const std::uint64_t blocks = blocks_of(work);
    const std::size_t pieces_bytes = pieces.size() * sizeof(Piece);
    std::memcpy(by.host(), pieces.data(), pieces_bytes);
    auto *const owners = reinterpret_cast<std::uint32_t *>(by.host() + pieces_bytes);
    std::uint32_t piece = 0;
    const auto last = static_cast<std::uint32_t>(pieces.size()) - 1;
    for (std::uint64_t block = 0; block < blocks; ++block) {
        while (piece < last && pieces[piece + 1].at <= block * kernels::threads * work.turns)
            ++piece;
        owners[block] = piece;
    }
    owners[blocks] = last;
    const std::size_t bytes = pieces_bytes + static_cast<std::size_t>(blocks + 1) * sizeof(std::uint32_t);
    if (const Status status = CUDA_TRY(cuMemcpyAsync, to.address(), by.address(), bytes, uploads_))
        return status;
    return CUDA_TRY(cuStreamSynchronize, uploads_);
}

} // namespace cudampi
