// One case of the mode coll: its objects on this rank, and the ways to do it.
#pragma once

#include "baseline/limits.h"
#include "baseline/naive.h"
#include "measure/turns.h"
#include "modes.h"

#include <pixmpi_collectives.h>

enum class Collective { bcast, gather, scatter, allgather, alltoall, reduce, allreduce, nearest };

struct CollectiveCase {
    std::string name;
    Collective verb = Collective::bcast;
    int width = 0, height = 0; ///< of the picture, or of one rank's part of a larger one
    pixMPI_Format format = PIXMPI_RGBA8;
};

/// Collective over the team; the figures are rank 0's.
Figures measure_collective(const CollectiveCase &what, const Settings &settings, const Team &team);
