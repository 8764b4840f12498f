// Draws what it remembers: its standard input, a file that it makes and appends to, the sizes in frame 1 of a file that
// it removes in frame 3 and of one that it writes anew then, and random numbers. Another memory is another picture.
// remembering FOLDER
#include <GL/freeglut.h>

#include <cstdio>
#include <poll.h>
#include <random>
#include <string>
#include <unistd.h>

namespace {

std::string folder, heard;
int frame = 0;
std::size_t found = 0;

std::size_t size_of(const std::string &file) {
    std::FILE *in = std::fopen(file.c_str(), "r");
    std::size_t size = 0;
    while (in && std::fgetc(in) != EOF)
        ++size;
    if (in)
        std::fclose(in);
    return in ? size : 999;
}

void write(const char *name, const char *mode) {
    if (std::FILE *out = std::fopen((folder + name).c_str(), mode)) {
        std::fprintf(out, "frame %d\n", frame);
        std::fclose(out);
    }
}

void remember() {
    ++frame;
    write("/diary", "a");
    if (frame == 1)
        found = size_of(folder + "/given") + 7 * size_of(folder + "/book");
    if (frame == 3) { // all ranks have found them by now
        std::remove((folder + "/given").c_str());
        write("/book", "w");
    }
    pollfd input{0, POLLIN, 0};
    char bytes[64];
    if (poll(&input, 1, 0) == 1)
        if (const ssize_t n = read(0, bytes, sizeof bytes); n > 0)
            heard.append(bytes, static_cast<std::size_t>(n));
}

void bar(int row, std::size_t value) {
    const float y = -1 + 0.5F * static_cast<float>(row);
    glColor3ub(static_cast<GLubyte>(value * 37), static_cast<GLubyte>(value >> 3), 200);
    glRectf(-1, y, 1, y + 0.4F); // on every tile
}

void display() {
    remember();
    glClear(GL_COLOR_BUFFER_BIT);
    bar(0, size_of(folder + "/diary"));
    bar(1, found + size_of(folder + "/given") + 7 * size_of(folder + "/book"));
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
