// What viewers want of rank 0, which sends.
#pragma once

#include "demo.h"

#include <deque>

struct Wish {
    pixMPI_Codec codec;
    int end; ///< the window has been closed
};

class Wishes {
  public:
    /// Rank 0 sends to itself, so no rank waits here.
    void send(const Wish &wish) {
        MPI_Request request;
        MPI_Isend(&sent_.emplace_back(wish), sizeof wish, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
    /// On rank 0: the next one, if one has come.
    bool take(Wish &wish) {
        int come = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &come, MPI_STATUS_IGNORE);
        if (come)
            receive(wish);
        return come != 0;
    }
    /// Takes those that come too late. Collective.
    void finish(const demo::World &world) {
        const int mine = static_cast<int>(sent_.size());
        int all = 0;
        MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        for (Wish wish; world.rank == 0 && taken_ < all;)
            receive(wish);
        demo::meet();
    }

  private:
    static constexpr int tag = 2;
    void receive(Wish &wish) {
        MPI_Recv(&wish, sizeof wish, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ++taken_;
    }
    std::deque<Wish> sent_; ///< until all have been taken
    int taken_ = 0;
};
