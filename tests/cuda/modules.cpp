// The stand-in's modules: the kernels of cudampi, made for the host of the same source (cudampi/kernels). Of the PTX it
// only looks at the names.
#include "cuda.h"

#include "../../cudampi/kernels/work.h"

#include <cstring>
#include <mutex>
#include <set>
#include <string>

using namespace fake_cuda;
using cudampi::kernels::Chunk;
using cudampi::kernels::Piece;
using cudampi::kernels::Work;

extern "C" {
void pixmpi_move(const Work *work, std::uint32_t block, std::uint32_t thread);
void pixmpi_chunks(const Work *work, std::uint32_t block, std::uint32_t thread);
void pixmpi_array(const Work *work, std::uint32_t block, std::uint32_t thread);
void pixmpi_combine(const Work *work, std::uint32_t block, std::uint32_t thread);
}

namespace {

using Kernel = void(const Work *, std::uint32_t, std::uint32_t);
struct Module {
    int gpu;
    std::string text;
};
std::mutex mutex;
std::set<Module *> modules;

Kernel *kernel_named(const char *name) {
    return std::strcmp(name, cudampi::kernels::move_name) == 0      ? pixmpi_move
           : std::strcmp(name, cudampi::kernels::chunks_name) == 0  ? pixmpi_chunks
           : std::strcmp(name, cudampi::kernels::array_name) == 0   ? pixmpi_array
           : std::strcmp(name, cudampi::kernels::combine_name) == 0 ? pixmpi_combine
                                                                    : nullptr;
}

void check_array(const Work &work, const Piece &piece) {
    const auto &array = *reinterpret_cast<const cudampi::kernels::HostArray *>(work.here);
    const std::uint64_t x = piece.here & UINT32_MAX, y = piece.here >> 32;
    const std::uint64_t rows = (piece.end - piece.at) / piece.width;
    if (x % work.element_bytes || x + std::uint64_t{piece.width} * work.element_bytes > array.row_bytes ||
        (y + rows) * array.row_bytes > array.layer_bytes)
        wrong("cuLaunchKernel: a piece is not within its array");
}

/// What the chunks of a list cover at both ends.
void add_chunks(const Work &work, std::vector<Span> &spans) {
    spans.push_back({work.list, work.pieces * sizeof(Chunk)});
    const auto *const chunks = static_cast<const Chunk *>(inside(work.list));
    if (work.elements != std::uint64_t{work.pieces} * cudampi::kernels::lanes * work.turns)
        wrong("cuLaunchKernel: %u chunks and %u elements", work.pieces, work.elements);
    for (std::uint32_t i = 0; i < work.pieces; ++i) {
        const Chunk &one = chunks[i];
        if (one.count == 0 || one.count > cudampi::kernels::lanes * work.turns)
            wrong("cuLaunchKernel: chunk %u has %u elements", i, one.count);
        const std::uint64_t bytes = std::uint64_t{one.count} * work.element_bytes,
                            gaps = ((one.count - 1) * (std::uint64_t{one.reciprocal} + 1)) >> 32;
        spans.push_back({work.there + one.there, bytes + gaps * one.there_skip});
        spans.push_back({work.here + one.here, bytes + gaps * one.here_skip});
    }
}

void check_spans(int gpu, const std::vector<Span> &spans, std::uint32_t evenness) {
    for (const Span &span : spans) {
        if (span.address % evenness)
            wrong("cuLaunchKernel: 0x%llx is not at a multiple of %u", static_cast<unsigned long long>(span.address),
                  evenness);
        check_range("cuLaunchKernel", gpu, span.address, span.bytes);
    }
}

/// What a launch reads and writes: the list, and what the pieces cover at both ends.
std::vector<Span> spans_of(int gpu, const Work &work, bool array) {
    std::vector<Span> spans, colors;
    if (work.list && !work.owners) {
        add_chunks(work, spans);
        check_spans(gpu, spans, work.element_bytes);
        return spans;
    }
    if (work.list)
        spans.push_back({work.list, work.pieces * sizeof(Piece)});
    const auto *const pieces = work.list ? static_cast<const Piece *>(inside(work.list)) : work.only;
    for (std::uint32_t i = 0; i < work.pieces; ++i) {
        const Piece &piece = pieces[i];
        const std::uint64_t count = piece.end - piece.at, bytes = count * work.element_bytes,
                            gaps = count / piece.width - 1;
        if (count % piece.width || piece.at != (i ? pieces[i - 1].end : 0))
            wrong("cuLaunchKernel: piece %u has %llu elements in rows of %u", i, static_cast<unsigned long long>(count),
                  piece.width);
        spans.push_back({work.there + piece.there, bytes + gaps * piece.there_skip});
        if (array)
            check_array(work, piece);
        else
            for (const std::uint64_t pixels : {work.here, work.present})
                if (pixels)
                    spans.push_back({pixels + piece.here, bytes + gaps * piece.here_skip});
        if (work.color_bytes == 0)
            continue;
        const auto of = [&](std::uint64_t depths) {
            return static_cast<std::size_t>(depths / work.depth_bytes * work.color_bytes);
        };
        colors.push_back({work.colors_there + of(piece.there), of(bytes + gaps * piece.there_skip)});
        for (const std::uint64_t pixels : {work.colors_here, work.colors_present})
            colors.push_back({pixels + of(piece.here), of(bytes + gaps * piece.here_skip)});
    }
    if (pieces[work.pieces - 1].end != work.elements)
        wrong("cuLaunchKernel: the pieces are not all elements");
    check_spans(gpu, spans, work.element_bytes);
    check_spans(gpu, colors, 4);
    spans.insert(spans.end(), colors.begin(), colors.end());
    return spans;
}

} // namespace

