// Schedules, which collectives are made of: messages and local steps that follow one another, on ends of all APIs; one
// rank that fails in the middle. The engine's own objects are linked here, since no verb leads to them by itself.
#include "rig/core_surfaces.h"

#include "request/schedule_matcher.h"
#include "schedule/local_copy.h"
#include "schedule/schedule.h"
#include "schedule/work.h"

#include <algorithm>
#include <thread>

using namespace api;
using pixmpi::LocalCopy;
using pixmpi::Schedule;

namespace {

constexpr int width = 301, height = 203, parts = 4;

/// Rows of the picture: part `i` of so many.
std::shared_ptr<const pixmpi::Region> part(int i) {
    const int from = height * i / parts, to = height * (i + 1) / parts;
    pixMPI_Region handle;
    NEED_OK(pixMPI_Region_rect(0, from, width, to - from, &handle));
    NEED_OK(pixMPI_Region_commit(&handle));
    std::shared_ptr<const pixmpi::Region> region;
    NEED_OK(pixmpi::find_region(handle, {width, height}, region));
    NEED_OK(pixMPI_Region_free(&handle));
    return region;
}

Schedule::End part_of(End &end, int i, pixmpi::Direction direction) { return {core_surface(end, direction), part(i)}; }

std::shared_ptr<Schedule> make(std::vector<std::shared_ptr<pixmpi::Surface>> named = {}) {
    std::shared_ptr<Schedule> schedule;
    const pixmpi::Lock lock;
    NEED_OK(Schedule::make(world(), std::move(named), schedule));
    // What it has goes back to the devices, under the lock.
    Schedule *const one = schedule.get();
    return {one, [kept = std::move(schedule)](Schedule *) mutable {
                const pixmpi::Lock held;
                kept.reset();
            }};
}

void *handle_of(const std::shared_ptr<Schedule> &schedule) {
    const pixmpi::Lock lock;
    return pixmpi::runtime().requests.insert(schedule);
}

/// Starts it as a nonblocking call would, and gives the handle that Wait takes.
pixMPI_Request start(const std::shared_ptr<Schedule> &schedule, int expected = PIXMPI_SUCCESS) {
    const pixmpi::Lock lock;
    pixmpi::Runtime &runtime = pixmpi::runtime();
    void *const handle = handle_of(schedule);
    CHECK_EQ(pixmpi::start(runtime, schedule), expected);
    return static_cast<pixMPI_Request>(handle);
}

/// The picture goes down the chain of ranks, part after part; each rank passes on what it has.
void add_chain(Schedule &schedule, End &end) {
    for (int i = 0; i < parts; ++i) {
        Schedule::Steps before;
        if (rank > 0)
            before.push_back(schedule.recv(part_of(end, i, pixmpi::Direction::unpack), rank - 1, i));
        if (rank + 1 < size)
            schedule.send(part_of(end, i, pixmpi::Direction::pack), rank + 1, i, before);
    }
}

/// All except images in their own layout, which take one message at a time.
std::vector<EndKind> kinds() {
    std::vector<EndKind> some;
    for (const EndKind &kind : end_kinds())
        if (std::string_view(kind.name) != "image")
            some.push_back(kind);
    return some;
}

/// A kind of end for each rank, so that APIs meet.
std::unique_ptr<End> end_of(int offset) {
    const auto some = kinds();
    return some[static_cast<std::size_t>(rank + offset) % some.size()].make(PIXMPI_RGBA8, width, height);
}

} // namespace

RANK_CASE(schedules, chain, 1) {
    for (int offset = 0; offset < static_cast<int>(kinds().size()); ++offset) {
        note("offset %d", offset);
        const auto end = end_of(offset);
        const Bytes mine = end->fill(100 + static_cast<unsigned>(rank));
        const auto schedule = make();
        add_chain(*schedule, *end);
        pixMPI_Request request = start(schedule);
        CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(request == PIXMPI_REQUEST_NULL);
        CHECK(end->read() == (size > 1 && rank > 0 ? pattern(mine.size(), 100) : mine));
        end->check_surroundings();
    }
}

