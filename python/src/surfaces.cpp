// Surfaces of host memory and regions.
#include "objects.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#ifdef WITH_CUDA
#include <cudampi.h>
#include <dlfcn.h>
#endif

namespace {

/// What a program's array is: of any library that speaks DLPack or the buffer protocol.
struct Array {
    nb::ndarray<nb::ro> pixels;
    bool writable = false;
};

/// `writable` is false where the owner allows no writing.
Array array_of(const nb::object &object) {
    nb::ndarray<> writable;
    if (nb::try_cast(object, writable))
        return {nb::ndarray<nb::ro>(writable), true};
    PyErr_Clear();
    nb::ndarray<nb::ro> readable;
    if (nb::try_cast(object, readable))
        return {readable, false};
    PyErr_Clear();
    throw nb::type_error("surface: not an array: expected an object with DLPack or the buffer protocol");
}

/// (what holds it, DLPack's type of the device, writable, address, shape, strides in items, kind and bits of an item).
/// `object` may be a capsule of DLPack, which this takes.
nb::tuple describe(const nb::object &object) {
    const Array array = array_of(object);
    nb::list shape, strides;
    for (std::size_t i = 0; i < array.pixels.ndim(); ++i) {
        shape.append(array.pixels.shape(i));
        strides.append(array.pixels.stride(i));
    }
    const nb::dlpack::dtype type = array.pixels.dtype();
    const char *kind = "?";
    switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Int:
        kind = "int";
        break;
    case nb::dlpack::dtype_code::UInt:
        kind = "uint";
        break;
    case nb::dlpack::dtype_code::Float:
        kind = "float";
        break;
    case nb::dlpack::dtype_code::Bfloat:
        kind = "bfloat";
        break;
    case nb::dlpack::dtype_code::Complex:
        kind = "complex";
        break;
    case nb::dlpack::dtype_code::Bool:
        kind = "bool";
        break;
    default:
        break;
    }
    return nb::make_tuple(array, array.pixels.device_type(), array.writable,
                          reinterpret_cast<std::uintptr_t>(array.pixels.data()), shape, strides, kind,
                          type.bits * type.lanes);
}

/// Pixels at an address: of the host, or, with a `stream` for their order, of a GPU. `owner` holds them.
Surface memory(nb::object owner, bool writable, std::uintptr_t address, int format, int width, int height,
               std::ptrdiff_t row_bytes) {
    Surface surface;
    surface.value = pixMPI_Memory(reinterpret_cast<void *>(address), static_cast<pixMPI_Format>(format), width, height);
    surface.value.row_bytes = row_bytes;
    surface.writable = writable;
    surface.owner = std::move(owner);
    return surface;
}

#ifdef WITH_CUDA
/// Whether the process has CUDA's driver, or may have it.
bool cuda_is_there() { return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr; }

Surface gpu_memory(nb::object owner, bool writable, std::uintptr_t address, int format, int width, int height,
                   std::ptrdiff_t row_bytes, std::uintptr_t stream) {
    Surface surface = memory(std::move(owner), writable, address, format, width, height, row_bytes);
    surface.value =
        cudaMPI_Memory(reinterpret_cast<void *>(address), static_cast<pixMPI_Format>(format), width, height);
    surface.value.row_bytes = row_bytes;
    surface.value = cudaMPI_On_stream(surface.value, reinterpret_cast<CUstream_st *>(stream));
    return surface;
}
#endif

Surface with_depth(const Surface &colors, const Surface &depths) {
    struct Both {
        Surface colors, depths;
    };
    auto both = std::make_shared<Both>(Both{colors, depths});
    Surface surface;
    surface.value = pixMPI_With_depth(&both->colors.value, &both->depths.value);
    surface.writable = colors.writable && depths.writable;
    surface.more = both;
    return surface;
}

using Four = std::tuple<int, int, int, int>;
pixMPI_Rect rect_of(const Four &r) { return {std::get<0>(r), std::get<1>(r), std::get<2>(r), std::get<3>(r)}; }

template <class Make> std::unique_ptr<Region> make_region(const Make &make) {
    auto region = std::make_unique<Region>();
    pixMPI_Region made = PIXMPI_REGION_NULL;
    check(make(&made));
    region->handle = made;
    return region;
}

std::unique_ptr<Region> nested(const std::vector<int> &dx, const std::vector<int> &dy,
                               const std::vector<Region *> &parts) {
    const std::vector<pixMPI_Region> handles = handles_of(parts);
    if (dx.size() != parts.size() || dy.size() != parts.size())
        throw nb::value_error("nested: expected an offset for each region");
    return make_region([&](pixMPI_Region *made) {
        return pixMPI_Region_nested(static_cast<int>(parts.size()), dx.data(), dy.data(), handles.data(), made);
    });
}

