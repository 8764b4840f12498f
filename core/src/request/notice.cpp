#include "request/notice.h"

#include "request/runtime.h"

#include <algorithm>
#include <cstring>

namespace pixmpi {
namespace {

constexpr std::size_t most_unwritten = 16; ///< what was sent to the ones before has come long ago

/// Behind those of all schedules.
int notice_tag(const Channel &channel) { return static_cast<int>(schedule_numbers(channel)) * schedule_labels; }

bool is_used(const Channel &channel, std::uint32_t number) {
    const auto &used = channel.schedules_in_use;
    return std::find(used.begin(), used.end(), number) != used.end();
}

/// One that this rank has done with is not kept.
void keep(Channel &channel, Notice notice) {
    const bool to_come = static_cast<std::int32_t>(notice.number - channel.next_schedule) >= 0;
    if (to_come || is_used(channel, notice.number))
        channel.notices.push_back(notice);
}

} // namespace

std::uint32_t schedule_numbers(const Channel &channel) {
    return static_cast<std::uint32_t>(channel.most_tag / schedule_labels);
}

std::uint32_t take_schedule_number(Channel &channel) {
    // What is sent to it would be taken for what was sent to one that could not be written.
    const auto has_its_tags = [&](std::uint32_t number) {
        return number % schedule_numbers(channel) == channel.next_schedule % schedule_numbers(channel);
    };
    std::erase_if(channel.unwritten, has_its_tags);
    channel.unwritten.reserve(most_unwritten);
    channel.schedules_in_use.push_back(channel.next_schedule);
    return channel.next_schedule++;
}

void expect_unwritten(Channel &channel, std::uint32_t number) {
    std::vector<std::uint32_t> &unwritten = channel.unwritten;
    if (std::find(unwritten.begin(), unwritten.end(), number) != unwritten.end())
        return;
    if (unwritten.size() == most_unwritten)
        unwritten.erase(unwritten.begin());
    unwritten.push_back(number);
}

void fail_unmade(Runtime &runtime, Channel &channel, std::uint32_t number) {
    const Error first = last_error(PIXMPI_ERR_MEMORY);
    if (channel.next_schedule == number)
        ++channel.next_schedule;
    (void)without_throwing([&]() -> Status {
        expect_unwritten(channel, number);
        return PIXMPI_SUCCESS;
    });
    tell_failure(runtime, channel, {number, every_start});
    repeat(first);
}

void give_schedule_number(Channel &channel, std::uint32_t number) {
    std::erase(channel.schedules_in_use, number);
    std::erase_if(channel.notices, [&](const Notice &one) { return one.number == number; });
}

void tell_failure(Runtime &runtime, Channel &channel, const Notice &notice) {
    const std::uint32_t words[] = {notice.number, notice.start};
    for (int rank = 0; rank < channel.size; ++rank) {
        if (rank == channel.rank)
            continue;
        (void)without_throwing([&]() -> Status {
            Letters letter(1);
            Letter &one = letter.front();
            one.bytes.resize(sizeof words);
            std::memcpy(one.bytes.data(), words, sizeof words);
            if (const Status error = mpi::send(channel.schedule_envelopes, one.bytes.data(), one.bytes.size(), rank,
                                               notice_tag(channel), one.request))
                return error;
            runtime.outbox_bytes += one.bytes.size();
            runtime.outbox.splice(runtime.outbox.end(), letter);
            return PIXMPI_SUCCESS;
        });
    }
}

Status take_notices(Channel &channel) {
    for (;;) {
        bool found = false;
        mpi::Arrival arrival;
        if (const Status error =
                mpi::look(channel.schedule_envelopes, MPI_ANY_SOURCE, notice_tag(channel), found, arrival))
            return error;
        if (!found)
            break;
        Letters letter(1);
        Letter &one = letter.front();
        one.arrival = arrival;
        one.bytes.resize(arrival.bytes);
        if (const Status error = mpi::take(channel.schedule_envelopes, arrival, one.bytes.data(), one.request))
            return error;
        channel.notices_under_way.splice(channel.notices_under_way.end(), letter);
    }
    auto &under_way = channel.notices_under_way;
    for (auto one = under_way.begin(); one != under_way.end();) {
        bool over = false;
        if (const Status error = mpi::test(one->request, over))
            return error;
        if (!over) {
            ++one;
            continue;
        }
        std::uint32_t words[2];
        if (one->bytes.size() == sizeof words) {
            std::memcpy(words, one->bytes.data(), sizeof words);
            keep(channel, {words[0], words[1], one->arrival.source});
        }
        one = under_way.erase(one);
    }
    return PIXMPI_SUCCESS;
}

int failed_rank(const Channel &channel, const Notice &notice) {
    for (const Notice &one : channel.notices)
        if (one.number == notice.number && (one.start == notice.start || one.start == every_start))
            return one.rank;
    return -1;
}

} // namespace pixmpi
