// Functions that GLEW looked up: buffers, shaders, framebuffers, indexed viewports, window positions.
#include <GL/glew.h>

#include <GL/glut.h>

#include "scene.h"

#include <cstdio>
#include <cstdlib>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
GLuint program;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 94);
    glUseProgram(program);
    glRecti(30, 20, width - 60, height / 2);
    glUseProgram(0);

    glViewportIndexedf(0, static_cast<GLfloat>(width / 2) + 0.3f, static_cast<GLfloat>(height / 2) + 0.7f,
                       static_cast<GLfloat>(width / 3), static_cast<GLfloat>(height / 3));
    scene::in_pixels(60, 60);
    scene::cells(60, 60, 95, 7, 9);
    glViewport(0, 0, width, height);
    scene::in_pixels(width, height);
    glColor3f(1, 1, 1);
    for (int i = 0; i < 9; ++i) {
        glWindowPos2i(5 + i * width / 9, height - 20 - i);
        glutBitmapCharacter(GLUT_BITMAP_TIMES_ROMAN_24, 'G' + i);
    }

    GLuint texture = 0, framebuffer = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glBlitFramebuffer(width / 2 - 32, height / 2 - 32, width / 2 + 32, height / 2 + 32, 0, 0, 64, 64,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, 64, 64, 7, height / 2 + 20, 135, height / 2 + 84, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("GLEW");
    if (glewInit() != GLEW_OK) {
        std::fprintf(stderr, "no GLEW\n");
        return 3;
    }
    const char *const text = "#version 120\nvoid main() { gl_FragColor = vec4(fract(gl_FragCoord.xy / 21.0), "
                             "mod(floor(gl_FragCoord.x / 9.0), "
                             "2.0), 1.0); }\n";
    const GLuint shader = glCreateShader(GL_FRAGMENT_SHADER);
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    program = glCreateProgram();
    glAttachShader(program, shader);
    glLinkProgram(program);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
