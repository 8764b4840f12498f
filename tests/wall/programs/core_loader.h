// A loader of GL entry points as generated ones work: dlsym on libGL for glXGetProcAddress, everything else through it.
#pragma once

#include <GL/gl.h>
#include <GL/glext.h>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <type_traits>

namespace loader {

#define LOADED_FUNCTIONS(X)                                                                                            \
    X(PFNGLCREATESHADERPROC, CreateShader)                                                                             \
    X(PFNGLSHADERSOURCEPROC, ShaderSource)                                                                             \
    X(PFNGLCOMPILESHADERPROC, CompileShader)                                                                           \
    X(PFNGLGETSHADERIVPROC, GetShaderiv)                                                                               \
    X(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog)                                                                     \
    X(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                                           \
    X(PFNGLATTACHSHADERPROC, AttachShader)                                                                             \
    X(PFNGLLINKPROGRAMPROC, LinkProgram)                                                                               \
    X(PFNGLUSEPROGRAMPROC, UseProgram)                                                                                 \
    X(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                                                                 \
    X(PFNGLUNIFORM2FPROC, Uniform2f)                                                                                   \
    X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                                       \
    X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                                       \
    X(PFNGLGENBUFFERSPROC, GenBuffers)                                                                                 \
    X(PFNGLBINDBUFFERPROC, BindBuffer)                                                                                 \
    X(PFNGLBUFFERDATAPROC, BufferData)                                                                                 \
    X(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                                               \
    X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)

#define DECLARE(type, name) inline type name;
LOADED_FUNCTIONS(DECLARE)
#undef DECLARE
inline void (*Viewport)(GLint, GLint, GLsizei, GLsizei);
inline void (*Scissor)(GLint, GLint, GLsizei, GLsizei);
inline void (*Clear)(GLbitfield);
inline void (*ClearColor)(GLfloat, GLfloat, GLfloat, GLfloat);
inline void (*Enable)(GLenum);
inline void (*Disable)(GLenum);
inline void (*DrawArrays)(GLenum, GLint, GLsizei);
inline void (*GetIntegerv)(GLenum, GLint *);

inline void load() {
    void *const library = dlopen("libGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    using Get = void *(*)(const GLubyte *);
    const Get get = library ? reinterpret_cast<Get>(dlsym(library, "glXGetProcAddressARB")) : nullptr;
    if (!get) {
        std::fprintf(stderr, "no libGL\n");
        std::exit(3);
    }
    const auto find = [&](const char *name, auto &pointer) {
        // Old functions by dlsym, new ones by glXGetProcAddressARB: loaders ask in different orders.
        void *address = get(reinterpret_cast<const GLubyte *>(name));
        if (!address)
            address = dlsym(library, name);
        pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(address);
    };
#define FIND(type, name) find("gl" #name, name);
    LOADED_FUNCTIONS(FIND)
#undef FIND
    find("glViewport", Viewport);
    Scissor = reinterpret_cast<decltype(Scissor)>(dlsym(library, "glScissor"));
    Clear = reinterpret_cast<decltype(Clear)>(dlsym(library, "glClear"));
    find("glClearColor", ClearColor);
    find("glEnable", Enable);
    find("glDisable", Disable);
    find("glDrawArrays", DrawArrays);
    GetIntegerv = reinterpret_cast<decltype(GetIntegerv)>(dlsym(library, "glGetIntegerv"));
}

} // namespace loader
