// gl_FragCoord in programs made by glCreateShaderProgramv and put together in a pipeline object.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include <GL/glut.h>

#include <GL/glext.h>

#include <cstdio>
#include <cstdlib>

namespace {

const char *const vertex = "#version 410 compatibility\n"
                           "out gl_PerVertex { vec4 gl_Position; };\n"
                           "void main() { gl_Position = gl_Vertex; }\n";
const char *const fragments[2] = {
    "#version 410 core\nlayout(location = 0) out vec4 colour;\n"
    "void main() { ivec2 p = ivec2(gl_FragCoord.xy); colour = vec4(float(p.x & 31), float(p.y & 15) * 2.0, "
    "float((p.x + p.y) & 7) * 4.0, 31.0) / 31.0; }\n",
    "#version 410 core\nlayout(origin_upper_left) in vec4 gl_FragCoord;\nlayout(location = 0) out vec4 colour;\n"
    "void main() { colour = vec4(fract(gl_FragCoord.yx / 64.0), mod(floor(gl_FragCoord.x / 5.0), 2.0), 1.0); }\n"};
GLuint pipelines[2];

GLuint make(GLenum kind, const char *text) {
    const GLuint program = glCreateShaderProgramv(kind, 1, &text);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[1000] = "";
        glGetProgramInfoLog(program, sizeof log, nullptr, log);
        std::fprintf(stderr, "%s\n", log);
        std::exit(3);
    }
    return program;
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    glBindProgramPipeline(pipelines[0]);
    glRectf(-1, -1, 1, 1);
    glBindProgramPipeline(pipelines[1]);
    glRectf(-0.4f, -0.5f, 0.6f, 0.7f);
    glBindProgramPipeline(0);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("separate shaders");
    const GLuint first = make(GL_VERTEX_SHADER, vertex);
    glGenProgramPipelines(2, pipelines);
    for (int i = 0; i < 2; ++i) {
        glUseProgramStages(pipelines[i], GL_VERTEX_SHADER_BIT, first);
        glUseProgramStages(pipelines[i], GL_FRAGMENT_SHADER_BIT, make(GL_FRAGMENT_SHADER, fragments[i]));
    }
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
