// Ranks that die and come back. MPI starts no rank again, so the new process is none of MPI's: its agent connects it to
// rank 0 by a socket, which transport uses instead of MPI.
//
// Rank 0 keeps all that it sends to everybody, in a log, and begins by sending that. The program of the rank runs with
// it from its beginning, muted: what it would say to rank 0 is left out, and what it waits for is in the log. When it
// is as far as the others are, rank 0 names a place between two ticks. From there on the rank takes part.
//
// Everything here belongs to the thread that holds the lock of comm (sync/sequences.h).
#pragma once

#include "sync/sequences.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace mpiglut::comm {

/// At the start.
void prepare_returns(const Membership &who);

// --- rank 0 --------------------------------------------------------------------------------------------------------
/// A message that goes down to all, in order: kept, as long as ranks may come back.
void keep(const Header &header, std::span<const std::byte> payload);
/// From now on no rank comes back, and none that is on its way arrives.
void refuse_returns(const std::string &why);
/// A rank has asked to return since the last time; called before deaths are looked for.
bool is_rejoin_asked();
/// Admits the ranks that have asked.
void accept_rejoins();
/// Sends those on their way what they lack.
void feed_returning();
/// What comes from a rank that is not among the living.
void hear_returning(int rank, const Message &message);
/// It has died on its way.
void forget_returning(int rank);

// --- a rank that comes back ------------------------------------------------------------------------------------------
/// Until then it is muted.
void join_from(Place place);
/// This rank is muted at this place of the ticks' sequence.
bool is_muted(Place place);
/// What a muted rank waits for at this place will never come: rank 0's program has gone another way.
bool never_comes(const std::map<Place, Message> &messages, Place here);

/// Up to rank 0, unless this rank is muted at this place.
void send_up(const Header &header, Place place, std::span<const std::byte> payload);

} // namespace mpiglut::comm
