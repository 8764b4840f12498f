// gl_FragCoord in GLSL 1.20, in main, in a helper and through a macro, drawing to the window and to a texture.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include "shader.h"
#include <GL/glut.h>

namespace {

const char *const vertex =
    "#version 120\n"
    "void main() { gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; gl_FrontColor = gl_Color; }\n";
const char *const fragment = R"(#version 120
#define WHERE gl_FragCoord.xy
uniform vec2 window; // the size of what is drawn to
float rings(vec2 centre) { return sin(distance(gl_FragCoord.xy, centre) * 0.37) > 0.0 ? 1.0 : 0.0; }
void main() {
    vec2 cell = floor(WHERE / 13.0);
    float odd = mod(cell.x + cell.y, 2.0);
    /* not this gl_FragCoord */ // nor this gl_FragCoord
    float column = floor(gl_FragCoord.x / window.x * 8.0) / 8.0;
    gl_FragColor = vec4(rings(window * 0.4), odd, column, 1.0) * 0.8 + gl_Color * 0.2;
}
)";
using scene::window::height, scene::window::reshape, scene::window::width;
GLuint program, texture, framebuffer;

void fill(int w, int h) {
    scene::in_pixels(w, h);
    glUseProgram(program);
    glUniform2f(glGetUniformLocation(program, "window"), static_cast<GLfloat>(w), static_cast<GLfloat>(h));
    glColor3f(0.9f, 0.5f, 0.1f);
    glRecti(0, 0, w, h);
    glUseProgram(0);
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    fill(width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, 100, 80);
    fill(100, 80);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, width, height);
    scene::in_pixels(width, height);
    glBindTexture(GL_TEXTURE_2D, texture);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glBegin(GL_QUADS);
    glTexCoord2i(0, 0);
    glVertex2i(width - 110, 10);
    glTexCoord2i(1, 0);
    glVertex2i(width - 10, 10);
    glTexCoord2i(1, 1);
    glVertex2i(width - 10, 90);
    glTexCoord2i(0, 1);
    glVertex2i(width - 110, 90);
    glEnd();
    glDisable(GL_TEXTURE_2D);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("fragment coordinates, 1.20");
    program = shader::link(vertex, fragment);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 100, 80, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
