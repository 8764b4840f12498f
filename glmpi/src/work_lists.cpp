#include "work_lists.h"

#include "gl_device.h"

#include <algorithm>

namespace glmpi {

GLuint WorkLists::write(SavedState &state, const void *work, std::size_t bytes) {
    constexpr std::size_t usual = 16 << 10;
    const Gl &gl = device_.gl;
    List &list = lists_[next_];
    if (list.busy) {
        if (!device_.ring.passed(list.busy, 1))
            return 0;
        gl.DeleteSync(list.busy);
        list.busy = nullptr;
    }
    if (!list.name)
        gl.GenBuffers(1, &list.name);
    state.bind_buffer(GL_COPY_WRITE_BUFFER, list.name);
    if (list.bytes < bytes) {
        list.bytes = std::max(bytes, std::max(usual, 2 * list.bytes));
        gl.BufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(list.bytes), nullptr, GL_DYNAMIC_DRAW);
    }
    gl.BufferSubData(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), work);
    return list.name;
}

void WorkLists::used() {
    lists_[next_].busy = device_.gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    next_ = (next_ + 1) % count;
}

void WorkLists::destroy() {
    for (List &list : lists_) {
        if (list.busy)
            device_.gl.DeleteSync(list.busy);
        if (list.name)
            device_.gl.DeleteBuffers(1, &list.name);
        list = {};
    }
}

} // namespace glmpi
