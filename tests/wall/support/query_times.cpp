// Says what timer queries and other counters gave it, and what an occlusion query counted of one corner of the window.
#define GL_GLEXT_PROTOTYPES
#include <GL/glut.h>

#include <GL/glext.h>

#include <cstdio>

namespace {

void quad(float x, float y, float size) { glRectf(x, y, x + size, y + size); }

void display() {
    GLuint queries[4] = {};
    glGenQueries(4, queries);
    glBeginQuery(GL_TIME_ELAPSED, queries[0]);
    glBeginQuery(GL_PRIMITIVES_GENERATED, queries[1]);
    glBeginQuery(GL_SAMPLES_PASSED, queries[2]);
    quad(-1, -1, 0.5f);
    glEndQuery(GL_SAMPLES_PASSED);
    glEndQuery(GL_PRIMITIVES_GENERATED);
    glEndQuery(GL_TIME_ELAPSED);
    glQueryCounter(queries[3], GL_TIMESTAMP);
    for (const GLuint query : queries) {
        GLuint64 value = 0;
        glGetQueryObjectui64v(query, GL_QUERY_RESULT, &value);
        std::printf("%llu ", static_cast<unsigned long long>(value));
    }
    GLint64 now = 0;
    glGetInteger64v(GL_TIMESTAMP, &now);
    std::printf("%lld\n", static_cast<long long>(now));
    glutSwapBuffers();
    glutPostRedisplay();
}

/// Nothing is drawn with it: what the library has to say, it says of the text.
void load_writing_shader() {
    const char *text = "#version 430\n"
                       "layout(r32ui) uniform uimage2D counts;\n"
                       "void main() { imageAtomicAdd(counts, ivec2(0), 1u); gl_FragColor = vec4(1); }\n";
    glShaderSource(glCreateShader(GL_FRAGMENT_SHADER), 1, &text, nullptr);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(80, 60);
    glutCreateWindow("query times");
    glutDisplayFunc(display);
    load_writing_shader();
    glutMainLoop();
    return 0;
}
