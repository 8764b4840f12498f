#include "facts.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

Json list_cards() {
    Json cards = Json::array();
    const auto query_devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
    const auto query_string =
        reinterpret_cast<PFNEGLQUERYDEVICESTRINGEXTPROC>(eglGetProcAddress("eglQueryDeviceStringEXT"));
    EGLDeviceEXT devices[64];
    EGLint count = 0;
    if (!query_devices || !query_string || !query_devices(64, devices, &count))
        return cards;
    for (int i = 0; i < count; ++i) {
        const char *extensions = query_string(devices[i], EGL_EXTENSIONS);
        const std::string all = extensions ? extensions : "";
        Json card = {{"number", i}, {"software", all.find("EGL_MESA_device_software") != std::string::npos}};
        if (all.find("EGL_EXT_device_drm") != std::string::npos)
            if (const char *file = query_string(devices[i], EGL_DRM_DEVICE_FILE_EXT))
                card["file"] = file;
        cards.push_back(card);
    }
    return cards;
}
