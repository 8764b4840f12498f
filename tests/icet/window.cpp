#include "window.h"

#include "headless.h"

#include <cstdio>

namespace {
std::unique_ptr<demo::Headless> window;
}

int open_window(int width, int height) {
    demo::HeadlessOptions options;
    options.compatibility = true;
    options.width = width;
    options.height = height;
    std::string error;
    window = demo::Headless::make(options, error);
    if (!window)
        std::printf("skipped: no OpenGL of the compatibility profile: %s\n", error.c_str());
    return window != nullptr;
}

void close_window(void) { window.reset(); }
