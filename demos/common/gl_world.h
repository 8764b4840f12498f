// A rank that draws with OpenGL: rank 0 in a window, unless --headless, all others without one.
#pragma once

#include "demo.h"
#include "gl.h"

#include <memory>

namespace demo {

class Headless;
class Window;

class GlWorld : public World {
  public:
    explicit GlWorld(const Start &start);
    ~GlWorld() override;

    /// Shows a texture in the window, if there is one. For rank 0.
    void show(const Texture &texture);

  private:
    bool open() override;
    std::unique_ptr<Headless> context_;
    std::unique_ptr<Window> window_;
    std::unique_ptr<Shader> shown_;
};

} // namespace demo
