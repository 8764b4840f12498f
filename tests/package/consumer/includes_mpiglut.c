/* Built as the source route says; prints its place on the wall and ends with status 3. */
#include <GL/mpiglut.h>
#include <stdio.h>
#include <stdlib.h>

static void display(void) {
    int width = 0, height = 0, tile[4] = {0, 0, 0, 0};
    glClear(GL_COLOR_BUFFER_BIT);
    glutSwapBuffers();
    if (mpiglutGetWallSize(&width, &height) != MPIGLUT_SUCCESS || mpiglutGetTileRect(tile) != MPIGLUT_SUCCESS)
        exit(4);
    printf("rank %d of %d, tile %dx%d+%d+%d, wall %dx%d\n", mpiglutGetRank(), mpiglutGetSize(), tile[2], tile[3], tile[0],
           tile[1], width, height);
    exit(3);
}

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_RGB | GLUT_DOUBLE);
    glutInitWindowSize(320, 200);
    glutCreateWindow("consumer");
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