#define MAY_FAIL(function)                                                                                             \
    if (Result failure; fails(function, failure))                                                                      \
        return failure;

extern "C" {

Result cuModuleLoadData(void **module, const void *image) {
    MAY_FAIL("cuModuleLoadData")
    auto made = std::string(static_cast<const char *>(image));
    if (made.find(".target sm_7") == std::string::npos || made.find(".address_size 64") == std::string::npos)
        wrong("cuModuleLoadData: no PTX for sm_70 or sm_75");
    const std::lock_guard lock(mutex);
    *module = *modules.insert(new Module{current_gpu("cuModuleLoadData"), std::move(made)}).first;
    return success;
}

Result cuModuleUnload(void *module) {
    finish_all("cuModuleUnload");
    const std::lock_guard lock(mutex);
    auto *const gone = static_cast<Module *>(module);
    if (!modules.erase(gone))
        wrong("cuModuleUnload: %p is no module", module);
    delete gone;
    return success;
}

Result cuModuleGetFunction(void **function, void *module, const char *name) {
    constexpr Result not_found = 500;
    MAY_FAIL("cuModuleGetFunction")
    const std::lock_guard lock(mutex);
    auto *const found = static_cast<Module *>(module);
    if (!modules.contains(found))
        wrong("cuModuleGetFunction: %p is no module", module);
    Kernel *const kernel = kernel_named(name);
    if (!kernel || found->text.find(std::string(".entry ") + name) == std::string::npos)
        return not_found;
    *function = reinterpret_cast<void *>(kernel);
    return success;
}

Result cuLaunchKernel(void *function, unsigned blocks, unsigned y, unsigned z, unsigned threads, unsigned threads_y,
                      unsigned threads_z, unsigned shared, void *stream, void **parameters, void **extra) {
    MAY_FAIL("cuLaunchKernel")
    auto *const kernel = reinterpret_cast<Kernel *>(function);
    Work work = *static_cast<const Work *>(parameters[0]);
    const bool array = kernel == pixmpi_array;
    if ((kernel != pixmpi_move && kernel != pixmpi_chunks && kernel != pixmpi_combine && !array) ||
        (kernel == pixmpi_chunks) != (work.list && !work.owners) || threads != cudampi::kernels::threads || y != 1 ||
        z != 1 || threads_y != 1 || threads_z != 1 || shared || extra || blocks == 0)
        wrong("cuLaunchKernel: more than was expected");
    Task task;
    task.spans = spans_of(gpu_of_stream("cuLaunchKernel", stream), work, array);
    for (std::uint64_t *const address : {&work.here, &work.present, &work.there, &work.list, &work.owners,
                                         &work.colors_here, &work.colors_present, &work.colors_there})
        *address = *address ? reinterpret_cast<std::uint64_t>(inside(*address)) : 0;
    task.all = [=] {
        for (unsigned block = 0; block < blocks; ++block)
            for (unsigned thread = 0; thread < threads; ++thread) {
                kernel(&work, block, thread);
                // One thread that has nothing to do is as good as many.
                const std::uint64_t chunk = (std::uint64_t{block} * threads + thread) / cudampi::kernels::lanes;
                if (chunk * cudampi::kernels::lanes * work.turns >= work.elements)
                    break;
            }
    };
    submit("cuLaunchKernel", stream, std::move(task));
    return success;
}
}
