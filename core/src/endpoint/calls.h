// The calls of a run's shaders: what the host reads from their rings, and what becomes of it.
#pragma once

#include "endpoint/straight.h"
#include "schedule/local_copy.h"

#include <map>

namespace pixmpi {

/// An entry of a ring.
struct RingEntry {
    std::uint32_t op = 0, call = PM_NO_CALL, number = 0, group = 0, slot = 0, step = 0;
    std::int32_t peer = 0, tag = 0;
    std::uint32_t window = 0, offset = 0, bytes = 0, arguments[5] = {};
    std::span<std::uint32_t> payload; ///< in the ring
};

/// What a call's result says.
struct Result {
    std::int32_t source = -1, tag = -1;
    std::uint32_t bytes = 0;
    std::span<const std::uint32_t> data;
};

/// A shader's collective waits for all workgroups of the run, and then for all processes. Few processes of one host
/// exchange a packet each; others use the collectives of host memory.
class Gathering {
  public:
    struct Member {
        RingEntry entry;
        std::vector<std::uint32_t> data;
    };
    explicit Gathering(Endpoint &endpoint) : endpoint_(endpoint) {}
    /// One more workgroup. All of them say the same.
    Status join(Runtime &runtime, const RingEntry &entry, std::uint32_t groups);
    bool over() const { return begun_ && (!schedule_ || schedule_->state != State::active) && packets_over(); }
    /// Of one that is over; its words are there then.
    Status finish();
    std::vector<Member> release_members();
    std::span<const std::uint32_t> data() const { return *data_; }
    bool waits_for(std::uint32_t group) const;
    /// Those that have not announced what they have, as far as that is known.
    std::vector<int> missing() const;
    /// A collective of host memory goes on by itself; packets_over() says when nothing else is under way.
    void give_up();
    bool packets_over() const;

  private:
    using Data = std::vector<std::uint32_t>;
    Status check(const RingEntry &entry) const;
    void fold();
    Status begin(Runtime &runtime);
    bool is_near() const;
    Status exchange(Runtime &runtime);
    Status expect(Runtime &runtime, int process);
    Status fold_packets();
    Status collect(Runtime &runtime);

    Endpoint &endpoint_;
    std::vector<Member> members_;
    std::shared_ptr<Data> data_; ///< of this process, then of all
    std::shared_ptr<Request> schedule_;
    std::map<int, OwnMessage> packets_; ///< by process; this one's has no message
    bool begun_ = false;
};

class Calls {
  public:
    Calls(Endpoint &endpoint, std::uint32_t groups)
        : endpoint_(endpoint), groups_(groups), gathering_(endpoint), straight_(endpoint) {}
    /// An error is the entry's own.
    Status begin(Runtime &runtime, const RingEntry &entry);
    /// What is over is reported by `deliver(entry, result)`. An error is `failed`'s.
    template <class Deliver> Status advance(Runtime &runtime, RingEntry &failed, Deliver deliver);
    /// Whether no shader waits any more for what is under way: receives without a waiting shader end.
    bool finish();
    /// Ends everything that is under way; over() says when that has happened.
    void give_up(Runtime &runtime);
    bool over();
    std::size_t under_way() const { return calls_.size(); }
    /// "a message from rank 3 with tag 7", for texts; of a call that is under way. `others`: the processes that have to
    /// do something for it; all, where it is not known which.
    std::string describe(std::uint32_t group, std::uint32_t calls, std::vector<int> &others) const;

  private:
    struct Call {
        RingEntry entry;
        std::shared_ptr<Message> message, second; ///< second: the receive of a REPLACE
        std::vector<std::uint32_t> words;         ///< of calls with data, of answers
        std::list<OwnMessage> answers;            ///< of QUIET
        std::optional<RemoteOperation> here;      ///< what is done to this process
        std::shared_ptr<LocalCopy> copy;          ///< of that, if it moves bytes; or
        Ticket ticket = done;                     ///< of the endpoint's memory
        Straight::Copy far;                       ///< from or to another process' window
        std::uint64_t noted = 0;                  ///< of QUIET: Straight::noted() when it began
    };
    Status begin_message(Runtime &runtime, Call &call);
    Status begin_replace(Runtime &runtime, Call &call);
    Status begin_data(Runtime &runtime, Call &call);
    Call &add(const RingEntry &entry);
    Status read_operation(const RingEntry &entry, RemoteOperation &operation, int &process) const;
    Status begin_one_sided(Runtime &runtime, const RingEntry &entry);
    void notify(int process, const RemoteOperation &operation);
    Status begin_straight(Call &call, int process, RemoteOperation operation);
    Status begin_there(Runtime &runtime, Call &call, int process, RemoteOperation operation);
    Status begin_here(Runtime &runtime, Call &call, const RemoteOperation &operation);
    void do_here(const RemoteOperation &operation);
    Status look_here(Call &call, bool &over);
    bool copies(const Call &call) const {
        return (call.copy && call.copy->state == State::active) || call.ticket > copied_ || !straight_.over(call.far);
    }
    Status begin_quiet(Runtime &runtime, Call &call);
    Status look_at_quiet(Call &call, bool &over);
    static bool answered(const Call &call);
    Status make(Direction direction, const RingEntry &entry, int rank, int tag, std::shared_ptr<Message> &message);
    int own_rank(const RingEntry &entry) const { return endpoint_.slots().first + static_cast<int>(entry.slot); }
    Status look(Call &call, bool &over, Result &result);
    Status ask(Runtime &runtime, Call &call, bool &over, Result &result);
    Status end_gathering(std::vector<std::pair<RingEntry, Result>> &ended);

    Endpoint &endpoint_;
    const std::uint32_t groups_;
    std::list<Call> calls_;
    Gathering gathering_;
    Straight straight_;
    std::vector<std::uint32_t> gathered_;
    std::vector<int> touched_; ///< processes that something was done to since the last quiet
    Ticket copied_ = done;     ///< by the endpoint's memory
    std::size_t here_ = 0;     ///< calls that are about this process alone
    // In the pass at hand, of calls that have been looked at:
    bool here_waits_ = false;  ///< something that is done to this process is not over
    bool far_waits_ = false;   ///< nor is a copy to another process' window, or what is got from one
    bool quiet_waits_ = false; ///< a QUIET is not over, which has asked for what those behind it wait for, too
};

template <class Deliver> Status Calls::advance(Runtime &, RingEntry &failed, Deliver deliver) {
    if (calls_.empty() && !gathering_.over())
        return PIXMPI_SUCCESS;
    here_waits_ = quiet_waits_ = far_waits_ = false;
    Status lost = endpoint_.memory->look_at_copies(copied_);
    if (!lost)
        lost = straight_.look();
    if (lost) {
        if (!calls_.empty())
            failed = calls_.front().entry;
        return lost;
    }
    for (auto one = calls_.begin(); one != calls_.end();) {
        bool over = false;
        Result result;
        if (const Status error = look(*one, over, result)) {
            failed = one->entry;
            return error;
        }
        if (over) {
            deliver(one->entry, result);
            one = calls_.erase(one);
        } else {
            ++one;
        }
    }
    std::vector<std::pair<RingEntry, Result>> ended;
    if (const Status error = end_gathering(ended)) {
        failed = ended.front().first;
        return error;
    }
    for (const auto &[entry, result] : ended)
        deliver(entry, result);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
