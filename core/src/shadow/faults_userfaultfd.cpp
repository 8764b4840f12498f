#include "shadow/faults.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pixmpi {
namespace {

// Headers may be older than the system: pages that come write protected, since Linux 6.4.
constexpr std::uint64_t continue_protected = 2;

uffdio_range range_of(const std::byte *memory, std::size_t bytes) {
    return {reinterpret_cast<std::uintptr_t>(memory), bytes};
}

int open_descriptor() {
    const int descriptor = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC));
    if (descriptor >= 0)
        return descriptor;
    const int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
    if (device < 0)
        return -1;
    const int made = ioctl(device, _IO(UFFDIO, 0), O_CLOEXEC); // USERFAULTFD_IOC_NEW
    close(device);
    return made;
}

/// The pages are a file's, whole in the page cache. A page that is not mapped yet gives a minor fault; one that is
/// write protected gives another. Both also happen when the kernel touches it for a system call.
class UserfaultfdGuard final : public FaultGuard {
  public:
    explicit UserfaultfdGuard(int descriptor) : descriptor_(descriptor) {}
    ~UserfaultfdGuard() override { close(descriptor_); }

    const char *name() const override { return "userfaultfd"; }

    bool open() const {
        constexpr std::uint64_t needed = UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_MINOR_SHMEM |
                                         UFFD_FEATURE_WP_HUGETLBFS_SHMEM | UFFD_FEATURE_PAGEFAULT_FLAG_WP;
        uffdio_api api{};
        api.api = UFFD_API;
        api.features = needed;
        return ioctl(descriptor_, UFFDIO_API, &api) == 0 && (api.features & needed) == needed;
    }

    Status watch(std::byte *memory, std::size_t bytes) override {
        uffdio_register registers{};
        registers.range = range_of(memory, bytes);
        registers.mode = UFFDIO_REGISTER_MODE_MINOR | UFFDIO_REGISTER_MODE_WP;
        return ioctl(descriptor_, UFFDIO_REGISTER, &registers) == 0 ? PIXMPI_SUCCESS : failed("UFFDIO_REGISTER");
    }

    void forget(std::byte *memory, std::size_t bytes) override {
        uffdio_range range = range_of(memory, bytes);
        ioctl(descriptor_, UFFDIO_UNREGISTER, &range);
    }

    Status allow(std::byte *memory, std::size_t bytes, Pages from, Pages to) override {
        if (to == Pages::none)
            return madvise(memory, bytes, MADV_DONTNEED) == 0 ? PIXMPI_SUCCESS : failed("madvise");
        if (from == Pages::none)
            return show(memory, bytes, to);
        uffdio_writeprotect protects{};
        protects.range = range_of(memory, bytes);
        protects.mode = to == Pages::read ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
        return ioctl(descriptor_, UFFDIO_WRITEPROTECT, &protects) == 0 ? PIXMPI_SUCCESS : failed("UFFDIO_WRITEPROTECT");
    }

    bool next(Fault &fault) override {
        uffd_msg message;
        for (;;) {
            const ssize_t got = read(descriptor_, &message, sizeof message);
            if (got < 0 && errno != EINTR && errno != EAGAIN)
                return false;
            if (got != sizeof message || message.event != UFFD_EVENT_PAGEFAULT)
                continue;
            const auto &page = message.arg.pagefault;
            const bool write = page.flags & (UFFD_PAGEFAULT_FLAG_WP | UFFD_PAGEFAULT_FLAG_WRITE);
            fault = {reinterpret_cast<std::byte *>(static_cast<std::uintptr_t>(page.address)),
                     write ? Fault::write : Fault::read, static_cast<pid_t>(page.feat.ptid), nullptr};
            return true;
        }
    }

    void answer(const Fault &fault) override {
        const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        uffdio_range range{reinterpret_cast<std::uintptr_t>(fault.address) / page * page, page};
        ioctl(descriptor_, UFFDIO_WAKE, &range);
    }

  private:
    static Status failed(const char *what) {
        return fail(PIXMPI_ERR_MEMORY, "userfaultfd: %s: %s, expected success", what, std::strerror(errno));
    }

    Status show(std::byte *memory, std::size_t bytes, Pages to) const {
        while (bytes > 0) {
            uffdio_continue pages{};
            pages.range = range_of(memory, bytes);
            pages.mode = to == Pages::read ? continue_protected : 0;
            if (ioctl(descriptor_, UFFDIO_CONTINUE, &pages) == 0)
                return PIXMPI_SUCCESS;
            if (errno != EAGAIN || pages.mapped < 0)
                return failed("UFFDIO_CONTINUE");
            memory += pages.mapped; // another thread changed the address space meanwhile
            bytes -= static_cast<std::size_t>(pages.mapped);
        }
        return PIXMPI_SUCCESS;
    }

    const int descriptor_;
};

/// Whether the system does with one page all that is asked of it later.
bool works(UserfaultfdGuard &guard) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const int file = memfd_create("pixmpi-probe", MFD_CLOEXEC);
    if (file < 0 || fallocate(file, 0, 0, static_cast<off_t>(page)) != 0) {
        close(file);
        return false;
    }
    void *const mapped = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return false;
    auto *const memory = static_cast<std::byte *>(mapped);
    bool yes = guard.watch(memory, page) == PIXMPI_SUCCESS;
    constexpr std::array steps{Pages::none, Pages::read, Pages::write, Pages::read, Pages::none, Pages::read};
    for (std::size_t i = 1; yes && i < steps.size(); ++i)
        yes = guard.allow(memory, page, steps[i - 1], steps[i]) == PIXMPI_SUCCESS;
    munmap(mapped, page);
    return yes;
}

} // namespace

std::unique_ptr<FaultGuard> make_userfaultfd_guard() {
    const int descriptor = open_descriptor();
    if (descriptor < 0)
        return nullptr;
    auto guard = std::make_unique<UserfaultfdGuard>(descriptor);
    if (!guard->open() || !works(*guard))
        return nullptr;
    return guard;
}

} // namespace pixmpi
