// The envelopes of schedules. The library matches them itself: by sender, label and the schedule's number. No number is
// used twice. MPI has too few tags for such numbers: if tags were made of them, messages of two schedules that are under
// way at once could have the same tag.
#pragma once

#include "request/message.h"

namespace pixmpi {

/// A receive of a schedule's takes the first letter that matches, or is one of those that are posted.
void post_for_schedule(Message &message);
void unpost_for_schedule(Message &message);
/// `stand_in` takes the place of `message` among those that are posted.
void repost(Message &message, Message &stand_in);
/// Takes all that has come from MPI: envelopes go to the receives that are posted, notices to their list. Messages for
/// a schedule that this rank has no part in any more are refused, since their senders wait for an answer.
Status deliver_to_schedules(Runtime &runtime, const std::shared_ptr<Channel> &channel);
/// Receives all that is left, before the communicator is freed: MPI warns of messages that are never received.
void discard_letters(Runtime &runtime, Channel &channel);

/// Makes the message that takes the place of a receive that has been given up. It has no pixels.
Status make_stand_in(const std::shared_ptr<Channel> &channel, int source, int label, std::uint64_t number,
                     std::shared_ptr<Message> &stand_in);
/// It expects a message from now on, and takes nothing of it.
void activate(Message &stand_in, const Error &error);

} // namespace pixmpi
