// What a rank has of the volume: densities in a texture, and rays through them.
#pragma once

#include "bricks.h"
#include "composed_frames.h"

#include <pixmpi.h>

class Brick {
  public:
    /// Of a cube from -1 to 1 in all directions, of `voxels` in each.
    Brick(const Bounds &bounds, int voxels);
    ~Brick();
    Brick(const Brick &) = delete;
    Brick &operator=(const Brick &) = delete;

    /// Clears the target and draws; the result is where the brick may be seen.
    pixMPI_Rect draw(const demo::Camera &camera, int look, const demo::Target &target) const;

  private:
    Bounds bounds_;
    int voxels_;
    GLuint densities_ = 0;
    mutable demo::Shader rays_;
};
