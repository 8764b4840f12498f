#include "object/objects.h"

#include <bit>
#include <utility>

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
    if (counted_)
        core().release_stage(bytes_);
    const Current current(context_.handle);
    if (!current.pushed())
        return;
    if (host_)
        (void)CUDA_DO(cuMemFreeHost, host_);
    else if (address_)
        (void)CUDA_DO(cuMemFree_v2, address_);
}

Status Buffers::acquire(Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer) {
    need_lock("a device's buffers were used");
    // Of few sizes, so that the next one serves who asks for a little more. Pinned memory is counted.
    constexpr std::size_t large = std::size_t{64} << 20;
    if (place == Place::device)
        bytes = bytes < large ? std::bit_ceil(bytes) : (bytes + large - 1) / large * large;
    auto &idle = idle_[static_cast<std::size_t>(place)];
    if (auto found = idle.pop(bytes)) {
        buffer = std::move(*found);
        return PIXMPI_SUCCESS;
    }
    const Status status = Buffer::make(context_, place, bytes, buffer);
    if (status != PIXMPI_ERR_MEMORY || idle.empty())
        return status;
    idle.pop_all();
    return Buffer::make(context_, place, bytes, buffer);
}

void Buffers::give_back(Place place, std::unique_ptr<Buffer> buffer) {
    need_lock("a device's buffers were used");
    if (buffer)
        idle_[static_cast<std::size_t>(place)].give_back(std::move(buffer));
}

Streams::~Streams() {
    const Current current(context_.handle);
    if (!current.pushed())
        return;
    for (void *event : events_)
        (void)CUDA_DO(cuEventDestroy_v2, event);
    for (void *stream : streams_)
        (void)CUDA_DO(cuStreamDestroy_v2, stream);
}

Status Streams::acquire(void *&stream) {
    constexpr unsigned not_blocking = 1;
    if (streams_.empty())
        return CUDA_TRY(cuStreamCreate, &stream, not_blocking);
    stream = streams_.back();
    streams_.pop_back();
    return PIXMPI_SUCCESS;
}

Status Streams::acquire_event(void *&event) {
    constexpr unsigned without_time = 2;
    if (events_.empty())
        return CUDA_TRY(cuEventCreate, &event, without_time);
    event = events_.back();
    events_.pop_back();
    return PIXMPI_SUCCESS;
}

Status Streams::mark(void *before, void *&event, bool asks) {
    int captures = 0;
    if (!before)
        before = reinterpret_cast<void *>(legacy_stream);
    if (const Status status = CUDA_TRY(cuStreamIsCapturing, before, &captures))
        return status;
    if (captures) // into which the message's stream would be drawn
        return fail(PIXMPI_ERR_DEVICE, "surface: its stream captures a graph, expected one that works at once");
    if (asks && !is_special(before) && driver().cuStreamQuery(before) == cuda_success)
        return PIXMPI_SUCCESS; // there is nothing to wait for
    if (const Status status = acquire_event(event))
        return status;
    const Status status = CUDA_TRY(cuEventRecord, event, before);
    if (status)
        give_event(std::exchange(event, nullptr));
    return status;
}

Status Streams::order(void *stream, void *before, bool asks) {
    void *event = nullptr;
    if (const Status status = mark(before, event, asks); status || !event)
        return status;
    const Status status = CUDA_TRY(cuStreamWaitEvent, stream, event, 0);
    give_event(event); // a later record does not change what the stream waits for
    return status;
}

Status Streams::query(void *event, bool &over) {
    const CudaResult result = driver().exiting ? cuda_success : driver().cuEventQuery(event);
    over = result != cuda_not_ready;
    return over ? check(result, "cuEventQuery") : PIXMPI_SUCCESS;
}

} // namespace cudampi
