// Where a context without a window may come from: GPUs, drivers that draw with the CPU, EGL's other platforms.
#include "context/egl_context.h"

#include "base/environment.h"

#include <algorithm>
#include <cctype>
#include <dlfcn.h>

namespace glmpi {

using pixmpi::fail;
using pixmpi::Status;

namespace {

bool has_word(const char *list, std::string_view word) {
    for (std::string_view rest = list ? list : ""; !rest.empty();) {
        const auto end = rest.find(' ');
        if (rest.substr(0, end) == word)
            return true;
        rest = end == rest.npos ? "" : rest.substr(end + 1);
    }
    return false;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

template <class Function> void find(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
}

/// Null, and nothing of the library is used, where a function is missing.
const HeadlessEgl *load() {
    void *const library = dlopen("libEGL.so.1", RTLD_LAZY);
    if (!library)
        return nullptr;
    auto egl = std::make_unique<HeadlessEgl>();
    find(library, "eglGetProcAddress", egl->lookup);
    find(library, "eglGetError", egl->error);
    find(library, "eglQueryString", egl->query_string);
    find(library, "eglGetDisplay", egl->get_display);
    find(library, "eglInitialize", egl->initialize);
    find(library, "eglBindAPI", egl->bind_api);
    find(library, "eglChooseConfig", egl->choose_config);
    find(library, "eglCreatePbufferSurface", egl->create_pbuffer);
    find(library, "eglDestroySurface", egl->destroy_surface);
    find(library, "eglCreateContext", egl->create_context);
    find(library, "eglDestroyContext", egl->destroy_context);
    find(library, "eglMakeCurrent", egl->make_current);
    find(library, "eglGetCurrentContext", egl->current_context);
    find(library, "eglGetCurrentDisplay", egl->current_display);
    find(library, "eglGetCurrentSurface", egl->current_surface);
    const bool all = egl->lookup && egl->error && egl->query_string && egl->get_display && egl->initialize &&
                     egl->bind_api && egl->choose_config && egl->create_pbuffer && egl->destroy_surface &&
                     egl->create_context && egl->destroy_context && egl->make_current && egl->current_context &&
                     egl->current_display && egl->current_surface;
    return all ? egl.release() : nullptr;
}

/// EGL's devices in its order, with what can be said of each.
std::vector<HeadlessPlace> list_devices(const HeadlessEgl &egl) {
    std::vector<HeadlessPlace> all;
    const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(egl.lookup("eglQueryDevicesEXT"));
    const auto string = reinterpret_cast<PFNEGLQUERYDEVICESTRINGEXTPROC>(egl.lookup("eglQueryDeviceStringEXT"));
    EGLDeviceEXT devices[64];
    EGLint count = 0;
    if (!has_word(egl.query_string(EGL_NO_DISPLAY, EGL_EXTENSIONS), "EGL_EXT_platform_device") || !query || !string ||
        !query(64, devices, &count))
        return all;
    for (int i = 0; i < count; ++i) {
        const char *const extensions = string(devices[i], EGL_EXTENSIONS);
        HeadlessPlace place{"EGL device " + std::to_string(i), EGL_PLATFORM_DEVICE_EXT, devices[i],
                            has_word(extensions, "EGL_MESA_device_software")};
        for (const auto &[extension, name] : {std::pair{"EGL_EXT_device_query_name", EGL_RENDERER_EXT},
                                              std::pair{"EGL_EXT_device_drm", EGL_DRM_DEVICE_FILE_EXT}})
            if (const char *const text = has_word(extensions, extension) ? string(devices[i], name) : nullptr)
                place.name += std::string(" (") + text + ")";
        all.push_back(std::move(place));
    }
    return all;
}

std::string list(const std::vector<HeadlessPlace> &places) {
    std::string text;
    for (const HeadlessPlace &place : places)
        text += (text.empty() ? "" : ", ") + place.name;
    return text.empty() ? "none" : text;
}

} // namespace

Status open_egl(const HeadlessEgl *&egl) {
    static const HeadlessEgl *const one = load();
    egl = one;
    return egl ? PIXMPI_SUCCESS : fail(PIXMPI_ERR_DEVICE, "EGL: libEGL.so.1 is not installed, or is older than 1.4");
}

Status headless_places(const HeadlessEgl &egl, const std::string &wish, std::vector<HeadlessPlace> &places) {
    std::vector<HeadlessPlace> gpus, software;
    for (HeadlessPlace &device : list_devices(egl))
        (device.software ? software : gpus).push_back(std::move(device));
    places.clear();
    if (wish.empty()) {
        for (std::size_t i = 0; i < gpus.size(); ++i)
            places.push_back(gpus[(i + static_cast<std::size_t>(pixmpi::rank_within_host())) % gpus.size()]);
    } else if (wish != "software") {
        const bool number = std::all_of(wish.begin(), wish.end(), [](unsigned char c) { return std::isdigit(c); });
        for (std::size_t i = 0; i < gpus.size() && places.empty(); ++i)
            if (number ? std::to_string(i) == wish : lower(gpus[i].name).find(lower(wish)) != std::string::npos)
                places.push_back(gpus[i]);
        return !places.empty() ? PIXMPI_SUCCESS
                               : fail(PIXMPI_ERR_DEVICE,
                                      "device (PIXMPI_GL_DEVICE): \"%s\", expected \"software\", or the number or part "
                                      "of the name of a GPU; there are: %s",
                                      wish.c_str(), list(gpus).c_str());
    }
    places.insert(places.end(), software.begin(), software.end());
    if (has_word(egl.query_string(EGL_NO_DISPLAY, EGL_EXTENSIONS), "EGL_MESA_platform_surfaceless"))
        places.push_back({"EGL surfaceless", EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, true});
    if (wish.empty())
        places.push_back({"EGL default display", 0, EGL_DEFAULT_DISPLAY, false});
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
