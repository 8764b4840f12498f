// Operations, compositors and files.
#include "objects.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>

namespace {

// ---- operations ----------------------------------------------------------------------------------------------------

nb::object raised; ///< by a function of an operation; the interpreter's lock guards it

/// The library calls this in any thread, and never while that thread has the interpreter's lock.
void combine(const void *first, const void *second, void *result, std::size_t pixels, pixMPI_Format format,
             void *data) {
    if (!Py_IsInitialized())
        return;
    nb::gil_scoped_acquire held;
    const auto &op = *static_cast<Op *>(data);
    const auto bytes = static_cast<Py_ssize_t>(pixels * static_cast<std::size_t>(pixMPI_Format_bytes(format)));
    const auto view = [&](const void *memory, int flags) {
        return nb::steal(PyMemoryView_FromMemory(const_cast<char *>(static_cast<const char *>(memory)), bytes, flags));
    };
    try {
        op.function(view(first, PyBUF_READ), view(second, PyBUF_READ), view(result, PyBUF_WRITE),
                    static_cast<int>(format));
    } catch (nb::python_error &error) {
        if (!raised.is_valid())
            raised = nb::borrow(error.value());
    }
}

std::unique_ptr<Op> predefined(std::uintptr_t number) {
    auto op = std::make_unique<Op>();
    op->handle = reinterpret_cast<pixMPI_Op>(number);
    return op;
}

std::unique_ptr<Op> make_op(nb::object function, const std::string &glsl) {
    auto op = std::make_unique<Op>();
    op->function = std::move(function);
    op->ours = true;
    check(pixMPI_Op_create(combine, glsl.empty() ? nullptr : glsl.c_str(), op.get(), &op->handle));
    return op;
}

std::unique_ptr<Op> ordered(const Op &of, const std::vector<int> &order) {
    auto op = std::make_unique<Op>();
    op->ours = true;
    check(pixMPI_Op_ordered(of.handle, static_cast<int>(order.size()), order.data(), &op->handle));
    return op;
}

// ---- compositors ---------------------------------------------------------------------------------------------------

struct Compositor {
    pixMPI_Compositor handle = PIXMPI_COMPOSITOR_NULL;
    int size = 0;
    nb::object keep;
    Compositor() = default;
    Compositor(const Compositor &) = delete;
    Compositor &operator=(const Compositor &) = delete;
    ~Compositor() { free(); }
    void free() {
        if (handle && mpi_is_running())
            pixMPI_Compositor_free(&handle);
        handle = PIXMPI_COMPOSITOR_NULL;
    }
};

std::unique_ptr<Compositor> make_compositor(const Op &op, int result, int comm, nb::object keep) {
    auto compositor = std::make_unique<Compositor>();
    check(pixMPI_Compositor_create(op.handle, result, comm_of(comm), &compositor->handle));
    MPI_Comm_size(comm_of(comm), &compositor->size);
    compositor->keep = std::move(keep);
    return compositor;
}

std::unique_ptr<Request> icomposite(Compositor &compositor, const std::vector<Surface *> &drawn, Region &active,
                                    const std::vector<Surface *> &pictures, nb::object keep) {
    std::vector<pixMPI_Surface> from, to;
    for (const Surface *surface : drawn)
        from.push_back(surface->value);
    for (const Surface *surface : pictures)
        to.push_back(surface->value);
    if (from.empty())
        throw nb::value_error("drawn: no surface, expected one at least");
    return make_request(false, std::move(keep), [&](pixMPI_Request *request) {
        if (from.size() == 1 && to.size() == 1)
            return pixMPI_Icomposite(from[0], active.handle, to[0], compositor.handle, request);
        return pixMPI_Icompositev(static_cast<int>(from.size()), from.data(), active.handle, to.data(),
                                  compositor.handle, request);
    });
}

nb::dict frame_stats(const Compositor &compositor) {
    pixMPI_Frame_stats stats = PIXMPI_FRAME_STATS_INIT;
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(compositor.size)), received(sent.size());
    check(pixMPI_Compositor_get_stats(compositor.handle, &stats, compositor.size, sent.data(), received.data()));
    nb::dict result;
    result["frame"] = stats.frame;
    result["draw"] = stats.draw;
    result["search"] = stats.search;
    result["wait"] = stats.wait;
    result["blend"] = stats.blend;
    result["collect"] = stats.collect;
    result["compress"] = stats.compress;
    result["total"] = stats.total;
    result["active_pixels"] = stats.active_pixels;
    result["bytes_sent"] = stats.bytes_sent;
    result["bytes_received"] = stats.bytes_received;
    result["sent"] = sent;
    result["received"] = received;
    return result;
}

