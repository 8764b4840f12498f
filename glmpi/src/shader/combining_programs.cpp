#include "shader/combining_programs.h"

#include "device/gl_device.h"
#include "shader/compute.h"

namespace glmpi {

using namespace pixmpi;

Status CombiningPrograms::compile_user(const Key &key, const std::shared_ptr<const UserOperation> &user,
                                       const std::function<std::string()> &source,
                                       const std::function<bool()> &others) {
    if (get(key))
        return PIXMPI_SUCCESS;
    GlErrors errors(device_.gl);
    drop();
    std::string complaint;
    if (const GLuint made = compile_compute(device_.gl, source(), &complaint)) {
        programs_[key] = {made, user};
        return PIXMPI_SUCCESS;
    }
    programs_.erase(key);
    return others() ? user->refuse(key.first.numbers, complaint) : PIXMPI_SUCCESS; // else it is the driver
}

void CombiningPrograms::drop() {
    std::erase_if(programs_, [&](const auto &one) {
        const bool gone = one.first.first.user != 0 && one.second.user.expired();
        if (gone && one.second.name)
            device_.gl.DeleteProgram(one.second.name);
        return gone;
    });
}

void CombiningPrograms::destroy() {
    for (const auto &[key, program] : programs_)
        if (program.name)
            device_.gl.DeleteProgram(program.name);
    programs_.clear();
}

} // namespace glmpi
