// OpenGL with a layer in between: the library's calls pass through here, where it can be made to fail and where
// what it has made is counted. The program links glmpi's objects and this library, which brings --wrap=dlsym along; the
// program's own calls go straight to OpenGL.
#pragma once

#include <atomic>
#include <map>
#include <string>

namespace gl_interpose {

/// One function that can fail: then nothing is called, and what it returns is null, GL_FALSE or GL_WAIT_FAILED.
struct Hand {
    const char *name;
    std::atomic<int> passes{-1};    ///< so many calls pass before some fail; -1: none does
    std::atomic<int> times{0};      ///< so many fail
    std::atomic<unsigned> error{0}; ///< what glGetError says then; GL_NO_ERROR: nothing
    std::atomic<int> calls{0};

    /// After the next `after` calls.
    void fail(unsigned with, int after = 0, int times_ = 1'000'000) {
        error = with;
        times = times_;
        passes = after;
    }
    void heal() { passes = -1; }
    bool strikes();
};

/// By OpenGL's name, "glBufferData": any function of glmpi/src/context/gl.h.
Hand &hand(const std::string &name);
/// The context is lost: no function does anything any more, each says GL_CONTEXT_LOST.
extern std::atomic<bool> lost;
/// Null, or a function that the window system does not find.
extern std::atomic<const char *> missing;
void heal_all();

/// Objects that the library has made and not deleted: "Buffers", "Textures", "Framebuffers", "Sync" and so on, those of
/// which there are any.
std::map<std::string, int> alive();
void forget_all();

} // namespace gl_interpose
