#include "request/framing.h"

#include "device/combining_transfer.h"

namespace pixmpi {

Framing::Framing(std::shared_ptr<Surface> surface, HandOver hand_over)
    : surface_(std::move(surface)), hand_over_(std::move(hand_over)) {}

Status Framing::check_start() const { return lacks() ? fail_for_lack_of(*lacks()) : PIXMPI_SUCCESS; }

Status Framing::begin(Runtime &) {
    if (hand_over_.named)
        hand_over_.named->hand_over(*surface_, *hand_over_.closing);
    if (!surface_->has_promises()) {
        state = State::complete;
        return PIXMPI_SUCCESS;
    }
    if (!transfer_) {
        if (const Status failed = make_transfer(Direction::unpack, {}, surface_, region_of({}), transfer_))
            return failed;
    }
    transfer_->start();
    state = State::active;
    Status failed = transfer_->begin(0);
    if (!failed)
        failed = transfer_->end();
    if (failed) { // it stays active: the transfer tries again until it has settled
        error = last_error(failed);
        transfer_->give_up();
    }
    return PIXMPI_SUCCESS;
}

void Framing::undo(Runtime &) {
    transfer_->give_up();
    transfer_->settled();
}

void Framing::advance(Runtime &, bool &moved) {
    if (!transfer_->settled())
        return;
    moved = true;
    state = State::complete;
}

Status Framing::cancel() { return fail(PIXMPI_ERR_REQUEST, "request: cannot be cancelled"); }

} // namespace pixmpi
