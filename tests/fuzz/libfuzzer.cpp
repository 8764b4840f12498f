// The way in for libFuzzer: FUZZ_ENTRY names the entry that this program fuzzes.
#include "entries.h"

/// The verbs' error handlers, for fuzzers that have parts of the library only: errors are returned to them.
#define NO_HANDLER(name)                                                                                               \
    extern "C" __attribute__((weak)) void name() {}
NO_HANDLER(pixMPI_Errors_print)
NO_HANDLER(pixMPI_Errors_abort)
NO_HANDLER(pixMPI_Errors_return)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    fuzz::FUZZ_ENTRY({data, size});
    return 0;
}
