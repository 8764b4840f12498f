#include "clock/callers.h"

#include "clock/libraries.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <string_view>
#include <sys/mman.h>
#include <unwind.h>

namespace mpiglut::clock {

namespace {

struct Range {
    std::uintptr_t begin, end;
    Origin origin;
    bool cryptographic;
    bool of_cpp_library;
};

/// Sorted by address, never changed once it is published, and never freed, because another thread may be reading it.
struct Table {
    std::size_t size, room;
    unsigned long long loads, unloads; ///< the dynamic linker's counts when it was made
    Range ranges[1];
};

std::atomic<Table *> published{nullptr};
std::mutex making;

Table *new_table(std::size_t room) {
    void *memory =
        mmap(nullptr, sizeof(Table) + room * sizeof(Range), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return nullptr;
    auto *table = static_cast<Table *>(memory);
    table->room = room;
    return table;
}

bool holds(const dl_phdr_info &object, const void *address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const auto &segment = object.dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && at - (object.dlpi_addr + segment.p_vaddr) < segment.p_memsz)
            return true;
    }
    return false;
}

Origin classify(const dl_phdr_info &object, bool first) {
    if (first)
        return Origin::program; // the executable
    if (holds(object, &published))
        return Origin::system; // this library, whatever it is called
    return origin_of_library(object.dlpi_name);
}

/// std::fstream, std::filesystem and std::future call the C library themselves.
bool is_cpp_library(std::string_view file) {
    file.remove_prefix(file.rfind('/') + 1);
    return file.starts_with("libstdc++") || file.starts_with("libc++");
}

int add_object(dl_phdr_info *object, std::size_t, void *data) {
    auto *table = static_cast<Table *>(data);
    const Origin origin = classify(*object, table->size == 0);
    const bool cryptographic = has_cryptography(*object), of_cpp_library = is_cpp_library(object->dlpi_name);
    table->loads = object->dlpi_adds;
    table->unloads = object->dlpi_subs;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto &segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
            continue;
        if (table->size < table->room) {
            const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
            table->ranges[table->size] = {begin, begin + segment.p_memsz, origin, cryptographic, of_cpp_library};
        }
        ++table->size;
    }
    return 0;
}

int read_counts(dl_phdr_info *object, std::size_t, void *data) {
    auto *table = static_cast<Table *>(data);
    table->loads = object->dlpi_adds;
    table->unloads = object->dlpi_subs;
    return 1;
}

bool up_to_date(const Table *table) {
    Table now{};
    dl_iterate_phdr(read_counts, &now);
    return table && table->loads == now.loads && table->unloads == now.unloads;
}

void make_table() {
    // In a signal handler that came while this very thread was at it, the old table has to do.
    const std::unique_lock lock(making, std::try_to_lock);
    if (!lock)
        return;
    std::size_t room = 256;
    Table *table = new_table(room);
    while (table) {
        dl_iterate_phdr(add_object, table);
        if (table->size <= table->room)
            break;
        room = table->size + 64;
        munmap(table, sizeof(Table) + table->room * sizeof(Range));
        table = new_table(room);
    }
    if (!table)
        return;
    std::sort(table->ranges, table->ranges + table->size,
              [](const Range &a, const Range &b) { return a.begin < b.begin; });
    published.store(table, std::memory_order_release);
}

const Range *find(const Table *table, std::uintptr_t at) {
    if (!table)
        return nullptr;
    const Range *end = table->ranges + table->size;
    const Range *after = std::upper_bound(table->ranges, end, at,
                                          [](std::uintptr_t address, const Range &r) { return address < r.begin; });
    return after != table->ranges && at < after[-1].end ? after - 1 : nullptr;
}

const Range *find(const void *address) {
    return find(published.load(std::memory_order_acquire), reinterpret_cast<std::uintptr_t>(address));
}

struct Search {
    const void *wrapper, *behind;
    bool found;
};

