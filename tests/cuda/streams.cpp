// The stand-in's streams: each piece of work is made late, when a call asks after it and its time has come, or a part
// of it at once. So what is not ordered by streams and events shows in the pixels.
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

struct Stream;
/// So much of a stream.
struct Mark {
    Stream *stream;
    std::uint64_t begun;
};
struct Work {
    Task task;
    std::vector<Mark> after;
    Clock::time_point due;
};
struct Stream {
    int gpu;
    bool blocking; ///< it and the legacy stream wait for each other
    bool alive = true;
    std::deque<Work> work{};
    std::uint64_t begun = 0, over = 0;
};
/// What a thread may do while any of them captures a graph. That what would wait fails is all there is of captures.
thread_local int capture_mode = 0;
constexpr int relaxed = 2;
constexpr Result capture_unsupported = 900, capture_invalidated = 901;
Stream *capturing = nullptr;
bool capture_is_good = true;

struct Event {
    int gpu;
    std::vector<Mark> marks{};
};

std::mutex mutex;
auto &streams = *new std::set<Stream *>; ///< never deleted: events may be of those that are gone
auto &events = *new std::set<Event *>;
Stream *legacy[64] = {};
std::minstd_rand random_numbers(20);

bool go_on(Stream &stream, bool to_the_end);

bool is_over(const std::vector<Mark> &marks, bool to_the_end) {
    for (const Mark &mark : marks)
        if (mark.stream->over < mark.begun)
            go_on(*mark.stream, to_the_end);
    return std::all_of(marks.begin(), marks.end(), [](const Mark &m) { return m.stream->over >= m.begun; });
}

/// Whether nothing is left.
bool go_on(Stream &stream, bool to_the_end) {
    while (!stream.work.empty()) {
        Work &front = stream.work.front();
        if (!is_over(front.after, to_the_end) || (!to_the_end && front.due > Clock::now()))
            return false;
        if (front.task.all)
            front.task.all();
        stream.work.pop_front();
        ++stream.over;
    }
    return true;
}

Stream &legacy_of(int gpu) {
    Stream *&one = legacy[gpu];
    if (!one)
        streams.insert(one = new Stream{gpu, true});
    return *one;
}

bool is_legacy(const void *name) { return reinterpret_cast<std::uintptr_t>(name) <= 1; }

Stream &stream_of(const char *function, void *name) {
    const int gpu = current_gpu(function);
    if (is_legacy(name))
        return legacy_of(gpu);
    auto *const stream = static_cast<Stream *>(name);
    if (!streams.contains(stream) || !stream->alive)
        wrong("%s: %p is no stream, or was destroyed", function, name);
    if (stream->gpu != gpu)
        wrong("%s: the stream of another context", function);
    return *stream;
}

Event &event_of(const char *function, void *name) {
    auto *const event = static_cast<Event *>(name);
    if (!events.contains(event))
        wrong("%s: %p is no event, or was destroyed", function, name);
    return *event;
}

bool breaks_capture() {
    if (!capturing || capture_mode == relaxed)
        return false;
    capture_is_good = false;
    return true;
}

/// What something new in the stream comes after, in addition to what is in it.
std::vector<Mark> before(const Stream &stream) {
    std::vector<Mark> marks;
    const bool all = legacy[stream.gpu] == &stream;
    for (Stream *one : streams)
        if (one != &stream && one->gpu == stream.gpu && one->blocking && stream.blocking &&
            (all || one == legacy[stream.gpu]) && one->over < one->begun)
            marks.push_back({one, one->begun});
    return marks;
}

void push(Stream &on, Task task, std::vector<Mark> after) {
    const std::chrono::microseconds late(random_numbers() % longest_delay());
    const bool first = on.work.empty() && after.empty();
    on.work.push_back({std::move(task), std::move(after), Clock::now() + late});
    ++on.begun;
    if (first && on.work.front().task.some && random_numbers() % 2)
        on.work.front().task.some();
}

bool overlap(const Span &a, const Span &b) {
    return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

} // namespace

void fake_cuda::check_unused(const char *function, std::uint64_t address, std::size_t bytes) {
    const std::lock_guard lock(mutex);
    for (const Stream *stream : streams)
        for (const Work &work : stream->work)
            for (const Span &span : work.task.spans)
                if (overlap(span, {address, bytes}))
                    wrong("%s: a copy of that memory is under way", function);
}

void fake_cuda::submit(const char *function, void *stream, Task task) {
    const std::lock_guard lock(mutex);
    Stream &on = stream_of(function, stream);
    push(on, std::move(task), before(on));
}

void fake_cuda::finish_all(const char *) {
    const std::lock_guard lock(mutex);
    for (Stream *stream : streams)
        go_on(*stream, true);
}