void set_tiles(Compositor &compositor, const std::vector<std::tuple<int, int, int, int, int>> &list) {
    std::vector<pixMPI_Tile> tiles;
    for (const auto &[rank, x, y, width, height] : list)
        tiles.push_back({rank, {x, y, width, height}});
    check(pixMPI_Compositor_set_tiles(compositor.handle, static_cast<int>(tiles.size()), tiles.data()));
}

// ---- files ---------------------------------------------------------------------------------------------------------

struct File {
    pixMPI_File handle = PIXMPI_FILE_NULL;
    nb::object keep;
    File() = default;
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    ~File() {
        if (handle && mpi_is_running())
            pixMPI_File_close(&handle);
    }
};

struct Picture {
    pixMPI_Picture value{};
};

std::unique_ptr<File> open(std::optional<int> comm, const std::string &path, int mode, nb::object keep) {
    auto file = std::make_unique<File>();
    file->keep = std::move(keep);
    call_released(
        [&] { return pixMPI_File_open(comm ? comm_of(*comm) : MPI_COMM_NULL, path.c_str(), mode, &file->handle); });
    return file;
}

using Transfer = int (*)(pixMPI_File, pixMPI_Picture, pixMPI_Region, pixMPI_Surface, pixMPI_Region, pixMPI_Request *);
void bind(nb::module_ &module, const char *name, Transfer verb) {
    const bool persistent = std::string_view(name).ends_with("_init");
    const bool reads = std::string_view(name).find("read") != std::string_view::npos;
    module.def(name, [=](File &file, const Picture &picture, Region &file_region, Surface &surface, Region &region,
                         nb::object keep) {
        if (reads && !surface.writable)
            throw nb::type_error("surface: its memory is read-only, expected one that can be read into");
        return make_request(persistent, std::move(keep), [&](pixMPI_Request *request) {
            return verb(file.handle, picture.value, file_region.handle, surface.value, region.handle, request);
        });
    });
}

} // namespace

Op::~Op() {
    if (ours)
        pixMPI_Op_free(&handle);
}

void raise_from_operations() {
    if (!raised.is_valid())
        return;
    const nb::object error = std::move(raised);
    raised.reset();
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
    throw nb::python_error();
}

void bind_operations(nb::module_ &module) {
    nb::class_<Op>(module, "Op");
    module.def("op_predefined", predefined);
    module.def("op_create", make_op);
    module.def("op_ordered", ordered);
}

