// In each round a rank sends and receives at the same time, so the larger of both counts, of the rank that has most.
// The largest active rectangle stands for all ranks'. The last round: rank 0 receives what it has not merged itself.
#include "composite/composite_cost.h"

#include "composite/scheme.h"

namespace {

using pixmpi::Group;
using pixmpi::Scheme;
using pixmpi::Share;

int rows_of(const Share &share) { return share.takes_part ? share.bottom - share.top : 0; }

/// Rows that the busiest place sends or receives in that round.
int rows_moved(const Scheme &scheme, int places, int rows, std::size_t round) {
    const std::vector<Share> after = scheme.shares(rows, round + 1);
    int most = 0;
    for (int place = 0; place < places; ++place) {
        const Group *const group = scheme.group_of(place, round);
        if (!group)
            continue;
        const int own = rows_of(after[static_cast<std::size_t>(place)]);
        int out = 0;
        for (const int other : group->places)
            out += other == place ? 0 : rows_of(after[static_cast<std::size_t>(other)]);
        most = std::max({most, out, own * static_cast<int>(group->places.size() - 1)});
    }
    return most;
}

} // namespace

CompositeCost cost_of(const CompositeCase &what, pixMPI_Strategy strategy, int ranks, int ranks_on_host) {
    double largest = 0;
    int left = what.width, bottom = what.height, right = 0, top = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        const CompositePicture::Box box = what.drawn_by(rank, ranks).box();
        largest = std::max(largest, static_cast<double>(box.width) * box.height);
        left = std::min(left, box.x);
        bottom = std::min(bottom, box.y);
        right = std::max(right, box.x + box.width);
        top = std::max(top, box.y + box.height);
    }
    const Scheme scheme(ranks, {strategy, 0, ranks_on_host});
    CompositeCost cost;
    for (std::size_t round = 0; round < scheme.rounds(); ++round, ++cost.rounds)
        cost.bytes += largest * rows_moved(scheme, ranks, what.height, round) / what.height * what.pixel_bytes();
    const int own = rows_of(scheme.shares(what.height, scheme.rounds()).front());
    if (own < what.height) {
        const double touched = static_cast<double>(right - left) * (top - bottom);
        cost.bytes += touched * (what.height - own) / what.height * what.picture_bytes();
        ++cost.rounds;
    }
    return cost;
}

int ranks_on_each_host(const Team &team) {
    MPI_Comm host = MPI_COMM_NULL;
    int here = 0, within = 0;
    MPI_Comm_split_type(team.comm, MPI_COMM_TYPE_SHARED, team.rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &here);
    MPI_Comm_rank(host, &within);
    MPI_Comm_free(&host);
    int most = 0, regular = 0;
    MPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, team.comm);
    const int mine = here == most && within == team.rank % most;
    MPI_Allreduce(&mine, &regular, 1, MPI_INT, MPI_LAND, team.comm);
    return regular ? most : 0;
}
