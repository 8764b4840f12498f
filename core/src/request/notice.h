// Messages between ranks when a schedule has failed on one of them, so that it ends on all: also those that have no
// message with that rank, and those that would wait for one that is never made, since the arguments of a call were
// wrong there.
#pragma once

#include "request/channel.h"

namespace pixmpi {

struct Runtime;

/// The tags of schedules' messages are their labels; that of notices comes behind them.
constexpr int schedule_labels = 64, notice_tag = schedule_labels;

/// The next of the library's numbers, which all ranks count alike, and which is in use until it is given back. Each is
/// there once: 64 bits do not wrap.
std::uint64_t next_schedule_number(Channel &channel);
void give_schedule_number(Channel &channel, std::uint64_t number);
/// Whether this rank takes messages of that schedule, now or later.
bool is_wanted(const Channel &channel, std::uint64_t number);
/// Others may send what this rank has no steps for: it is refused when it comes.
void refuse_messages(Channel &channel, std::uint64_t number);
/// A schedule of this number, which was the next one, could not be made: it fails on all ranks. Keeps this rank's last
/// error.
void fail_unmade(Runtime &runtime, Channel &channel, std::uint64_t number);

/// In place of the number of a start: none of the schedule's will succeed.
constexpr std::uint64_t every_start = 0;
/// Notifies all other ranks. A notice that cannot be sent is left out: MPI has failed, or there is no memory.
void report_failure(Runtime &runtime, Channel &channel, const Notice &notice);
/// A notice has come.
void hear(Channel &channel, const Packet &packet);
/// Which rank has failed in this start of this schedule, or -1.
int failed_rank(const Channel &channel, const Notice &notice);

} // namespace pixmpi
