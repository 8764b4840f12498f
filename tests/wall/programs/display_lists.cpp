// Display lists that hold viewports, scissor boxes, stipples, attribute stacks, bitmaps, pixels and copies; nested
// lists, glCallLists with a base, and GL_COMPILE_AND_EXECUTE.
#include "scene.h"
#include <GL/glut.h>

#include <cstddef>

namespace {

int width = 1, height = 1;
GLuint lists;
GLubyte pattern[128];

void compile() {
    if (!lists)
        lists = glGenLists(6);
    glNewList(lists, GL_COMPILE);
    glPushAttrib(GL_VIEWPORT_BIT | GL_SCISSOR_BIT | GL_ENABLE_BIT | GL_POLYGON_STIPPLE_BIT);
    glViewport(width / 2 + 5, 9, width / 3, height / 3);
    scene::in_pixels(80, 60);
    scene::cells(80, 60, 3, 7, 9);
    glEnable(GL_POLYGON_STIPPLE);
    glPolygonStipple(pattern);
    glColor3f(1, 1, 1);
    glRecti(20, 10, 70, 50);
    glPopAttrib();
    glEndList();

    glNewList(lists + 1, GL_COMPILE);
    glPushAttrib(GL_SCISSOR_BIT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(30, height / 2 - 40, width - 100, 71);
    glClear(GL_COLOR_BUFFER_BIT);
    glPopAttrib();
    glEndList();

    static const GLubyte glyph[8] = {0x18, 0x3c, 0x7e, 0xff, 0xff, 0x5a, 0x18, 0x3c};
    glNewList(lists + 2, GL_COMPILE);
    glBitmap(8, 8, 0, 0, 13, 5, glyph);
    glEndList();

    glNewList(lists + 3, GL_COMPILE);
    scene::in_pixels(width, height);
    glColor3f(1, 0.8f, 0.2f);
    glRasterPos2i(5, 8);
    for (int i = 0; i < 25; ++i)
        glCallList(lists + 2);
    glRasterPos2i(width / 3, height - 90);
    glCopyPixels(width / 2, 5, 140, 80, GL_COLOR);
    static GLubyte image[20][28][3];
    for (auto &row : image)
        for (std::size_t x = 0; x < 28; ++x)
            for (std::size_t c = 0; c < 3; ++c)
                row[x][c] = static_cast<GLubyte>(
                    scene::scramble(static_cast<unsigned>(x + c), static_cast<unsigned>(&row - image)));
    glRasterPos2i(width / 2 - 14, height / 2 - 10);
    glDrawPixels(28, 20, GL_RGB, GL_UNSIGNED_BYTE, image);
    glEndList();
}

void display() {
    glClearColor(0.1f, 0.1f, 0.1f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 18);
    glClearColor(0.3f, 0, 0.4f, 1);
    const GLubyte order[3] = {1, 0, 3};
    glListBase(lists);
    glCallLists(3, GL_UNSIGNED_BYTE, order);

    // Executed while it is compiled, and once more from the list.
    glNewList(lists + 4, GL_COMPILE_AND_EXECUTE);
    glViewport(11, height - 75, 90, 70);
    scene::in_pixels(30, 30);
    scene::cells(30, 30, 19, 4, 5);
    glViewport(0, 0, width, height);
    glEndList();
    GLint box[4];
    glGetIntegerv(GL_VIEWPORT, box);
    scene::in_pixels(box[2], box[3]);
    glColor3f(0, 1, 1);
    glRecti(box[2] - 30, box[3] - 30, box[2] - 10, box[3] - 5);
    glutSwapBuffers();
}

void reshape(int w, int h) {
    width = w;
    height = h;
    glViewport(0, 0, w, h);
    compile();
}

} // namespace

int main(int argc, char **argv) {
    for (std::size_t i = 0; i < sizeof pattern; ++i)
        pattern[i] = static_cast<GLubyte>(scene::scramble(static_cast<unsigned>(i), 5) >> 11);
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("display lists");
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
