// glDrawPixels and glBitmap at raster positions on every tile: cut at borders, zoomed, moved by an empty bitmap, and
// one without a valid raster position.
#include "scene.h"
#include <GL/glut.h>

#include <cstddef>

namespace {

constexpr int image_width = 61, image_height = 45;
GLubyte image[image_height][image_width][4];
using scene::window::height, scene::window::reshape, scene::window::width;

void draw() { glDrawPixels(image_width, image_height, GL_RGBA, GL_UNSIGNED_BYTE, image); }

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 7);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 3; ++j) {
            glRasterPos2i(10 + i * width / 4, 12 + j * height / 3);
            draw();
        }
    }
    glRasterPos2i(width / 2 - image_width / 2, height / 2 - image_height / 2);
    draw();
    glPixelZoom(2.414f, -1.618f); // no pixel's middle on the border of two of the image's
    glRasterPos2i(width / 3, height - 20);
    draw();
    glPixelZoom(1, 1);

    // Off the left and bottom edge by the customary trick: a valid position, then moved by a bitmap of no size.
    glRasterPos2i(0, 0);
    glBitmap(0, 0, 0, 0, -20, -15, nullptr);
    draw();
    glRasterPos2i(0, 0);
    glBitmap(0, 0, 0, 0, static_cast<GLfloat>(width) - 25, static_cast<GLfloat>(height) - 25, nullptr);
    draw();

    glRasterPos2i(-5, 20); // not valid: nothing may appear
    draw();
    GLboolean valid = GL_TRUE;
    glGetBooleanv(GL_CURRENT_RASTER_POSITION_VALID, &valid);
    glColor3f(valid ? 1.0f : 0.0f, valid ? 0.0f : 1.0f, 0);
    glRecti(90, 90, 110, 110);

    glRasterPos2i(137, 83); // and it reads back as it was set
    GLfloat position[4];
    glGetFloatv(GL_CURRENT_RASTER_POSITION, position);
    glColor3f(1, 1, 1);
    glRectf(position[0] - 6, position[1] - 6, position[0] + 6, position[1] + 6);

    static const GLubyte arrow[16] = {0x01, 0x80, 0x03, 0xc0, 0x07, 0xe0, 0x0f, 0xf0,
                                      0x1f, 0xf8, 0x03, 0xc0, 0x03, 0xc0, 0x03, 0xc0};
    glColor3f(1, 1, 1);
    glRasterPos2i(5, height / 2);
    for (int i = 0; i < 40; ++i)
        glBitmap(16, 8, 3, 2, 11.3f, i % 2 ? 4.6f : -3.4f, arrow);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    for (int y = 0; y < image_height; ++y) {
        for (int x = 0; x < image_width; ++x) {
            const unsigned h = scene::scramble(static_cast<unsigned>(x / 4), static_cast<unsigned>(y / 3));
            for (int c = 0; c < 3; ++c)
                image[y][x][c] = static_cast<GLubyte>(h >> (8 * c));
            image[y][x][3] = 255;
        }
    }
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("draw pixels");
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