void bind_compositor(nb::module_ &module) {
    nb::class_<Compositor>(module, "Compositor")
        .def("set_strategy",
             [](Compositor &c, int strategy, int radix) {
                 check(pixMPI_Compositor_set_strategy(c.handle, static_cast<pixMPI_Strategy>(strategy), radix));
             })
        .def("set_order",
             [](Compositor &c, const std::vector<int> &order) {
                 check(pixMPI_Compositor_set_order(c.handle, static_cast<int>(order.size()), order.data()));
             })
        .def("set_search",
             [](Compositor &c, int search) {
                 check(pixMPI_Compositor_set_search(c.handle, static_cast<pixMPI_Search>(search)));
             })
        .def("set_onto", [](Compositor &c, bool onto) { check(pixMPI_Compositor_set_onto(c.handle, onto)); })
        .def("set_snapshot", [](Compositor &c, bool copy) { check(pixMPI_Compositor_set_snapshot(c.handle, copy)); })
        .def("set_tiles", set_tiles)
        .def("set_codec",
             [](Compositor &c, const std::string &text) {
                 pixMPI_Codec codec{};
                 check(pixMPI_Codec_named(text.c_str(), &codec));
                 check(pixMPI_Compositor_set_codec(c.handle, codec));
             })
        .def(
            "set_trace",
            [](Compositor &c, std::optional<std::string> path) {
                check(pixMPI_Compositor_set_trace(c.handle, path ? path->c_str() : nullptr));
            },
            nb::arg("path").none())
        .def("rows",
             [](Compositor &c, int height, int rank) {
                 int first = 0, count = 0;
                 check(pixMPI_Compositor_rows(c.handle, height, rank, &first, &count));
                 return nb::make_tuple(first, count);
             })
        .def("stats", frame_stats)
        .def("free", &Compositor::free);
    module.def("compositor", make_compositor);
    module.def("icomposite", icomposite);
    module.def("balance", [](const std::vector<double> &seconds, int extent, std::vector<int> lines) {
        if (lines.size() != seconds.size() + 1)
            throw nb::value_error("lines: expected one more than there are times");
        check(pixMPI_Balance(static_cast<int>(seconds.size()), seconds.data(), extent, lines.data()));
        return lines;
    });
}

void bind_files(nb::module_ &module) {
    nb::class_<Picture>(module, "Picture")
        .def_prop_ro("width", [](const Picture &p) { return p.value.width; })
        .def_prop_ro("height", [](const Picture &p) { return p.value.height; })
        .def_prop_ro("format", [](const Picture &p) { return static_cast<int>(p.value.format); })
        .def_prop_ro("container", [](const Picture &p) { return p.value.container; })
        .def_prop_rw(
            "upside_down", [](const Picture &p) { return p.value.upside_down != 0; },
            [](Picture &p, bool yes) { p.value.upside_down = yes; })
        .def_prop_rw(
            "offset", [](const Picture &p) { return p.value.offset; },
            [](Picture &p, std::int64_t bytes) { p.value.offset = bytes; })
        .def_prop_rw(
            "row_bytes", [](const Picture &p) { return p.value.row_bytes; },
            [](Picture &p, std::int64_t bytes) { p.value.row_bytes = bytes; });
    module.def("raw_picture", [](int format, int width, int height) {
        return Picture{pixMPI_Raw_picture(static_cast<pixMPI_Format>(format), width, height)};
    });
    module.def("tiff_picture", [](int format, int width, int height, int tile_width, int tile_height) {
        return Picture{pixMPI_Tiff_picture(static_cast<pixMPI_Format>(format), width, height, tile_width, tile_height)};
    });
    nb::class_<File>(module, "File")
        .def("picture",
             [](File &file) {
                 Picture picture;
                 check(pixMPI_File_picture(file.handle, &picture.value));
                 return picture;
             })
        .def("close", [](File &file) { call_released([&] { return pixMPI_File_close(&file.handle); }); });
    module.def("file_open", open, nb::arg("comm").none(), nb::arg("path"), nb::arg("mode"), nb::arg("keep"));
    bind(module, "iread_at", pixMPI_File_iread_at);
    bind(module, "iwrite_at", pixMPI_File_iwrite_at);
    bind(module, "iread_at_all", pixMPI_File_iread_at_all);
    bind(module, "iwrite_at_all", pixMPI_File_iwrite_at_all);
    bind(module, "read_at_init", pixMPI_File_read_at_init);
    bind(module, "write_at_init", pixMPI_File_write_at_init);
    bind(module, "read_at_all_init", pixMPI_File_read_at_all_init);
    bind(module, "write_at_all_init", pixMPI_File_write_at_all_init);
}
