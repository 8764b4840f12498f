// A library of the program that comes late. With CRYPTOGRAPHIC it is a cryptographic one by what it exports,
// whatever its file is called and wherever that lies.

#include <cstddef>
#include <ctime>
#include <sys/random.h>

#ifdef CRYPTOGRAPHIC
#define RANDOM RAND_bytes
#else
#define RANDOM plugin_random
#endif

extern "C" __attribute__((visibility("default"))) long long plugin_read() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000ll + time.tv_nsec;
}

extern "C" __attribute__((visibility("default"))) int RANDOM(unsigned char *bytes, int size) {
    return getrandom(bytes, static_cast<std::size_t>(size), 0) == size;
}
