/* A GLUT program that knows nothing of walls: glut_subject [exit=N | _exit=N | quick_exit=N | abort | exit-one | abort-one |
   crash-one | children | joystick | bind=PORT | input |
   slurp | slow | thread], done in the tenth frame; -one: only where the environment says rank 1. Otherwise it turns a
   triangle for ever; with `slow` each frame after the tenth takes two seconds. With a second argument `linger`, an exit
   handler of the program's keeps all ranks but rank 1 for three seconds. */
#include <GL/glut.h>
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *action = "";
static int frames, frames_since;

static int is_rank_one(void) {
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    return rank && atoi(rank) == 1;
}

static int status_of(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Every way to have a child, and how each of them ended. */
static void have_children(void) {
    char *words[] = {"sh", "-c", "exit 6", NULL};
    pid_t exits = fork(), quits, waits, left, spawned = -1;
    if (exits == 0)
        exit(3);
    if ((quits = fork()) == 0) {
        glutPostRedisplay();
        _exit(4);
    }
    if ((waits = fork()) == 0)
        for (;;)
            pause();
    kill(waits, SIGTERM);
    if ((left = vfork()) == 0)
        _exit(5);
    posix_spawnp(&spawned, "sh", NULL, NULL, words, NULL);
    printf("children %d %d %d %d", status_of(exits), status_of(quits), status_of(waits), status_of(left));
    printf(" %d %d\n", status_of(spawned), WEXITSTATUS(system("exit 7")));
}

static void crash(void) {
    raise(SIGSEGV);
}

static void act(void) {
    int one = strstr(action, "-one") != NULL;
    if (one && !is_rank_one())
        return;
    if (!strncmp(action, "abort", 5))
        abort();
    if (!strncmp(action, "exit", 4))
        exit(one ? 5 : atoi(action + 5));
    if (!strncmp(action, "_exit", 5))
        _exit(atoi(action + 6));
    if (!strncmp(action, "quick_exit", 10))
        quick_exit(atoi(action + 11));
    if (!strncmp(action, "bind=", 5)) {
        struct sockaddr_in place = {0};
        place.sin_family = AF_INET;
        place.sin_port = htons((unsigned short)atoi(action + 5));
        printf("bind %d\n", bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&place, sizeof place));
    }
    if (!strcmp(action, "slurp")) {
        static char bytes[100000];
        long total = 0;
        for (ssize_t n; (n = read(0, bytes, sizeof bytes)) > 0;)
            total += n;
        printf("all %ld bytes\n", total);
    }
    if (!strcmp(action, "children"))
        have_children();
    if (!strcmp(action, "crash-one"))
        atexit(crash);
}

/* What there is in this frame, without waiting. */
static void read_input(void) {
    static long total;
    static int over;
    struct pollfd input = {0, POLLIN, 0};
    char bytes[10000];
    ssize_t n = 1;
    while (!over && n > 0 && poll(&input, 1, 0) == 1) {
        n = read(0, bytes, sizeof bytes);
        total += n > 0 ? n : 0;
        over = n == 0;
    }
    printf("frame %d: %ld bytes%s\n", frames, total, over ? ", the end" : "");
    if (over && ++frames_since == 3)
        exit(0);
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
    if (!strcmp(action, "input"))
        read_input();
    if (!strcmp(action, "slow") && frames >= 10) { /* not by the wall's clock */
        struct timespec left = {2, 0};
        printf("long frame\n");
        fflush(stdout);
        while (syscall(SYS_nanosleep, &left, &left) != 0)
            ;
    }
    if (++frames == 10) {
        act();
        printf("tenth frame\n");
        fflush(stdout);
    }
}

static void joystick(unsigned buttons, int x, int y, int z) {
    (void)x, (void)y, (void)z;
    if (buttons)
        printf("buttons %u\n", buttons);
}

static void tick(int value) {
    glutPostRedisplay();
    glutTimerFunc(10, tick, value);
}

static void linger(void) {
    if (!is_rank_one())
        sleep(3);
}

static volatile int lines;

static void display_lines(void) {
    display();
    printf("frame %d: %d lines\n", frames, lines);
}

/* All of GLUT in a thread, while main() reads standard input. */
static void *glut_thread(void *unused) {
    int argc = 1;
    char *argv[] = {"subject", NULL};
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutCreateWindow("thread");
    glutDisplayFunc(display_lines);
    glutTimerFunc(10, tick, 0);
    glutMainLoop();
    return unused;
}

static void read_lines_beside_glut(void) {
    pthread_t thread;
    char line[100];
    pthread_create(&thread, NULL, glut_thread, NULL);
    while (frames < 2)
        usleep(1000);
    while (fgets(line, sizeof line, stdin))
        ++lines;
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "thread"))
        read_lines_beside_glut();
    if (argc > 2 && !strcmp(argv[2], "linger"))
        atexit(linger); /* before the library's, so it runs after them */
    glutInit(&argc, argv);
    if (argc > 1)
        action = argv[1];
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(200, 160);
    glutCreateWindow("subject");
    glutDisplayFunc(display);
    if (!strcmp(action, "input")) { /* a line before there are ticks */
        char line[20] = "";
        for (int i = 0; i < 6; ++i)
            if (read(0, line + i, 1) != 1)
                break;
        printf("first %s", line);
    }
    if (!strcmp(action, "joystick"))
        glutJoystickFunc(joystick, 1);
    glutTimerFunc(10, tick, 0);
    glutMainLoop();
    return 0;
}
