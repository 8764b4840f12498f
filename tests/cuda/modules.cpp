// The stand-in's modules: the kernels of cudampi, made for the host of the same source (cudampi/kernels). Of the PTX it
// only looks at the names.
#include "cuda.h"

#include "../../cudampi/kernels/work.h"

#include <cstring>
#include <mutex>
#include <set>
#include <string>

using namespace fake_cuda;
using cudampi::kernels::Work;

extern "C" {
void pixmpi_move(const Work *work, std::uint32_t block, std::uint32_t thread);
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
           : std::strcmp(name, cudampi::kernels::combine_name) == 0 ? pixmpi_combine
                                                                    : nullptr;
}

/// What a launch reads and writes: the whole of packed memory, of the list, and of what the pieces cover.
std::vector<Span> spans_of(int gpu, const Work &work) {
    std::vector<Span> spans{{work.packed, work.elements * work.element_bytes}};
    if (work.list)
        spans.push_back({work.list, work.pieces * sizeof(cudampi::kernels::Piece)});
    const auto *const pieces = work.list ? static_cast<const cudampi::kernels::Piece *>(inside(work.list)) : work.only;
    for (const std::uint64_t pixels : {work.surface, work.present})
        for (std::uint32_t i = 0; i < work.pieces; ++i)
            spans.push_back({pixels + pieces[i].begin, (pieces[i].rows - 1) * work.row_bytes +
                                                           std::uint64_t{pieces[i].width} * work.element_bytes});
    for (const Span &span : spans) {
        if (span.address % work.element_bytes)
            wrong("cuLaunchKernel: 0x%llx is not at a multiple of %u", static_cast<unsigned long long>(span.address),
                  work.element_bytes);
        check_range("cuLaunchKernel", gpu, span.address, span.bytes);
    }
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
    if ((kernel != pixmpi_move && kernel != pixmpi_combine) || threads != cudampi::kernels::threads || y != 1 ||
        z != 1 || threads_y != 1 || threads_z != 1 || shared || extra || blocks == 0)
        wrong("cuLaunchKernel: more than was expected");
    Task task;
    task.spans = spans_of(gpu_of_stream("cuLaunchKernel", stream), work);
    for (std::uint64_t *const address : {&work.surface, &work.present, &work.packed, &work.list, &work.owners})
        *address = *address ? reinterpret_cast<std::uint64_t>(inside(*address)) : 0;
    task.all = [=] {
        for (unsigned block = 0; block < blocks; ++block)
            for (unsigned thread = 0; thread < threads; ++thread) {
                kernel(&work, block, thread);
                // One thread that has nothing to do is as good as many.
                if (std::uint64_t{block} * cudampi::kernels::threads * work.turns + thread >= work.elements)
                    break;
            }
    };
    submit("cuLaunchKernel", stream, std::move(task));
    return success;
}
}
