/* A GLUT program on a wall, which asks about it.    mpiglutrun --wall 2x1 -- wall
 * Without mpiglutrun it runs in one window. Programs that include <GL/glut.h> run on walls as well, unchanged: this
 * header adds the calls that ask about the wall. */
#include <GL/mpiglut.h>
#include <stdio.h>
#include <stdlib.h>

static int frames;

static void display(void) {
    const int width = glutGet(GLUT_WINDOW_WIDTH), height = glutGet(GLUT_WINDOW_HEIGHT); /* of all tiles together */
    unsigned char left[4], right[4];
    int tile[4];
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glColor3f(0, 1, 0); /* the right half of the wall, whichever tiles it is on */
    glRectf(0, -1, 1, 1);

    /* Every rank gets these two pixels, also of other ranks' tiles. */
    glReadPixels(width / 4, height / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, left);
    glReadPixels(3 * width / 4, height / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, right);
    if (left[0] != 255 || left[1] != 0 || right[0] != 0 || right[1] != 255)
        exit(1);
    if (++frames == 1) {
        mpiglutGetTileRect(tile); /* x, y (from the top), width, height in pixels of the wall */
        printf("rank %d of %d shows tile %s of a wall of %d x %d pixels: %d x %d pixels from (%d, %d) on\n",
               mpiglutGetRank(), mpiglutGetSize(), mpiglutGetTileName(), width, height, tile[2], tile[3], tile[0],
               tile[1]);
        fflush(stdout);
    }
    glutSwapBuffers();
}

int main(int argc, char **argv) {
    glutInitWindowSize(640, 480);
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_RGB | GLUT_DOUBLE);
    glutCreateWindow("wall");
    glutDisplayFunc(display);
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
    return 0;
}
