/* A GLUT program that knows nothing of walls: glut_subject [exit=N | abort | exit-one | abort-one], done in the tenth
   frame; -one: only where the environment says rank 1. Otherwise it turns a triangle for ever. */
#include <GL/glut.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *action = "";
static int frames;

static int is_rank_one(void) {
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    return rank && atoi(rank) == 1;
}

static void act(void) {
    int one = strstr(action, "-one") != NULL;
    if (one && !is_rank_one())
        return;
    if (!strncmp(action, "abort", 5))
        abort();
    if (!strncmp(action, "exit", 4))
        exit(one ? 5 : atoi(action + 5));
}

static void display(void) {
    glClear(GL_COLOR_BUFFER_BIT);
    glRotatef(1, 0, 0, 1);
    glBegin(GL_TRIANGLES);
    glVertex2f(-0.5f, -0.5f);
    glVertex2f(0.5f, -0.5f);
    glVertex2f(0, 0.5f);
    glEnd();
    glutSwapBuffers();
    if (++frames == 10) {
        act();
        printf("tenth frame\n");
        fflush(stdout);
    }
}

static void tick(int value) {
    glutPostRedisplay();
    glutTimerFunc(10, tick, value);
}

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    if (argc > 1)
        action = argv[1];
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(200, 160);
    glutCreateWindow("subject");
    glutDisplayFunc(display);
    glutTimerFunc(10, tick, 0);
    glutMainLoop();
    return 0;
}
