// A window, where the demos were built with GLFW.
#pragma once

#include <memory>
#include <string>

namespace demo {

class Window {
  public:
    virtual ~Window() = default;
    virtual void size(int &width, int &height) const = 0; ///< of what can be drawn to, in pixels
    virtual void swap() = 0;
    virtual bool open() = 0; ///< handles events; false once the user has closed it

    /// Makes it and its context of OpenGL 3.3 core or later, and makes that current. Throws demo::Error.
    static std::unique_ptr<Window> make(const std::string &title, int width, int height);
};

} // namespace demo
