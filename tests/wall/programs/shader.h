// Compiling a program of vertex, optional geometry, and fragment shader; ends the process with the log when it fails.
#pragma once

#include <GL/gl.h>
#include <GL/glext.h>

#include <cstdio>
#include <cstdlib>

namespace shader {

inline GLuint compile(GLenum kind, const char *text) {
    const GLuint name = glCreateShader(kind);
    glShaderSource(name, 1, &text, nullptr);
    glCompileShader(name);
    GLint ok = 0;
    glGetShaderiv(name, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[2000] = "";
        glGetShaderInfoLog(name, sizeof log, nullptr, log);
        std::fprintf(stderr, "%s\n", log);
        std::exit(3);
    }
    return name;
}

inline GLuint link(const char *vertex, const char *fragment, const char *geometry = nullptr) {
    const GLuint program = glCreateProgram();
    glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
    if (geometry)
        glAttachShader(program, compile(GL_GEOMETRY_SHADER, geometry));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
    glLinkProgram(program);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[2000] = "";
        glGetProgramInfoLog(program, sizeof log, nullptr, log);
        std::fprintf(stderr, "%s\n", log);
        std::exit(3);
    }
    return program;
}

} // namespace shader
