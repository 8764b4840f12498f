// Collectives of shaders: the workgroups of this process give their words, which are folded in the order of the
// workgroups; then the processes do the same with their results, by the collectives of host memory.
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

bool is_reduction(const RingEntry &entry) { return entry.op == PM_OP_REDUCE || entry.op == PM_OP_ALLREDUCE; }

/// Word by word, onto `words`.
void combine(const RingEntry &how, std::vector<std::uint32_t> &words, const std::vector<std::uint32_t> &others) {
    for (std::size_t word = 0; word < words.size(); ++word)
        words[word] = combine(how.arguments[0], how.arguments[1], words[word], others[word]);
}

constexpr const char *names[] = {"pm_barrier", "pm_bcast", "pm_reduce", "pm_allreduce"};
const char *name_of(const RingEntry &entry) { return names[entry.op - PM_OP_BARRIER]; }

} // namespace

Status Gathering::check(const RingEntry &entry) const {
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
    const RingEntry &first = members_.front().entry;
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

std::vector<int> Gathering::missing() const {
    std::vector<int> processes;
    for (const auto &[process, packet] : packets_)
        if (packet.message && !packet.over())
            processes.push_back(process);
    return processes;
}

Status Gathering::join(Runtime &runtime, const RingEntry &entry, std::uint32_t groups) {
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
    const RingEntry &first = members_.front().entry;
    data_ = std::make_shared<Data>(members_.front().data);
    if (is_reduction(first))
        for (std::size_t i = 1; i < members_.size(); ++i)
            combine(first, *data_, members_[i].data);
    if (first.op != PM_OP_BCAST)
        return;
    for (const Member &member : members_)
        if (endpoint_.slots().first + static_cast<int>(member.entry.slot) == first.peer) {
            *data_ = member.data;
            break;
        }
}

/// Packets between all of them cost less than the rounds of a collective.
bool Gathering::is_near() const {
    constexpr int most_processes = 8;
    constexpr std::size_t most_words = 256; // that travel inside a packet
    const SlotSpace &space = endpoint_.slots();
    return space.all_by_rings && space.processes <= most_processes && data_->size() <= most_words;
}

Status Gathering::expect(Runtime &runtime, int process) {
    OwnMessage &packet = packets_[process];
    packet.words.assign(std::max(data_->size(), std::size_t{1}), 0);
    std::shared_ptr<Surface> surface;
    if (const Status error = surface_of_words(packet.words, surface))
        return error;
    if (const Status error = endpoint_.make_message(Direction::unpack, std::move(surface), service_rank,
                                                    endpoint_.slots().slots() + process, gathering_tag, packet.message))
        return error;
    return start(runtime, packet.message);
}

/// From each process to all others, or from the root only. A process starts its next collective when it has all
/// messages of this one, so that those of one process stay in order.
Status Gathering::exchange(Runtime &runtime) {
    const SlotSpace &space = endpoint_.slots();
    const RingEntry &first = members_.front().entry;
    const bool rooted = first.op == PM_OP_BCAST;
    const int self = space.own - space.slots(), root = rooted ? endpoint_.process_of(first.peer) : self;
    if (root == self)
        packets_[self].words = *data_;
    for (int process = 0; process < space.processes; ++process) {
        if (process == self)
            continue;
        if (root == self) {
            std::vector<std::uint32_t> words = *data_;
            words.resize(std::max(words.size(), std::size_t{1}));
            if (const Status error = endpoint_.service->send_words(runtime, process, gathering_tag, std::move(words)))
                return error;
        }
        if (!rooted || process == root)
            if (const Status error = expect(runtime, process))
                return error;
    }
    return PIXMPI_SUCCESS;
}

/// In the order of the processes.
Status Gathering::fold_packets() {
    const RingEntry &first = members_.front().entry;
    std::vector<std::uint32_t> result;
    for (const auto &[process, packet] : packets_) {
        if (packet.message && packet.message->error.code)
            return repeat(packet.message->error);
        const std::size_t come = packet.message ? packet.message->arrival.bytes / sizeof(std::uint32_t) : 0;
        if (packet.message && come != packet.words.size())
            return fail(PIXMPI_ERR_TRUNCATE, "%s: process %d gives %zu words, expected %zu as here", name_of(first),
                        process, come, packet.words.size());
        if (result.empty() || !is_reduction(first))
            result = packet.words;
        else
            combine(first, result, packet.words);
    }
    if (first.op != PM_OP_BARRIER)
        *data_ = std::move(result);
    return PIXMPI_SUCCESS;
}

bool Gathering::packets_over() const {
    return std::all_of(packets_.begin(), packets_.end(),
                       [](const auto &one) { return !one.second.message || one.second.over(); });
}

Status Gathering::finish() {
    if (schedule_ && schedule_->error.code)
        return repeat(schedule_->error);
    return packets_.empty() ? PIXMPI_SUCCESS : fold_packets();
}

void Gathering::give_up() {
    for (auto &[process, packet] : packets_)
        if (packet.message && !packet.over())
            (void)packet.message->cancel();
}

Status Gathering::begin(Runtime &runtime) {
    fold();
    begun_ = true;
    const RingEntry &first = members_.front().entry;
    if (endpoint_.slots().processes == 1 || (first.op != PM_OP_BARRIER && data_->empty()))
        return PIXMPI_SUCCESS;
    return is_near() ? exchange(runtime) : collect(runtime);
}

Status Gathering::collect(Runtime &runtime) {
    const RingEntry &first = members_.front().entry;
    std::shared_ptr<Plan> plan;
    if (const Status error = Plan::make(endpoint_.plain, plan))
        return error;
    CollectiveEnd end;
    if (first.op != PM_OP_BARRIER) {
        constexpr pixMPI_Format formats[] = {PIXMPI_R32I, PIXMPI_R32UI, PIXMPI_R32F};
        const pixMPI_Format format = is_reduction(first) ? formats[first.arguments[1]] : PIXMPI_R32UI;
        struct Owned {
            std::shared_ptr<Surface> surface;
            std::shared_ptr<Data> data;
        };
        const auto owned = std::make_shared<Owned>();
        owned->data = data_;
        if (const Status error = make_host_surface(
                pixMPI_Memory(data_->data(), format, static_cast<int>(data_->size()), 1), owned->surface))
            return error;
        if (const Status error = find_region(PIXMPI_WHOLE, owned->surface->extent, end.part))
            return error;
        end.side = plan->add({owned, owned->surface.get()});
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
        if (const Status error = allreduce(*plan, nullptr, end, how, true))
            return error;
    }
    std::shared_ptr<Schedule> schedule;
    if (const Status error = plan->finish(schedule))
        return error;
    schedule_ = schedule;
    return start(runtime, schedule_);
}

std::vector<Gathering::Member> Gathering::release_members() {
    begun_ = false;
    schedule_.reset();
    packets_.clear();
    return std::exchange(members_, {});
}

} // namespace pixmpi
