// What was made for the bands of regions, kept for those that were used last: who sends the same again finds it there.
#pragma once

#include "region/region.h"

#include <algorithm>
#include <vector>

namespace pixmpi {

/// `Key`: what a value depends on, in addition to its region and its band; compared by ==. Values have a cost each, and
/// their sum stays below a limit: regions that are gone lose theirs first, then those that were not used for the
/// longest time.
template <class Key, class Value> class RegionCache {
  public:
    explicit RegionCache(std::size_t most_cost) : most_cost_(most_cost) {}

    /// The value for the packed pixels [first, first + count) of the region; null when there is none. Valid until the
    /// next call of another function.
    Value *find(const std::shared_ptr<const Region> &region, const Key &key, std::uint64_t first, std::uint64_t count) {
        CachedRegion *const entry = find_entry(region, key);
        if (!entry)
            return nullptr;
        entry->used = ++clock_;
        std::vector<CachedRange> &bands = entry->bands;
        const auto matches = [&](const CachedRange &band) { return band.first == first && band.count == count; };
        if (entry->next >= bands.size() || !matches(bands[entry->next]))
            entry->next = static_cast<std::size_t>(std::find_if(bands.begin(), bands.end(), matches) - bands.begin());
        return entry->next < bands.size() ? &bands[entry->next++].value : nullptr;
    }

    /// Of one that find() does not find. The same reference as from there.
    Value &add(const std::shared_ptr<const Region> &region, const Key &key, std::uint64_t first, std::uint64_t count,
               Value value, std::size_t cost) {
        make_room(cost);
        CachedRegion *entry = find_entry(region, key);
        if (!entry)
            entry = &entries_.emplace_back(CachedRegion{region, key, {}, 0, ++clock_});
        entry->bands.push_back({first, count, cost, std::move(value)});
        entry->next = entry->bands.size();
        cost_ += cost;
        return entry->bands.back().value;
    }

    /// For a value of so much, which add() does anyway. `drop` is notified of each that goes.
    template <class Drop> void make_room(std::size_t cost, Drop drop) {
        constexpr std::size_t most_entries = 256;
        for (std::size_t i = entries_.size(); i-- > 0;)
            if (entries_[i].region.expired())
                erase(i, drop);
        while (!entries_.empty() && (cost_ + cost > most_cost_ || entries_.size() > most_entries)) {
            const auto oldest =
                std::min_element(entries_.begin(), entries_.end(),
                                 [](const CachedRegion &a, const CachedRegion &b) { return a.used < b.used; });
            erase(static_cast<std::size_t>(oldest - entries_.begin()), drop);
        }
    }
    void make_room(std::size_t cost) {
        make_room(cost, [](Value &) {});
    }

    /// Those of which which(value) is true go.
    template <class Which> void erase_if(Which which) {
        for (CachedRegion &entry : entries_)
            std::erase_if(entry.bands, [&](const CachedRange &band) {
                const bool goes = which(band.value);
                cost_ -= goes ? band.cost : 0;
                return goes;
            });
        std::erase_if(entries_, [](const CachedRegion &entry) { return entry.bands.empty(); });
    }

    bool empty() const { return entries_.empty(); }
    template <class Drop> void clear(Drop drop) {
        while (!entries_.empty())
            erase(entries_.size() - 1, drop);
    }
    void clear() {
        clear([](Value &) {});
    }

  private:
    struct CachedRange {
        std::uint64_t first, count;
        std::size_t cost;
        Value value;
    };
    struct CachedRegion {
        std::weak_ptr<const Region> region;
        Key key;
        std::vector<CachedRange> bands;
        std::size_t next = 0; ///< bands follow each other
        std::uint64_t used = 0;
    };

    CachedRegion *find_entry(const std::shared_ptr<const Region> &region, const Key &key) {
        // Owners are compared, so that a new region at an old one's address is a new one.
        const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const CachedRegion &entry) {
            return !entry.region.owner_before(region) && !region.owner_before(entry.region) && entry.key == key;
        });
        return found == entries_.end() ? nullptr : &*found;
    }

    template <class Drop> void erase(std::size_t i, Drop &drop) {
        for (CachedRange &band : entries_[i].bands) {
            drop(band.value);
            cost_ -= band.cost;
        }
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
    }

    const std::size_t most_cost_;
    std::vector<CachedRegion> entries_;
    std::size_t cost_ = 0;
    std::uint64_t clock_ = 0;
};

} // namespace pixmpi
