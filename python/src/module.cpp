// The extension module pixmpi._pixmpi: the exported C functions, one by one. What Python programs see is made of them
// in the package's .py files.
#include "objects.h"

namespace {

nb::object error_type; ///< pixmpi.Error

void bind_communicators(nb::module_ &module) {
    module.def("attach", [](int comm, const std::string &route, std::size_t band, std::size_t stage, std::size_t peer,
                            std::size_t eager, bool thread) {
        pixMPI_Options options = PIXMPI_OPTIONS_INIT;
        options.route = route.empty() ? nullptr : route.c_str();
        options.band_bytes = band;
        options.stage_bytes = stage;
        options.peer_bytes = peer;
        options.eager_bytes = eager;
        options.progress = thread ? PIXMPI_PROGRESS_THREAD : PIXMPI_PROGRESS_CALLS;
        call_released([&] { return pixMPI_Comm_attach(comm_of(comm), &options); });
    });
    module.def("detach", [](int comm) { call_released([&] { return pixMPI_Comm_detach(comm_of(comm)); }); });
    module.def("route", [](int comm, int rank) {
        pixMPI_Route route = PIXMPI_ROUTE_NONE;
        check(pixMPI_Comm_route(comm_of(comm), rank, &route));
        return std::string(pixMPI_Route_name(route));
    });
    module.def("set_codec", [](int comm, const std::string &text) {
        pixMPI_Codec codec{};
        check(pixMPI_Codec_named(text.c_str(), &codec));
        check(pixMPI_Comm_set_codec(comm_of(comm), codec));
    });
}

nb::dict stats() {
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    check(pixMPI_Get_stats(&stats));
    nb::dict result, routes, ways;
    const auto put = [&](const char *name, std::uint64_t value) { result[name] = value; };
    put("messages_sent", stats.messages_sent);
    put("messages_received", stats.messages_received);
    put("bytes_sent", stats.bytes_sent);
    put("bytes_received", stats.bytes_received);
    put("bytes_copied", stats.bytes_copied);
    put("stage_bytes", stats.stage_bytes);
    put("stage_bytes_max", stats.stage_bytes_max);
    put("bytes_encoded", stats.bytes_encoded);
    put("bytes_of_streams", stats.bytes_of_streams);
    put("copies", stats.copies);
    for (int route = PIXMPI_ROUTE_SELF; route <= PIXMPI_ROUTE_MPI; ++route)
        routes[pixMPI_Route_name(static_cast<pixMPI_Route>(route))] = stats.bytes_by_route[route];
    for (int way = 0; way < PIXMPI_WAY_END; ++way)
        ways[pixMPI_Way_name(static_cast<pixMPI_Way>(way))] = stats.bytes_by_way[way];
    result["bytes_by_route"] = routes;
    result["bytes_by_way"] = ways;
    return result;
}

} // namespace

void raise_error(int code, const std::string &text) {
    const nb::object error = error_type(text, code);
    PyErr_SetObject(error_type.ptr(), error.ptr());
    throw nb::python_error();
}

void check(int code) {
    if (code == PIXMPI_SUCCESS)
        return;
    const std::string text = pixMPI_Error_text();
    raise_from_operations();
    raise_error(code, text.empty() ? pixMPI_Error_string(code) : text);
}

MPI_Comm comm_of(int fortran) { return MPI_Comm_f2c(static_cast<MPI_Fint>(fortran)); }

bool mpi_is_running() {
    int begun = 0, over = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&over);
    return begun && !over;
}

NB_MODULE(_pixmpi, module) {
    module.doc() = "The C functions of pixmpi. Programs import pixmpi.";
    nb::set_leak_warnings(false); // requests that are dropped live on until they are complete
    module.def("set_error_type", [](nb::object type) { error_type = std::move(type); });
    module.def(
        "errors_return", [] { pixMPI_Set_errhandler(pixMPI_Errors_return, nullptr); },
        "Calls that fail print nothing: they raise.");
    module.def("error_string", [](int code) { return std::string(pixMPI_Error_string(code)); });
    module.def("version", [] {
        int major = 0, minor = 0, patch = 0;
        pixMPI_Get_version(&major, &minor, &patch);
        return nb::make_tuple(major, minor, patch);
    });
    module.def("mpi_library_version", [] {
        char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
        int length = 0;
        MPI_Get_library_version(text, &length);
        return std::string(text, static_cast<std::size_t>(length));
    });
    module.def("mpi_is_running", mpi_is_running);
    module.def(
        "formats",
        [] {
            nb::list all;
            for (int i = 0; i < PIXMPI_FORMAT_END; ++i) {
                const auto format = static_cast<pixMPI_Format>(i);
                all.append(nb::make_tuple(std::string(pixMPI_Format_name(format)), pixMPI_Format_bytes(format)));
            }
            return all;
        },
        "Name and bytes a pixel, by number.");
    module.def("stats", stats);
    module.def("progress", [] { call_released([] { return pixMPI_Progress(); }); });
    module.attr("ANY_SOURCE") = MPI_ANY_SOURCE;
    module.attr("ANY_TAG") = MPI_ANY_TAG;
    module.attr("PROC_NULL") = MPI_PROC_NULL;
    bind_communicators(module);
    bind_surfaces(module);
    bind_operations(module);
    bind_requests(module);
    bind_verbs(module);
    bind_compositor(module);
    bind_files(module);
#ifdef WITH_OPENGL
    bind_opengl(module);
#endif
#ifdef WITH_VULKAN
    bind_vulkan(module);
#endif
}
