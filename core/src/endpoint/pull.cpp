#include "endpoint/pull.h"

#include "endpoint/shown_port.h"

namespace pixmpi {
namespace {

class Pull final : public ShownPort {
  public:
    Pull(std::shared_ptr<Reach> reach, Flow &flow, int process, WindowPart from, WindowPart to, std::uint64_t bytes,
         std::shared_ptr<const Send> before)
        : reach_(std::move(reach)), flow_(flow), process_(process), from_(from), to_(to), bytes_(bytes),
          before_(std::move(before)) {}

    Status over(bool &yes) override {
        yes = false;
        if (before_ && before_->state == State::active) // it reads what comes here
            return PIXMPI_SUCCESS;
        if (number_ == 0) {
            if (sender_gave_up())
                return gone();
            return reach_->copy(false, {to_.window, to_.offset}, process_, {from_.window, from_.offset}, bytes_,
                                number_);
        }
        std::uint64_t over = 0;
        if (const Status error = reach_->look(process_, over); error || over < number_)
            return error;
        if (sender_gave_up()) // its bytes may have been others by then
            return gone();
        yes = true;
        flow_.consumed.store(1, std::memory_order_release);
        return PIXMPI_SUCCESS;
    }
    void give_up() override { flow_.receiver_gave_up.store(1, std::memory_order_release); }

  private:
    bool sender_gave_up() const { return flow_.sender_gave_up.load(std::memory_order_acquire) != 0; }
    Status gone() const { return fail(PIXMPI_ERR_PEER, "process %d has given up the message", process_); }

    const std::shared_ptr<Reach> reach_;
    Flow &flow_;
    const int process_;
    const WindowPart from_, to_;
    const std::uint64_t bytes_;
    const std::shared_ptr<const Send> before_;
    std::uint64_t number_ = 0; ///< of the copy; 0: it has not begun
};

} // namespace

Status Pulls::accept(const Receive &message, const Envelope &envelope, std::unique_ptr<Port> &port) {
    const int process = message.matcher().process_of(message.arrival.source);
    const Peer &peer = *message.channel->peers[static_cast<std::size_t>(message.arrival.source)];
    const WindowPart from{envelope.number, envelope.band_pixels};
    const WindowPart *const place = part_of(message);
    if (!peer.stage().base || envelope.flow >= peer.stage().flows() || !place ||
        !reach_->reaches(place->window, process, from.window) ||
        !reach_->lies_within(process, from.window, from.offset, envelope.bytes()))
        return fail(PIXMPI_ERR_PEER, "the envelope names memory that does not exist");
    port = std::make_unique<Pull>(reach_, peer.stage().flow(envelope.flow), process, from, *place, envelope.bytes(),
                                  message.before);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
