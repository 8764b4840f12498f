#include "gpu/cuda_driver.h"

#include "base/log.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace pixmpi {
namespace {

constexpr char library_name[] = "libcuda.so.1";

void open(CudaDriver &driver) {
    void *const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    driver.complete = true;
#define X(name, arguments)                                                                                             \
    driver.name = reinterpret_cast<CudaResult(*) arguments>(dlsym(library, #name));                                    \
    driver.complete = driver.complete && driver.name;
    PIXMPI_CUDA_FUNCTIONS(X)
#undef X
    const CudaResult result = driver.complete ? driver.cuInit(0) : cuda_success;
    if (!driver.complete || result != cuda_success) {
        log_line(PIXMPI_LOG_INFO, "CUDA: %s", driver.complete ? "cuInit fails" : "libcuda.so.1 is too old");
        driver.complete = false;
    }
    std::atexit([] { cuda_driver().exiting = true; });
}

int look_at(dl_phdr_info *info, std::size_t, void *) {
    constexpr std::string_view name = "libcuda.so";
    const char *const slash = std::strrchr(info->dlpi_name, '/');
    return std::string_view(slash ? slash + 1 : info->dlpi_name).starts_with(name) ? 1 : 0;
}

int read_count(dl_phdr_info *info, std::size_t, void *data) {
    *static_cast<unsigned long long *>(data) = info->dlpi_adds;
    return 1;
}

} // namespace

CudaDriver &cuda_driver() {
    // Never destroyed: its users may be destroyed later.
    static CudaDriver &driver = *[] {
        auto *const made = new CudaDriver;
        open(*made);
        return made;
    }();
    return driver;
}

bool cuda_is_loaded() {
    static std::atomic<bool> loaded{false};
    static std::atomic<unsigned long long> seen{0};
    if (loaded)
        return true;
    unsigned long long now = 0;
    dl_iterate_phdr(read_count, &now);
    if (now == seen) // no library has come since the last time
        return false;
    loaded = dl_iterate_phdr(look_at, nullptr) != 0;
    seen = now;
    return loaded;
}

Memory memory_at(const void *address) {
    if (cuda_is_loaded() && cuda_driver().complete && !cuda_driver().exiting) {
        const int questions[] = {cuda_pointer_memory, cuda_pointer_managed};
        unsigned type = 0, managed = 0;
        void *answers[] = {&type, &managed};
        // Of memory that is not CUDA's it says 0.
        if (cuda_driver().cuPointerGetAttributes(2, questions, answers, reinterpret_cast<CudaAddress>(address)) ==
                cuda_success &&
            (managed || type == static_cast<unsigned>(CudaMemoryType::device)))
            return Memory::of_gpu;
    }
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    unsigned char resident = 0;
    void *const begin = reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(address) & ~(page - 1));
    return mincore(begin, page, &resident) == 0 || errno != ENOMEM ? Memory::of_host : Memory::none;
}

} // namespace pixmpi
