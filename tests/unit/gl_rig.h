// A window of the wall without a wall: a scene is drawn once in a whole drawable that the library does not know, and
// once for each part in a drawable of the part's size. Put together, the parts have to be the whole, and what the
// program was told on the way (`Told`) has to be the same everywhere.
#pragma once

#include <gtest/gtest.h> // before X's macros

#include "gl/context/context.h"

#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>

#include <functional>
#include <string>
#include <vector>

namespace rig {

struct Image {
    int width = 0, height = 0;
    std::vector<unsigned char> rgba; ///< rows from the bottom
    Image(int w, int h) : width(w), height(h), rgba(static_cast<std::size_t>(w) * h * 4) {}
    const unsigned char *at(int x, int y) const { return &rgba[4 * (static_cast<std::size_t>(y) * width + x)]; }
};

/// Numbers that the program got from GL.
using Told = std::vector<double>;

inline constexpr int width = 200, height = 150;

/// Draws into the current drawable, as if that were width x height.
using Scene = std::function<void(Told &)>;

/// A context and a pbuffer. Not current when made.
class Canvas {
  public:
    Canvas(int w, int h, const Canvas *shares_with = nullptr, bool core_profile = false);
    ~Canvas();
    Canvas(const Canvas &) = delete;
    Canvas &operator=(const Canvas &) = delete;
    void make_current() const;
    GLXContext context() const { return context_; }
    GLXPbuffer pbuffer() const { return pbuffer_; }

  private:
    GLXContext context_ = nullptr;
    GLXPbuffer pbuffer_ = 0;
};

/// The same, attached as part of a window.
class Tile {
  public:
    explicit Tile(const mpiglut::gl::Part &part, bool core_profile = false);
    ~Tile();
    mpiglut::gl::Surface surface;
    Canvas drawable;
};

mpiglut::gl::Part part(int x, int y, int w, int h);
/// Ways to cut the window.
std::vector<std::vector<mpiglut::gl::Part>> cuts();

/// The current drawable's pixels as they are, past the library.
Image pixels(int w, int h);
void paste(Image &to, const Image &from, int x, int y);
/// Empty if no more than a few pixels differ; else what differs.
std::string difference(const Image &expected, const Image &got);

/// The whole test for one scene.
void expect_same(const Scene &scene, bool core_profile = false);

Told integers(GLenum name, int count);
Told floats(GLenum name, int count);
void append(Told &to, const Told &more);

/// Triangles in many colours over the whole window, in pixels.
void in_pixels();
void backdrop(unsigned seed = 1);
void box(int x, int y, int w, int h);

} // namespace rig
