// Surfaces and contexts of OpenGL and Vulkan, by the numbers that Python's packages have for their objects.
#include "objects.h"

#include <nanobind/stl/optional.h>

#include <optional>

#ifdef WITH_OPENGL
#include <glmpi_context.h>

namespace {

struct GlContext {
    glMPI_Context handle = GLMPI_CONTEXT_NULL;
    nb::object share;
    GlContext() = default;
    GlContext(const GlContext &) = delete;
    GlContext &operator=(const GlContext &) = delete;
    ~GlContext() {
        if (handle)
            glMPI_Context_free(&handle);
    }
};

std::unique_ptr<GlContext> make_gl(std::optional<std::string> device, int major, int minor, bool compatibility,
                                   int width, int height, bool debug, nb::object share) {
    glMPI_Context_info info = GLMPI_CONTEXT_INFO_INIT;
    info.device = device ? device->c_str() : nullptr;
    info.major = major;
    info.minor = minor;
    info.compatibility = compatibility;
    info.width = width;
    info.height = height;
    info.debug = debug;
    auto context = std::make_unique<GlContext>();
    if (!share.is_none())
        info.share = nb::cast<GlContext &>(share).handle;
    context->share = std::move(share);
    check(glMPI_Context_create(&info, &context->handle));
    return context;
}

Surface surface_of(pixMPI_Surface value) {
    Surface surface;
    surface.value = value;
    return surface;
}

} // namespace

void bind_opengl(nb::module_ &module) {
    module.def("gl_texture", [](unsigned target, unsigned name, int level, int layer) {
        return surface_of(glMPI_Texture(target, name, level, layer));
    });
    module.def("gl_renderbuffer", [](unsigned name) { return surface_of(glMPI_Renderbuffer(name)); });
    module.def("gl_framebuffer",
               [](unsigned name, unsigned attachment) { return surface_of(glMPI_Framebuffer(name, attachment)); });
    module.def(
        "gl_buffer",
        [](unsigned name, int format, int width, int height, std::int64_t offset,
           std::optional<std::int64_t> row_bytes) {
            Surface surface = surface_of(glMPI_Buffer(name, static_cast<pixMPI_Format>(format), width, height));
            surface.value.offset = offset;
            if (row_bytes)
                surface.value.row_bytes = *row_bytes;
            return surface;
        },
        nb::arg("name"), nb::arg("format"), nb::arg("width"), nb::arg("height"), nb::arg("offset"),
        nb::arg("row_bytes").none());
    module.def("gl_as", [](const Surface &surface, int format) {
        Surface converted = surface;
        converted.value = glMPI_As(surface.value, static_cast<pixMPI_Format>(format));
        return converted;
    });
    module.def("gl_with_context", [](const Surface &surface) {
        Surface result = surface;
        check(glMPI_With_context(surface.value, &result.value));
        return result;
    });
    module.def("gl_context_name", [] {
        const char *name = nullptr;
        check(glMPI_Context_name(&name));
        return std::string(name);
    });
    module.def("gl_release", [] { check(glMPI_Context_release()); });
    nb::class_<GlContext>(module, "GlContext")
        .def("bind", [](GlContext &context) { check(glMPI_Context_bind(context.handle)); })
        .def("text",
             [](GlContext &context) {
                 const char *text = nullptr;
                 check(glMPI_Context_text(context.handle, &text));
                 return std::string(text);
             })
        .def("free", [](GlContext &context) { check(glMPI_Context_free(&context.handle)); });
    module.def("gl_context", make_gl, nb::arg("device").none(), nb::arg("major"), nb::arg("minor"),
               nb::arg("compatibility"), nb::arg("width"), nb::arg("height"), nb::arg("debug"),
               nb::arg("share").none());
    module.def("gl_function", [](const std::string &name) {
        return reinterpret_cast<std::uintptr_t>(glMPI_Context_function(name.c_str()));
    });
}
#endif

#ifdef WITH_VULKAN
#include <vkmpi.h>

