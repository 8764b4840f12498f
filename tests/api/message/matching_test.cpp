// Which message a receive gets: wildcards, order, probing. Small and large messages are mixed, so that a small one
// would like to overtake.
#include "rig/traffic.h"

using namespace api;

namespace {

int one_tag(int) { return 3; }
int some_tags(int number) { return 1 + number % 5; }

std::vector<Sender> to_everybody(int count, int window, int (*tag_of)(int)) {
    std::vector<Sender> senders;
    for (int other = 0; other < size; ++other)
        if (other != rank || size == 1)
            senders.emplace_back(other, count, window, tag_of);
    return senders;
}

bool go_on(std::vector<Sender> &senders) {
    bool more = false;
    for (Sender &sender : senders)
        more |= sender.go_on();
    return more;
}

int sources() { return size == 1 ? 1 : size - 1; }

/// Receives everything by `window` receives at a time with these wildcards, and checks that what came from one source
/// came in its order, where the order of receives is that of posting.
void receive_all(int count, int window, int tag, int (*tag_of)(int)) {
    struct Slot {
        Bytes memory = Bytes(Parcel::most);
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        int posted = 0;
    };
    const int total = count * sources();
    std::vector<Sender> senders = to_everybody(count, 4, tag_of);
    std::vector<Slot> slots(static_cast<std::size_t>(window));
    std::vector<Parcel> came(static_cast<std::size_t>(total));
    int posted = 0, done = 0;
    bool sending = true;
    while (done < total || sending) {
        note("%d of %d received", done, total);
        for (Slot &slot : slots) {
            if (slot.request == PIXMPI_REQUEST_NULL && posted < total) {
                slot.posted = posted++;
                NEED_OK(
                    pixMPI_Irecv(as_surface(slot.memory), PIXMPI_WHOLE, MPI_ANY_SOURCE, tag, world(), &slot.request));
            }
            if (slot.request == PIXMPI_REQUEST_NULL)
                continue;
            int over = 0;
            MPI_Status status;
            NEED_OK(pixMPI_Test(&slot.request, &over, &status));
            if (over) {
                const Parcel parcel = check_parcel(slot.memory, status);
                CHECK_EQ(status.MPI_TAG, tag_of(parcel.number));
                came[static_cast<std::size_t>(slot.posted)] = parcel;
                ++done;
            }
        }
        sending = go_on(senders);
    }
    std::vector<int> next(static_cast<std::size_t>(size), 0);
    for (const Parcel &parcel : came)
        CHECK_EQ(parcel.number, next[static_cast<std::size_t>(parcel.source)]++);
}

} // namespace

RANK_CASE(matching, one_tag_does_not_overtake, 1) { receive_all(200, 1, 3, one_tag); }
RANK_CASE(matching, many_receives_do_not_overtake, 1) { receive_all(200, 7, 3, one_tag); }
RANK_CASE(matching, any_tag_does_not_overtake, 1) { receive_all(200, 5, MPI_ANY_TAG, some_tags); }

RANK_CASE(matching, by_tag_out_of_order, 1) {
    // Tags are asked for in another order than they come; within each tag the order holds.
    constexpr int count = 100;
    std::vector<Sender> senders = to_everybody(count, count, some_tags);
    Bytes memory(Parcel::most);
    std::vector<int> others;
    for (int other = 0; other < size; ++other)
        if (other != rank || size == 1)
            others.push_back(other);
    for (int tag : {4, 2, 5, 1, 3})
        for (int number = tag - 1; number < count; number += 5)
            for (int other : others) {
                note("tag %d, message %d from %d", tag, number, other);
                go_on(senders);
                MPI_Status status;
                NEED_OK(pixMPI_Recv(as_surface(memory), PIXMPI_WHOLE, other, tag, world(), &status));
                const Parcel parcel = check_parcel(memory, status);
                CHECK_EQ(parcel.number, number);
                CHECK_EQ(parcel.source, other);
            }
    while (go_on(senders)) {
    }
}

