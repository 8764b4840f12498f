// glWindowPos in all of its spellings, with bitmaps of one glyph each.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include <GL/glut.h>

#include <GL/glext.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void place(int form, double x, double y) {
    const auto f = [](double v) { return static_cast<GLfloat>(v); };
    const auto i = [](double v) { return static_cast<GLint>(v); };
    const auto s = [](double v) { return static_cast<GLshort>(v); };
    const GLdouble vd[3] = {x, y, 0.5};
    const GLfloat vf[3] = {f(x), f(y), 0.5f};
    const GLint vi[3] = {i(x), i(y), 0};
    const GLshort vs[3] = {s(x), s(y), 0};
    switch (form) {
    case 0: glWindowPos2d(x, y); break;
    case 1: glWindowPos2f(f(x), f(y)); break;
    case 2: glWindowPos2i(i(x), i(y)); break;
    case 3: glWindowPos2s(s(x), s(y)); break;
    case 4: glWindowPos3d(x, y, 0.5); break;
    case 5: glWindowPos3f(f(x), f(y), 0.5f); break;
    case 6: glWindowPos3i(i(x), i(y), 0); break;
    case 7: glWindowPos3s(s(x), s(y), 0); break;
    case 8: glWindowPos2dv(vd); break;
    case 9: glWindowPos2fv(vf); break;
    case 10: glWindowPos2iv(vi); break;
    case 11: glWindowPos2sv(vs); break;
    case 12: glWindowPos3dv(vd); break;
    case 13: glWindowPos3fv(vf); break;
    case 14: glWindowPos3iv(vi); break;
    case 15: glWindowPos3sv(vs); break;
    default: break;
    }
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 9);
    glColor3f(1, 1, 1);
    for (int form = 0; form < 16; ++form) {
        for (int column = 0; column < 5; ++column) {
            place(form, 4.0 + column * width / 5.0 + form, 3.0 + form * height / 16.0);
            glutBitmapCharacter(GLUT_BITMAP_9_BY_15, 'A' + form);
            glutBitmapCharacter(GLUT_BITMAP_9_BY_15, '0' + column);
        }
    }
    place(2, -3, -3); // unlike glRasterPos, valid outside the window
    glutBitmapCharacter(GLUT_BITMAP_TIMES_ROMAN_24, 'W');
    place(2, width - 6, height - 6);
    glutBitmapCharacter(GLUT_BITMAP_TIMES_ROMAN_24, 'W');
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(351, 289);
    glutCreateWindow("window positions");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
