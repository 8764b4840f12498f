// powerwall: a plain GLUT program that looks its best on a big wall. It knows nothing of walls.
//
// Ripples run over a field of six-sided columns, and a knot of gold turns above them.
//   powerwall [--seconds N]      ends by itself after N seconds
// Drag: turn. Wheel, + and -: nearer and farther. Space: pause. P: palette. F: full screen. Q or Esc: quit. Right: menu.
#include <GL/glut.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr float pi = 3.14159265f;

struct Vec {
    float x, y, z;
};
Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec operator*(Vec a, float s) { return {a.x * s, a.y * s, a.z * s}; }
Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vec unit(Vec a) { return a * (1 / std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z)); }

// From trough to crest.
struct Palette {
    const char *name;
    std::array<Vec, 4> stops;
    Vec horizon, zenith;
};
const Palette palettes[] = {
    {"Ember", {{{.10f, .02f, .22f}, {.62f, .08f, .30f}, {.98f, .45f, .12f}, {1, .93f, .62f}}}, {.30f, .09f, .25f}, {.03f, .02f, .09f}},
    {"Ocean", {{{.01f, .07f, .25f}, {.00f, .32f, .55f}, {.10f, .75f, .75f}, {.93f, 1, .97f}}}, {.10f, .30f, .45f}, {.01f, .04f, .12f}},
    {"Aurora", {{{.07f, .03f, .25f}, {.08f, .38f, .45f}, {.30f, .88f, .45f}, {.98f, .72f, .92f}}}, {.12f, .22f, .32f}, {.02f, .01f, .09f}},
};

struct {
    int width = 1, height = 1;
    int palette = 0;
    float turn = 25, tilt = 25, distance = 19;
    int drag_x = 0, drag_y = 0;
    bool dragging = false, paused = false;
    float time = 0;         // of the scene, seconds
    int last_ms = 0, start_ms = 0, limit_ms = 0;
    int frames = 0, fps_since_ms = 0;
    float fps = 0;
    GLuint knot = 0;
} app;

void vertex(Vec normal, Vec position) {
    glNormal3fv(&normal.x);
    glVertex3fv(&position.x);
}

// A (2,3) torus knot, and its round tube, turned by the torus's normal so that it nowhere pinches.
Vec knot_line(float t) {
    float r = 2 + std::cos(3 * t);
    return {r * std::cos(2 * t), std::sin(3 * t), r * std::sin(2 * t)};
}

Vec knot_side(float t, float around) {
    Vec ahead = unit(knot_line(t + .01f) - knot_line(t - .01f));
    Vec out = knot_line(t) - Vec{2 * std::cos(2 * t), 0, 2 * std::sin(2 * t)};
    Vec side = unit(cross(ahead, out)), up = cross(side, ahead);
    return side * std::cos(around) + up * std::sin(around);
}

GLuint make_knot() {
    constexpr int along = 160, around = 14;
    GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    for (int i = 0; i < along; ++i) {
        glBegin(GL_QUAD_STRIP);
        for (int j = 0; j <= around; ++j)
            for (int k = 1; k >= 0; --k) {
                float t = 2 * pi * static_cast<float>(i + k) / along;
                Vec normal = knot_side(t, 2 * pi * static_cast<float>(j) / around);
                vertex(normal, knot_line(t) + normal * .29f);
            }
        glEnd();
    }
    glEndList();
    return list;
}

float ripple(float x, float z) {
    float t = app.time, height = 0;
    for (int i = 0; i < 3; ++i) {
        float a = .31f * t + 2.1f * static_cast<float>(i), far = 5.5f;
        float d = std::hypot(x - far * std::cos(a), z - far * std::sin(a * (i == 1 ? -1.f : 1.3f)));
        height += std::sin(1.5f * d - 2.4f * t) / (1 + .35f * d);
    }
    return height;
}

Vec shade(float level) {
    const auto &stops = palettes[app.palette].stops;
    float at = std::clamp(level, 0.f, .999f) * (stops.size() - 1);
    auto i = static_cast<std::size_t>(at);
    float mix = at - static_cast<float>(i);
    return stops[i] * (1 - mix) + stops[i + 1] * mix;
}

