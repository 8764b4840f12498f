// Several viewports and scissor boxes at once, chosen by a geometry shader: glViewportIndexedf, glViewportArrayv,
// glScissorIndexed, glScissorArrayv and their queries.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include "shader.h"
#include <GL/glut.h>

namespace {

const char *const vertex = "#version 410 compatibility\nout vec3 tint;\n"
                           "void main() { gl_Position = gl_Vertex; tint = gl_Color.rgb; }\n";
const char *const geometry = R"(#version 410 core
layout(triangles, invocations = 6) in;
layout(triangle_strip, max_vertices = 3) out;
in vec3 tint[];
out vec3 shade;
void main() {
    for (int i = 0; i < 3; ++i) {
        gl_ViewportIndex = gl_InvocationID;
        gl_Position = gl_in[i].gl_Position;
        shade = tint[i] * (1.0 - 0.12 * float(gl_InvocationID));
        EmitVertex();
    }
    EndPrimitive();
}
)";
const char *const fragment =
    "#version 410 core\nin vec3 shade;\nout vec4 colour;\nvoid main() { colour = vec4(shade, 1.0); }\n";
using scene::window::height, scene::window::reshape, scene::window::width;
GLuint program;

void display() {
    // A fraction on everything, but never a half, where the middle of a pixel lies on an edge.
    const auto w = static_cast<GLfloat>(width - width % 6) + 0.2f, h = static_cast<GLfloat>(height - height % 6) + 0.2f;
    glDisable(GL_SCISSOR_TEST);
    glClear(GL_COLOR_BUFFER_BIT);
    const GLfloat boxes[12] = {0, 0, w / 2, h / 2, w / 2, 3, w / 2 - 5, h / 3, 20, h / 2, w / 3, h / 2 - 9};
    glViewportArrayv(0, 3, boxes);
    glViewportIndexedf(3, w / 3, h / 3, w / 2 - 20, h / 2);
    const GLfloat fourth[4] = {w - 90, h - 80, 100, 77};
    glViewportIndexedfv(4, fourth);
    GLfloat back[4];
    glGetFloati_v(GL_VIEWPORT, 3, back);
    glViewportIndexedf(5, back[0] - 30, back[1] + back[3] - 20, back[2] / 3, 40);
    const GLint scissors[8] = {0, 0, width, height, width / 2 + 10, 0, width / 3, height};
    glScissorArrayv(0, 2, scissors);
    glScissorIndexed(2, 0, height / 2 + 10, width, height / 3);
    for (GLuint i = 3; i < 6; ++i)
        glScissorIndexed(i, 0, 0, width, height);
    GLint box[4];
    glGetIntegeri_v(GL_SCISSOR_BOX, 2, box);
    glScissorIndexed(4, width - 85, box[1], 200, box[3]);
    glEnable(GL_SCISSOR_TEST);
    glDisablei(GL_SCISSOR_TEST, 5);

    glUseProgram(program);
    glBegin(GL_TRIANGLES);
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 9; ++x) {
            scene::colour(scene::scramble(static_cast<unsigned>(x), static_cast<unsigned>(y)));
            const GLfloat left = static_cast<GLfloat>(x) / 4.5f - 1, low = static_cast<GLfloat>(y) / 4 - 1;
            glVertex2f(left, low);
            glVertex2f(left + 0.21f, low + 0.05f);
            glVertex2f(left + 0.02f, low + 0.24f);
        }
    }
    glEnd();
    glUseProgram(0);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("viewport array");
    program = shader::link(vertex, fragment, geometry);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
