// A program whose ranks part ways: while it draws its fifth frame, rank 1 alone does what the argument says; with
// "wait0" it is rank 0.
#define GL_GLEXT_PROTOTYPES
#include <GL/freeglut.h>

#include <GL/glext.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::string how;
int drawn;

bool this_one() {
    for (const char *name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"})
        if (const char *rank = std::getenv(name))
            return std::string(rank) == (how == "wait0" ? "0" : "1");
    return false;
}

void wait_for_the_clock() {
    for (const int start = glutGet(GLUT_ELAPSED_TIME); glutGet(GLUT_ELAPSED_TIME) < start + 20;)
        glFinish();
}

void part_ways() {
#ifdef __x86_64__
    asm volatile("jmp 1f; .byte 0x0f, 0xc7, 0xf0; 1:"); // rdrand, which this never comes to
#endif
    if (how == "viewport")
        glViewport(5, 6, 70, 80);
    else if (how == "redisplay")
        glutPostWindowRedisplay(1), glutPostWindowRedisplay(1);
    else if (how == "clock")
        glutGet(GLUT_ELAPSED_TIME);
    else if (how == "wait" || how == "wait0")
        wait_for_the_clock();
    else if (how == "window")
        glutCreateSubWindow(1, 10, 10, 50, 50), glutDisplayFunc([] {});
    else if (how == "read") {
        GLubyte pixel[4];
        glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    }
}

/// What every rank hands to GL, but that one float of one rank's comes from a sum in another order.
void draw(bool other) {
    const float half = other ? std::nextafter(0.5f, 1.0f) : 0.5f;
    if (how == "matrix") {
        for (int i = 0; i < 40; ++i)
            glLoadIdentity();
        glTranslatef(half, 0.25f, 0);
    } else if (how == "uniform") {
        static const GLuint program = [] {
            const char *text = "uniform vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }";
            return glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &text);
        }();
        glUseProgram(program);
        glUniform3f(glGetUniformLocation(program, "colour"), 1, half, 0);
        glUseProgram(0);
    } else if (how == "upload") {
        std::vector<float> values(5000, 0.125f);
        values[3333] = half;
        glBindBuffer(GL_ARRAY_BUFFER, 1);
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(values.size() * sizeof(float)), values.data(),
                     GL_STREAM_DRAW);
        glBindBuffer(GL_ARRAY_BUFFER, 0);
    } else if (how == "array") {
        const float corners[] = {0, 0, 1, 0, 1, half, 0, 1};
        glEnableClientState(GL_VERTEX_ARRAY);
        glVertexPointer(2, GL_FLOAT, 0, corners);
        glDrawArrays(GL_QUADS, 0, 4);
        glDisableClientState(GL_VERTEX_ARRAY);
    }
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    glRectf(-0.5f, -0.5f, 0.5f, 0.5f);
    const bool now = ++drawn == 5 && this_one();
    draw(now);
    if (now)
        part_ways();
    glutSetWindow(1);
    if (!now || how != "swap")
        glutSwapBuffers();
}

void timer(int) { glutPostWindowRedisplay(1); }

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    how = argc > 1 ? argv[1] : "";
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(203, 151);
    glutCreateWindow("diverging");
    glutDisplayFunc(display);
    glutIdleFunc([] {
        if (how == "timer" && drawn == 5 && this_one())
            glutTimerFunc(0, timer, 7);
        glutPostWindowRedisplay(1);
    });
    glutMainLoop();
    return 0;
}
