// The envelopes of schedules: found by sender, label and the schedule's number. No number is used twice. MPI has too
// few tags for such numbers: if tags were made of them, messages of two schedules that are under way at once could have
// the same tag.
#pragma once

#include "request/message.h"

namespace pixmpi {

class ScheduleMatcher final : public Matcher {
  public:
    using Matcher::Matcher;
    /// Envelopes go to the receives that are posted, notices to their list. Messages for a schedule that this rank has
    /// no part in any more are refused, since their senders wait for an answer.
    Status collect(Runtime &runtime) override;
    /// Receives all that is left: MPI warns of messages that are never received.
    void close(Runtime &runtime) override;
    Status look(Runtime &runtime, int own, int source, int tag, const Packet *&found) override;
    /// Whether something has come that no receive has asked for yet.
    bool has(int source, int label, std::uint64_t number) {
        return find_waiting({0, source, label, number}) != waiting_.end();
    }
    /// Packets that wait may be for schedules that want nothing any more.
    void look_for_unwanted() { unwanted_ = !waiting_.empty(); }

  protected:
    bool read(Packet &packet) override;
    void keep(Packet &packet) override;
    Status check() const override;

  private:
    Status collect_from_mpi();
    Status hand_out_arrived();
    Status refuse_unwanted(Runtime &runtime);

    Packets arriving_;      ///< matched by MPI, in its order, and perhaps still on their way
    bool unwanted_ = false; ///< see look_for_unwanted()
};

/// Makes the message that takes the place of a receive that has been given up. It has no pixels.
Status make_stand_in(const std::shared_ptr<Channel> &channel, int source, int label, std::uint64_t number,
                     std::shared_ptr<Receive> &stand_in);
/// It expects a message from now on, and receives nothing of it.
void activate(Receive &stand_in, const Error &error);

} // namespace pixmpi
