// Host memory that begins a page, as drivers' own memory does. Rows of pixels that do not begin a cache line are copied
// more slowly, which would make everything look good that is compared with it.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

template <class T> struct PageAllocator {
    using value_type = T;
    static constexpr std::align_val_t page{4096};
    PageAllocator() = default;
    template <class U> PageAllocator(const PageAllocator<U> &) {}
    T *allocate(std::size_t n) { return static_cast<T *>(::operator new(n * sizeof(T), page)); }
    void deallocate(T *p, std::size_t) { ::operator delete(p, page); }
    template <class U> bool operator==(const PageAllocator<U> &) const { return true; }
};

using HostMemory = std::vector<std::byte, PageAllocator<std::byte>>;

/// Sizes that the compiler knows are copied without a call.
inline void copy_bytes(std::byte *to, const std::byte *from, std::size_t bytes) {
    switch (bytes) {
    case 4:
        std::memcpy(to, from, 4);
        break;
    case 64:
        std::memcpy(to, from, 64);
        break;
    default:
        std::memcpy(to, from, bytes);
        break;
    }
}
