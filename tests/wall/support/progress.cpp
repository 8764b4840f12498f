// Asks the driver again and again how far it has come, and draws by the answers: fences, a shader's compilation, memory.
#define GL_GLEXT_PROTOTYPES
#include <GL/glut.h>

#include <GL/glext.h>

#include <cstdio>

namespace {

GLsync finished_fence() {
    const GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFinish();
    return fence;
}

void display() {
    for (int round = 0; round < 2; ++round) { // the second round's fences may have the addresses of the first one's
        const GLsync waited = finished_fence(), looked_at = finished_fence();
        for (int i = 0; i < 4; ++i) {
            GLint state = 0;
            glGetSynciv(looked_at, GL_SYNC_STATUS, 1, nullptr, &state);
            const GLenum wait = glClientWaitSync(waited, 0, 0);
            std::printf("%s %s\n", wait == GL_TIMEOUT_EXPIRED ? "expired" : "satisfied",
                        state == GL_SIGNALED ? "signalled" : "unsignalled");
        }
        glDeleteSync(waited);
        glDeleteSync(looked_at);
    }
    const GLuint shader = glCreateShader(GL_FRAGMENT_SHADER);
    for (int i = 0; i < 4; ++i) {
        GLint complete = 0;
        glGetShaderiv(shader, GL_COMPLETION_STATUS_KHR, &complete);
        std::printf("complete %d\n", complete);
    }
    GLint memory = 0;
    GLfloat as_float = 0;
    glGetIntegerv(GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX, &memory);
    std::printf("free %d\n", memory);
    while (glGetError() != GL_NO_ERROR) // where there is no such name
        ;
    glGetFloatv(GL_LINE_WIDTH, &as_float);
    std::printf("width %g\n", static_cast<double>(as_float));
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(80, 60);
    glutCreateWindow("progress");
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
