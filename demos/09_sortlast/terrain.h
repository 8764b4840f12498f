// Mountains by a sea, of triangles, in blocks.
#pragma once

#include "composed_frames.h"

#include <functional>
#include <pixmpi.h>
#include <vector>

class Terrain {
  public:
    static constexpr int side = 16, blocks = side * side;

    /// The blocks from `first` up to `end` of a terrain of at least so many triangles. Blocks that follow each other
    /// are neighbours.
    Terrain(int triangles, int first, int end);
    ~Terrain();
    Terrain(const Terrain &) = delete;
    Terrain &operator=(const Terrain &) = delete;

    /// Clears the target and draws what can be seen; the result is where that may be. Calls `after_block` after each.
    pixMPI_Rect draw(const demo::Camera &camera, const demo::Target &target,
                     const std::function<void()> &after_block) const;
    /// Of the whole terrain.
    std::int64_t triangles() const { return std::int64_t{2} * quads_ * quads_ * blocks; }

  private:
    struct Block {
        int x, z; ///< of its first vertex in the whole terrain, counted in vertices
        demo::Box box;
        GLuint vertices, layout;
    };
    Block make(int number) const;
    float spacing() const { return 2 / static_cast<float>(side * quads_); }
    float position(int vertex) const { return static_cast<float>(vertex) * spacing() - 1; }
    float height(int x, int z) const;

    int quads_; ///< along a block's side, two triangles each
    GLuint indices_ = 0;
    std::vector<Block> mine_;
    mutable demo::Shader shader_;
};
