// OpenGL with a layer in between: the library's calls pass through here, where it can be made to fail and where
// what it has made is counted. The program links glmpi's objects and this library, which brings --wrap=dlsym along; the
// program's own calls go straight to OpenGL.
#pragma once

#include "hand.h"

#include <atomic>
#include <map>
#include <string>

namespace gl_interpose {

/// Of a function that fails nothing is called. It returns null, GL_FALSE or GL_WAIT_FAILED, and glGetError then says the
/// error, unless that is GL_NO_ERROR.
using Hand = interpose::Hand<unsigned>;
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
