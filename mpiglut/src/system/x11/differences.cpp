#include "system/x11/requests.h"

#include "sync/comm.h"

#include <algorithm>
#include <set>

namespace mpiglut::x11 {
namespace {

/// The set-up has no number of its own, so the first word of a connection is its number 0.
std::string place(int connection, std::uint64_t number) {
    return "request " + std::to_string(number) + " of X connection " + std::to_string(connection);
}

} // namespace

std::string first_difference(int connection, std::uint64_t before, std::span<const Requests::Word> mine,
                             std::span<const Requests::Word> theirs) {
    const auto differing = std::ranges::mismatch(mine, theirs);
    if (differing.in1 == mine.end() && differing.in2 == theirs.end())
        return {};
    const bool with_set_up = (!mine.empty() && Requests::opcode(mine.front()) == 0) ||
                             (!theirs.empty() && Requests::opcode(theirs.front()) == 0);
    const std::uint64_t number =
        before + static_cast<std::uint64_t>(differing.in1 - mine.begin()) + (with_set_up ? 0 : 1);
    const std::string where = place(connection, number);
    if (differing.in1 == mine.end())
        return where + " is missing: on rank 0 it is " + name_of_request(Requests::opcode(*differing.in2));
    const std::string what = name_of_request(Requests::opcode(*differing.in1));
    if (differing.in2 == theirs.end())
        return where + ", " + what + ", is one that rank 0's program has not made";
    if (Requests::opcode(*differing.in1) == Requests::opcode(*differing.in2))
        return where + ", " + what + ", has other bytes than on rank 0";
    return where + " is " + what + ", on rank 0 it is " + name_of_request(Requests::opcode(*differing.in2));
}

void report_difference(int connection, std::uint64_t before, std::span<const Requests::Word> mine,
                       std::span<const Requests::Word> theirs) {
    static auto *const reported = new std::set<int>; // one thread at a time gets a record
    if (std::ranges::equal(mine, theirs) || !reported->insert(connection).second)
        return;
    comm::send_difference(first_difference(connection, before, mine, theirs));
}

} // namespace mpiglut::x11
