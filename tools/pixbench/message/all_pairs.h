// Every rank's image to every other rank, all at the same time: what a machine's links and the library do together.
#pragma once

#include "message/message.h"

/// Of two ranks: both ways at once. Collective over the team of two ranks or more; the figures are rank 0's.
Figures measure_all_pairs(const MessageCase &what, const Settings &settings, const Team &team);
