// Occlusion queries of everything that there is, their results shown bit by bit, and rendering that depends on them.
#define GL_GLEXT_PROTOTYPES
#include "scene.h"
#include <GL/glut.h>

#include <GL/glext.h>

#include <vector>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
int rows = 0, shown = 0;
GLuint in_subwindow = 0; ///< what the subwindow's own query counted
int first = 0, subwindow = 0;

void box(int x, int top, int w, int h, float depth) {
    const int y = height - top - h;
    glBegin(GL_QUADS);
    glVertex3f(static_cast<float>(x), static_cast<float>(y), depth);
    glVertex3f(static_cast<float>(x + w), static_cast<float>(y), depth);
    glVertex3f(static_cast<float>(x + w), static_cast<float>(y + h), depth);
    glVertex3f(static_cast<float>(x), static_cast<float>(y + h), depth);
    glEnd();
}

/// Over the gap between two tiles, over three tiles, on one of the last tile's spots, and nowhere to be seen.
void wide() { box(100, 20, 121, 91, 0.3f); }
void high() { box(220, 60, 101, 201, 0.3f); }
void small() { box(width - 40, height - 30, 21, 17, 0.3f); }
void hidden() { box(30, 30, 80, 50, -0.9f); }

/// A row of bits, lowest first.
void show(GLuint64 value) {
    for (int bit = 0; bit < 18; ++bit) {
        value >> bit & 1 ? glColor3f(1, 1, 1) : glColor3f(0.1f, 0.1f, 0.3f);
        box(10 + bit * 8, height - 20 - 8 * rows, 7, 7, 0.8f);
    }
    ++rows;
}

GLuint make() {
    GLuint query = 0;
    glGenQueries(1, &query);
    return query;
}

template <class F> GLuint counted(GLenum target, F draw) {
    const GLuint query = make();
    glBeginQuery(target, query);
    draw();
    glEndQuery(target);
    return query;
}

GLuint result(GLuint query) {
    GLuint value = 0;
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &value);
    return value;
}

/// Draws a box of 50 by 40 into a framebuffer object.
class Object {
  public:
    Object() {
        glGenFramebuffers(1, &framebuffer_);
        glGenRenderbuffers(1, &colours_);
        glBindRenderbuffer(GL_RENDERBUFFER, colours_);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 300, 200);
    }
    void draw() const {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours_);
        glViewport(0, 0, width, height);
        glEnable(GL_SCISSOR_TEST);
        glScissor(0, 0, 50, 40);
        box(0, 0, width, height, 0);
        glDisable(GL_SCISSOR_TEST);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
    }

  private:
    GLuint framebuffer_ = 0, colours_ = 0;
};

void show_every_way_to_ask(GLuint query) {
    GLint i = 0;
    GLuint u = 0, available = GL_FALSE;
    GLint64 i64 = 0;
    GLuint64 u64 = 0;
    while (!available)
        glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &available);
    glGetQueryObjectuivARB(query, GL_QUERY_RESULT_NO_WAIT, &u);
    show(u);
    glGetQueryObjectiv(query, GL_QUERY_RESULT, &i);
    glGetQueryObjecti64v(query, GL_QUERY_RESULT, &i64);
    glGetQueryObjectui64vEXT(query, GL_QUERY_RESULT, &u64);
    show(static_cast<GLuint64>(i) ^ static_cast<GLuint64>(i64) ^ u64);

    GLuint buffer = 0, values[4] = {};
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_QUERY_BUFFER, buffer);
    glBufferData(GL_QUERY_BUFFER, sizeof values, values, GL_STATIC_DRAW);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, reinterpret_cast<GLuint *>(4));
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, reinterpret_cast<GLuint *>(16)); // beyond its end
    show(glGetError());
    glBindBuffer(GL_QUERY_BUFFER, 0);
    glGetQueryBufferObjectuiv(query, buffer, GL_QUERY_RESULT, 12);
    glBindBuffer(GL_QUERY_BUFFER, buffer);
    glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof values, values);
    glBindBuffer(GL_QUERY_BUFFER, 0);
    show(values[0] + values[1]);
    show(values[2] + values[3]);
    glDeleteBuffers(1, &buffer);
}

void show_counts(const std::vector<GLuint> &queries) {
    for (const GLuint query : queries)
        show(result(query));
}

void bar(int row, GLuint query, GLenum mode) {
    glColor3f(0.9f, 0.6f, 0.1f);
    glBeginConditionalRender(query, mode);
    box(5, 112 - 7 * row, width - 10, 5, 0.9f);
    glEndConditionalRender();
}

void display() {
    rows = 0;
    glEnable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    scene::backdrop(width, height, 31);
    glColor3f(0.2f, 0.5f, 0.3f);
    box(150, 50, 111, 120, 0.5f);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glDepthMask(GL_FALSE);

    static const Object object;
    const GLuint seen = counted(GL_ANY_SAMPLES_PASSED, small), unseen = counted(GL_ANY_SAMPLES_PASSED, hidden);
    std::vector<GLuint> queries{counted(GL_SAMPLES_PASSED, wide),
                                counted(GL_SAMPLES_PASSED, high),
                                seen,
                                unseen,
                                counted(GL_ANY_SAMPLES_PASSED_CONSERVATIVE, small),
                                counted(GL_SAMPLES_PASSED, [] { object.draw(); }),
                                counted(GL_SAMPLES_PASSED, [] {
                                    wide();
                                    object.draw();
                                    small();
                                })};
    static GLuint list = 0, of_list = 0;
    if (!list) {
        list = glGenLists(1);
        of_list = make();
        glNewList(list, GL_COMPILE);
        glBeginQueryARB(GL_SAMPLES_PASSED_ARB, of_list);
        wide();
        small();
        glEndQueryARB(GL_SAMPLES_PASSED_ARB);
        glEndList();
    }
    glCallList(list);
    queries.push_back(of_list);

    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_TRUE);
    show_counts(queries);
    show(in_subwindow);
    show_every_way_to_ask(queries[1]);
    bar(0, seen, GL_QUERY_WAIT);
    bar(1, unseen, GL_QUERY_WAIT);
    bar(2, seen, GL_QUERY_WAIT_INVERTED);
    bar(3, unseen, GL_QUERY_BY_REGION_WAIT_INVERTED);
    bar(4, queries[5], GL_QUERY_BY_REGION_NO_WAIT);
    show(glGetError());
    queries.pop_back();
    glDeleteQueries(static_cast<GLsizei>(queries.size()), queries.data());
    glutSwapBuffers();
    if (++shown < 3)
        glutPostWindowRedisplay(first);
}

/// A window that lies on one tile: the others have nothing of it to count.
void display_subwindow() {
    glViewport(-20, -20, 100, 90);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glClear(GL_COLOR_BUFFER_BIT);
    const GLuint query = counted(GL_SAMPLES_PASSED, [] { glRectf(-1, -1, 1, 1); });
    in_subwindow = result(query);
    glDeleteQueries(1, &query);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH);
    glutInitWindowSize(403, 311);
    first = glutCreateWindow("occlusion query");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    subwindow = glutCreateSubWindow(first, 40, 30, 61, 43);
    glutDisplayFunc(display_subwindow);
    glutMainLoop();
    return 0;
}
