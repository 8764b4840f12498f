// Programs that begin each frame without glClear: by drawing over the whole window, as the argument says, or nearly so.
#define GL_GLEXT_PROTOTYPES
#include <GL/freeglut.h>

#include <GL/glext.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int width = 203, height = 151;
int drawn;
GLuint framebuffer, texture;

void colour() { glColor3f(0.1f * static_cast<float>(drawn % 10), 0.5f, 0.25f); }

void rectangle(float right = 1) { glRectf(-1, -1, right, 1); }

void triangle_of_an_array() {
    const GLfloat corners[] = {-1, -1, 3, -1, -1, 3};
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisableClientState(GL_VERTEX_ARRAY);
}

void quad() {
    glBegin(GL_QUADS);
    for (const auto &corner : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
        glVertex2i(corner.first, corner.second);
    glEnd();
}

void in_a_list() {
    static const GLuint list = [] {
        const GLuint made = glGenLists(1);
        glNewList(made, GL_COMPILE);
        quad();
        glEndList();
        return made;
    }();
    glCallList(list);
}

void pixels() {
    const std::vector<GLubyte> picture(width * height * 4, static_cast<GLubyte>(drawn));
    glWindowPos2i(0, 0);
    glDrawPixels(width, height, GL_RGBA, GL_UNSIGNED_BYTE, picture.data());
}

/// Drawn elsewhere first, with tests, and shown at the end.
template <class Show> void by_way_of_an_object(Show show) {
    glEnable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glClear(GL_COLOR_BUFFER_BIT);
    rectangle(0.5f);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDisable(GL_DEPTH_TEST);
    show();
}

void blit(int size) {
    by_way_of_an_object([size] {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
        glBlitFramebuffer(0, 0, size, size, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    });
}

/// In parts that are left out.
void with_holes() {
    static const GLuint program = [] {
        const char *text = "void main() { if (mod(gl_FragCoord.x, 50.0) < 1.0) discard; gl_FragColor = vec4(1); }";
        return glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &text);
    }();
    glUseProgram(program);
    rectangle();
    glUseProgram(0);
}

const GLfloat black[] = {0, 0, 0, 1};
GLubyte pixel[4];

const std::map<std::string, std::function<void()>> ways = {
    {"rectangle", [] { rectangle(); }},
    {"array", triangle_of_an_array},
    {"quad", quad},
    {"list", in_a_list},
    {"pixels", pixels},
    {"engine", [] { by_way_of_an_object(triangle_of_an_array); }},
    {"blit", [] { blit(64); }},
    {"buffer", [] { glClearBufferfv(GL_COLOR, 0, black); }},
    {"named", [] { by_way_of_an_object([] { glClearNamedFramebufferfv(0, GL_COLOR, 0, black); }); }},
    {"unread", [] { rectangle(), glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel); }},
    {"always",
     [] {
         glEnable(GL_DEPTH_TEST);
         glDepthFunc(GL_ALWAYS);
         rectangle();
         glDisable(GL_DEPTH_TEST);
     }},
    // What goes on with pixels of the last frame.
    {"nearly", [] { rectangle(0.99f); }},
    {"holes", with_holes},
    {"larger blit", [] { blit(65); }},
    {"blended",
     [] {
         glEnable(GL_BLEND);
         rectangle();
         glDisable(GL_BLEND);
     }},
    {"masked",
     [] {
         glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
         rectangle();
         glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
     }},
    {"scissored",
     [] {
         glEnable(GL_SCISSOR_TEST);
         glScissor(0, 0, width - 1, height);
         rectangle();
         glDisable(GL_SCISSOR_TEST);
     }},
    {"read", [] { glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel), rectangle(); }},
    {"depths", [] {
         rectangle();
         glEnable(GL_DEPTH_TEST);
         rectangle(0.5f);
         glDisable(GL_DEPTH_TEST);
     }}};

void make_object() {
    glGenFramebuffers(1, &framebuffer);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindTexture(GL_TEXTURE_2D, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

std::function<void()> way;

void display() {
    colour();
    way();
    glutSwapBuffers();
    if (++drawn == 8)
        std::exit(0);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowSize(width, height);
    glutCreateWindow("overdrawing");
    make_object();
    way = ways.at(argc > 1 ? argv[1] : "");
    glutDisplayFunc(display);
    glutIdleFunc(glutPostRedisplay);
    glutMainLoop();
    return 0;
}
