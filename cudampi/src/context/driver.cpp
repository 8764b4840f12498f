#include "context/driver.h"

#include <map>

namespace cudampi {

using namespace pixmpi;

Status check(CudaResult result, const char *function) {
    if (result == cuda_success)
        return PIXMPI_SUCCESS;
    const char *name = nullptr;
    driver().cuGetErrorName(result, &name);
    return fail(result == cuda_out_of_memory ? PIXMPI_ERR_MEMORY : PIXMPI_ERR_DEVICE, "CUDA: %s: %s", function,
                name ? name : "an unknown error");
}

namespace {

/// Primary contexts, one for each GPU, held until the process ends: to give one back could end the program's work.
std::map<int, void *> &held() {
    static auto *const all = new std::map<int, void *>;
    need_lock("CUDA's contexts were used");
    return *all;
}

} // namespace

Status primary_context(int device, Context &context) {
    if (const auto found = held().find(device); found != held().end()) {
        context = {found->second, device};
        return PIXMPI_SUCCESS;
    }
    void *handle = nullptr;
    if (const Status status = CUDA_TRY(cuDevicePrimaryCtxRetain, &handle, device))
        return status;
    held().emplace(device, handle);
    context = {handle, device};
    return PIXMPI_SUCCESS;
}

void forget_primary(const Context &context) {
    std::erase_if(held(), [&](const auto &one) { return one.second == context.handle; });
}

Status look_at_pointer(const void *address, PointerFacts &facts) {
    const int questions[] = {cuda_pointer_memory, cuda_pointer_managed, cuda_pointer_context, cuda_pointer_device};
    unsigned type = 0, managed = 0;
    void *context = nullptr;
    int device = 0;
    void *answers[] = {&type, &managed, &context, &device};
    if (const Status status =
            CUDA_TRY(cuPointerGetAttributes, 4, questions, answers, reinterpret_cast<CudaAddress>(address)))
        return status;
    facts.known = type != 0 || managed != 0;
    if (!facts.known)
        return PIXMPI_SUCCESS;
    facts.is_device = type == static_cast<unsigned>(CudaMemoryType::device) && !managed;
    facts.owner = context;
    facts.context = {context, device};
    // Memory of cuMemCreate and of pools is no context's own; managed memory may be on no GPU yet.
    return context ? PIXMPI_SUCCESS : primary_context(device < 0 ? 0 : device, facts.context);
}

Status current_context(Context &context) {
    if (const Status status = CUDA_TRY(cuCtxGetCurrent, &context.handle))
        return status;
    return context.handle ? CUDA_TRY(cuCtxGetDevice, &context.device) : PIXMPI_SUCCESS;
}

Status context_of_stream(void *stream, Context &context) {
    if (const Status status = CUDA_TRY(cuStreamGetCtx, stream, &context.handle))
        return status;
    const Current current(context.handle);
    return CUDA_TRY(cuCtxGetDevice, &context.device);
}

} // namespace cudampi
