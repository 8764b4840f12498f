#include "object/streams.h"

namespace cudampi {

using namespace pixmpi;

Streams::~Streams() {
    const Current current(context_.handle);
    for (void *event : events_)
        (void)CUDA_DO(cuEventDestroy_v2, event);
    for (void *stream : streams_)
        (void)CUDA_DO(cuStreamDestroy_v2, stream);
}

Status Streams::take(void *&stream) {
    constexpr unsigned not_blocking = 1;
    if (streams_.empty())
        return CUDA_TRY(cuStreamCreate, &stream, not_blocking);
    stream = streams_.back();
    streams_.pop_back();
    return PIXMPI_SUCCESS;
}

Status Streams::take_event(void *&event) {
    constexpr unsigned without_time = 2;
    if (events_.empty())
        return CUDA_TRY(cuEventCreate, &event, without_time);
    event = events_.back();
    events_.pop_back();
    return PIXMPI_SUCCESS;
}

Status Streams::mark(void *stream, void *&event) {
    void *made = nullptr;
    if (const Status status = take_event(made))
        return status;
    if (const Status status = CUDA_TRY(cuEventRecord, made, stream)) {
        events_.push_back(made);
        return status;
    }
    event = made;
    return PIXMPI_SUCCESS;
}

Status Streams::order(void *stream, void *before) {
    void *event = nullptr;
    if (const Status status = mark(before ? before : reinterpret_cast<void *>(legacy_stream), event))
        return status;
    const Status status = CUDA_TRY(cuStreamWaitEvent, stream, event, 0);
    events_.push_back(event); // a later record does not change what the stream waits for
    return status;
}

Status Streams::query(void *event, bool &over) {
    const CudaResult result = driver().exiting ? cuda_success : driver().cuEventQuery(event);
    over = result != cuda_not_ready;
    return over ? check(result, "cuEventQuery") : PIXMPI_SUCCESS;
}

} // namespace cudampi
