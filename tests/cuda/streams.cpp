// The stand-in's streams: a copy is made in two pieces, each at once or when somebody asks after it and its time has
// come. So what is not ordered by events shows in the pixels.
#include "cuda.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <set>

using namespace fake_cuda;

namespace {

using Clock = std::chrono::steady_clock;

struct Copy {
    std::uint64_t to, from;
    std::size_t bytes, made;
    Clock::time_point due;
};
struct Stream {
    int gpu;
    std::deque<Copy> copies{};
    std::uint64_t begun = 0, over = 0;
};
struct Event {
    int gpu;
    Stream *stream = nullptr;
    std::uint64_t copies = 0;
};

std::mutex mutex;
std::set<Stream *> streams;
std::set<Event *> events;
std::minstd_rand random_numbers(20);

void make(Copy &copy, std::size_t bytes) {
    bytes = std::min(bytes, copy.bytes - copy.made);
    std::memcpy(reinterpret_cast<char *>(copy.to) + copy.made, reinterpret_cast<const char *>(copy.from) + copy.made,
                bytes);
    copy.made += bytes;
}

void go_on(Stream &stream, bool to_the_end) {
    while (!stream.copies.empty() && (to_the_end || stream.copies.front().due <= Clock::now())) {
        make(stream.copies.front(), stream.copies.front().bytes);
        stream.copies.pop_front();
        ++stream.over;
    }
}

Stream &stream_of(const char *function, void *name) {
    auto *const stream = static_cast<Stream *>(name);
    if (!streams.contains(stream))
        wrong("%s: %p is no stream, or was destroyed", function, name);
    if (stream->gpu != current_gpu(function))
        wrong("%s: the stream of another context", function);
    return *stream;
}

Event &event_of(const char *function, void *name) {
    auto *const event = static_cast<Event *>(name);
    if (!events.contains(event))
        wrong("%s: %p is no event, or was destroyed", function, name);
    if (event->gpu != current_gpu(function))
        wrong("%s: the event of another context", function);
    return *event;
}

bool overlap(std::uint64_t a, std::size_t a_bytes, std::uint64_t b, std::size_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

} // namespace

void fake_cuda::check_unused(const char *function, std::uint64_t address, std::size_t bytes) {
    const std::lock_guard lock(mutex);
    for (const Stream *stream : streams)
        for (const Copy &copy : stream->copies)
            if (overlap(address, bytes, copy.to, copy.bytes) || overlap(address, bytes, copy.from, copy.bytes))
                wrong("%s: a copy of that memory is under way", function);
}

#define MAY_FAIL(function)                                                                                             \
    if (Result failure; fails(function, failure))                                                                      \
        return failure;

extern "C" {

Result cuStreamCreate(void **stream, unsigned flags) {
    MAY_FAIL("cuStreamCreate")
    if (flags > 1)
        wrong("cuStreamCreate: flags %u", flags);
    const std::lock_guard lock(mutex);
    auto *const made = new Stream{current_gpu("cuStreamCreate")};
    streams.insert(made);
    *stream = made;
    return success;
}

Result cuStreamSynchronize(void *stream) {
    MAY_FAIL("cuStreamSynchronize")
    const std::lock_guard lock(mutex);
    go_on(stream_of("cuStreamSynchronize", stream), true);
    return success;
}

Result cuStreamDestroy_v2(void *stream) {
    const std::lock_guard lock(mutex);
    Stream &gone = stream_of("cuStreamDestroy", stream);
    go_on(gone, true);
    for (Event *event : events)
        if (event->stream == &gone)
            event->stream = nullptr;
    streams.erase(&gone);
    delete &gone;
    return success;
}

Result cuEventCreate(void **event, unsigned flags) {
    MAY_FAIL("cuEventCreate")
    if (flags & ~3u)
        wrong("cuEventCreate: flags %u", flags);
    const std::lock_guard lock(mutex);
    auto *const made = new Event{current_gpu("cuEventCreate")};
    events.insert(made);
    *event = made;
    return success;
}

Result cuEventDestroy_v2(void *event) {
    const std::lock_guard lock(mutex);
    Event &gone = event_of("cuEventDestroy", event);
    events.erase(&gone);
    delete &gone;
    return success;
}

Result cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, void *stream) {
    MAY_FAIL("cuMemcpyAsync")
    const std::lock_guard lock(mutex);
    Stream &on = stream_of("cuMemcpyAsync", stream);
    if (bytes == 0 || overlap(to, bytes, from, bytes))
        wrong("cuMemcpyAsync: %zu bytes that overlap, or none", bytes);
    check_range("cuMemcpyAsync (to)", on.gpu, to, bytes);
    check_range("cuMemcpyAsync (from)", on.gpu, from, bytes);
    const std::chrono::microseconds late(random_numbers() % longest_delay());
    on.copies.push_back({to, from, bytes, 0, Clock::now() + late});
    ++on.begun;
    if (on.copies.size() == 1 && random_numbers() % 2)
        make(on.copies.front(), random_numbers() % bytes);
    return success;
}

Result cuEventRecord(void *event, void *stream) {
    MAY_FAIL("cuEventRecord")
    const std::lock_guard lock(mutex);
    Stream &on = stream_of("cuEventRecord", stream);
    Event &one = event_of("cuEventRecord", event);
    one.stream = &on;
    one.copies = on.begun;
    return success;
}

Result cuEventQuery(void *event) {
    MAY_FAIL("cuEventQuery")
    const std::lock_guard lock(mutex);
    const Event &one = event_of("cuEventQuery", event);
    if (!one.stream)
        return success;
    go_on(*one.stream, false);
    return one.copies <= one.stream->over ? success : not_ready;
}
}
