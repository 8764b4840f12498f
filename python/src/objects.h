// What the parts of the extension module share: the objects that Python holds, and how calls of the library become
// Python's: codes are exceptions, and waiting lets other threads and signals in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <pixmpi_compositor.h>
#include <pixmpi_file.h>
#include <string>
#include <vector>

namespace nb = nanobind;

/// Raises pixmpi.Error with the text of the call that has just failed in this thread. Codes of success pass.
void check(int code);
/// The same with another text.
[[noreturn]] void raise_error(int code, const std::string &text);

/// MPI's own handle of a communicator, by the number that Fortran has for it: mpi4py's comm.py2f().
MPI_Comm comm_of(int fortran);

/// A surface, and what has to live as long as it does.
struct Surface {
    pixMPI_Surface value{};
    bool writable = true;
    std::shared_ptr<void> more; ///< what `value` points to
    nb::object owner;           ///< of the pixels
};

/// A region; null is PIXMPI_WHOLE.
struct Region {
    pixMPI_Region handle = PIXMPI_WHOLE;
    Region() = default;
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;
    ~Region();
};
std::vector<pixMPI_Region> handles_of(const std::vector<Region *> &regions);

struct Op {
    pixMPI_Op handle = PIXMPI_OP_NULL;
    bool ours = false;   ///< made, not predefined
    nb::object function; ///< of the program's
    Op() = default;
    Op(const Op &) = delete;
    Op &operator=(const Op &) = delete;
    ~Op();
};
/// Raises what a function of an operation has raised meanwhile, if any has.
void raise_from_operations();

/// A request, and what must live until it is complete. One that is dropped before goes on by itself.
struct Request {
    pixMPI_Request handle = PIXMPI_REQUEST_NULL;
    bool persistent = false;
    nb::object keep;
    Request() = default;
    Request(const Request &) = delete;
    Request &operator=(const Request &) = delete;
    ~Request();
};

/// Starts what `call` starts, with the interpreter's lock released.
template <class Call> std::unique_ptr<Request> make_request(bool persistent, nb::object keep, const Call &call) {
    auto request = std::make_unique<Request>();
    int code = PIXMPI_SUCCESS;
    {
        nb::gil_scoped_release released;
        code = call(&request->handle);
    }
    check(code);
    request->persistent = persistent;
    request->keep = std::move(keep);
    return request;
}

/// A call of the library that may take long, with the interpreter's lock released.
template <class Call> void call_released(const Call &call) {
    int code = PIXMPI_SUCCESS;
    {
        nb::gil_scoped_release released;
        code = call();
    }
    check(code);
}

bool mpi_is_running();

void bind_surfaces(nb::module_ &module);
void bind_opengl(nb::module_ &module);
void bind_vulkan(nb::module_ &module);
void bind_requests(nb::module_ &module);
void bind_verbs(nb::module_ &module);
void bind_compositor(nb::module_ &module);
void bind_files(nb::module_ &module);
void bind_operations(nb::module_ &module);
