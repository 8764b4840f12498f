// A scene without a black pixel, with ranks that kill themselves: DYING="3@5,1@7" ends rank 3 when it is about to
// draw frame 5, and rank 1 in frame 7. Says for each frame how many black pixels a read of the whole window finds
// (`read`), or how many samples pass (`query`).
#include <GL/glew.h>

#include <GL/freeglut.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::string mode;
int frame = 0;

int own_rank() {
    for (const char *variable : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"})
        if (const char *rank = std::getenv(variable))
            return std::atoi(rank);
    return 0;
}

void die_if_due() {
    const char *dying = std::getenv("DYING");
    for (const char *at = dying; at && *at;) {
        char *end = nullptr;
        const long rank = std::strtol(at, &end, 10), when = std::strtol(end + 1, &end, 10);
        if (rank == own_rank() && when == frame)
            std::raise(SIGKILL);
        at = *end ? end + 1 : end;
    }
}

void say_black(int width, int height) {
    std::vector<unsigned char> rgba(static_cast<std::size_t>(width) * height * 4);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
    int black = 0;
    for (std::size_t i = 0; i < rgba.size(); i += 4)
        black += !rgba[i] && !rgba[i + 1] && !rgba[i + 2];
    std::printf("frame %d: %d black\n", frame, black);
}

void display() {
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT);
    ++frame;
    die_if_due();
    GLuint query = 0;
    if (mode == "query") {
        glGenQueries(1, &query);
        glBeginQuery(GL_SAMPLES_PASSED, query);
    }
    glClear(GL_COLOR_BUFFER_BIT);
    glColor3f(0.9F, 0.2F, 0.2F), glRectf(-1, -1, 0, 0);
    glColor3f(0.2F, 0.9F, 0.2F), glRectf(0, -1, 1, 0);
    glColor3f(0.2F, 0.2F, 0.9F), glRectf(0, 0, 1, 1);
    glColor3f(0.9F, 0.9F, 0.2F), glRectf(-1, 0, 0, 1);
    if (query) {
        GLuint samples = 0;
        glEndQuery(GL_SAMPLES_PASSED);
        glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
        glDeleteQueries(1, &query);
        std::printf("frame %d: %u samples\n", frame, samples);
    }
    glColor3f(1, 1, 1);
    glPushMatrix();
    glRotatef(static_cast<float>(frame) * 7, 0, 0, 1);
    glRectf(-0.9F, -0.1F, 0.9F, 0.1F);
    glPopMatrix();
    if (mode == "read")
        say_black(width, height);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    mode = argc > 1 ? argv[1] : "";
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(240, 180);
    glutCreateWindow("dying");
    glewInit();
    glutDisplayFunc(display);
    glutReshapeFunc([](int width, int height) { glViewport(0, 0, width, height); });
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
    return 0;
}
