// What a collective should do, rank by rank, without messages: all ranks know what all have.
#pragma once

#include "rig/ends.h"

#include <functional>
#include <pixmpi_collectives.h>
#include <random>

namespace api {

/// Which call, and what it looks at.
enum class Verb {
    bcast,
    gather,
    scatter,
    allgather,
    alltoall,
    reduce,
    allreduce,
    reduce_scatter,
    scan,
    exscan,
};
constexpr Verb all_verbs[] = {Verb::bcast,  Verb::gather,    Verb::scatter,        Verb::allgather, Verb::alltoall,
                              Verb::reduce, Verb::allreduce, Verb::reduce_scatter, Verb::scan,      Verb::exscan};
const char *name_of(Verb verb);
bool is_reduction(Verb verb);
bool is_rooted(Verb verb);

enum class Form { blocking, nonblocking, persistent };

/// One rank's surfaces, and its regions in them.
struct RankState {
    Bytes send, recv;            ///< pixels; a pixel with depth has it behind its colour
    std::vector<Shape> from, to; ///< one, or one for each rank
};

struct Case {
    Verb verb = Verb::bcast;
    pixMPI_Format format = PIXMPI_RGBA8, depth = PIXMPI_FORMAT_NONE;
    int width = 0, height = 0;
    int root = 0;
    bool in_place = false, equal = false; ///< equal: all ranks have as many pixels
    pixMPI_Op op = PIXMPI_SUM;
    pixMPI_Op_function function = nullptr; ///< a user's operation in the place of `op`
    std::vector<int> order; ///< of ranks
    std::vector<RankState> ranks;
    int pixel_bytes() const { return pixMPI_Format_bytes(format) + pixMPI_Format_bytes(depth); }
};

/// All that is left to chance, the same on all ranks. `most`: pixels of one rank's region, about.
Case make_case(Verb verb, pixMPI_Format format, pixMPI_Op op, int ranks, std::size_t most, std::uint64_t seed,
               pixMPI_Format depth = PIXMPI_FORMAT_NONE);

/// What a rank's receiving surface holds afterwards.
Bytes expected(const Case &one, int rank);

/// Folds `with` into `into`: into = into op with.
void fold(pixMPI_Op op, pixMPI_Format format, Bytes &into, const Bytes &with);
/// The same for NEAREST, colour and depth of each pixel behind one another.
void fold_nearest(pixMPI_Format format, pixMPI_Format depth, Bytes &into, const Bytes &with);

/// Makes the call on this rank. `request`: null for the blocking form.
int call(const Case &one, Form form, const pixMPI_Surface &send, const pixMPI_Surface &recv, MPI_Comm comm,
         pixMPI_Op op, pixMPI_Request *request);

} // namespace api
