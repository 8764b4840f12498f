// Who merges what with whom: the rounds of a strategy, without pixels. Ranks stand in places from front to back, and only
// neighbours merge, so that what each of them has is always of places that follow each other.
#pragma once

#include "pixmpi_compositor.h"
#include "region/region.h"

#include <vector>

namespace pixmpi {

/// What a place has at some time: the pictures of the places [front, back), merged, of the rows [top, bottom).
struct Share {
    int front = 0, back = 0;
    int top = 0, bottom = 0;
    bool takes_part = true; ///< else it has handed its picture over
};

/// Places that merge in a round, from front to back.
struct Group {
    std::vector<int> places;
    /// Each gets a part of the rows, from the first place to the last; else the first place gets all.
    bool splits = true;
};

class Scheme {
  public:
    struct Wish {
        pixMPI_Strategy strategy = PIXMPI_STRATEGY_AUTO;
        int radix = 0;          ///< 0: chosen
        int places_on_host = 0; ///< as many on each host, which follow each other; 0: it is not so
    };
    Scheme(int places, const Wish &wish);

    std::size_t rounds() const { return groups_.size(); }
    /// Where `place` merges in that round; null when it does not.
    const Group *group_of(int place, std::size_t round) const;
    /// What all places have before that round, or, with round == rounds(), at the end; for pictures of so many rows.
    std::vector<Share> shares(int rows, std::size_t round) const;

  private:
    void hand_over_to_neighbours(int count);
    void add_split(int radix);
    void add_tree();
    std::vector<int> participants() const;

    const int places_;
    std::vector<std::vector<Group>> groups_; ///< by round
    int stride_ = 1;                         ///< of the next split, in places that take part
};

/// The rows of a group's member.
std::pair<int, int> rows_of_member(const Share &before, std::size_t member, std::size_t members);

} // namespace pixmpi
