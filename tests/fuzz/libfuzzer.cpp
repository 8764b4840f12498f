// The way in for libFuzzer: FUZZ_ENTRY names the entry that this program fuzzes.
#include "entries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    fuzz::FUZZ_ENTRY({data, size});
    return 0;
}
