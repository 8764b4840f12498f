// A window, where the demos were built with GLFW.
#pragma once

#include <memory>
#include <string>

struct GLFWwindow;

namespace demo {

class Window {
  public:
    enum class For { gl, vulkan };

    virtual ~Window() = default;
    virtual void size(int &width, int &height) const = 0; ///< of what can be drawn to, in pixels
    virtual void swap() = 0;                              ///< with OpenGL
    virtual bool open() = 0;                              ///< handles events; false once the user has closed it
    virtual GLFWwindow *handle() const = 0;
    virtual char typed() = 0; ///< the next character that the user has typed; 0: none
    virtual void title(const std::string &text) = 0;

    /// Makes it; for OpenGL with a context of 3.3 core or later, which is made current. Throws demo::Error.
    static std::unique_ptr<Window> make(const std::string &title, int width, int height, For what);
};

} // namespace demo
