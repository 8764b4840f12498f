// The demos were built without GLFW.
#include "error.h"
#include "window.h"

namespace demo {

std::unique_ptr<Window> Window::make(const std::string &, int, int, For) {
    throw Error("built without GLFW, so there are no windows: use --headless");
}

} // namespace demo
