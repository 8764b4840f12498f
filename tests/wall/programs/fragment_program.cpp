// fragment.position in an ARB assembly program.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include <GL/glut.h>

#include <GL/glext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const char *const text = R"(!!ARBfp1.0
# fragment.position in a comment stays as it is
PARAM scale = { 0.0625, 0.09, 0.5, 1.0 };
TEMP p, q;
ATTRIB where = fragment.position;
MUL p, where, scale;
FRC p, p;
SUB q.x, fragment.position.x, fragment.position.y;
MUL q.x, q.x, scale.x;
FRC q.x, q.x;
SGE p.z, q.x, scale.z;
SGE p.x, p.x, scale.z;
SGE p.y, p.y, scale.z;
MOV p.w, scale.w;
MOV result.color, p;
END
)";

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_FRAGMENT_PROGRAM_ARB);
    glRectf(-1, -1, 1, 1);
    glDisable(GL_FRAGMENT_PROGRAM_ARB);
    glColor3f(1, 1, 1);
    glRectf(-0.1f, -0.1f, 0.2f, 0.15f);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(361, 277);
    glutCreateWindow("fragment program");
    GLuint program = 0;
    glGenProgramsARB(1, &program);
    glBindProgramARB(GL_FRAGMENT_PROGRAM_ARB, program);
    glProgramStringARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, static_cast<GLsizei>(std::strlen(text)),
                       text);
    if (glGetError() != GL_NO_ERROR) {
        std::fprintf(stderr, "%s\n", reinterpret_cast<const char *>(glGetString(GL_PROGRAM_ERROR_STRING_ARB)));
        std::exit(3);
    }
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
