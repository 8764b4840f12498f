// The GLUT program that wallbench measures: plain GLUT, the same binary on FreeGLUT alone and on a wall.
//   wallbench_scene spin FRAMES QUADS WIDTH HEIGHT   draws as fast as it can, prints its frames per second
//   wallbench_scene load KIND FRAMES WIDTH HEIGHT ROUNDS
//                                                    the same, work here and there: `left`, `wander` (every 3 s to the
//                                                    other half), `even`, `geometry`; prints the times of frames, too
//   wallbench_scene wait SOCKET                      draws only after a key or a button is pressed; reports every
//                                                    picture, and every press of a button when its callback begins
#include "report.h"

#include <GL/glut.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

constexpr int warm_up = 30;
int frames, quads, shown, socket_fd = -1, keys;
std::int64_t start;
std::string kind;

// On a wall the C library's clock and process number are the run's and not this process's, and so are those of its
// syscall(). So this program asks the kernel itself.
long ask_kernel(long number, long first = 0, void *second = nullptr) {
#if defined(__x86_64__)
    long result;
    asm volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long name asm("x8") = number, result asm("x0") = first;
    register void *more asm("x1") = second;
    asm volatile("svc 0" : "+r"(result) : "r"(name), "r"(more) : "memory");
    return result;
#else
#error "expected x86-64 or AArch64, for the system calls of other processors are not known here"
#endif
}

std::int64_t real_ns() {
    timespec t;
    ask_kernel(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

void grid() {
    glBegin(GL_QUADS);
    const int side = std::max(1, static_cast<int>(std::sqrt(quads)));
    const float step = 1.6f / static_cast<float>(side);
    for (int i = 0; i < side * side; ++i) {
        float x = -.8f + step * static_cast<float>(i % side), y = -.8f + step * static_cast<float>(i / side);
        glColor3f(x, y, .5f);
        glVertex2f(x, y);
        glVertex2f(x + .8f * step, y);
        glVertex2f(x + .8f * step, y + .8f * step);
        glVertex2f(x, y + .8f * step);
    }
    glEnd();
}

void draw() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef(static_cast<float>(shown + keys), 0, 0, 1);
    grid();
    glutSwapBuffers();
}

void spin() {
    draw();
    if (++shown == warm_up)
        start = real_ns();
    if (shown < warm_up + frames)
        return;
    std::printf("%.2f\n", frames * 1e9 / static_cast<double>(real_ns() - start));
    std::exit(0);
}

int heavy = 500; // rounds of a fragment that has work

// Work of each fragment, in the window coordinates of a quad.
GLuint heavy_program() {
    const char *text = "uniform int rounds;\n"
                       "void main() {\n"
                       "    vec2 z = gl_TexCoord[0].xy;\n"
                       "    for (int i = 0; i < rounds; ++i)\n"
                       "        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) * 0.5 + gl_TexCoord[0].xy * 0.5;\n"
                       "    gl_FragColor = vec4(0.5 + 0.5 * z, 0.3, 1.0);\n"
                       "}\n";
    const GLuint shader = glCreateShader(GL_FRAGMENT_SHADER), program = glCreateProgram();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    return program;
}

void quad(float left, float right) {
    glBegin(GL_QUADS);
    for (auto [x, y] : {std::pair{left, -1.f}, {right, -1.f}, {right, 1.f}, {left, 1.f}}) {
        glTexCoord2f(x, y);
        glVertex2f(x, y);
    }
    glEnd();
}

void draw_load() {
    constexpr int light = 2;
    static const GLuint program = heavy_program();
    static const GLint rounds = glGetUniformLocation(program, "rounds");
    const bool right = kind == "wander" && glutGet(GLUT_ELAPSED_TIME) / 3000 % 2;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(program);
    for (int half = 0; half < 2; ++half) {
        const bool works = kind == "even" || (kind != "geometry" && half == right);
        glUniform1i(rounds, works ? heavy : light);
        quad(static_cast<float>(half - 1), static_cast<float>(half));
    }
    glUseProgram(0);
    if (kind == "geometry") {
        static GLuint list = 0;
        if (!list) {
            glNewList(list = glGenLists(1), GL_COMPILE);
            quads = 60'000;
            grid();
            glEndList();
        }
        glCallList(list);
    }
    glutSwapBuffers();
}

// After the frames per second a line with the times of frames in ms, and one with how long the work has been where it
// is.
void spin_load() {
    static std::vector<std::int64_t> times;
    static std::vector<int> settled;
    draw_load();
    if (++shown >= warm_up) {
        times.push_back(real_ns());
        settled.push_back(glutGet(GLUT_ELAPSED_TIME) % 3000);
    }
    if (shown < warm_up + frames)
        return;
    std::printf("%.2f\n", frames * 1e9 / static_cast<double>(times.back() - times.front()));
    for (std::size_t i = 1; i < times.size(); ++i)
        std::printf("%.2f ", static_cast<double>(times[i] - times[i - 1]) / 1e6);
    std::printf("\n");
    for (std::size_t i = 1; i < settled.size(); ++i)
        std::printf("%d ", settled[i]);
    std::printf("\n");
    std::exit(0);
}

void report() {
    Shown message{static_cast<std::int32_t>(ask_kernel(SYS_getpid)), keys, real_ns()};
    (void)!send(socket_fd, &message, sizeof message, MSG_DONTWAIT);
}

void show() {
    report();
    draw();
}

void key(unsigned char, int, int) {
    ++keys;
    glutPostRedisplay();
}

void button(int, int state, int, int) {
    if (state != GLUT_DOWN)
        return;
    ++keys;
    report();
    glutPostRedisplay();
}

bool connect_to(const char *path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    socket_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return connect(socket_fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_RGB | GLUT_DOUBLE | GLUT_DEPTH);
    if (argc == 6 && !std::strcmp(argv[1], "spin")) {
        frames = std::atoi(argv[2]);
        quads = std::atoi(argv[3]);
        glutInitWindowSize(std::atoi(argv[4]), std::atoi(argv[5]));
        glutCreateWindow("wallbench");
        glutDisplayFunc(spin);
        glutIdleFunc(glutPostRedisplay);
    } else if (argc == 7 && !std::strcmp(argv[1], "load")) {
        kind = argv[2];
        frames = std::atoi(argv[3]);
        heavy = std::atoi(argv[6]);
        glutInitWindowSize(std::atoi(argv[4]), std::atoi(argv[5]));
        glutCreateWindow("wallbench");
        glutDisplayFunc(spin_load);
        glutIdleFunc(glutPostRedisplay);
    } else if (argc == 3 && !std::strcmp(argv[1], "wait") && connect_to(argv[2])) {
        quads = 100;
        glutInitWindowSize(400, 300);
        glutCreateWindow("wallbench");
        glutDisplayFunc(show);
        glutKeyboardFunc(key);
        glutMouseFunc(button);
    } else {
        std::fprintf(stderr,
                     "wallbench_scene: expected `spin FRAMES QUADS WIDTH HEIGHT`, `load KIND FRAMES WIDTH HEIGHT "
                     "ROUNDS` or `wait SOCKET`\n");
        return 2;
    }
    glutMainLoop();
}
