// Messages of any form, from a call's arguments to its end.
#pragma once

#include "api/launch.h"
#include "request/message.h"

namespace pixmpi {

constexpr Use to_send{true, false, 1}, to_receive{false, true, 1}, to_replace{true, true, 2};

/// One side of a call: what it names, and whose message it is.
struct NamedEnd {
    const pixMPI_Surface &surface;
    pixMPI_Region region;
    int rank, tag;
};

/// Checks the side, and makes an inactive message of it.
Status make_message(Direction direction, const NamedEnd &named, const Use &use, MPI_Comm comm,
                    std::shared_ptr<Message> &message);
/// Starts a message, and waits for it in the blocking form, whose `status` is filled in.
Status run_message(const Form &form, const std::shared_ptr<Message> &message, MPI_Status *status);
/// The same for a send and a receive at once.
Status run_exchange(const Form &form, std::shared_ptr<Message> out, std::shared_ptr<Message> in, bool replaces,
                    MPI_Status *status);

} // namespace pixmpi
