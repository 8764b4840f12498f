// The source route: a GLUT program that includes <GL/mpiglut.h> instead of <GL/glut.h> and asks about the wall.
// Runs plainly too, as one tile.
#include <GL/mpiglut.h>

#include <cstdio>
#include <random>

static float hue; // from a random device, agreed upon

static void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    float projection[16];
    mpiglutGetSubwindowMatrixf(projection); // what MPIglut of 2008 asked for; the identity here
    glMatrixMode(GL_PROJECTION);
    glLoadMatrixf(projection);
    gluPerspective(30, 1.6, 1, 10);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(0, 0, -5);
    glRotatef(static_cast<float>(glutGet(GLUT_ELAPSED_TIME)) / 20, .2f, 1, 0);
    glColor3f(hue, .6f, 1 - hue);
    glutWireTeapot(1);

    int tile[4] = {};
    mpiglutGetTileRect(tile);
    char text[100];
    std::snprintf(text, sizeof text, "rank %d of %d shows tile %s: %dx%d at (%d,%d)", mpiglutGetRank(), mpiglutGetSize(),
                  mpiglutGetTileName(), tile[2], tile[3], tile[0], tile[1]);
    glColor3f(1, 1, 1);
    glWindowPos2i(tile[0] + 10, glutGet(GLUT_WINDOW_HEIGHT) - tile[1] - 24); // in the wall, y up
    glutBitmapString(GLUT_BITMAP_HELVETICA_12, reinterpret_cast<unsigned char *>(text));
    glutSwapBuffers();
}

int main(int argc, char **argv) {
    glutInitWindowSize(960, 600);
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_RGB | GLUT_DOUBLE | GLUT_DEPTH);
    glutCreateWindow("source route");
    hue = static_cast<float>(std::random_device{}() % 100) / 100;
    mpiglutAgree(&hue, sizeof hue); // every rank drew its own; all go on with rank 0's
    glutDisplayFunc(display);
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
}
