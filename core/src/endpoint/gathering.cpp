// Collectives of shaders: the workgroups of this process give their words, which are folded in the order of the
// workgroups; then the processes do the same among each other, by the collectives of host memory.
#include "collective/collective.h"
#include "endpoint/calls.h"
#include "host/host_device.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace pixmpi {
namespace {

template <class T> T combine(std::uint32_t operation, T a, T b) {
    switch (operation) {
    case PM_MIN:
        return std::min(a, b);
    case PM_MAX:
        return std::max(a, b);
    default:
        return a + b;
    }
}

std::uint32_t combine(std::uint32_t operation, std::uint32_t type, std::uint32_t a, std::uint32_t b) {
    if (type == PM_FLOAT)
        return std::bit_cast<std::uint32_t>(combine(operation, std::bit_cast<float>(a), std::bit_cast<float>(b)));
    if (type == PM_INT && operation != PM_SUM) // sums of integers have the same bits
        return static_cast<std::uint32_t>(
            combine(operation, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)));
    return combine(operation, a, b);
}

bool is_reduction(const Entry &entry) { return entry.op == PM_OP_REDUCE || entry.op == PM_OP_ALLREDUCE; }

constexpr const char *names[] = {"pm_barrier", "pm_bcast", "pm_reduce", "pm_allreduce"};
const char *name_of(const Entry &entry) { return names[entry.op - PM_OP_BARRIER]; }

} // namespace

Status Gathering::check(const Entry &entry) const {
    const SlotSpace &space = endpoint_.slots();
    const bool rooted = entry.op == PM_OP_BCAST || entry.op == PM_OP_REDUCE;
    if (rooted && (entry.peer < 0 || entry.peer >= space.slots()))
        return fail(PIXMPI_ERR_RANK, "%s: root: %d, expected a slot, 0 to %d", name_of(entry), entry.peer,
                    space.slots() - 1);
    if (is_reduction(entry) && (entry.arguments[0] > PM_MAX || entry.arguments[1] > PM_FLOAT))
        return fail(PIXMPI_ERR_ARGUMENT,
                    "%s: operation %u on type %u, expected PM_SUM, PM_MIN or PM_MAX on PM_INT, "
                    "PM_UINT or PM_FLOAT",
                    name_of(entry), entry.arguments[0], entry.arguments[1]);
    if (members_.empty())
        return PIXMPI_SUCCESS;
    const Entry &first = members_.front().entry;
    if (entry.op != first.op || entry.bytes != first.bytes || entry.peer != first.peer ||
        !std::equal(std::begin(entry.arguments), std::end(entry.arguments), std::begin(first.arguments)))
        return fail(PIXMPI_ERR_ARGUMENT,
                    "%s: %u words, root %d, where workgroup %u calls %s: %u words, root %d; expected the same of all",
                    name_of(entry), entry.bytes, entry.peer, first.group, name_of(first), first.bytes, first.peer);
    return waits_for(entry.group) ? fail(PIXMPI_ERR_ARGUMENT, "%s: a workgroup calls it twice", name_of(entry))
                                  : PIXMPI_SUCCESS;
}

bool Gathering::waits_for(std::uint32_t group) const {
    return std::any_of(members_.begin(), members_.end(),
                       [&](const Member &member) { return member.entry.group == group; });
}

Status Gathering::join(Runtime &runtime, const Entry &entry, std::uint32_t groups) {
    if (const Status error = check(entry))
        return error;
    Member &member = members_.emplace_back();
    member.entry = entry;
    if (entry.op != PM_OP_BARRIER)
        member.data.assign(entry.payload.begin(), entry.payload.begin() + entry.bytes);
    member.entry.payload = {};
    return members_.size() == groups ? begin(runtime) : PIXMPI_SUCCESS;
}

void Gathering::fold() {
    std::sort(members_.begin(), members_.end(),
              [](const Member &a, const Member &b) { return a.entry.group < b.entry.group; });
    const Entry &first = members_.front().entry;
    data_ = members_.front().data;
    if (is_reduction(first))
        for (std::size_t i = 1; i < members_.size(); ++i)
            for (std::size_t word = 0; word < data_.size(); ++word)
                data_[word] = combine(first.arguments[0], first.arguments[1], data_[word], members_[i].data[word]);
    if (first.op != PM_OP_BCAST)
        return;
    for (const Member &member : members_)
        if (endpoint_.slots().first + static_cast<int>(member.entry.slot) == first.peer) {
            data_ = member.data;
            break;
        }
}

Status Gathering::begin(Runtime &runtime) {
    fold();
    begun_ = true;
    const Entry &first = members_.front().entry;
    if (endpoint_.slots().processes == 1 || (first.op != PM_OP_BARRIER && data_.empty()))
        return PIXMPI_SUCCESS;
    std::shared_ptr<Plan> plan;
    if (const Status error = Plan::make(endpoint_.plain, plan))
        return error;
    CollectiveEnd end;
    if (first.op != PM_OP_BARRIER) {
        constexpr pixMPI_Format formats[] = {PIXMPI_R32I, PIXMPI_R32UI, PIXMPI_R32F};
        const pixMPI_Format format = is_reduction(first) ? formats[first.arguments[1]] : PIXMPI_R32UI;
        std::shared_ptr<Surface> surface;
        if (const Status error =
                make_host_surface(pixMPI_Memory(data_.data(), format, static_cast<int>(data_.size()), 1), surface))
            return error;
        if (const Status error = find_region(PIXMPI_WHOLE, surface->extent, end.part))
            return error;
        end.side = plan->add(std::move(surface));
    }
    if (first.op == PM_OP_BARRIER) {
        barrier(*plan);
    } else if (first.op == PM_OP_BCAST) {
        bcast(*plan, end, endpoint_.process_of(first.peer));
    } else {
        constexpr Operation operations[] = {Operation::sum, Operation::min, Operation::max};
        Reduction how;
        how.operation = operations[first.arguments[0]];
        how.order.resize(static_cast<std::size_t>(plan->size()));
        std::iota(how.order.begin(), how.order.end(), 0);
        if (const Status error = allreduce(*plan, nullptr, end, how))
            return error;
    }
    std::shared_ptr<Schedule> schedule;
    if (const Status error = plan->finish(schedule))
        return error;
    schedule_ = schedule;
    return start(runtime, schedule_);
}

std::vector<Gathering::Member> Gathering::take_members() {
    begun_ = false;
    schedule_.reset();
    return std::exchange(members_, {});
}

} // namespace pixmpi
