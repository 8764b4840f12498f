// The envelopes of schedules, which the library matches itself: by sender, label and the schedule's number, which is
// never used twice. MPI's tags are too few for such numbers: with tags made of them, messages of two schedules that are
// under way at once could have one tag.
#pragma once

#include "request/message.h"

namespace pixmpi {

/// A receive of a schedule's takes the first letter that matches, or is one of those that are posted.
void post_for_schedule(Message &message);
void unpost_for_schedule(Message &message);
/// `stand_in` takes the place of `message` among those that are posted.
void repost(Message &message, Message &stand_in);
/// Takes what has come out of MPI's hands: envelopes go to the receives that are posted, notices to their list. What
/// is for a schedule that this rank has no part in any more is refused, as its sender waits until somebody has taken
/// it.
Status deliver_to_schedules(Runtime &runtime, const std::shared_ptr<Channel> &channel);
/// What is left when the communicator goes. MPI warns of messages that are never received.
void discard_letters(Runtime &runtime, Channel &channel);

/// What takes the place of a receive that has been given up: it has no surface of the user's.
Status make_stand_in(const std::shared_ptr<Channel> &channel, int source, int label, std::uint64_t number,
                     std::shared_ptr<Message> &stand_in);
/// It expects a message from now on, and takes nothing of it.
void activate(Message &stand_in, const Error &error);

} // namespace pixmpi
