// What viewers want of rank 0, which sends.
#pragma once

#include "demo.h"

struct Wish {
    pixMPI_Codec codec;
    int end; ///< the window has been closed
};

class Wishes {
  public:
    void send(const Wish &wish) {
        MPI_Send(&wish, sizeof wish, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
        ++sent_;
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
        int all = 0;
        MPI_Reduce(&sent_, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        for (Wish wish; world.rank == 0 && taken_ < all;)
            receive(wish);
    }

  private:
    static constexpr int tag = 2;
    void receive(Wish &wish) {
        MPI_Recv(&wish, sizeof wish, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ++taken_;
    }
    int sent_ = 0, taken_ = 0;
};