void draw_field() {
    constexpr int rings = 21;
    constexpr float size = .46f, gap = .97f;
    std::array<Vec, 7> corner; // of a column
    for (int k = 0; k < 7; ++k)
        corner[k] = {gap * size * std::cos(pi / 3 * k), 0, gap * size * std::sin(pi / 3 * k)};

    glBegin(GL_TRIANGLES);
    for (int q = -rings; q <= rings; ++q)
        for (int r = std::max(-rings, -q - rings); r <= std::min(rings, rings - q); ++r) {
            float x = 1.5f * size * q, z = std::sqrt(3.f) * size * (r + q / 2.f);
            float height = ripple(x, z);
            Vec colour = shade(.42f + .36f * height);
            Vec top{x, height, z}, down{0, -2.2f, 0};
            glColor3fv(&colour.x);
            for (int k = 0; k < 6; ++k) {
                Vec a = top + corner[k], b = top + corner[k + 1];
                for (Vec p : {top, b, a})
                    vertex({0, 1, 0}, p);
                Vec out = unit(corner[k] + corner[k + 1]);
                for (Vec p : {a, b, b + down, a, b + down, a + down})
                    vertex(out, p);
            }
        }
    glEnd();
}

void draw_knot() {
    const float gold[] = {.95f, .72f, .28f, 1}, dark[] = {0, 0, 0, 1}, shine[] = {1, .95f, .8f, 1};
    glPushMatrix();
    glTranslatef(0, 3.7f, 0);
    glScalef(1.1f, 1.1f, 1.1f);
    glRotatef(31 * app.time, 0, 1, 0);
    glRotatef(24, 1, 0, 0);
    glColor3fv(gold);
    glMaterialfv(GL_FRONT, GL_SPECULAR, shine);
    glMaterialf(GL_FRONT, GL_SHININESS, 40);
    glCallList(app.knot);
    glMaterialfv(GL_FRONT, GL_SPECULAR, dark);
    glPopMatrix();
}

void draw_sky() {
    const Palette &p = palettes[app.palette];
    glBegin(GL_QUADS);
    for (auto [x, y] : {std::pair{-1.f, -1.f}, {1.f, -1.f}, {1.f, 1.f}, {-1.f, 1.f}}) {
        glColor3fv(y < 0 ? &p.horizon.x : &p.zenith.x);
        glVertex2f(x, y);
    }
    glEnd();
}

void print(int x, int y, void *font, const std::string &text) {
    for (int shadow = 1; shadow >= 0; --shadow) {
        glColor3f(shadow ? 0.f : .95f, shadow ? 0.f : .95f, shadow ? 0.f : 1.f);
        glRasterPos2i(x + shadow, y - shadow);
        for (char c : text)
            glutBitmapCharacter(font, c);
    }
}

void draw_text() {
    char line[80];
    std::snprintf(line, sizeof line, "%d x %d   %.0f frames/s   %s", app.width, app.height, app.fps,
                  app.paused ? "paused" : palettes[app.palette].name);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    gluOrtho2D(0, app.width, 0, app.height);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    print(16, app.height - 32, GLUT_BITMAP_HELVETICA_18, "powerwall");
    print(16, app.height - 52, GLUT_BITMAP_HELVETICA_12, line);
    print(16, 14, GLUT_BITMAP_HELVETICA_12, "drag: turn   wheel: zoom   space: pause   P: palette   F: full screen   Q: quit");
}

void display() {
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    for (GLenum off : {GL_LIGHTING, GL_DEPTH_TEST, GL_FOG})
        glDisable(off);
    draw_sky();

    for (GLenum on : {GL_LIGHTING, GL_DEPTH_TEST, GL_FOG})
        glEnable(on);
    glMatrixMode(GL_PROJECTION);
    gluPerspective(38, static_cast<double>(app.width) / app.height, 1, 60);
    glMatrixMode(GL_MODELVIEW);
    glTranslatef(0, -1.1f, -app.distance);
    glRotatef(app.tilt, 1, 0, 0);
    glRotatef(app.turn + 6 * app.time, 0, 1, 0);
    const float sun[] = {.5f, .9f, .35f, 0}, sky[] = {-.6f, .25f, .5f, 0};
    glLightfv(GL_LIGHT0, GL_POSITION, sun);
    glLightfv(GL_LIGHT1, GL_POSITION, sky);
    glFogfv(GL_FOG_COLOR, &palettes[app.palette].horizon.x);
    glFogf(GL_FOG_START, app.distance);
    glFogf(GL_FOG_END, app.distance + 13);
    draw_field();
    draw_knot();

    for (GLenum off : {GL_LIGHTING, GL_DEPTH_TEST, GL_FOG})
        glDisable(off);
    draw_text();
    glutSwapBuffers();
    ++app.frames;
}

