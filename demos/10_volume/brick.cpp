#include "brick.h"

#include "shaders.h"

#include <pixmpi.h>

namespace {

constexpr int border = 3; ///< voxels around a brick that samples within it look at

demo::Point point(const std::array<int, 3> &voxel) {
    return {static_cast<float>(voxel[0]), static_cast<float>(voxel[1]), static_cast<float>(voxel[2])};
}

} // namespace

Brick::Brick(const Bounds &bounds, int voxels) : bounds_(bounds), voxels_(voxels), rays_(ray_source) {
    int size[3], most = 0;
    glGetIntegerv(GL_MAX_3D_TEXTURE_SIZE, &most);
    for (std::size_t k = 0; k < 3; ++k) {
        size[k] = bounds.high[k] - bounds.low[k] + 2 * border;
        if (size[k] > most)
            throw demo::Error("--volume: " + std::to_string(voxels) + " gives a brick of " + std::to_string(size[k]) +
                              " voxels with its border, expected " + std::to_string(most) + " at most");
    }
    glGenTextures(1, &densities_);
    glBindTexture(GL_TEXTURE_3D, densities_);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_R16, size[0], size[1], size[2], 0, GL_RED, GL_UNSIGNED_SHORT, nullptr);
    for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
        glTexParameteri(GL_TEXTURE_3D, filter, GL_LINEAR);
    for (const GLenum edge : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R})
        glTexParameteri(GL_TEXTURE_3D, edge, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAX_LEVEL, 0);

    demo::Shader slice(density_source);
    const float around = border;
    slice.set("first", point(bounds.low) - demo::Point{around, around, around});
    slice.set("voxels", static_cast<float>(voxels));
    GLuint framebuffer = 0;
    glGenFramebuffers(1, &framebuffer);
    for (int z = 0; z < size[2]; ++z) {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, densities_, 0, z);
        slice.set("layer", static_cast<float>(z)).draw(framebuffer, 0, 0, size[0], size[1]);
    }
    glDeleteFramebuffers(1, &framebuffer);
    demo::check_gl("making a brick");
}

Brick::~Brick() { glDeleteTextures(1, &densities_); }

pixMPI_Rect Brick::draw(const demo::Camera &camera, int look, const demo::Target &target) const {
    target.clear();
    const demo::Point low = point(bounds_.low), high = point(bounds_.high);
    const float scale = 2 / static_cast<float>(voxels_);
    const demo::Point corner{1, 1, 1};
    const pixMPI_Rect seen = camera.seen({scale * low - corner, scale * high - corner});
    if (seen.width == 0 || seen.height == 0)
        return {};
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_3D, densities_);
    rays_.set("densities", 0).set("low", low).set("high", high).set("look", look);
    rays_.set("voxels", static_cast<float>(voxels_)).set("border", static_cast<float>(border));
    rays_.set("eye", camera.eye()).set("forward", camera.forward());
    rays_.set("right", camera.right()).set("up", camera.up());
    const demo::Texture &color = target.color();
    rays_.set("size", static_cast<float>(color.width()), static_cast<float>(color.height()));
    rays_.draw(color, seen.x, seen.y, seen.width, seen.height);
    return seen;
}
