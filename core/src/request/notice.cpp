#include "request/notice.h"

#include "request/runtime.h"
#include "request/schedule_matcher.h"

#include <algorithm>
#include <cstring>

namespace pixmpi {
namespace {

auto find_in_use(auto &channel, std::uint64_t number) {
    return std::find_if(channel.schedules_in_use.begin(), channel.schedules_in_use.end(),
                        [&](const NumberInUse &one) { return one.number == number; });
}

bool is_used_or_to_come(const Channel &channel, std::uint64_t number) {
    return number >= channel.next_schedule || find_in_use(channel, number) != channel.schedules_in_use.end();
}

} // namespace

std::uint64_t next_schedule_number(Channel &channel) {
    channel.schedules_in_use.push_back({channel.next_schedule});
    return channel.next_schedule++;
}

void give_schedule_number(Channel &channel, std::uint64_t number) {
    std::erase_if(channel.schedules_in_use, [&](const NumberInUse &one) { return one.number == number; });
    std::erase_if(channel.notices, [&](const Notice &one) { return one.number == number; });
    channel.schedules->look_for_unwanted();
}

bool is_wanted(const Channel &channel, std::uint64_t number) {
    const auto used = find_in_use(channel, number);
    return used == channel.schedules_in_use.end() ? number >= channel.next_schedule : !used->refuses;
}

void refuse_messages(Channel &channel, std::uint64_t number) {
    if (const auto used = find_in_use(channel, number); used != channel.schedules_in_use.end())
        used->refuses = true;
    channel.schedules->look_for_unwanted();
}

void fail_unmade(Runtime &runtime, Channel &channel, std::uint64_t number) {
    const Error first = last_error(PIXMPI_ERR_MEMORY);
    if (channel.next_schedule == number)
        ++channel.next_schedule; // no schedule has it: messages for it are refused
    channel.schedules->look_for_unwanted();
    report_failure(runtime, channel, {number, every_start});
    repeat(first);
}

void report_failure(Runtime &runtime, Channel &channel, const Notice &notice) {
    const std::uint64_t words[] = {notice.number, notice.start};
    for (int rank = 0; rank < channel.size; ++rank) {
        if (rank == channel.rank)
            continue;
        (void)without_throwing([&]() -> Status {
            Packets packet = runtime.packets.get(sizeof words);
            Packet &one = packet.front();
            std::memcpy(one.bytes.data(), words, sizeof words);
            if (const Status error = mpi::send(channel.schedule_envelopes, one.bytes.data(), one.bytes.size(), rank,
                                               notice_tag, one.request))
                return error;
            runtime.leave_to_mpi(packet);
            return PIXMPI_SUCCESS;
        });
    }
}

// One about a schedule that this rank has done with is not kept.
void hear(Channel &channel, const Packet &packet) {
    std::uint64_t words[2];
    if (packet.arrival.bytes != sizeof words)
        return;
    std::memcpy(words, packet.bytes.data(), sizeof words);
    if (is_used_or_to_come(channel, words[0]))
        channel.notices.push_back({words[0], words[1], packet.arrival.source});
}

int failed_rank(const Channel &channel, const Notice &notice) {
    for (const Notice &one : channel.notices)
        if (one.number == notice.number && (one.start == notice.start || one.start == every_start))
            return one.rank;
    return -1;
}

} // namespace pixmpi
