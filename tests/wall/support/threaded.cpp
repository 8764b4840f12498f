// Draws in its own thread, which is handed the window's context, in colours that follow the clock, and reads back
// the whole window: does every tile have the colour that rank 0 drew? An argument says what happens in addition:
//   twice   a second thread draws there after that, with its own context
//   parted  rank 1 reads once more in its fifth frame, and draws one frame less than the others
//   resize  the program makes its window larger meanwhile
//   second  the window is a second one on a wall that has a size, and changes its own with each turn of the main loop
//   late    the thread of rank 1 begins after some ticks; the window becomes larger and is displayed then
//   ends    the thread ends the program; its main loop is busy with GLUT in one callback forever
//   joined  the main loop ends the program, and the thread goes on until a destructor that comes last waits for it
#include <GL/freeglut.h>
#include <GL/glx.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int height = 151, larger = 341;
int width = 203;
int wrong = 0; ///< pixels
std::atomic<int> given_width{0}; ///< by GLUT
std::atomic<int> turns{0};       ///< of the main loop, since the window was handed over
std::string how;

/// Made before glutInit registers anything: its destructor runs after all that.
struct Last {
    std::thread thread;
    std::atomic<bool> over{false};
    ~Last() {
        over = true;
        if (thread.joinable())
            thread.join();
    }
} last;

bool is_rank_1() {
    for (const char *name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"})
        if (const char *rank = std::getenv(name))
            return std::string(rank) == "1";
    return false;
}

/// The clock, in colours that a few nanoseconds more would change.
void colour_of_time(GLubyte colour[3]) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    for (int i = 0; i < 3; ++i)
        colour[i] = static_cast<GLubyte>(now.tv_nsec >> (8 * i));
}

void draw_frame(int number) {
    GLubyte colour[3] = {};
    colour_of_time(colour);
    glViewport(0, 0, width + number, height);
    glClearColor(colour[0] / 255.0f, colour[1] / 255.0f, colour[2] / 255.0f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    std::vector<GLubyte> pixels(static_cast<std::size_t>(width) * height * 4);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    for (std::size_t i = 0; i < pixels.size(); i += 4)
        wrong += pixels[i] != colour[0] || pixels[i + 1] != colour[1] || pixels[i + 2] != colour[2];
}

void draw(Display *display, GLXDrawable window, GLXContext context) {
    while (how == "late" && is_rank_1() && turns < 30)
        std::this_thread::yield();
    if (!glXMakeCurrent(display, window, context))
        std::fprintf(stderr, "the thread does not get the context\n");
    const bool alone = how == "parted" && is_rank_1();
    for (int i = 1; i <= (alone ? 19 : 20); ++i) {
        if (alone && i == 5)
            draw_frame(0);
        draw_frame(i);
        glXSwapBuffers(display, window);
        if (how == "resize" && i == 8)
            while (given_width != larger)
                std::this_thread::yield();
        if (how == "resize" && i == 10) // with the swap before, all ranks have come to know of it
            width = larger;
        if (how == "joined" && !last.over && i == 20)
            i = 1;
    }
    if (how == "ends") {
        std::printf("drawn, %d wrong pixels\n", wrong);
        std::exit(0);
    }
    glXMakeCurrent(display, None, nullptr); // Mesa 25 keeps the context for the thread even when that has ended
}

void draw_after(Display *display, GLXDrawable window, GLXContext context, GLXContext other) {
    draw(display, window, context);
    const int wrong_before = wrong;
    if (how == "twice")
        std::thread(draw, display, window, other).join();
    wrong = wrong_before;
}

GLXContext context_like(Display *display, GLXContext other) {
    int id = 0, count = 0;
    glXQueryContext(display, other, GLX_FBCONFIG_ID, &id);
    const int wanted[] = {GLX_FBCONFIG_ID, id, None};
    GLXFBConfig *configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    return glXCreateNewContext(display, configs[0], GLX_RGBA_TYPE, other, True);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    how = argc > 1 ? argv[1] : "";
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    if (how == "second") {
        glutCreateWindow("wall");
        glutDisplayFunc([] {});
        glutInitWindowPosition(100, 90);
    }
    glutInitWindowSize(width, height);
    static const int window = glutCreateWindow("threaded");
    static std::thread drawing;
    glutDisplayFunc([] {
        Display *const display = glXGetCurrentDisplay();
        const GLXDrawable drawable = glXGetCurrentDrawable();
        const GLXContext context = glXGetCurrentContext();
        if (drawing.joinable() || last.thread.joinable())
            return;
        const GLXContext other = context_like(display, context);
        glXMakeCurrent(display, None, nullptr);
        drawing = std::thread(draw_after, display, drawable, context, other);
        if (how == "joined")
            last.thread = std::move(drawing);
        if (how == "ends")
            drawing.detach();
        while (how == "ends")
            glutTimerFunc(1, [](int) {}, glutGet(GLUT_ELAPSED_TIME));
    });
    glutReshapeFunc([](int now, int) { given_width = now; });
    glutIdleFunc([] {
        if ((how == "resize" || how == "late") && turns == 5)
            glutReshapeWindow(larger, height);
        if (how == "second" && turns < 60) {
            const int sizes[][2] = {{larger, height}, {width, height + 50}, {width + 70, height + 20}, {width, height}};
            glutSetWindow(window);
            glutReshapeWindow(sizes[turns % 4][0], sizes[turns % 4][1]);
        }
        if (how == "joined" && ++turns == 100)
            std::exit(0);
        if (!drawing.joinable() || ++turns < 100)
            return;
        drawing.join(); // in the same tick on every rank
        std::printf("drawn, %d wrong pixels\n", wrong);
        std::exit(0);
    });
    glutMainLoop();
    return 0;
}
