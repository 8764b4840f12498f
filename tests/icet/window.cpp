#include "window.h"

#include "headless.h"

#include <cstdio>

namespace {
std::unique_ptr<demo::Headless> window;
}

static int open(const demo::HeadlessOptions &options, const char *profile) {
    std::string error;
    window = demo::Headless::make(options, error);
    if (!window)
        std::printf("skipped: no OpenGL of the %s profile: %s\n", profile, error.c_str());
    return window != nullptr;
}

int open_window(int width, int height) {
    demo::HeadlessOptions options;
    options.compatibility = true;
    options.width = width;
    options.height = height;
    return open(options, "compatibility");
}

int open_core_context(void) { return open({}, "core"); }

void close_window(void) { window.reset(); }