namespace {

struct VkContext {
    vkMPI_Context handle = VKMPI_CONTEXT_NULL;
    std::vector<std::string> extensions;
    std::vector<const char *> names;
    nb::object keep;
    VkContext() = default;
    VkContext(const VkContext &) = delete;
    VkContext &operator=(const VkContext &) = delete;
    ~VkContext() {
        if (handle)
            vkMPI_Context_free(&handle);
    }
};

template <class Handle> Handle handle_of(std::uint64_t number) { return reinterpret_cast<Handle>(number); }
template <class Handle> std::uint64_t number_of(Handle handle) { return reinterpret_cast<std::uint64_t>(handle); }

std::unique_ptr<VkContext> make_vk() {
    auto context = std::make_unique<VkContext>();
    check(vkMPI_Context_create(nullptr, &context->handle));
    return context;
}

std::unique_ptr<VkContext> make_vk_of(std::uint64_t instance, std::uint64_t physical_device, std::uint64_t device,
                                      std::uint64_t queue, unsigned family, std::vector<std::string> extensions) {
    auto context = std::make_unique<VkContext>();
    context->extensions = std::move(extensions);
    for (const std::string &name : context->extensions)
        context->names.push_back(name.c_str());
    vkMPI_Context_info info = VKMPI_CONTEXT_INFO_INIT;
    info.instance = handle_of<VkInstance>(instance);
    info.physical_device = handle_of<VkPhysicalDevice>(physical_device);
    info.device = handle_of<VkDevice>(device);
    info.queue = handle_of<VkQueue>(queue);
    info.queue_family = family;
    info.extension_count = static_cast<std::uint32_t>(context->names.size());
    info.extensions = context->names.data();
    check(vkMPI_Context_create(&info, &context->handle));
    return context;
}

nb::dict vk_handles(const VkContext &context) {
    vkMPI_Context_info info = VKMPI_CONTEXT_INFO_INIT;
    check(vkMPI_Context_get_info(context.handle, &info));
    nb::dict result;
    result["instance"] = number_of(info.instance);
    result["physical_device"] = number_of(info.physical_device);
    result["device"] = number_of(info.device);
    result["queue"] = number_of(info.queue);
    result["queue_family"] = info.queue_family;
    return result;
}

/// `fill` sets what the surface is; the copy of it lives as long as the surface.
Surface vk_surface(const vkMPI_Surface &value, nb::object keep) {
    auto kept = std::make_shared<vkMPI_Surface>(value);
    Surface surface;
    surface.value = vkMPI_Any(kept.get(), nullptr);
    surface.more = kept;
    surface.owner = std::move(keep);
    return surface;
}

Surface vk_image(VkContext &context, std::uint64_t image, int format, int width, int height, unsigned usage, int layout,
                 int levels, int layers, int level, int layer, unsigned tiling, nb::object keep) {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = static_cast<VkFormat>(format);
    info.extent = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), 1};
    info.mipLevels = static_cast<std::uint32_t>(levels);
    info.arrayLayers = static_cast<std::uint32_t>(layers);
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = static_cast<VkImageTiling>(tiling);
    info.usage = usage;
    vkMPI_Surface surface =
        vkMPI_Image(context.handle, handle_of<VkImage>(image), &info, static_cast<VkImageLayout>(layout));
    surface.level = static_cast<std::uint32_t>(level);
    surface.layer = static_cast<std::uint32_t>(layer);
    return vk_surface(surface, std::move(keep));
}

} // namespace

void bind_vulkan(nb::module_ &module) {
    nb::class_<VkContext>(module, "VkContext")
        .def("bind", [](VkContext &context) { check(vkMPI_Context_bind(context.handle)); })
        .def("name",
             [](VkContext &context) {
                 const char *name = nullptr;
                 check(vkMPI_Context_name(context.handle, &name));
                 return std::string(name);
             })
        .def("handles", vk_handles)
        .def("free", [](VkContext &context) { check(vkMPI_Context_free(&context.handle)); });
    module.def("vk_context", make_vk);
    module.def("vk_context_of", make_vk_of);
    module.def("vk_image", vk_image);
    module.def(
        "vk_buffer",
        [](VkContext &context, std::uint64_t buffer, int format, int width, int height, std::uint64_t offset,
           std::optional<std::int64_t> row_bytes, unsigned usage, nb::object keep) {
            vkMPI_Surface surface = vkMPI_Buffer(context.handle, handle_of<VkBuffer>(buffer),
                                                 static_cast<pixMPI_Format>(format), width, height);
            surface.offset = offset;
            surface.buffer_usage = usage;
            if (row_bytes)
                surface.row_bytes = *row_bytes;
            return vk_surface(surface, std::move(keep));
        },
        nb::arg("context"), nb::arg("buffer"), nb::arg("format"), nb::arg("width"), nb::arg("height"),
        nb::arg("offset"), nb::arg("row_bytes").none(), nb::arg("usage"), nb::arg("keep"));
    module.def("vk_format",
               [](int format) { return static_cast<int>(vkMPI_Format_to_vulkan(static_cast<pixMPI_Format>(format))); });
}
#endif