int fake_cuda::gpu_of_stream(const char *function, void *stream) {
    const std::lock_guard lock(mutex);
    return stream_of(function, stream).gpu;
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
    auto *const made = new Stream{current_gpu("cuStreamCreate"), flags == 0};
    streams.insert(made);
    *stream = made;
    return success;
}

Result cuStreamGetCtx(void *stream, void **context) {
    MAY_FAIL("cuStreamGetCtx")
    const std::lock_guard lock(mutex);
    auto *const found = static_cast<Stream *>(stream);
    if (!streams.contains(found) || !found->alive)
        wrong("cuStreamGetCtx: %p is no stream, or was destroyed", stream);
    *context = reinterpret_cast<void *>(static_cast<std::intptr_t>(found->gpu) + 1);
    return success;
}

Result cuStreamSynchronize(void *stream) {
    MAY_FAIL("cuStreamSynchronize")
    const std::lock_guard lock(mutex);
    if (breaks_capture())
        return capture_unsupported;
    Stream &on = stream_of("cuStreamSynchronize", stream);
    (void)is_over(before(on), true);
    go_on(on, true);
    return success;
}

Result cuStreamQuery(void *stream) {
    MAY_FAIL("cuStreamQuery")
    const std::lock_guard lock(mutex);
    if (breaks_capture())
        return capture_unsupported;
    Stream &on = stream_of("cuStreamQuery", stream);
    return is_over(before(on), false) && go_on(on, false) ? success : not_ready;
}

Result cuStreamIsCapturing(void *stream, int *status) {
    const std::lock_guard lock(mutex);
    *status = &stream_of("cuStreamIsCapturing", stream) == capturing ? 1 : 0;
    return success;
}

Result cuThreadExchangeStreamCaptureMode(int *mode) {
    std::swap(*mode, capture_mode);
    return success;
}

/// One at a time.
Result cuStreamBeginCapture_v2(void *stream, int mode) {
    const std::lock_guard lock(mutex);
    Stream &on = stream_of("cuStreamBeginCapture", stream);
    if (capturing || is_legacy(stream) || mode != 0)
        wrong("cuStreamBeginCapture: more than was expected");
    capturing = &on;
    capture_is_good = true;
    return success;
}

Result cuStreamEndCapture(void *stream, void **graph) {
    const std::lock_guard lock(mutex);
    if (&stream_of("cuStreamEndCapture", stream) != capturing)
        wrong("cuStreamEndCapture: the stream does not capture");
    capturing = nullptr;
    *graph = nullptr;
    return capture_is_good ? success : capture_invalidated;
}

Result cuStreamDestroy_v2(void *stream) {
    const std::lock_guard lock(mutex);
    Stream &gone = stream_of("cuStreamDestroy", stream);
    go_on(gone, true);
    gone.alive = false;
    return success;
}

Result cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    MAY_FAIL("cuStreamWaitEvent")
    if (flags)
        wrong("cuStreamWaitEvent: flags %u", flags);
    const std::lock_guard lock(mutex);
    Stream &on = stream_of("cuStreamWaitEvent", stream);
    std::vector<Mark> after = event_of("cuStreamWaitEvent", event).marks;
    push(on, {}, std::move(after));
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
    const int gpu = gpu_of_stream("cuMemcpyAsync", stream);
    if (bytes == 0 || overlap({to, bytes}, {from, bytes}))
        wrong("cuMemcpyAsync: %zu bytes that overlap, or none", bytes);
    check_range("cuMemcpyAsync (to)", gpu, to, bytes);
    check_range("cuMemcpyAsync (from)", gpu, from, bytes);
    const auto copy = [=](std::size_t count) { std::memcpy(inside(to), inside(from), count); };
    Task task;
    task.spans = {{to, bytes}, {from, bytes}};
    task.all = [=] { copy(bytes); };
    task.some = [=] { copy(random_numbers() % bytes); };
    submit("cuMemcpyAsync", stream, std::move(task));
    return success;
}

Result cuEventRecord(void *event, void *stream) {
    MAY_FAIL("cuEventRecord")
    const std::lock_guard lock(mutex);
    Stream &on = stream_of("cuEventRecord", stream);
    Event &one = event_of("cuEventRecord", event);
    if (one.gpu != on.gpu)
        wrong("cuEventRecord: the event of another context");
    one.marks = before(on);
    one.marks.push_back({&on, on.begun});
    return success;
}

Result cuEventQuery(void *event) {
    MAY_FAIL("cuEventQuery")
    const std::lock_guard lock(mutex);
    if (breaks_capture())
        return capture_unsupported;
    return is_over(event_of("cuEventQuery", event).marks, false) ? success : not_ready;
}
}