/// All pictures are added up along the chain of ranks, part after part, where each rank has its own.
RANK_CASE(schedules, sum_along_the_chain, 1) {
    for (int offset = 0; offset < static_cast<int>(kinds().size()); ++offset) {
        note("offset %d", offset);
        const auto end = end_of(offset);
        const auto seed = [&](int of) { return 900 + 10 * static_cast<unsigned>(offset) + static_cast<unsigned>(of); };
        Bytes expected = end->fill(seed(rank));
        for (int other = rank + 1; other < size; ++other) {
            const Bytes theirs = pattern(expected.size(), seed(other));
            for (std::size_t i = 0; i < expected.size(); ++i)
                expected[i] = static_cast<std::uint8_t>(std::min(255, expected[i] + theirs[i]));
        }
        const auto schedule = make();
        for (int i = 0; i < parts; ++i) {
            Schedule::Steps before;
            if (rank + 1 < size)
                before.push_back(schedule->recv(part_of(*end, i, pixmpi::Direction::unpack), rank + 1, i, {},
                                                {pixmpi::Operation::sum, pixmpi::Order::present_first}));
            if (rank > 0)
                schedule->send(part_of(*end, i, pixmpi::Direction::pack), rank - 1, i, before);
        }
        pixMPI_Request request = start(schedule);
        CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(end->read() == expected);
        end->check_surroundings();
    }
}

RANK_CASE(schedules, started_again, 2) {
    const auto end = end_of(0);
    const auto schedule = make();
    schedule->persistent = true;
    add_chain(*schedule, *end);
    auto request = static_cast<pixMPI_Request>(handle_of(schedule));
    for (unsigned turn = 0; turn < 5; ++turn) {
        note("turn %u", turn);
        const Bytes mine = end->fill(7 * turn + static_cast<unsigned>(rank));
        CHECK_OK(pixMPI_Start(&request));
        CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(end->read() == (rank > 0 ? pattern(mine.size(), 7 * turn) : mine));
    }
    CHECK_OK(pixMPI_Request_free(&request));
}

/// What the next start's steps may rely on is the next call, not the one that has waited for this start.
RANK_CASE(schedules, a_start_that_was_waited_for_is_not_the_next_one, 1) {
    const auto schedule = make();
    schedule->persistent = true;
    std::vector<bool> awaited;
    const pixmpi::Request *step = nullptr;
    const auto work = std::make_shared<pixmpi::Work>([&] {
        awaited.push_back(step->blocking);
        return PIXMPI_SUCCESS;
    });
    step = work.get();
    schedule->local(work);
    auto request = static_cast<pixMPI_Request>(handle_of(schedule));
    CHECK_OK(pixMPI_Start(&request));
    {
        const pixmpi::Lock lock;
        schedule->await();
    }
    CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(pixMPI_Start(&request));
    for (int over = 0; !over;)
        CHECK_OK(pixMPI_Test(&request, &over, MPI_STATUS_IGNORE));
    CHECK(awaited == std::vector<bool>({false, false}));
    CHECK_OK(pixMPI_Request_free(&request));
}

