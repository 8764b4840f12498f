// A rank that draws with OpenGL: rank 0 in a window, unless --headless, all others without one; or as the demo says.
#pragma once

#include "demo.h"
#include "gl.h"
#include "view.h"

#include <glmpi_context.h>
#include <memory>

namespace demo {

class Window;

class GlWorld : public World {
  public:
    explicit GlWorld(const Start &start) : GlWorld(start, start.rank == 0) {}
    /// `window`: this rank has one, unless --headless. next_frame() knows of rank 0's alone.
    GlWorld(const Start &start, bool window) : GlWorld(start, window, start.options.width, start.options.height) {}
    /// A window where something is shown, as large as that.
    explicit GlWorld(const View &view) : GlWorld(view.start(), view.shows(), view.mine().width, view.mine().height) {}
    GlWorld(const Start &start, bool window, int width, int height);
    ~GlWorld() override;

    /// Shows a texture in the window, if there is one.
    void show(const Texture &texture);
    /// Null without one.
    Window *window() const { return window_.get(); }

  private:
    bool open() override;
    glMPI_Context context_ = GLMPI_CONTEXT_NULL; ///< without a window
    std::unique_ptr<Window> window_;
    std::unique_ptr<Shader> shown_;
};

} // namespace demo
