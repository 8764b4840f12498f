// Opaque C handles for shared objects. A handle is a number in a pointer's clothes: it is looked up, never followed, so
// that null, freed, foreign and invented ones are told from good ones without touching what they seem to point to.
#pragma once

#include "base/errhandler.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace pixmpi {

namespace detail {

/// Its own tag for each table, so that a region is no request. Odd: no address of an object is a handle.
inline std::uint8_t next_handle_kind() {
    static std::atomic<unsigned> tables{0};
    return static_cast<std::uint8_t>(2 * tables.fetch_add(1, std::memory_order_relaxed) + 1);
}

} // namespace detail

/// From the lowest bit: 8 bits of kind, 24 of index, 32 of generation, which counts from 1: no handle is 0 or 1.
template <class T> class HandleTable {
  public:
    HandleTable() = default;
    /// For tables of other libraries, which count theirs apart: their own kind, from 0x81 on, odd.
    explicit HandleTable(std::uint8_t kind) : kind_(kind) {}
    /// `object` is not null. Throws std::bad_alloc when there is no room.
    void *insert(std::shared_ptr<T> object) {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) {
            if (records_.size() >= most_records)
                throw std::bad_alloc();
            records_.emplace_back();
            free_.reserve(records_.capacity()); // so that erase() need not allocate
            free_.push_back(static_cast<std::uint32_t>(records_.size() - 1));
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        Record &record = records_[index];
        record.object = std::move(object);
        record.made_for = *pixMPI_Internal_concerned();
        return reinterpret_cast<void *>(std::uintptr_t{record.generation} << 32 | std::uintptr_t{index} << 8 | kind_);
    }

    /// Null when it is no handle of this table, or no longer. An object that was made for a communicator is what the
    /// public call's errors are about, if nothing else is yet.
    std::shared_ptr<T> find(const void *handle) const {
        const std::lock_guard lock(mutex_);
        const std::uint32_t index = index_of(handle);
        if (index >= records_.size())
            return nullptr;
        if (records_[index].made_for.comm != MPI_COMM_NULL && pixMPI_Internal_concerned()->comm == MPI_COMM_NULL)
            pixMPI_Internal_concerns(records_[index].made_for);
        return records_[index].object;
    }

    /// Frees the handle and returns what was behind it, as find() does.
    std::shared_ptr<T> erase(const void *handle) {
        const std::lock_guard lock(mutex_);
        const std::uint32_t index = index_of(handle);
        if (index >= records_.size())
            return nullptr;
        Record &record = records_[index];
        std::shared_ptr<T> object = std::move(record.object);
        record.object.reset();
        if (object && ++record.generation != 0) // otherwise its generations are used up, and it is not used again
            free_.push_back(index);
        return object;
    }

    /// How many handles there are.
    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        std::size_t count = 0;
        for (const Record &record : records_)
            count += record.object != nullptr;
        return count;
    }

  private:
    static_assert(sizeof(void *) == 8, "a handle has 64 bits");
    static constexpr std::size_t most_records = std::size_t{1} << 24;
    static constexpr std::uint32_t nowhere = UINT32_MAX;

    struct Record {
        std::shared_ptr<T> object;
        std::uint32_t generation = 1;
        ErrorHandler made_for;
    };

    std::uint32_t index_of(const void *handle) const {
        const auto bits = reinterpret_cast<std::uintptr_t>(handle);
        const auto index = static_cast<std::uint32_t>(bits >> 8 & (most_records - 1));
        const bool ours = (bits & 0xff) == kind_ && index < records_.size() && records_[index].generation == bits >> 32;
        return ours ? index : nowhere;
    }

    const std::uint8_t kind_ = detail::next_handle_kind();
    mutable std::mutex mutex_;
    std::vector<Record> records_;
    std::vector<std::uint32_t> free_;
};

/// The process's handles to T. Never destroyed: destructors of other libraries may still free handles.
template <class T> HandleTable<T> &handles_of() {
    static auto *const one = new HandleTable<T>;
    return *one;
}

/// `argument` is the handle's name, `null` the name of no handle, `expected` the call that gives handles.
template <class T>
Status find_handle(const void *handle, const char *argument, const char *null, const char *expected,
                   std::shared_ptr<T> &object) {
    object = handles_of<T>().find(handle);
    return object ? PIXMPI_SUCCESS
                  : fail(PIXMPI_ERR_ARGUMENT, "%s: %s, expected %s", argument, handle ? "foreign or freed" : null,
                         expected);
}

} // namespace pixmpi
