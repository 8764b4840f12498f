// A cryptographic library by what it exports, whatever its file is called and wherever that lies.

#include <cstddef>
#include <sys/random.h>

extern "C" __attribute__((visibility("default"))) int RAND_bytes(unsigned char *bytes, int size) {
    return getrandom(bytes, static_cast<std::size_t>(size), 0) == size;
}
