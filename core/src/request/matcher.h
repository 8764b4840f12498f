// Which receive gets which envelope. The library matches envelopes itself, in MPI's order: receives that are posted are
// in a table, envelopes that no receive has asked for in a list. A receive that is posted costs nothing while it waits:
// no call of MPI's, no buffer, no look at it.
//
// A channel has two matchers, one for the program's messages and one for those of schedules. This is also the only
// place where something attaches to a channel that has more ranks than processes, or other ways for envelopes than MPI:
// it brings its own matcher for the program's messages.
#pragma once

#include "process/peer.h"
#include "request/packets.h"

#include <chrono>
#include <memory>

namespace pixmpi {

struct Channel;
struct Message;
struct Receive;
struct Runtime;
struct Send;
class Port;

class Matcher {
  public:
    explicit Matcher(Channel &channel) : channel_(channel) {}
    virtual ~Matcher();
    Matcher(const Matcher &) = delete;
    Matcher &operator=(const Matcher &) = delete;

    // Receives.

    /// Gives the receive the first envelope that matches, or posts it.
    Status post(Runtime &runtime, Receive &receive);
    /// Nothing happens where it is not posted.
    void unpost(Receive &receive);
    /// `stand_in` takes the place of a posted one.
    void repost(Receive &receive, Receive &stand_in);
    /// Hands out what has come. Receives that never get anything fail: their sender has ended, or the channel has.
    /// False when nothing needs that any more.
    bool advance(Runtime &runtime, bool &moved);
    /// Receives what has arrived, and hands it out.
    virtual Status collect(Runtime &runtime) = 0;
    /// The same before its turn, by one who has no use for an error: advance() tells a receive. Whether to look again.
    bool collect_early(Runtime &runtime);
    /// MPI is about to end, or the communicator is: nothing stays in MPI's hands.
    virtual void close(Runtime &) {}

    // Probes.

    /// The first message that a receive of `own`, `source` and `tag` would match, so that it can be looked at: its
    /// place in waiting(), or null when it has not come, or not all of it.
    virtual Status look(Runtime &runtime, int own, int source, int tag, const Packet *&found) = 0;
    /// The same. An error when it never will, because the sender has ended.
    Status expect(Runtime &runtime, int source, int tag, const Packet *&found);
    /// Removes the one that look() has found, and appends it to `into`.
    void extract(const Packet *found, Packets &into);
    /// Packets that no receive has asked for yet, in the order of their arrival. The last ones may still be on their
    /// way.
    Packets &waiting() { return waiting_; }

    // What an attachment changes.

    /// Whose rank the program's own messages have.
    virtual int own() const { return 0; }
    /// Whether its ranks are MPI's processes, so that all verbs know what they mean.
    virtual bool is_plain() const { return true; }
    /// The rank in MPI's communicator that a rank of the channel belongs to.
    virtual int process_of(int rank) const { return rank; }
    /// Writes into a message's envelope by what its receiver's matcher will find it.
    virtual void address(const Message &, Envelope &) const {}
    /// Carries an envelope to `rank`, which is the list's only one. False where it has to go by MPI.
    virtual bool carry(int /*rank*/, int /*tag*/, Packets &) { return false; }
    /// Bytes of envelopes to `rank` that find no room yet.
    virtual std::size_t held(int /*rank*/) const { return 0; }
    /// Sends a message by its own means. `accepted`: false where it has none for this one.
    virtual Status send(Runtime &, Send &, bool &accepted) {
        accepted = false;
        return PIXMPI_SUCCESS;
    }
    /// The receiver's end of such a message.
    virtual Status accept(const Receive &receive, const Envelope &envelope, std::unique_ptr<Port> &port);

  protected:
    /// Says how an arrived packet is found. False when it is no envelope, or has been dealt with.
    virtual bool read(Packet &) = 0;
    /// An unexpected packet, and one for a posted receive.
    virtual void keep(Packet &) {}
    virtual void hand(Packet &, const Receive &) {}
    /// The first receive has been posted: what makes envelopes come.
    virtual Status listen(Runtime &) { return PIXMPI_SUCCESS; }
    /// Whether MPI has something of it.
    virtual bool in_mpi() const { return false; }
    /// Why posted receives get nothing any more: an error, or success where they may.
    virtual Status check() const { return PIXMPI_SUCCESS; }

    /// Hands an arrived packet to the receive that it matches, or to those that wait.
    void hand_out(Packets &from, Packets::iterator packet);
    /// Receives the next envelope of `source` by a matched receive, whatever its tag, and appends it; `any`: there was
    /// one, which may still be on its way.
    static Status receive_next(MPI_Comm comm, int source, Packets &into, bool &any);
    Packets::iterator find_waiting(const Address &wanted);
    void give(Receive &receive, Packets &from, Packets::iterator packet);
    bool any_posted() const { return !posted_.empty(); }

    Channel &channel_;
    Status early_ = PIXMPI_SUCCESS; ///< of collect_early()
    Packets waiting_;

  private:
    bool fail_first(Runtime &runtime, int source, Status error);
    void look_for_ended(Runtime &runtime);

    PostedTable posted_;
    std::vector<std::uint32_t> from_; ///< posted receives, by the source that they name
    bool is_listed_ = false;          ///< in Runtime::matchers
    std::uint32_t asked_ = 0;
    Watch probed_; ///< on the ranks that probes wait for
};

/// PIXMPI_ERR_PEER, naming the process that has ended.
Status fail_for_end(const Channel &channel, int source);

/// Of the program's messages, where ranks are processes: one receive in MPI's hands serves all that are posted.
class ProgramMatcher final : public Matcher {
  public:
    using Matcher::Matcher;
    Status collect(Runtime &runtime) override;
    void close(Runtime &runtime) override;
    Status look(Runtime &runtime, int own, int source, int tag, const Packet *&found) override;

  protected:
    bool read(Packet &) override { return true; }
    void keep(Packet &packet) override { trim(packet); }
    void hand(Packet &packet, const Receive &receive) override;
    Status listen(Runtime &runtime) override;
    bool in_mpi() const override { return !expected_.empty(); }

  private:
    static void trim(Packet &packet);
    Status leave_lost(Runtime &runtime, bool &over);

    Packets expected_;                                    ///< one, or none: what MPI puts the next envelope into
    std::size_t lent_ = 0;                                ///< long packets, got by receives in this pass
    std::chrono::steady_clock::time_point short_since_{}; ///< there is no memory for that
    std::uint32_t fruitless_ = 0;                         ///< how often nothing had come
};

} // namespace pixmpi