_Unwind_Reason_Code look_behind(_Unwind_Context *frame, void *data) {
    auto *search = static_cast<Search *>(data);
    const auto *at = reinterpret_cast<const void *>(_Unwind_GetIP(frame));
    if (search->found) {
        search->behind = at;
        return _URC_END_OF_STACK;
    }
    search->found = at == search->wrapper;
    return _URC_NO_REASON;
}

/// It calls on behalf of another caller.
bool passes_on(const void *address) {
    const Origin whose = origin(address); // which refreshes the table, if need be
    const Range *const range = find(address);
    return whose == Origin::wrapper || (whose == Origin::system && range && range->of_cpp_library);
}

_Unwind_Reason_Code look_behind_those_that_pass_on(_Unwind_Context *frame, void *data) {
    auto *search = static_cast<Search *>(data);
    const auto *at = reinterpret_cast<const void *>(_Unwind_GetIP(frame));
    search->found = search->found || at == search->wrapper;
    if (!search->found || passes_on(at))
        return _URC_NO_REASON;
    search->behind = at;
    return _URC_END_OF_STACK;
}

/// Whether the instruction before is a call of a fixed place, as by a library that uses a function itself. An
/// interceptor calls what is behind it by a pointer.
bool calls_by_name(const void *return_address) {
#if defined(__x86_64__)
    const auto *at = static_cast<const unsigned char *>(return_address);
    const bool by_register = at[-2] == 0xff && (at[-1] & 0xf8) == 0xd0;
    return at[-5] == 0xe8 && !by_register; // call rel32
#elif defined(__aarch64__)
    return (static_cast<const std::uint32_t *>(return_address)[-1] & 0xfc000000) == 0x94000000; // bl
#else
    return false;
#endif
}

/// The caller itself; null where that is the wrapper's own library.
const void *caller_behind_wrapper(const void *return_address) {
    if (origin(return_address) != Origin::wrapper)
        return return_address;
    // ThreadSanitizer also looks at the time at the very end of a thread, where its locks are gone, so that the
    // unwinder would end the program. Its interceptors are functions that it exports.
    Dl_info from;
    if (dladdr(return_address, &from) && std::strstr(from.dli_fname, "libtsan") && !from.dli_sname)
        return nullptr;
    // AddressSanitizer does so with its allocator's lock, and the unwinder may wait for that.
    if (calls_by_name(return_address))
        return nullptr;
    // Interceptors keep no frame pointer, so it takes the unwinder. A wrapper that is called by its own library is no
    // interceptor but the sanitizer looking at the time for itself.
    Search search{return_address, nullptr, false};
    _Unwind_Backtrace(look_behind, &search);
    return search.behind;
}

const void *caller_behind_cpp_library(const void *return_address) {
    if (origin(return_address) == Origin::program || !passes_on(return_address))
        return return_address;
    Search search{return_address, nullptr, false};
    _Unwind_Backtrace(look_behind_those_that_pass_on, &search);
    return search.behind;
}

} // namespace

void refresh_origins() {
    if (!up_to_date(published.load(std::memory_order_acquire)))
        make_table();
}

Origin origin(const void *address) {
    if (const Range *const range = find(address))
        return range->origin;
    refresh_origins(); // something that was loaded since
    const Range *const range = find(address);
    return range ? range->origin : Origin::program;
}

Origin origin_of_call(const void *return_address) {
    const void *const caller = caller_behind_wrapper(return_address);
    const Origin found = caller ? origin(caller) : Origin::system;
    return found == Origin::wrapper ? Origin::system : found;
}

Origin origin_behind_cpp_library(const void *return_address) {
    const void *const caller = caller_behind_cpp_library(return_address);
    return caller && origin(caller) == Origin::program ? Origin::program : Origin::system;
}

bool may_share_random(const void *return_address) {
    const void *const caller = caller_behind_cpp_library(return_address);
    if (!caller || origin(caller) != Origin::program)
        return false;
    const Range *const range = find(caller);
    return !range || !range->cryptographic;
}

} // namespace mpiglut::clock
