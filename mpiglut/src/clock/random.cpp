// The system's random bytes, which programs seed their random numbers from.

#include "base/export.h"
#include "base/real.h"
#include "clock/clock.h"
#include "clock/virtual.h"

#include <algorithm>
#include <cstring>
#include <sys/auxv.h>
#include <sys/random.h>

// Not in the headers of older C libraries.
extern "C" {
std::uint32_t arc4random() noexcept;
void arc4random_buf(void *buffer, std::size_t size) noexcept;
unsigned long __getauxval(unsigned long which) noexcept;
std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept;
}

namespace mpiglut::clock {

void fill_with_random(void *buffer, std::size_t size) {
    auto *to = static_cast<unsigned char *>(buffer);
    for (std::size_t done = 0; done < size; done += sizeof(std::uint64_t)) {
        const std::uint64_t random = next_random();
        std::memcpy(to + done, &random, std::min(sizeof random, size - done));
    }
}

} // namespace mpiglut::clock

namespace virtual_clock = mpiglut::clock;

MPIGLUT_EXPORT ssize_t getrandom(void *buffer, std::size_t size, unsigned flags) {
    if (!buffer || !virtual_clock::shares_random(MPIGLUT_CALLER))
        return REAL(getrandom)(buffer, size, flags);
    virtual_clock::fill_with_random(buffer, size);
    return static_cast<ssize_t>(size);
}

MPIGLUT_EXPORT int getentropy(void *buffer, std::size_t size) {
    constexpr std::size_t most = 256;
    if (size > most || !virtual_clock::shares_random(MPIGLUT_CALLER))
        return REAL(getentropy)(buffer, size);
    virtual_clock::fill_with_random(buffer, size);
    return 0;
}

MPIGLUT_EXPORT std::uint32_t arc4random() noexcept {
    if (!virtual_clock::shares_random(MPIGLUT_CALLER))
        return REAL(arc4random)();
    return static_cast<std::uint32_t>(virtual_clock::next_random());
}

MPIGLUT_EXPORT void arc4random_buf(void *buffer, std::size_t size) noexcept {
    if (!virtual_clock::shares_random(MPIGLUT_CALLER))
        return REAL(arc4random_buf)(buffer, size);
    virtual_clock::fill_with_random(buffer, size);
}

MPIGLUT_EXPORT std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
    if (!virtual_clock::shares_random(MPIGLUT_CALLER))
        return REAL(arc4random_uniform)(bound);
    const std::uint64_t random = virtual_clock::next_random() >> 32;
    return static_cast<std::uint32_t>(random * bound >> 32);
}

// Also called before this library is ready, by functions that choose their code by the processor: hence not REAL.
MPIGLUT_EXPORT unsigned long getauxval(unsigned long which) noexcept {
    static std::uint64_t bytes[2];
    if (which != AT_RANDOM || !virtual_clock::shares_random(MPIGLUT_CALLER))
        return __getauxval(which);
    for (unsigned i = 0; i < 2; ++i)
        __atomic_store_n(&bytes[i], virtual_clock::constant_random(i), __ATOMIC_RELAXED); // the same in any thread
    return reinterpret_cast<unsigned long>(bytes);
}

// std::random_device's operator(), which would take its numbers from the processor.
namespace {
template <class Real> std::uint32_t device_random(virtual_clock::Caller caller, void *device, Real real) {
    return virtual_clock::shares_random(caller) ? static_cast<std::uint32_t>(virtual_clock::next_random())
                                                : real()(device);
}
using DeviceRandom = std::uint32_t (*)(void *device);
} // namespace

MPIGLUT_EXPORT std::uint32_t mpiglut_gnu_random_device(void *device) asm("_ZNSt13random_device9_M_getvalEv");
std::uint32_t mpiglut_gnu_random_device(void *device) {
    return device_random(MPIGLUT_CALLER, device, [] {
        static void *const real = mpiglut::real_symbol("_ZNSt13random_device9_M_getvalEv");
        return reinterpret_cast<DeviceRandom>(real);
    });
}

MPIGLUT_EXPORT std::uint32_t mpiglut_llvm_random_device(void *device) asm("_ZNSt3__113random_deviceclEv");
std::uint32_t mpiglut_llvm_random_device(void *device) {
    return device_random(MPIGLUT_CALLER, device, [] {
        static void *const real = mpiglut::real_symbol("_ZNSt3__113random_deviceclEv");
        return reinterpret_cast<DeviceRandom>(real);
    });
}