RANK_CASE(matching, probed_then_received, 1) {
    // Memory of the probed size, by Probe and Iprobe alternately.
    constexpr int count = 100;
    std::vector<Sender> senders = to_everybody(count, 3, some_tags);
    std::vector<int> next(static_cast<std::size_t>(size), 0);
    for (int done = 0; done < count * sources(); ++done) {
        note("%d received", done);
        MPI_Status probed, status;
        int flag = done % 2;
        go_on(senders);
        if (flag)
            NEED_OK(pixMPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world(), &probed));
        while (!flag) {
            NEED_OK(pixMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world(), &flag, &probed));
            go_on(senders);
        }
        std::int64_t pixels = 0;
        CHECK_OK(pixMPI_Get_count(&probed, PIXMPI_R8, &pixels));
        NEED(pixels >= 12);
        Bytes memory(static_cast<std::size_t>(pixels));
        NEED_OK(pixMPI_Recv(as_surface(memory), PIXMPI_WHOLE, probed.MPI_SOURCE, probed.MPI_TAG, world(), &status));
        const Parcel parcel = check_parcel(memory, status);
        CHECK_EQ(parcel.number, next[static_cast<std::size_t>(parcel.source)]++);
        CHECK_EQ(parcel.bytes(), memory.size());
    }
    while (go_on(senders)) {
    }
}

