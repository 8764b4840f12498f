#include "object/buffers.h"

namespace cudampi {

using namespace pixmpi;

Status Buffer::make(const Context &context, Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer) {
    constexpr std::size_t grain = 256;
    const std::size_t size = (bytes + grain - 1) / grain * grain + (bytes == 0 ? grain : 0);
    std::unique_ptr<Buffer> made(new Buffer(context, size));
    const Current current(context.handle);
    if (place == Place::device) {
        if (const Status status = CUDA_TRY(cuMemAlloc_v2, &made->address_, size))
            return status;
    } else {
        constexpr unsigned for_all_contexts = 1, mapped = 2;
        if (!core().reserve_stage(size, false))
            return fail(PIXMPI_ERR_MEMORY, "stage memory: used up, expected %zu bytes for pinned memory", size);
        made->counted_ = true;
        if (const Status status = CUDA_TRY(cuMemHostAlloc, &made->host_, size, for_all_contexts | mapped))
            return status;
        if (const Status status = CUDA_TRY(cuMemHostGetDevicePointer_v2, &made->address_, made->host_, 0))
            return status;
    }
    buffer = std::move(made);
    return PIXMPI_SUCCESS;
}

Buffer::~Buffer() {
    const Current current(context_.handle);
    if (host_)
        (void)CUDA_DO(cuMemFreeHost, host_);
    else if (address_)
        (void)CUDA_DO(cuMemFree_v2, address_);
    if (counted_)
        core().release_stage(bytes_);
}

} // namespace cudampi