/// A receive of any tag, posted before, takes the program's message and none of the schedule's; all are waited for in
/// one list.
RANK_CASE(schedules, keep_away_from_the_programs_messages, 2) {
    const auto end = end_of(0), sent = end_of(1), received = end_of(2);
    end->fill(static_cast<unsigned>(rank));
    const Bytes own = sent->fill(50 + static_cast<unsigned>(rank));
    std::vector<pixMPI_Request> requests(3, PIXMPI_REQUEST_NULL);
    CHECK_OK(received->irecv(PIXMPI_WHOLE, MPI_ANY_SOURCE, MPI_ANY_TAG, &requests[0]));
    const auto schedule = make();
    add_chain(*schedule, *end);
    requests[1] = start(schedule);
    barrier();
    CHECK_OK(sent->isend(PIXMPI_WHOLE, next_rank(), 5, &requests[2]));
    MPI_Status statuses[3];
    CHECK_OK(pixMPI_Waitall(3, requests.data(), statuses));
    CHECK_EQ(statuses[0].MPI_TAG, 5);
    CHECK_EQ(statuses[0].MPI_SOURCE, previous_rank());
    CHECK(received->read() == pattern(own.size(), 50 + static_cast<unsigned>(previous_rank())));
    CHECK(end->read() == pattern(own.size(), 0));
}

namespace {

/// A local step that fails when it is its turn.
class Failure final : public pixmpi::Request {
  public:
    pixmpi::Status check_start() const override { return PIXMPI_SUCCESS; }
    pixmpi::Status begin(pixmpi::Runtime &) override { return pixmpi::fail(PIXMPI_ERR_DEVICE, "as it was told"); }
    void undo(pixmpi::Runtime &) override {}
    void advance(pixmpi::Runtime &, bool &) override {}
    const pixmpi::Device *lacks() const override { return nullptr; }
    pixmpi::Pause pause() const override { return pixmpi::Pause(); }
    void await() override {}
    pixmpi::Status cancel() override { return PIXMPI_SUCCESS; }
    std::span<const std::shared_ptr<pixmpi::Surface>> surfaces() const override { return {}; }
};

/// Unwanted messages have been refused, and are gone.
void check_nothing_left() {
    const auto left = [] {
        const pixmpi::Lock lock;
        const pixmpi::Runtime &runtime = pixmpi::runtime();
        return static_cast<int>(runtime.active.size() + runtime.resting.size() + runtime.unread_sends.size());
    };
    for (int i = 0; i < 1000 && everywhere(left(), true) > 0; ++i) {
    }
    CHECK_EQ(left(), 0);
}

/// A chain with one rank that fails when it has passed some of the parts on.
void chain_with_a_failure(int victim, int passed) {
    const auto end = end_of(0);
    end->fill(static_cast<unsigned>(rank));
    const auto schedule = make();
    for (int i = 0; i < parts; ++i) {
        Schedule::Steps before;
        if (rank > 0)
            before.push_back(schedule->recv(part_of(*end, i, pixmpi::Direction::unpack), rank - 1, i));
        if (rank == victim && i == passed)
            before.push_back(schedule->local(std::make_shared<Failure>(), before));
        if (rank + 1 < size)
            schedule->send(part_of(*end, i, pixmpi::Direction::pack), rank + 1, i, before);
    }
    pixMPI_Request request = start(schedule);
    const int code = pixMPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == victim)
        CHECK_EQ(code, PIXMPI_ERR_DEVICE);
    if (rank > victim)
        CHECK_EQ(code, PIXMPI_ERR_PEER);
    if (rank < victim) // its messages may have been on their way already
        CHECK(code == PIXMPI_ERR_PEER || code == PIXMPI_SUCCESS);
    CHECK(request == PIXMPI_REQUEST_NULL);
}

} // namespace

RANK_CASE(schedules, that_fail_on_one_rank_end_on_all, 2) {
    for (int victim = 0; victim < size; ++victim)
        for (int passed = 0; passed < parts; ++passed) {
            note("rank %d fails after %d parts", victim, passed);
            chain_with_a_failure(victim, passed);
            if (passed % 2)
                continue; // the next one meets what the failed one has left
            const auto end = end_of(1);
            const Bytes mine = end->fill(static_cast<unsigned>(rank));
            const auto schedule = make();
            add_chain(*schedule, *end);
            pixMPI_Request request = start(schedule);
            CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(end->read() == pattern(mine.size(), 0));
        }
    check_nothing_left();
}

