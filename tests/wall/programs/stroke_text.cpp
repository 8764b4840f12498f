// glutStrokeCharacter and glutStrokeString, large enough to cross tiles.
#include "scene.h"
#include <GL/freeglut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 93);
    const unsigned char text[] = "Wall of tiles\nin one piece";
    for (int i = 0; i < 5; ++i) {
        glPushMatrix();
        // Odd numbers, and a slant: no line runs exactly between two pixels, where rounding would decide.
        glTranslatef(8.37f + 3.19f * static_cast<GLfloat>(i),
                     static_cast<GLfloat>(height) - 40.83f - static_cast<GLfloat>(i * height / 5), 0);
        const GLfloat size = 0.1813f + 0.0617f * static_cast<GLfloat>(i);
        glRotatef(1.7f, 0, 0, 1);
        glScalef(size, size, 1);
        glLineWidth(1 + static_cast<GLfloat>(i));
        glColor3f(1, 1, 0.25f * static_cast<GLfloat>(i));
        if (i % 2) {
            glutStrokeString(GLUT_STROKE_ROMAN, text);
        } else {
            for (const unsigned char *c = text; *c != '\n'; ++c)
                glutStrokeCharacter(GLUT_STROKE_MONO_ROMAN, *c);
        }
        glPopMatrix();
    }
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("stroke text");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
