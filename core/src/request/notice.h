// What ranks tell each other when a schedule has failed on one of them, so that all end: also those that have no
// message with that rank, and those that would wait for one that is never made, since the arguments of a call were
// wrong there.
#pragma once

#include "request/channel.h"

namespace pixmpi {

struct Runtime;

/// The next of the library's numbers, which all ranks count alike, and which is in use until it is given back.
std::uint32_t take_schedule_number(Channel &channel);
void give_schedule_number(Channel &channel, std::uint32_t number);
/// Others may send what this rank has no steps for: it is refused when it comes. Throws nothing after the number has
/// been taken.
void expect_unwritten(Channel &channel, std::uint32_t number);
/// A schedule of this number, which was the next one, could not be made: it fails on all ranks. Keeps this rank's last
/// error.
void fail_unmade(Runtime &runtime, Channel &channel, std::uint32_t number);
/// How many numbers there are, and how many tags each has.
constexpr int schedule_labels = 64;
std::uint32_t schedule_numbers(const Channel &channel);

/// In place of the number of a start: none of the schedule's will succeed.
constexpr std::uint32_t every_start = 0;
/// Tells all other ranks. What cannot be told is left out: MPI has failed, or there is no memory.
void tell_failure(Runtime &runtime, Channel &channel, const Notice &notice);
/// Takes what has come.
Status take_notices(Channel &channel);
/// Which rank has failed in this start of this schedule, or -1.
int failed_rank(const Channel &channel, const Notice &notice);

} // namespace pixmpi