namespace {

/// A step that has rank 0 send, and fails when a posted receive has just got the envelope, and has not looked at it.
pixmpi::Status fail_when_one_has_matched() {
    std::shared_ptr<pixmpi::Channel> channel;
    if (const pixmpi::Status error = pixmpi::find_channel(world(), channel))
        return error;
    pixmpi::Runtime &runtime = pixmpi::runtime();
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    for (const std::size_t posted = runtime.resting.size(); runtime.resting.size() == posted; std::this_thread::yield())
        if (const pixmpi::Status error = channel->schedules->collect(runtime))
            return error;
    return pixmpi::fail(PIXMPI_ERR_DEVICE, "as it was told");
}

} // namespace

/// What stands in for the receive then refuses that message.
RANK_CASE(schedules, that_fail_refuse_what_has_just_matched, 2) {
    const auto end = end_of(0);
    const Bytes mine = end->fill(static_cast<unsigned>(rank));
    const auto schedule = make();
    if (rank == 1) {
        schedule->recv(part_of(*end, 1, pixmpi::Direction::unpack), 0, 0);
        schedule->local(std::make_shared<pixmpi::Work>(fail_when_one_has_matched));
    }
    if (rank == 0) {
        schedule->send(part_of(*end, 1, pixmpi::Direction::pack), 1, 0);
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    pixMPI_Request request = start(schedule);
    const int code = pixMPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(rank == 1 ? code == PIXMPI_ERR_DEVICE : code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
    CHECK(end->read() == mine);
    check_nothing_left();
}

namespace {

/// A local step that is over, or fails, when it is told.
class Gate final : public pixmpi::Request {
  public:
    bool open = false, fails = false;
    pixmpi::Status check_start() const override { return PIXMPI_SUCCESS; }
    pixmpi::Status begin(pixmpi::Runtime &) override {
        state = pixmpi::State::active;
        return PIXMPI_SUCCESS;
    }
    void undo(pixmpi::Runtime &) override {}
    void advance(pixmpi::Runtime &, bool &moved) override {
        if (!open)
            return;
        if (fails)
            error = pixmpi::last_error(pixmpi::fail(PIXMPI_ERR_DEVICE, "as it was told"));
        state = pixmpi::State::complete;
        moved = true;
    }
    const pixmpi::Device *lacks() const override { return nullptr; }
    pixmpi::Pause pause() const override { return pixmpi::Pause(); }
    void await() override {}
    pixmpi::Status cancel() override { return PIXMPI_SUCCESS; }
    std::span<const std::shared_ptr<pixmpi::Surface>> surfaces() const override { return {}; }
};

/// What the others send is not unpacked before a deferred step is over, but its receive has begun.
void receive_behind_a_gate(int offset, bool fails) {
    const auto sent = end_of(offset), received = end_of(offset + 1);
    sent->fill(40 + static_cast<unsigned>(rank));
    const Bytes before = received->fill(60 + static_cast<unsigned>(rank));
    const auto schedule = make();
    const auto gate = std::make_shared<Gate>();
    gate->fails = fails;
    schedule->send(part_of(*sent, 1, pixmpi::Direction::pack), next_rank(), 0);
    const Schedule::Step step = schedule->local(gate);
    schedule->defer(step);
    const Schedule::Step receive =
        schedule->recv(part_of(*received, 1, pixmpi::Direction::unpack), previous_rank(), 0, {step});
    pixMPI_Request request = start(schedule);
    const auto has_begun = [&] {
        const pixmpi::Lock lock;
        return schedule->times(receive).begun != std::chrono::steady_clock::time_point();
    };
    CHECK(has_begun());
    for (int i = 0; i < 3; ++i)
        everywhere(0, true); // meanwhile the message comes
    CHECK(received->read() == before);
    gate->open = true;
    const int code = pixMPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(fails ? code == PIXMPI_ERR_DEVICE || code == PIXMPI_ERR_PEER : code == PIXMPI_SUCCESS);
    Bytes expected = before;
    const Bytes theirs = pattern(expected.size(), 40 + static_cast<unsigned>(previous_rank()));
    const std::size_t row = static_cast<std::size_t>(width) * 4;
    const auto from = static_cast<std::ptrdiff_t>(row * (height / parts));
    const auto to = static_cast<std::ptrdiff_t>(row * (2 * height / parts));
    if (!fails)
        std::copy(theirs.begin() + from, theirs.begin() + to, expected.begin() + from);
    CHECK(received->read() == expected);
    received->check_surroundings();
}

} // namespace

RANK_CASE(schedules, a_receive_matches_before_a_deferred_step, 2) {
    for (int offset = 0; offset < static_cast<int>(kinds().size()); ++offset)
        for (const bool fails : {false, true}) {
            note("offset %d, the step %s", offset, fails ? "fails" : "succeeds");
            receive_behind_a_gate(offset, fails);
        }
}

/// What it is to receive is sent after the deferred step.
RANK_CASE(schedules, a_deferred_step_does_not_wait_for_a_late_receive, 2) {
    for (int offset = 0; offset < static_cast<int>(kinds().size()); ++offset) {
        note("offset %d", offset);
        const auto sent = end_of(offset), received = end_of(offset + 1);
        sent->fill(40 + static_cast<unsigned>(rank));
        Bytes expected = received->fill(60 + static_cast<unsigned>(rank));
        const auto schedule = make();
        const auto gate = std::make_shared<Gate>();
        const Schedule::Step step = schedule->local(gate);
        schedule->defer(step);
        schedule->expect_late(schedule->recv(part_of(*received, 1, pixmpi::Direction::unpack), previous_rank(), 0));
        schedule->send(part_of(*sent, 1, pixmpi::Direction::pack), next_rank(), 0, {step});
        pixMPI_Request request = start(schedule);
        {
            const pixmpi::Lock lock;
            CHECK(schedule->times(step).begun != std::chrono::steady_clock::time_point());
        }
        gate->open = true;
        CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        const Bytes theirs = pattern(expected.size(), 40 + static_cast<unsigned>(previous_rank()));
        const std::size_t row = static_cast<std::size_t>(width) * 4;
        const auto from = static_cast<std::ptrdiff_t>(row * (height / parts));
        const auto to = static_cast<std::ptrdiff_t>(row * (2 * height / parts));
        std::copy(theirs.begin() + from, theirs.begin() + to, expected.begin() + from);
        CHECK(received->read() == expected);
        received->check_surroundings();
    }
}

RANK_CASE(copies, between_all_ends, 1) {
    for (const EndKind &from_kind : kinds())
        for (const EndKind &to_kind : kinds()) {
            note("from %s to %s", from_kind.name, to_kind.name);
            const auto from = from_kind.make(PIXMPI_RGBA8, width, height);
            const auto to = to_kind.make(PIXMPI_RGBA8, width, height);
            const Bytes pixels = from->fill(3);
            Bytes expected = to->fill(4);
            const auto schedule = make();
            for (const int i : {1, 3}) {
                const auto region = part(i);
                schedule->local(
                    std::make_shared<LocalCopy>(LocalCopy::End{core_surface(*from, pixmpi::Direction::pack), region},
                                                LocalCopy::End{core_surface(*to, pixmpi::Direction::unpack), region}));
                const auto row = static_cast<std::size_t>(width * 4);
                const auto begin = static_cast<std::ptrdiff_t>(row * static_cast<std::size_t>(height * i / parts));
                const auto end = static_cast<std::ptrdiff_t>(row * static_cast<std::size_t>(height * (i + 1) / parts));
                std::copy(pixels.begin() + begin, pixels.begin() + end, expected.begin() + begin);
            }
            pixMPI_Request request = start(schedule);
            CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(to->read() == expected);
            to->check_surroundings();
        }
}