nb::list rects(const Region &region) {
    int count = 0;
    check(pixMPI_Region_rects(region.handle, 0, nullptr, &count));
    std::vector<pixMPI_Rect> found(static_cast<std::size_t>(count));
    check(pixMPI_Region_rects(region.handle, count, found.data(), &count));
    nb::list list;
    for (const pixMPI_Rect &r : found)
        list.append(nb::make_tuple(r.x, r.y, r.width, r.height));
    return list;
}

void bind_regions(nb::module_ &module) {
    nb::class_<Region>(module, "Region")
        .def_prop_ro("pixels",
                     [](const Region &region) {
                         std::int64_t pixels = 0;
                         check(pixMPI_Region_pixels(region.handle, &pixels));
                         return pixels;
                     })
        .def_prop_ro("bounds",
                     [](const Region &region) {
                         pixMPI_Rect r{};
                         check(pixMPI_Region_bounds(region.handle, &r));
                         return nb::make_tuple(r.x, r.y, r.width, r.height);
                     })
        .def_prop_ro("rects", rects);
    module.def("whole", [] { return std::make_unique<Region>(); });
    module.def("region_indexed", [](const std::vector<Four> &list) {
        std::vector<pixMPI_Rect> all;
        for (const Four &one : list)
            all.push_back(rect_of(one));
        return make_region(
            [&](pixMPI_Region *made) { return pixMPI_Region_indexed(static_cast<int>(all.size()), all.data(), made); });
    });
    module.def("region_strided", [](const Four &block, int columns, int rows, int stride_x, int stride_y) {
        return make_region([&](pixMPI_Region *made) {
            return pixMPI_Region_strided(rect_of(block), columns, rows, stride_x, stride_y, made);
        });
    });
    module.def("region_rows", [](int x, int width, int y, int count, int stride) {
        return make_region([&](pixMPI_Region *made) { return pixMPI_Region_rows(x, width, y, count, stride, made); });
    });
    module.def("region_columns", [](int y, int height, int x, int count, int stride) {
        return make_region(
            [&](pixMPI_Region *made) { return pixMPI_Region_columns(y, height, x, count, stride, made); });
    });
    module.def("region_triangle", [](bool upper, bool diagonal, int x, int y, int n) {
        return make_region([&](pixMPI_Region *made) {
            return pixMPI_Region_triangle(upper ? PIXMPI_UPPER : PIXMPI_LOWER, diagonal, x, y, n, made);
        });
    });
    module.def("region_nested", nested);
    module.def("region_clipped", [](const Region &whole, const Four &bounds) {
        return make_region(
            [&](pixMPI_Region *made) { return pixMPI_Region_clipped(whole.handle, rect_of(bounds), made); });
    });
}

} // namespace

Region::~Region() {
    if (handle != PIXMPI_WHOLE && handle)
        pixMPI_Region_free(&handle);
}

std::vector<pixMPI_Region> handles_of(const std::vector<Region *> &regions) {
    std::vector<pixMPI_Region> handles;
    for (const Region *region : regions)
        handles.push_back(region ? region->handle : PIXMPI_WHOLE);
    return handles;
}

void bind_surfaces(nb::module_ &module) {
    nb::class_<Surface>(module, "Surface")
        .def_ro("writable", &Surface::writable)
        .def_prop_ro("format",
                     [](const Surface &surface) {
                         pixMPI_Format format = PIXMPI_FORMAT_NONE;
                         check(pixMPI_Surface_get_format(surface.value, &format));
                         return static_cast<int>(format);
                     })
        .def_prop_ro("size",
                     [](const Surface &surface) {
                         int width = 0, height = 0;
                         check(pixMPI_Surface_get_size(surface.value, &width, &height));
                         return nb::make_tuple(width, height);
                     })
        .def_prop_ro("api", [](const Surface &surface) { return static_cast<int>(surface.value.api); })
        .def_prop_ro("owner", [](const Surface &surface) { return surface.owner; })
        .def("sub",
             [](const Surface &surface, int x, int y, int width, int height) {
                 Surface part = surface;
                 part.value = pixMPI_Sub(surface.value, x, y, width, height);
                 return part;
             })
        .def("coded", [](const Surface &surface, const std::string &text) {
            pixMPI_Codec codec{};
            check(pixMPI_Codec_named(text.c_str(), &codec));
            Surface coded = surface;
            coded.value = pixMPI_Coded(surface.value, codec);
            return coded;
        });
    nb::class_<Array>(module, "Array");
    module.def("describe", describe);
    module.def("memory", memory);
#ifdef WITH_CUDA
    module.def("gpu_memory", gpu_memory);
    module.def("cuda_is_there", cuda_is_there);
#endif
    module.def("with_depth", with_depth);
    module.def("in_place", [] {
        Surface surface;
        surface.value = pixMPI_In_place();
        return surface;
    });
    module.def("no_surface", [] {
        Surface surface;
        surface.value = pixMPI_No_surface();
        return surface;
    });
    bind_regions(module);
}
