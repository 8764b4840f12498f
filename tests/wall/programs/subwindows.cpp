// The four views of a modeller as subwindows, each with its own projection, one nested deeper, borders between.
#include "scene.h"
#include <GL/glut.h>

namespace {

int frame_window, views[4], inset;

void object() {
    for (int i = 0; i < 9; ++i) {
        glPushMatrix();
        glTranslatef(static_cast<GLfloat>(i % 3) - 1, static_cast<GLfloat>(i / 3) - 1,
                     0.3f * static_cast<GLfloat>(i % 4));
        glRotatef(static_cast<GLfloat>(31 * i), 1, 2, 0);
        scene::colour(scene::scramble(static_cast<unsigned>(i), 33));
        glutSolidCube(0.55);
        glPopMatrix();
    }
}

void begin(float shade) {
    const int w = glutGet(GLUT_WINDOW_WIDTH), h = glutGet(GLUT_WINDOW_HEIGHT);
    glClearColor(shade, shade, 0.3f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(-2.0 * w / h, 2.0 * w / h, -2, 2, -10, 10);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
}

void top() {
    begin(0.1f);
    object();
    glutSwapBuffers();
}

void front() {
    begin(0.2f);
    glRotatef(-90, 1, 0, 0);
    object();
    glutSwapBuffers();
}

void side() {
    begin(0.3f);
    glRotatef(90, 0, 1, 0);
    object();
    glutSwapBuffers();
}

void perspective() {
    begin(0.4f);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    gluPerspective(60, 1.3, 1, 20);
    glMatrixMode(GL_MODELVIEW);
    gluLookAt(3, 2, 3, 0, 0, 0, 0, 0, 1);
    object();
    glutSwapBuffers();
}

void inner() {
    glDisable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT), 23);
    glutSwapBuffers();
}

void outer() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(glutGet(GLUT_WINDOW_WIDTH), glutGet(GLUT_WINDOW_HEIGHT), 22);
    glutSwapBuffers();
}

void arrange(int width, int height) {
    glutSetWindow(frame_window);
    glViewport(0, 0, width, height);
    for (int i = 0; i < 4; ++i) {
        glutSetWindow(views[i]);
        glutPositionWindow(i % 2 ? width / 2 + 4 : 9, i / 2 ? height / 2 + 3 : 7);
        glutReshapeWindow(width / 2 - 15, height / 2 - 13);
    }
    glutSetWindow(frame_window);
}

void view_shape(int width, int height) { glViewport(0, 0, width, height); }

void idle() {
    // Several rounds, until every window has its final size.
    for (const int window : views) {
        glutSetWindow(window);
        glutPostRedisplay();
    }
    glutSetWindow(inset);
    glutPostRedisplay();
    glutSetWindow(frame_window);
    glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowSize(403, 301);
    frame_window = glutCreateWindow("modeller");
    glutDisplayFunc(outer);
    glutReshapeFunc(arrange);
    void (*const displays[4])() = {top, front, side, perspective};
    for (int i = 0; i < 4; ++i) {
        views[i] = glutCreateSubWindow(frame_window, 10 + i % 2 * 200, 10 + i / 2 * 150, 150, 120);
        glutDisplayFunc(displays[i]);
        glutReshapeFunc(view_shape);
    }
    inset = glutCreateSubWindow(views[3], 21, 17, 61, 43);
    glutDisplayFunc(inner);
    glutReshapeFunc(view_shape);
    glutSetWindow(frame_window);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
