/* A GLUT program that draws a coloured quarter for each corner, goes on forever, and prints what it is told. */
#include <GL/freeglut.h>
#include <stdio.h>

static float turn = 0;
static int still = 0, grey = 0; /* keys s and g */
static int burst = 0;           /* key 2: a frame in magenta, right after it one in cyan, and then none */

static void display(void) {
    glClear(GL_COLOR_BUFFER_BIT);
    if (grey) {
        glClearColor(0.25f, 0.25f, 0.25f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glutSwapBuffers();
        return;
    }
    if (burst) {
        glColor3f(burst == 1, burst == 2, 1), glRectf(-1, -1, 1, 1);
        glutSwapBuffers();
        return;
    }
    glColor3f(1, 0, 0), glRectf(-1, 0, 0, 1);
    glColor3f(0, 1, 0), glRectf(0, 0, 1, 1);
    glColor3f(0, 0, 1), glRectf(-1, -1, 0, 0);
    glColor3f(1, 1, 0), glRectf(0, -1, 1, 0);
    glPushMatrix();
    glRotatef(turn, 0, 0, 1);
    glColor3f(1, 1, 1), glRectf(-0.3f, -0.02f, 0.3f, 0.02f);
    glPopMatrix();
    glutSwapBuffers();
}
static void step(int value) {
    (void)value;
    if (!still) {
        turn += 3;
        glutPostRedisplay();
    }
    if (burst == 1) {
        burst = 2;
        glutPostRedisplay();
    }
    glutTimerFunc(30, step, 0);
}
static void say(const char *text) {
    printf("%s", text);
    if (glutGetModifiers())
        printf(" modifiers %d", glutGetModifiers());
    printf("\n");
    fflush(stdout);
}
static char line[100];
static void key(unsigned char c, int x, int y) {
    (void)x, (void)y;
    still ^= c == 's';
    grey ^= c == 'g';
    if (c == '2')
        burst = !burst;
    glutPostRedisplay();
    snprintf(line, sizeof line, "key %c", c);
    say(line);
}
static void special(int k, int x, int y) {
    (void)x, (void)y;
    snprintf(line, sizeof line, "special %d", k);
    say(line);
}
static void choice(int value) {
    snprintf(line, sizeof line, "menu %d of %d", value, glutGetMenu());
    say(line);
}
static void menu_status(int status, int x, int y) {
    snprintf(line, sizeof line, "menu %s at %d %d", status == GLUT_MENU_IN_USE ? "opens" : "closes", x, y);
    say(line);
}
static void make_menu(void) {
    const int colours = glutCreateMenu(choice);
    glutAddMenuEntry("gr\xfcn", 7);
    glutAddMenuEntry("red", 8);
    glutCreateMenu(choice);
    glutAddMenuEntry("gone", 1);
    glutAddMenuEntry("one bar", 2);
    glutAddSubMenu("colours", colours);
    glutRemoveMenuItem(1);
    glutChangeToMenuEntry(1, "two bars", 3);
    glutAttachMenu(GLUT_RIGHT_BUTTON);
    glutMenuStatusFunc(menu_status);
}
static void mouse(int button, int up, int x, int y) {
    snprintf(line, sizeof line, "mouse %d %d %d %d", button, up, x, y);
    say(line);
}
static void motion(int x, int y) {
    printf("motion %d %d\n", x, y);
    fflush(stdout);
}

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(200, 150);
    glutCreateWindow("subject");
    glutDisplayFunc(display);
    glutKeyboardFunc(key);
    glutSpecialFunc(special);
    glutMouseFunc(mouse);
    glutMotionFunc(motion);
    make_menu();
    glutTimerFunc(30, step, 0);
    glutMainLoop();
    return 0;
}
