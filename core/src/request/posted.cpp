#include "request/posted.h"

namespace pixmpi {

std::size_t PostedTable::chain_of(const Address &address) const {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
    const auto word = [](int number) { return std::uint64_t{static_cast<std::uint32_t>(number)}; };
    std::uint64_t hash = (word(address.source) << 32 | word(address.tag)) * odd;
    hash = (hash ^ hash >> 29 ^ address.number ^ word(address.to) << 40) * odd;
    return static_cast<std::size_t>(hash >> 32) & (chains_.size() - 1);
}

void PostedTable::append(Posted::Chain &chain, Posted &one) {
    one.chain_ = &chain;
    one.next_ = nullptr;
    one.previous_ = chain.last;
    (chain.last ? chain.last->next_ : chain.first) = &one;
    chain.last = &one;
}

/// Those of one address stay in their order, since they come out of one chain.
void PostedTable::grow() {
    constexpr std::size_t least = 16;
    std::vector<Posted::Chain> before(chains_.empty() ? least : 2 * chains_.size());
    chains_.swap(before);
    for (const Posted::Chain &chain : before)
        for (Posted *one = chain.first; one;) {
            Posted *const next = one->next_;
            append(chains_[chain_of(one->address_)], *one);
            one = next;
        }
}

void PostedTable::add(Posted &one, const Address &address) {
    if (count_ >= chains_.size())
        grow();
    one.address_ = address;
    one.order_ = next_order_++;
    append(chains_[chain_of(address)], one);
    ++count_;
    ++of_kind_[kind_of(address)];
}

void PostedTable::remove(Posted &one) {
    (one.previous_ ? one.previous_->next_ : one.chain_->first) = one.next_;
    (one.next_ ? one.next_->previous_ : one.chain_->last) = one.previous_;
    one.chain_ = nullptr;
    --count_;
    --of_kind_[kind_of(one.address_)];
}

void PostedTable::replace(Posted &one, Posted &other) {
    other.address_ = one.address_;
    other.order_ = one.order_;
    other.chain_ = one.chain_;
    other.next_ = one.next_;
    other.previous_ = one.previous_;
    (other.previous_ ? other.previous_->next_ : other.chain_->first) = &other;
    (other.next_ ? other.next_->previous_ : other.chain_->last) = &other;
    one.chain_ = nullptr;
}

Posted *PostedTable::find(const Address &envelope) const {
    Posted *found = nullptr;
    for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) {
        if (of_kind_[kind] == 0)
            continue;
        Address wanted = envelope;
        if (kind & 1)
            wanted.source = MPI_ANY_SOURCE;
        if (kind & 2)
            wanted.tag = MPI_ANY_TAG;
        Posted *one = chains_[chain_of(wanted)].first;
        while (one && !(one->address_ == wanted))
            one = one->next_;
        if (one && (!found || one->order_ < found->order_))
            found = one;
    }
    return found;
}

} // namespace pixmpi
