// Requests: waiting that lets Python's other threads run, and signals in; and what becomes of requests that a program
// drops.
#include "objects.h"

#include <nanobind/stl/optional.h>

#include <chrono>
#include <optional>
#include <pixmpi_messages.h>
#include <pixmpi_partitioned.h>
#include <thread>

namespace {

struct Status {
    int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
    std::int64_t bytes = 0;
    bool cancelled = false;
};

Status status_of(const MPI_Status &status) {
    Status result{status.MPI_SOURCE, status.MPI_TAG, 0, false};
    pixMPI_Get_count(&status, PIXMPI_R8, &result.bytes);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    result.cancelled = cancelled != 0;
    return result;
}

/// Requests that a program dropped before they were complete, with what they need.
struct Dropped {
    pixMPI_Request handle;
    nb::object keep;
};
std::vector<Dropped> dropped; // the interpreter's lock guards it

/// Frees those that are complete.
void sweep() {
    std::erase_if(dropped, [](Dropped &one) {
        int over = 0;
        const int code = pixMPI_Test(&one.handle, &over, MPI_STATUS_IGNORE);
        return over || code != PIXMPI_SUCCESS;
    });
}

/// Asks again and again, first without a pause; every 20 ms whether a signal has come. False: it has not come to pass
/// by `deadline`.
template <class Ask> bool poll(const Ask &ask, std::optional<double> seconds) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    auto looked = begin;
    for (int turn = 0;; ++turn) {
        if (ask())
            return true;
        const auto now = Clock::now();
        if (seconds && std::chrono::duration<double>(now - begin).count() >= *seconds)
            return false;
        if (now - looked > std::chrono::milliseconds(20)) {
            looked = now;
            nb::gil_scoped_acquire held;
            if (PyErr_CheckSignals())
                throw nb::python_error();
        }
        if (turn < 200)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(turn < 2000 ? 20 : 200));
    }
}

void let_go(Request &request) {
    if (!request.persistent || request.handle == PIXMPI_REQUEST_NULL)
        request.keep = nb::none();
}

std::optional<Status> wait(Request &request, std::optional<double> seconds) {
    if (!dropped.empty())
        sweep();
    MPI_Status status{};
    int code = PIXMPI_SUCCESS;
    bool over = false;
    {
        nb::gil_scoped_release released;
        over = poll(
            [&] {
                int flag = 0;
                code = pixMPI_Test(&request.handle, &flag, &status);
                return flag != 0 || code != PIXMPI_SUCCESS;
            },
            seconds);
    }
    if (!over)
        return std::nullopt;
    let_go(request);
    check(code);
    raise_from_operations();
    return status_of(status);
}

nb::object message_object(pixMPI_Message message) { return nb::cast(reinterpret_cast<std::uintptr_t>(message)); }
pixMPI_Message message_of(std::uintptr_t number) { return reinterpret_cast<pixMPI_Message>(number); }

void bind_probes(nb::module_ &module) {
    module.def("probe", [](int source, int tag, int comm, bool blocks) -> std::optional<Status> {
        MPI_Status status{};
        int flag = 0, code = PIXMPI_SUCCESS;
        nb::gil_scoped_release released;
        poll(
            [&] {
                code = pixMPI_Iprobe(source, tag, comm_of(comm), &flag, &status);
                return flag || code != PIXMPI_SUCCESS || !blocks;
            },
            std::nullopt);
        nb::gil_scoped_acquire held;
        check(code);
        return flag ? std::optional(status_of(status)) : std::nullopt;
    });
    module.def("mprobe", [](int source, int tag, int comm, bool blocks) -> nb::object {
        MPI_Status status{};
        pixMPI_Message message = PIXMPI_MESSAGE_NULL;
        int flag = 0, code = PIXMPI_SUCCESS;
        {
            nb::gil_scoped_release released;
            poll(
                [&] {
                    code = pixMPI_Improbe(source, tag, comm_of(comm), &flag, &message, &status);
                    return flag || code != PIXMPI_SUCCESS || !blocks;
                },
                std::nullopt);
        }
        check(code);
        if (!flag)
            return nb::none();
        return nb::make_tuple(message_object(message), nb::cast(status_of(status)));
    });
    module.def("imrecv", [](Surface &surface, Region &region, std::uintptr_t number, nb::object keep) {
        pixMPI_Message message = message_of(number);
        return make_request(false, std::move(keep), [&](pixMPI_Request *request) {
            return pixMPI_Imrecv(surface.value, region.handle, &message, request);
        });
    });
}

void bind_partitions(nb::class_<Request> &type) {
    type.def("ready", [](Request &request, const std::vector<int> &partitions) {
        call_released(
            [&] { return pixMPI_Pready_list(static_cast<int>(partitions.size()), partitions.data(), request.handle); });
    });
    type.def("arrived", [](Request &request, int partition) {
        int flag = 0;
        call_released([&] { return pixMPI_Parrived(request.handle, partition, &flag); });
        return flag != 0;
    });
}

} // namespace

Request::~Request() {
    if (handle == PIXMPI_REQUEST_NULL || !mpi_is_running())
        return;
    int over = 1;
    if (pixMPI_Request_get_status(handle, &over, MPI_STATUS_IGNORE) != PIXMPI_SUCCESS || over) {
        pixMPI_Request_free(&handle);
        return;
    }
    dropped.push_back({handle, std::move(keep)});
}

void bind_requests(nb::module_ &module) {
    nb::class_<Status>(module, "Status")
        .def_ro("source", &Status::source)
        .def_ro("tag", &Status::tag)
        .def_ro("bytes", &Status::bytes)
        .def_ro("cancelled", &Status::cancelled)
        .def("__repr__", [](const Status &status) {
            return "Status(source=" + std::to_string(status.source) + ", tag=" + std::to_string(status.tag) +
                   ", bytes=" + std::to_string(status.bytes) + (status.cancelled ? ", cancelled)" : ")");
        });
    nb::class_<Request> type(module, "Request");
    type.def("wait", wait, nb::arg("seconds") = nb::none())
        .def("test", [](Request &request) { return wait(request, 0.0); })
        .def("start", [](Request &request) { call_released([&] { return pixMPI_Start(&request.handle); }); })
        .def("cancel", [](Request &request) { call_released([&] { return pixMPI_Cancel(&request.handle); }); })
        .def("free",
             [](Request &request) {
                 call_released([&] { return pixMPI_Request_free(&request.handle); });
                 request.keep = nb::none();
             })
        .def("set_codec",
             [](Request &request, const std::string &text) {
                 pixMPI_Codec codec{};
                 check(pixMPI_Codec_named(text.c_str(), &codec));
                 check(pixMPI_Request_set_codec(request.handle, codec));
             })
        .def_prop_ro("is_null", [](const Request &request) { return request.handle == PIXMPI_REQUEST_NULL; })
        .def_ro("persistent", &Request::persistent);
    bind_partitions(type);
    module.def(
        "dropped_requests",
        [] {
            sweep();
            return dropped.size();
        },
        "How many requests go on that the program has dropped.");
    bind_probes(module);
}
