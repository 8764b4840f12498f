#include "program/program_environment.h"
#include "program/program_file.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mpiglut::launcher {
namespace {

bool is_runtime(std::string_view library) {
    constexpr std::array<std::string_view, 6> names{"libasan.", "libtsan.",   "libubsan.",
                                                    "liblsan.", "libhwasan.", "libclang_rt."};
    return std::ranges::any_of(names, [library](std::string_view name) { return library.starts_with(name); });
}

} // namespace

Sanitizers sanitizers_of(const std::string &program, const std::string &directory) {
    const Dynamic dynamic(path_of(program, directory));
    Sanitizers found{.any = dynamic.names("__asan_init") || dynamic.names("__tsan_init"), .runtimes = {}};
    for (const std::string &library : dynamic.needed())
        if (is_runtime(library))
            found.runtimes += library + ":";
    return found;
}

} // namespace mpiglut::launcher
