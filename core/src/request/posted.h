// Posted receives without a match. An envelope finds its receive in constant time, however many there are: the first
// of those that match, in the order of their posts.
#pragma once

#include "route/mpi_calls.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pixmpi {

/// What an envelope says of itself, or which envelopes a receive matches: then source and tag may be wildcards.
struct Address {
    int to = 0; ///< of a communicator with several ranks in a process: the receiver
    int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
    std::uint64_t number = 0; ///< of the schedule that the message is part of
    bool operator==(const Address &) const = default;
    /// Whether such a receive matches such an envelope.
    bool matches(const Address &envelope) const {
        return to == envelope.to && number == envelope.number &&
               (source == MPI_ANY_SOURCE || source == envelope.source) && (tag == MPI_ANY_TAG || tag == envelope.tag);
    }
};

/// A receive's place in the table. Being there takes no memory.
class Posted {
  public:
    Posted() = default;
    Posted(const Posted &) = delete;
    Posted &operator=(const Posted &) = delete;
    bool is_posted() const { return chain_ != nullptr; }
    const Address &address() const { return address_; }

  private:
    friend class PostedTable;
    struct Chain {
        Posted *first = nullptr, *last = nullptr;
    };
    Address address_;
    std::uint64_t order_ = 0;
    Chain *chain_ = nullptr;
    Posted *next_ = nullptr, *previous_ = nullptr;
};

class PostedTable {
  public:
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    /// Behind all others in the table. Throws std::bad_alloc, and has done nothing then.
    void add(Posted &one, const Address &address);
    void remove(Posted &one);
    /// `other`, which is not in the table, takes the place of `one`.
    void replace(Posted &one, Posted &other);
    /// The first one that matches such an envelope, or null.
    Posted *find(const Address &envelope) const;
    /// The first one of all that `is` says yes to, or null. Looks at all of them.
    template <class Is> Posted *first(Is is) const {
        Posted *found = nullptr;
        for (const Posted::Chain &chain : chains_)
            for (Posted *one = chain.first; one; one = one->next_)
                if ((!found || one->order_ < found->order_) && is(*one))
                    found = one;
        return found;
    }

  private:
    static bool is_any_source(const Address &one) { return one.source == MPI_ANY_SOURCE; }
    static bool is_any_tag(const Address &one) { return one.tag == MPI_ANY_TAG; }
    static std::size_t kind_of(const Address &one) { return is_any_source(one) + 2U * is_any_tag(one); }
    std::size_t chain_of(const Address &address) const;
    void append(Posted::Chain &chain, Posted &one);
    void grow();

    std::vector<Posted::Chain> chains_; ///< by a hash of the address; a power of two of them
    std::size_t count_ = 0;
    std::array<std::size_t, 4> of_kind_{}; ///< how many have a wildcard, by kind_of()
    std::uint64_t next_order_ = 0;
};

} // namespace pixmpi
