// Draws what it remembers: lines of its standard input, a file that it appends to and reads, a file that it removes in
// frame 2, and random numbers. Another memory is another picture.  remembering FOLDER
#include <GL/freeglut.h>

#include <cstdio>
#include <poll.h>
#include <random>
#include <string>
#include <unistd.h>

namespace {

std::string folder, heard;
int frame = 0;

std::size_t size_of(const std::string &file) {
    std::FILE *in = std::fopen(file.c_str(), "r");
    std::size_t size = 0;
    while (in && std::fgetc(in) != EOF)
        ++size;
    if (in)
        std::fclose(in);
    return in ? size : 999;
}

void remember() {
    ++frame;
    if (std::FILE *out = std::fopen((folder + "/diary").c_str(), "a")) {
        std::fprintf(out, "frame %d\n", frame);
        std::fclose(out);
    }
    if (frame == 2)
        std::remove((folder + "/given").c_str());
    pollfd input{0, POLLIN, 0};
    char bytes[64];
    if (poll(&input, 1, 0) == 1)
        if (const ssize_t n = read(0, bytes, sizeof bytes); n > 0)
            heard.append(bytes, static_cast<std::size_t>(n));
}

void bar(int row, std::size_t value) {
    const float y = -1 + 0.5F * static_cast<float>(row);
    glColor3ub(static_cast<GLubyte>(value * 37), static_cast<GLubyte>(value >> 3), 200);
    glRectf(-1, y, -1 + static_cast<float>(value % 100) / 50, y + 0.4F);
}

void display() {
    remember();
    glClear(GL_COLOR_BUFFER_BIT);
    bar(0, size_of(folder + "/diary"));
    bar(1, size_of(folder + "/given"));
    bar(2, heard.size() + (heard.empty() ? 0 : static_cast<unsigned char>(heard.back())));
    bar(3, std::random_device()());
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    folder = argc > 1 ? argv[1] : ".";
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(240, 180);
    glutCreateWindow("remembering");
    glutDisplayFunc(display);
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
    return 0;
}
