// Shaders that combine, for as long as the context or the user's operation that they are for lives.
#pragma once

#include "combine/for_shader.h"
#include "context/gl.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace glmpi {

class GlDevice;

class CombiningPrograms {
  public:
    explicit CombiningPrograms(GlDevice &device) : device_(device) {}
    using Key = std::pair<pixmpi::ShaderCombination, int>; ///< and what size it is made for
    /// 0 where there is none yet.
    GLuint &get(const Key &key) { return programs_[key].name; }
    /// Compiles a user's operation, if it has not been yet. PIXMPI_ERR_ARGUMENT: its GLSL is wrong, since the driver
    /// takes `others` of these shaders.
    pixmpi::Status compile_user(const Key &key, const std::shared_ptr<const pixmpi::UserOperation> &user,
                                const std::function<std::string()> &source, const std::function<bool()> &others);
    void destroy();

  private:
    struct Program {
        GLuint name = 0;
        std::weak_ptr<const pixmpi::UserOperation> user{};
    };
    /// Those of users' operations that are no more.
    void drop();

    GlDevice &device_;
    std::map<Key, Program> programs_;
};

} // namespace glmpi
