// searchlight: a plain GLUT program with its work where the mouse is. It knows nothing of walls.
//
// A Julia set, coarse in the dark and fine in the light, where each pixel takes a hundred times as long. On a wall the
// tile under the light is the busiest: mpiglutrun --wall 2x2 --balance show -- searchlight lets the others help it, and
// draws lines where who renders changes.
//   searchlight [--seconds N]    ends by itself after N seconds
// Move the mouse: the light follows. Wheel, + and -: wider and narrower. Space: the light wanders. Q or Esc: quit.
#include <GL/glut.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

const char *const fragment_text = R"(
uniform vec2 light;   // in half heights of the window, from its centre
uniform float radius;
uniform float time;

void main() {
    vec2 at = gl_TexCoord[0].xy;
    float lit = 1.0 - smoothstep(0.85 * radius, radius, distance(at, light));
    int rounds = lit > 0.0 ? 1600 : 16;
    vec2 c = vec2(-0.77 + 0.02 * sin(time), 0.13), z = 0.8 * at;
    float near = 1e9, steps = 0.0;
    for (int i = 0; i < rounds; ++i) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        float size = dot(z, z);
        steps += size < 16.0 ? 1.0 : 0.0;
        near = min(near, size);
        z = size < 16.0 ? z : vec2(4.0, 0.0); // no way out of the loop, so that each pixel in the light takes as long
    }
    float shade = sqrt(steps / 1600.0);
    vec3 fine = (0.2 + 0.8 * shade) * (0.5 + 0.45 * cos(vec3(0.2, 1.1, 2.0) + 14.0 * sqrt(near)));
    vec3 coarse = vec3(0.05, 0.07, 0.16) * (0.4 + steps / 16.0);
    gl_FragColor = vec4(mix(coarse, fine, lit), 1.0);
}
)";

struct {
    int width = 1, height = 1;
    float x = 0, y = 0, radius = 0.45f; // of the light
    bool wanders = true;
    int limit_ms = 0;
    GLuint program = 0;
    GLint light = -1, radius_at = -1, time = -1;
} app;

[[noreturn]] void fail(const char *what, const char *why) {
    std::fprintf(stderr, "searchlight: %s: %s\n", what, why);
    std::exit(1);
}

void make_program() {
    char log[1000] = "";
    GLint good = 0;
    const GLuint shader = glCreateShader(GL_FRAGMENT_SHADER);
    glShaderSource(shader, 1, &fragment_text, nullptr);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        glGetShaderInfoLog(shader, sizeof log, nullptr, log);
        fail("the shader cannot be compiled", log);
    }
    app.program = glCreateProgram();
    glAttachShader(app.program, shader);
    glLinkProgram(app.program);
    glGetProgramiv(app.program, GL_LINK_STATUS, &good);
    if (!good) {
        glGetProgramInfoLog(app.program, sizeof log, nullptr, log);
        fail("the program cannot be linked", log);
    }
    app.light = glGetUniformLocation(app.program, "light");
    app.radius_at = glGetUniformLocation(app.program, "radius");
    app.time = glGetUniformLocation(app.program, "time");
}

void display() {
    const float seconds = static_cast<float>(glutGet(GLUT_ELAPSED_TIME)) / 1000;
    const float aspect = static_cast<float>(app.width) / static_cast<float>(app.height);
    if (app.wanders) {
        app.x = 0.8f * aspect * std::sin(0.7f * seconds);
        app.y = 0.6f * std::sin(1.1f * seconds);
    }
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(app.program);
    glUniform2f(app.light, app.x, app.y);
    glUniform1f(app.radius_at, app.radius);
    glUniform1f(app.time, seconds);
    glBegin(GL_QUADS);
    for (const auto &[x, y] : {std::pair{-1.f, -1.f}, {1.f, -1.f}, {1.f, 1.f}, {-1.f, 1.f}}) {
        glTexCoord2f(x * aspect, y);
        glVertex2f(x, y);
    }
    glEnd();
    glutSwapBuffers();
    if (app.limit_ms && glutGet(GLUT_ELAPSED_TIME) >= app.limit_ms)
        std::exit(0);
}

void reshape(int width, int height) {
    app.width = std::max(width, 1);
    app.height = std::max(height, 1);
    glViewport(0, 0, width, height);
}

void follow(int x, int y) {
    app.wanders = false;
    app.x = (2.f * static_cast<float>(x) - static_cast<float>(app.width)) / static_cast<float>(app.height);
    app.y = 1 - 2.f * static_cast<float>(y) / static_cast<float>(app.height);
}

void widen(float factor) { app.radius = std::clamp(app.radius * factor, 0.02f, 4.f); }

void key(unsigned char key, int, int) {
    switch (key) {
    case '+':
        widen(1.1f);
        break;
    case '-':
        widen(1 / 1.1f);
        break;
    case ' ':
        app.wanders = !app.wanders;
        break;
    case 'q':
    case 27:
        std::exit(0);
    }
}

void mouse(int button, int state, int x, int y) {
    if (state == GLUT_DOWN && button == 3)
        widen(1.1f);
    else if (state == GLUT_DOWN && button == 4)
        widen(1 / 1.1f);
    else
        follow(x, y);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    if (argc == 3 && !std::strcmp(argv[1], "--seconds") && std::atof(argv[2]) > 0)
        app.limit_ms = static_cast<int>(1000 * std::atof(argv[2]));
    else if (argc != 1)
        fail("expected [--seconds N]", argv[1]);
    glutInitDisplayMode(GLUT_RGB | GLUT_DOUBLE | GLUT_DEPTH);
    glutInitWindowSize(960, 540);
    glutCreateWindow("searchlight");
    make_program();
    glutDisplayFunc(display);
    glutReshapeFunc(reshape);
    glutKeyboardFunc(key);
    glutMouseFunc(mouse);
    glutMotionFunc(follow);
    glutPassiveMotionFunc(follow);
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
}