void idle() {
    int now = glutGet(GLUT_ELAPSED_TIME);
    if (!app.paused)
        app.time += static_cast<float>(now - app.last_ms) / 1000;
    app.last_ms = now;
    if (now - app.fps_since_ms >= 1000) {
        app.fps = 1000.f * static_cast<float>(app.frames) / static_cast<float>(now - app.fps_since_ms);
        app.frames = 0;
        app.fps_since_ms = now;
    }
    if (app.limit_ms && now - app.start_ms >= app.limit_ms)
        std::exit(0);
    glutPostRedisplay();
}

void zoom(float factor) { app.distance = std::clamp(app.distance * factor, 6.f, 40.f); }

void key(unsigned char c, int, int) {
    switch (c) {
    case ' ': app.paused = !app.paused; break;
    case '+': zoom(.93f); break;
    case '-': zoom(1 / .93f); break;
    case 'p': app.palette = (app.palette + 1) % 3; break;
    case 'f': glutFullScreen(); break;
    case 'q':
    case 27: std::exit(0);
    }
}

void mouse(int button, int state, int x, int y) {
    app.dragging = button == GLUT_LEFT_BUTTON && state == GLUT_DOWN;
    app.drag_x = x;
    app.drag_y = y;
    if (state == GLUT_DOWN && (button == 3 || button == 4)) // the wheel, as GLUT has it without FreeGLUT's extension
        zoom(button == 3 ? .95f : 1 / .95f);
}

void motion(int x, int y) {
    if (!app.dragging)
        return;
    app.turn += .3f * static_cast<float>(x - app.drag_x);
    app.tilt = std::clamp(app.tilt + .3f * static_cast<float>(y - app.drag_y), 5.f, 85.f);
    app.drag_x = x;
    app.drag_y = y;
}

void reshape(int width, int height) {
    app.width = std::max(width, 1);
    app.height = std::max(height, 1);
    glViewport(0, 0, app.width, app.height);
}

void choose_palette(int which) { app.palette = which; }
void choose(int entry) { key(static_cast<unsigned char>(entry), 0, 0); }

void make_menu() {
    int colours = glutCreateMenu(choose_palette);
    for (int i = 0; i < 3; ++i)
        glutAddMenuEntry(palettes[i].name, i);
    glutCreateMenu(choose);
    glutAddSubMenu("Palette", colours);
    glutAddMenuEntry("Pause or go on", ' ');
    glutAddMenuEntry("Full screen", 'f');
    glutAddMenuEntry("Quit", 'q');
    glutAttachMenu(GLUT_RIGHT_BUTTON);
}

} // namespace

int main(int argc, char **argv) {
    if (argc == 2 && !std::strcmp(argv[1], "--version"))
        return std::puts("powerwall " PROGRAM_VERSION) < 0;
    glutInitWindowSize(960, 600);
    glutInit(&argc, argv);
    for (int i = 1; i + 1 < argc; ++i)
        if (!std::strcmp(argv[i], "--seconds"))
            app.limit_ms = static_cast<int>(1000 * std::atof(argv[i + 1]));
    glutInitDisplayMode(GLUT_RGB | GLUT_DOUBLE | GLUT_DEPTH);
    glutCreateWindow("powerwall");

    const float bluish[] = {.3f, .32f, .5f, 1};
    glLightfv(GL_LIGHT1, GL_DIFFUSE, bluish);
    glEnable(GL_LIGHT0);
    glEnable(GL_LIGHT1);
    glEnable(GL_COLOR_MATERIAL);
    glEnable(GL_CULL_FACE);
    glEnable(GL_NORMALIZE);
    glFogi(GL_FOG_MODE, GL_LINEAR);
    app.knot = make_knot();
    make_menu();
    glutDisplayFunc(display);
    glutReshapeFunc(reshape);
    glutIdleFunc(idle);
    glutKeyboardFunc(key);
    glutMouseFunc(mouse);
    glutMotionFunc(motion);
    app.start_ms = app.last_ms = app.fps_since_ms = glutGet(GLUT_ELAPSED_TIME);
    glutMainLoop();
}