RANK_CASE(matching, probe_passes_what_a_receive_has, 2) {
    // Two messages of one tag: the first belongs to the receive that is posted already, the probe sees the second.
    for (std::size_t first : {100, 300'000})
        for (std::size_t second : {200, 400'000}) {
            note("%zu then %zu bytes", first, second);
            Bytes a = pattern(first, 1), b = pattern(second, 2), to_a(first), to_b(second);
            pixMPI_Request posted, sends[2];
            CHECK_OK(pixMPI_Irecv(as_surface(to_a), PIXMPI_WHOLE, previous_rank(), 3, world(), &posted));
            barrier();
            CHECK_OK(pixMPI_Isend(as_surface(a), PIXMPI_WHOLE, next_rank(), 3, world(), &sends[0]));
            CHECK_OK(pixMPI_Isend(as_surface(b), PIXMPI_WHOLE, next_rank(), 3, world(), &sends[1]));
            MPI_Status status;
            NEED_OK(pixMPI_Probe(previous_rank(), 3, world(), &status));
            CHECK_STATUS(status, previous_rank(), 3, second, PIXMPI_R8);
            NEED_OK(pixMPI_Recv(as_surface(to_b), PIXMPI_WHOLE, previous_rank(), 3, world(), MPI_STATUS_IGNORE));
            NEED_OK(pixMPI_Wait(&posted, MPI_STATUS_IGNORE));
            NEED_OK(pixMPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
            CHECK_PIXELS(to_a, a, static_cast<int>(first), 1);
            CHECK_PIXELS(to_b, b, static_cast<int>(second), 1);
        }
}

RANK_CASE(matching, probe_beside_other_receives, 2) {
    // Receives of other tags are posted and stay so while the probed messages pass.
    Bytes waiting[4], memory(Parcel::most), small = pattern(50, 3);
    pixMPI_Request requests[4], send;
    for (int i = 0; i < 4; ++i) {
        waiting[i].resize(100'000);
        CHECK_OK(pixMPI_Irecv(as_surface(waiting[i]), PIXMPI_WHOLE, i % 2 ? MPI_ANY_SOURCE : previous_rank(), 50 + i,
                              world(), &requests[i]));
    }
    for (int number = 0; number < 50; ++number) {
        Bytes content = Parcel{rank, next_rank(), number}.content();
        MPI_Status status;
        CHECK_OK(pixMPI_Isend(as_surface(content), PIXMPI_WHOLE, next_rank(), 3, world(), &send));
        NEED_OK(pixMPI_Probe(MPI_ANY_SOURCE, 3, world(), &status));
        NEED_OK(pixMPI_Recv(as_surface(memory), PIXMPI_WHOLE, status.MPI_SOURCE, 3, world(), &status));
        CHECK_EQ(check_parcel(memory, status).number, number);
        NEED_OK(pixMPI_Wait(&send, MPI_STATUS_IGNORE));
    }
    for (int i = 3; i >= 0; --i)
        CHECK_OK(pixMPI_Send(as_surface(small), PIXMPI_WHOLE, next_rank(), 50 + i, world()));
    MPI_Status statuses[4];
    NEED_OK(pixMPI_Waitall(4, requests, statuses));
    for (int i = 0; i < 4; ++i) {
        CHECK_STATUS(statuses[i], previous_rank(), 50 + i, 50u, PIXMPI_R8);
        waiting[i].resize(50);
        CHECK_PIXELS(waiting[i], small, 50, 1);
    }
}

RANK_CASE(matching, largest_tag, 1) {
    int *most = nullptr, flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag);
    NEED(flag);
    Bytes out = pattern(100'000, 1), in(100'000);
    for (int tag : {0, 1, *most / 2, *most - 1, *most}) {
        MPI_Status status;
        CHECK_OK(pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, next_rank(), tag, as_surface(in), PIXMPI_WHOLE,
                                 previous_rank(), tag, world(), &status));
        CHECK_STATUS(status, previous_rank(), tag, 100'000u, PIXMPI_R8);
        CHECK_PIXELS(in, out, 100'000, 1);
    }
}

namespace {

/// A receive among thousands, and the message that MPI's rules give it.
struct Outstanding {
    int source, tag;
    bool withdrawn;
    std::int32_t expected = -1, got = -1; ///< a message's number
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    bool takes(int from, int what) const {
        return !withdrawn && expected < 0 && (source == MPI_ANY_SOURCE || source == from) &&
               (tag == MPI_ANY_TAG || tag == what);
    }
};

/// The same receives on both ranks, and the tags of the messages that they take, one after another.
std::vector<Outstanding> make_outstanding(int count, std::vector<int> &tags) {
    constexpr int some = 50;
    std::vector<Outstanding> all;
    const auto draw = [](int what, int number) {
        return seed_of(static_cast<std::uint64_t>(what), static_cast<std::uint64_t>(number), 38, 7) >> 8;
    };
    for (int i = 0; i < count; ++i)
        all.push_back({draw(1, i) % 4 ? 1 : MPI_ANY_SOURCE,
                       draw(2, i) % 8 ? static_cast<int>(draw(3, i) % some) : MPI_ANY_TAG, draw(4, i) % 9 == 0});
    for (int left = count - 1; left >= 0; --left) { // one that is left says the tag, the first that matches takes it
        const Outstanding &one = all[static_cast<std::size_t>(left)];
        if (one.withdrawn || one.expected >= 0)
            continue;
        const int number = static_cast<int>(tags.size());
        tags.push_back(one.tag == MPI_ANY_TAG ? static_cast<int>(draw(5, left) % some) : one.tag);
        for (Outstanding &first : all)
            if (first.takes(1, tags.back())) {
                first.expected = number;
                break;
            }
        ++left; // until it has got one itself
    }
    return all;
}

} // namespace

RANK_CASE(matching, thousands_outstanding, 2) {
    constexpr int count = 3000;
    std::vector<int> tags;
    std::vector<Outstanding> all = make_outstanding(count, tags);
    const auto word = [](std::int32_t &number) { return pixMPI_Memory(&number, PIXMPI_RGBA8, 1, 1); };
    if (rank == 0) {
        for (Outstanding &one : all)
            CHECK_OK(pixMPI_Irecv(word(one.got), PIXMPI_WHOLE, one.source, one.tag, world(), &one.request));
        for (Outstanding &one : all)
            if (one.withdrawn) {
                MPI_Status status;
                CHECK_OK(pixMPI_Cancel(&one.request));
                NEED_OK(pixMPI_Wait(&one.request, &status));
            }
    }
    barrier();
    if (rank == 1)
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(tags.size()); ++i)
            NEED_OK(pixMPI_Send(word(i), PIXMPI_WHOLE, 0, tags[static_cast<std::size_t>(i)], world()));
    if (rank == 0)
        for (Outstanding &one : all) {
            note("tag %d, message %d", one.tag, one.expected);
            MPI_Status status;
            if (one.withdrawn)
                continue;
            NEED_OK(pixMPI_Wait(&one.request, &status));
            CHECK_EQ(one.got, one.expected);
            CHECK_EQ(status.MPI_TAG, tags[static_cast<std::size_t>(one.expected)]);
        }
    barrier();
}
