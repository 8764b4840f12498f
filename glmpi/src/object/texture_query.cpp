#include "object/texture_query.h"

#include "device/gl_device.h"

#include <algorithm>
#include <bit>

namespace glmpi {

namespace {

constexpr GLenum sizes[] = {GL_TEXTURE_WIDTH, GL_TEXTURE_HEIGHT, GL_TEXTURE_DEPTH};

/// Layers do not get fewer from level to level; slices do.
bool counts_layers(GLenum target, GLenum size) {
    return size == GL_TEXTURE_HEIGHT ? target == GL_TEXTURE_1D_ARRAY
                                     : size == GL_TEXTURE_DEPTH && target != GL_TEXTURE_3D;
}

} // namespace

// By name only the first face of a cube is asked for.
TextureQuery::TextureQuery(GlDevice &device, SavedState &state, GLenum target, GLuint name)
    : device_(device), target_(target), name_(name), cube_(target == GL_TEXTURE_CUBE_MAP),
      by_name_(device.features.direct_state && !cube_) {
    if (!by_name_)
        state.bind_texture(target, name);
}

GLint TextureQuery::parameter(GLenum what) const {
    GLint value = 0;
    if (by_name_)
        device_.gl.GetTextureParameteriv(name_, what, &value);
    else
        device_.gl.GetTexParameteriv(target_, what, &value);
    return value;
}

GLint TextureQuery::level(GLint number, GLenum what, int face) const {
    GLint value = 0;
    if (by_name_)
        device_.gl.GetTextureLevelParameteriv(name_, number, what, &value);
    else
        device_.gl.GetTexLevelParameteriv(cube_ ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(face) : target_,
                                          number, what, &value);
    return value;
}

bool TextureQuery::hides(GLint number) const {
    return number < parameter(GL_TEXTURE_BASE_LEVEL) && parameter(GL_TEXTURE_IMMUTABLE_FORMAT);
}

GLint TextureQuery::last_level() const {
    if (target_ == GL_TEXTURE_RECTANGLE)
        return 0;
    GLint side = 1;
    device_.gl.GetIntegerv(cube_ || target_ == GL_TEXTURE_CUBE_MAP_ARRAY ? GL_MAX_CUBE_MAP_TEXTURE_SIZE
                           : target_ == GL_TEXTURE_3D                    ? GL_MAX_3D_TEXTURE_SIZE
                                                                         : GL_MAX_TEXTURE_SIZE,
                           &side);
    return std::bit_width(static_cast<unsigned>(std::max(side, 1))) - 1;
}

bool TextureQuery::is_complete() const {
    if (device_.features.texture_storage && parameter(GL_TEXTURE_IMMUTABLE_FORMAT))
        return true;
    const GLint base = parameter(GL_TEXTURE_BASE_LEVEL), filter = parameter(GL_TEXTURE_MIN_FILTER);
    const GLint most = std::min(parameter(GL_TEXTURE_MAX_LEVEL), last_level());
    if (base > most)
        return false;
    GLint side = 0;
    for (const GLenum size : sizes)
        if (!counts_layers(target_, size))
            side = std::max(side, level(base, size));
    const GLint smaller = std::bit_width(static_cast<unsigned>(side)) - 1;
    const bool one_level = filter == GL_NEAREST || filter == GL_LINEAR;
    const GLint last = one_level ? base : std::min(most, base + smaller);
    for (int face = 0; face < (cube_ ? 6 : 1); ++face)
        for (GLint number = base; number <= last; ++number)
            if (!is_in_chain(base, number, face))
                return false;
    return side > 0;
}

bool TextureQuery::is_in_chain(GLint base, GLint number, int face) const {
    for (const GLenum size : sizes) {
        const GLint first = level(base, size);
        const GLint wanted =
            counts_layers(target_, size) ? first : std::max(first >> (number - base), std::min(first, 1));
        if (level(number, size, face) != wanted)
            return false;
    }
    return level(number, GL_TEXTURE_INTERNAL_FORMAT, face) == level(base, GL_TEXTURE_INTERNAL_FORMAT);
}

} // namespace glmpi
