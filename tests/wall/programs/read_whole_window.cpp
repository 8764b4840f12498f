// Reads the whole window back with glReadPixels, makes a texture of it and shows it small in a corner: a screenshot
// reaches all tiles. Also with a row length, an offset, a pixel buffer and a packed type.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include <GL/glut.h>

#include <GL/glext.h>

#include <cstddef>
#include <vector>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void show(GLenum format, GLenum type, int w, int h, const void *pixels, int x, int y, int scale) {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, w, h, 0, format, type, pixels);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
    glBegin(GL_QUADS);
    const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (const auto &c : corner) {
        glTexCoord2i(c[0], c[1]);
        glVertex2i(x + c[0] * w / scale, y + c[1] * h / scale);
    }
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 3);
    const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);

    std::vector<GLubyte> all(w * h * 3);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, all.data());

    // The middle of the window into the middle of a wider image.
    std::vector<GLubyte> wide((w + 10) * h * 4, 200);
    glPixelStorei(GL_PACK_ROW_LENGTH, width + 10);
    glPixelStorei(GL_PACK_SKIP_PIXELS, 5);
    glPixelStorei(GL_PACK_SKIP_ROWS, 4);
    glReadPixels(width / 4, height / 4, width / 2, height / 2, GL_BGRA, GL_UNSIGNED_BYTE, wide.data());
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glPixelStorei(GL_PACK_SKIP_PIXELS, 0);
    glPixelStorei(GL_PACK_SKIP_ROWS, 0);

    // Past the edges: what lies inside the window has to be right all the same.
    std::vector<GLubyte> partly(60 * 50 * 4, 90);
    glReadPixels(width - 30, -20, 60, 50, GL_RGBA, GL_UNSIGNED_BYTE, partly.data());

    // Through a pixel buffer object.
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    glBufferData(GL_PIXEL_PACK_BUFFER, static_cast<GLsizeiptr>(w * h * 4), nullptr, GL_STREAM_READ);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_INT_8_8_8_8_REV, nullptr);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);

    show(GL_RGB, GL_UNSIGNED_BYTE, width, height, all.data(), 11, 13, 3);
    show(GL_BGRA, GL_UNSIGNED_BYTE, width + 10, height / 2, wide.data(), width / 2, 20, 3);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 60);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 20);
    show(GL_RGBA, GL_UNSIGNED_BYTE, 30, 30, partly.data(), width / 2, height / 2, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    show(GL_RGBA, GL_UNSIGNED_INT_8_8_8_8_REV, width, height, nullptr, 17, height / 2, 3);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glDeleteBuffers(1, &buffer);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("read the window");
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
