#include "status.h"

#include <mpi.h>
#include <string>

namespace pixmpi {
namespace {

thread_local std::string last_text;
thread_local const char *current_call = nullptr;

} // namespace

int pixMPI_Internal_fail(int code, const char *text) {
    last_text = current_call ? std::string(current_call) + ": " + text : text;
    return code;
}

void pixMPI_Internal_call(const char *name) { current_call = name; }

} // namespace pixmpi
