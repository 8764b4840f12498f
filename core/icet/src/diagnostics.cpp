// Errors: printed as the program wants, the first kept for icetGetError.
#include "context.h"

#include <chrono>
#include <cstdio>
#include <utility>

namespace icet {
namespace {

IceTEnum first_error = ICET_NO_ERROR; // of all contexts, as in IceT

void report(IceTBitField level, const char *kind, const char *call, IceTEnum error, const char *text) {
    if (first_error == ICET_NO_ERROR)
        first_error = error;
    const Context *const context = icetInternalCurrent();
    const IceTBitField mask = context ? context->settings.diagnostics : IceTBitField{ICET_DIAG_FULL};
    const bool this_rank = !context || context->rank() == 0 || mask & ICET_DIAG_ALL_NODES;
    if ((mask & level) != level || !this_rank)
        return;
    if (context)
        std::fprintf(stderr, "icet_pixmpi: rank %d: %s: %s%s\n", context->rank(), call, kind, text);
    else
        std::fprintf(stderr, "icet_pixmpi: %s: %s%s\n", call, kind, text);
}

} // namespace

void icetInternalRaise(const char *call, IceTEnum error, const char *text) {
    report(ICET_DIAG_ERRORS, "", call, error, text);
}

void icetInternalWarn(const char *call, IceTEnum error, const char *text) {
    report(ICET_DIAG_WARNINGS, "warning: ", call, error, text);
}

} // namespace icet

using namespace icet;

void icetDiagnostics(IceTBitField mask) {
    in_context("icetDiagnostics", [&](Context &context) { context.settings.diagnostics = mask; });
}

IceTEnum icetGetError(void) { return std::exchange(first_error, IceTEnum{ICET_NO_ERROR}); }

IceTDouble icetWallTime(void) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
