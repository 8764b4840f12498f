#include "error.h"
#include "window.h"

#define GLFW_INCLUDE_NONE
#include <algorithm>
#include <deque>
#include <GLFW/glfw3.h>

namespace demo {

namespace {

std::string last_error() {
    const char *text = nullptr;
    glfwGetError(&text);
    return text ? text : "no reason given";
}

class GlfwWindow final : public Window {
  public:
    explicit GlfwWindow(GLFWwindow *window) : window_(window) {
        glfwSetWindowUserPointer(window, this);
        glfwSetCharCallback(window, [](GLFWwindow *of, unsigned character) {
            if (character < 128)
                static_cast<GlfwWindow *>(glfwGetWindowUserPointer(of))->typed_.push_back(static_cast<char>(character));
        });
    }
    ~GlfwWindow() override {
        glfwDestroyWindow(window_);
        glfwTerminate();
    }
    void size(int &width, int &height) const override { glfwGetFramebufferSize(window_, &width, &height); }
    void swap() override { glfwSwapBuffers(window_); }
    GLFWwindow *handle() const override { return window_; }
    bool open() override {
        glfwPollEvents();
        return !glfwWindowShouldClose(window_) && glfwGetKey(window_, GLFW_KEY_ESCAPE) != GLFW_PRESS;
    }

    char typed() override {
        if (typed_.empty())
            return 0;
        const char first = typed_.front();
        typed_.pop_front();
        return first;
    }
    void title(const std::string &text) override { glfwSetWindowTitle(window_, text.c_str()); }

  private:
    GLFWwindow *window_;
    std::deque<char> typed_;
};

} // namespace

std::unique_ptr<Window> Window::make(const std::string &title, int width, int height, For what) {
    if (!glfwInit())
        throw Error("no window (" + last_error() + "): use --headless");
    if (const GLFWvidmode *screen = glfwGetVideoMode(glfwGetPrimaryMonitor())) {
        width = std::min(width, screen->width);
        height = std::min(height, screen->height);
    }
    if (what == For::vulkan)
        glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    GLFWwindow *window = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
    if (!window) {
        const std::string reason = last_error();
        glfwTerminate();
        throw Error("no window (" + reason + "): use --headless");
    }
    if (what == For::gl) {
        glfwMakeContextCurrent(window);
        glfwSwapInterval(0);
    }
    return std::make_unique<GlfwWindow>(window);
}

} // namespace demo
