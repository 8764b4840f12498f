// Feedback: what comes back in window coordinates is drawn again as lines and numbers.
#include "scene.h"
#include <GL/glut.h>

#include <cstdio>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
GLfloat buffer[4000];

void shapes() {
    for (int i = 0; i < 7; ++i) {
        glPassThrough(static_cast<GLfloat>(i));
        glBegin(GL_TRIANGLES);
        glVertex3i(i * width / 8, 20 + 9 * i, 0);
        glVertex3i(width - 10 - 30 * i, height / 2, 0);
        glVertex3i(width / 5 + 40 * i, height + 40 - 20 * i, 0); // the first ones are clipped at the top
        glEnd();
        glBegin(GL_POINTS);
        glVertex2i(15 + i * width / 7, 17 + i * height / 8);
        glEnd();
        glBegin(GL_LINES);
        glVertex2i(i * 50 - 70, 10 * i);
        glVertex2i(width - 10 * i, height - 20);
        glEnd();
    }
    glRasterPos2i(width / 2, height / 3);
    glBitmap(0, 0, 0, 0, 5, 5, nullptr);
}

const GLfloat *vertex(const GLfloat *at) {
    glVertex2f(at[0], at[1]);
    return at + 2;
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::in_pixels(width, height);
    glFeedbackBuffer(4000, GL_2D, buffer);
    glRenderMode(GL_FEEDBACK);
    shapes();
    const GLint count = glRenderMode(GL_RENDER);

    scene::cells(width, height, 16);
    glColor3f(1, 1, 1);
    int lines = 0;
    for (const GLfloat *at = buffer; at < buffer + count;) {
        const GLenum token = static_cast<GLenum>(*at++);
        if (token == GL_PASS_THROUGH_TOKEN) {
            scene::colour(scene::scramble(static_cast<unsigned>(*at++), 99));
        } else if (token == GL_POLYGON_TOKEN) {
            const int corners = static_cast<int>(*at++);
            char text[40];
            std::snprintf(text, sizeof text, "%.0f %.0f", static_cast<double>(at[0]), static_cast<double>(at[1]));
            glBegin(GL_LINE_LOOP);
            for (int i = 0; i < corners; ++i)
                at = vertex(at);
            glEnd();
            glRasterPos2i(8, 8 + 14 * lines++);
            for (const char *c = text; *c; ++c)
                glutBitmapCharacter(GLUT_BITMAP_8_BY_13, *c);
        } else if (token == GL_LINE_TOKEN || token == GL_LINE_RESET_TOKEN) {
            glBegin(GL_LINES);
            at = vertex(vertex(at));
            glEnd();
        } else { // point, bitmap, draw pixels, copy pixels: one vertex
            glPointSize(7);
            glBegin(GL_POINTS);
            at = vertex(at);
            glEnd();
        }
    }
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("feedback");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
