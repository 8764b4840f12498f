// Partitioned messages: one message of parts that become ready one by one, which the program says (Pready), and arrive
// one by one, which it asks (Parrived).
//
// A partition of the sender is its own message. Its envelope says which pixels of the whole it brings, so that
// the receiver may have other partitions, and needs no answer. Both ends count the partitioned messages that they make
// for each other with one tag. So both know which of them belong together before anything has been sent: tag and count
// are the number that matches the envelopes (schedule_matcher.h). Parts of one start come before those of the next one;
// the sender says how many pixels the receiver accepts.
#pragma once

#include "request/framing.h"
#include "request/message.h"

#include <map>

namespace pixmpi {

/// What one end names.
struct PartitionedEnd {
    std::shared_ptr<Channel> channel;
    std::shared_ptr<Surface> surface;
    std::vector<std::shared_ptr<const Region>> parts;
    int rank = 0, tag = 0; ///< of the other end
    std::uint64_t pixels() const;
};

class Partitioned : public Request {
  public:
    int partitions() const { return static_cast<int>(end_.parts.size()); }

    Status check_start() const override;
    Status begin(Runtime &runtime) override;
    void undo(Runtime &) override {} // begin() fails before anything is under way
    void advance(Runtime &runtime, bool &moved) override;
    const Device *lacks() const override { return device().usable() ? nullptr : &device(); }
    Pause pause() const override { return pause_for(surfaces(), pixels_); }
    void await() override;
    Status cancel() override { return fail(PIXMPI_ERR_REQUEST, "request: a partitioned message cannot be cancelled"); }
    std::span<const std::shared_ptr<Surface>> surfaces() const override { return {&end_.surface, 1}; }

  protected:
    Partitioned(PartitionedEnd end, std::uint64_t number);
    const Device &device() const { return *end_.surface->device; }
    bool is_of_nobody() const { return end_.rank == MPI_PROC_NULL; }
    /// A message of one part, which begins with pixel `first` of the whole.
    template <class End>
    std::shared_ptr<End> make_part(std::shared_ptr<const Region> region, std::uint64_t first) const {
        auto part = std::make_shared<End>();
        set_part(*part, std::move(region), first);
        return part;
    }
    /// The first error is the request's.
    void keep_error(Status failed);
    void keep_error(const Message &part);

    virtual void begin_parts() = 0;
    /// Moves the parts along; `over`: all of them are.
    virtual Status move_parts(Runtime &runtime, bool &moved, bool &over) = 0;

    const PartitionedEnd end_;
    ChannelUse use_;
    const std::uint64_t number_, pixels_;
    std::vector<std::shared_ptr<Message>> moving_; ///< parts that are under way

  private:
    void set_part(Message &part, std::shared_ptr<const Region> region, std::uint64_t first) const;
    enum class Stage { opening, moving, closing };
    void complete();

    std::shared_ptr<Framing> opening_, closing_; ///< what the program was promised for the surface, before and after
    Stage stage_ = Stage::opening;
};

class PartitionedSend final : public Partitioned {
  public:
    /// Reserves the next number for this rank and tag.
    static std::shared_ptr<PartitionedSend> make(PartitionedEnd end);
    PartitionedSend(PartitionedEnd end, std::uint64_t number);
    bool is_ready(int partition) const { return parts_[static_cast<std::size_t>(partition)].ready; }
    /// The program has written the partition. It is sent now, where this thread can do that.
    void set_ready(Runtime &runtime, int partition);
    Status set_codec(const pixMPI_Codec &codec) override;

  private:
    struct Part {
        std::shared_ptr<Send> message; ///< null where there is nothing to send
        bool ready = false, started = false;
    };
    void begin_parts() override;
    Status move_parts(Runtime &runtime, bool &moved, bool &over) override;
    bool start_ready(Runtime &runtime);
    void start_part(Runtime &runtime, Part &part);

    std::vector<Part> parts_;
};

class PartitionedReceive final : public Partitioned {
  public:
    static std::shared_ptr<PartitionedReceive> make(PartitionedEnd end);
    PartitionedReceive(PartitionedEnd end, std::uint64_t number);
    /// Whether all pixels of the partition are in place; always, when the request is not active.
    bool has_arrived(int partition) const;

  private:
    void begin_parts() override;
    Status move_parts(Runtime &runtime, bool &moved, bool &over) override;
    bool all_announced() const { return is_of_nobody() || (any_ && announced_ >= expected_); }
    Status receive_packets(Runtime &runtime, bool &moved);
    Status accept(Runtime &runtime, Packets &packet);
    void count(const Message &part);

    const std::shared_ptr<const Region> whole_; ///< all partitions, one behind the other
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<Receive>> known_; ///< by first pixel and count
    std::vector<std::uint64_t> arrived_;                                                ///< pixels, by partition
    std::uint64_t expected_ = 0, announced_ = 0; ///< pixels: of the sender's whole, of the parts that it has sent
    bool any_ = false;                           ///< part has come
    Watch watch_;
};

} // namespace pixmpi
