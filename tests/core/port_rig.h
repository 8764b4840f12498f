// Both ends of messages in one process, at the level of ports: a sender's and one or several receivers', on every route
// that joins two ends. Bands are bytes of a pattern, packed and unpacked by hand.
#pragma once

#include "gpu/peer_memory.h"
#include "request/runtime.h"
#include "route/flow_receiver.h"
#include "route/flow_sender.h"

#include <memory>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace ports {

using namespace pixmpi;

constexpr std::size_t stage_bytes = std::size_t{16} << 20;

/// The process' stage memory and socket, open.
Process &opened_process();
/// The process itself, as a peer.
std::shared_ptr<Peer> self();
/// A process that does nothing but wait for its end. It has the stage memory open, as this one.
class Child {
  public:
    Child();
    ~Child() { end(); }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;
    void end();
    const std::shared_ptr<Peer> &peer() const { return peer_; }

  private:
    pid_t pid_;
    std::shared_ptr<Peer> peer_;
};

/// A GPU, of those that the stand-in for CUDA has; its memory is files: it exports and imports memory, and a stage's
/// `host` is where the CPU sees it.
std::shared_ptr<Device> make_gpu(int number);

/// What the message is.
struct Shape {
    SlotPlan plan;
    std::uint64_t pixels = 0;
    int pixel_bytes = 1;
    std::uint64_t bands() const { return plan.bands(pixels).count(); }
};
/// One with bands of any length up to `band_bytes`.
Shape of_any_length(std::uint64_t bands, std::size_t band_bytes);

/// How the slots are to lie; see FlowSender.
enum class Place { host, same_gpu, to_gpu, through_host };
const char *name_of(Place place);

/// The message's ends.
struct Ends {
    std::unique_ptr<FlowSender> sender;
    std::vector<std::unique_ptr<FlowReceiver>> receivers;
};
/// `peers`: who the sender takes the receivers for.
Ends join(Place place, const Shape &shape, std::vector<std::shared_ptr<Peer>> peers = {self()});

/// Packs bands as far as the port takes them.
class Packer {
  public:
    /// `lengths`: of the bands; none: by their pixels.
    Packer(Port &port, const Shape &shape, std::vector<std::size_t> lengths)
        : port_(port), shape_(shape), lengths_(std::move(lengths)) {}
    Status step();
    bool done() const { return next_ == shape_.bands(); }
    std::uint64_t bands() const { return next_; }

  private:
    Port &port_;
    const Shape shape_;
    const std::vector<std::size_t> lengths_;
    std::uint64_t next_ = 0;
};

/// Unpacks them, and looks at every byte.
class Unpacker {
  public:
    Unpacker(Port &port, const Shape &shape, std::vector<std::size_t> lengths)
        : port_(port), shape_(shape), lengths_(std::move(lengths)) {}
    /// At most one band.
    Status step();
    bool done() const { return next_ == shape_.bands(); }
    std::uint64_t bands() const { return next_; }
    std::uint64_t wrong() const { return wrong_; }

  private:
    Port &port_;
    const Shape shape_;
    const std::vector<std::size_t> lengths_;
    std::uint64_t next_ = 0, wrong_ = 0;
};

std::vector<std::size_t> random_lengths(const Shape &shape, unsigned seed);

} // namespace ports
