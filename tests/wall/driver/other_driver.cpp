// Preloaded behind libmpiglut, it makes Mesa behave as a GPU's driver does where the two differ, so that walls meet
// both.
//
//   OTHER_DRIVER_GROUPS=N   offers GLX_NV_swap_group; the rank N has no room in it
//   OTHER_DRIVER_INTERVALS=windows  offers GLX_SGI_swap_control, and ends a program that asks for an interval while a
//   pbuffer is current
//   OTHER_DRIVER_CONTEXTS=strict  a context is refused to a thread while another one has it, as GLX demands
//   OTHER_DRIVER_DRAWING=late  a picture is drawn when a call waits for it and not before: messages to other ranks,
//   and swaps, that do not wait are named, and also swaps of what has been drawn
//   OTHER_DRIVER_SLOW=N  on the rank N fences are signalled, and shaders are compiled, when the program asks for the third
//   time; of free memory each rank has 1000 less than the one before it
//   OTHER_DRIVER_PIXELS=rich  windows say that they have 10 bits a channel and pictures for two eyes; textures of 10
//   bits are named
//   OTHER_DRIVER_PBUFFERS=N  the X server refuses pbuffers that are wider than this
//   OTHER_DRIVER_FRONT=kept  what a window has swapped can be read from its front buffer
//   OTHER_DRIVER_MPI=stuck  not the driver but MPI, which GPUs' machines have of other kinds: MPI_Finalize never
//   returns
//
// Always: GL_MESA_pack_invert is not there, and asking for its state is an error; a context that was made without a
// profile says 0 when it is asked for that.
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mpi.h>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>

#define DRIVER_EXPORT extern "C" __attribute__((visibility("default")))
#define NEXT(function)                                                                                                 \
    ([]() {                                                                                                            \
        static const auto pointer = reinterpret_cast<decltype(&::function)>(dlsym(RTLD_NEXT, #function));              \
        return pointer;                                                                                                \
    }())

namespace {

constexpr GLenum unknown = 0xFFFF;

const GLubyte *without_pack_invert(const GLubyte *text) {
    static std::string kept; // of one context, or of several of one driver
    if (!text)
        return text;
    kept = reinterpret_cast<const char *>(text);
    if (const auto at = kept.find("GL_MESA_pack_invert"); at != kept.npos)
        kept.replace(at, 19, "GL_NONE_pack_invert");
    return reinterpret_cast<const GLubyte *>(kept.c_str());
}

const char *groups() { return std::getenv("OTHER_DRIVER_GROUPS"); }

std::string rank() {
    for (const char *name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"})
        if (const char *number = std::getenv(name))
            return number;
    return "";
}

bool has_room() { return rank() != groups(); }

std::map<const void *, int> asked; ///< how often, by fence; null: of shaders

/// Whether this rank has not come so far yet: it is asked for the first or the second time.
bool still_busy(const void *what) {
    const char *slow = std::getenv("OTHER_DRIVER_SLOW");
    return slow && rank() == slow && ++asked[what] < 3;
}

Bool join(Display *, GLXDrawable, GLuint group) {
    std::fprintf(stderr, "swap group %u\n", group);
    return group == 0 || has_room();
}

Bool bind(Display *, GLuint, GLuint barrier) {
    std::fprintf(stderr, "swap barrier %u\n", barrier);
    return True;
}

bool has_intervals() { return std::getenv("OTHER_DRIVER_INTERVALS"); }

std::set<GLXDrawable> &pbuffers() {
    static auto *const all = new std::set<GLXDrawable>;
    return *all;
}

int set_interval(int) {
    if (!pbuffers().contains(glXGetCurrentDrawable()))
        return 0;
    std::fprintf(stderr, "swap interval of a pbuffer\n");
    _exit(1);
}

/// By its own context: the program's stays as it is.
void copy_to_front(Display *display, GLXDrawable drawable) {
    const GLXContext program = glXGetCurrentContext();
    const GLXDrawable read = glXGetCurrentReadDrawable();
    int id = 0, count = 0, width = 0, height = 0;
    glXQueryContext(display, program, GLX_FBCONFIG_ID, &id);
    const int wanted[] = {GLX_FBCONFIG_ID, id, None};
    GLXFBConfig *const configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    const GLXContext own = NEXT(glXCreateNewContext)(display, configs[0], GLX_RGBA_TYPE, nullptr, True);
    XFree(configs);
    NEXT(glFinish)();
    NEXT(glXMakeContextCurrent)(display, drawable, drawable, own);
    GLint box[4];
    NEXT(glGetIntegerv)(GL_VIEWPORT, box); // of a new context, the drawable's size
    width = box[2];
    height = box[3];
    NEXT(glDrawBuffer)(GL_FRONT);
    NEXT(glReadBuffer)(GL_BACK);
    NEXT(glBlitFramebuffer)(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    NEXT(glFinish)();
    NEXT(glXMakeContextCurrent)(display, drawable, read, program);
    NEXT(glXDestroyContext)(display, own);
}

/// Which thread has which context.
class Holders {
  public:
    template <class F> Bool make_current(GLXContext context, F real) {
        const std::lock_guard lock(mutex_);
        const std::thread::id me = std::this_thread::get_id();
        const auto found = threads_.find(context);
        if (found != threads_.end() && found->second != me)
            return False;
        const Bool done = real();
        if (done) {
            std::erase_if(threads_, [me](const auto &entry) { return entry.second == me; });
            if (context)
                threads_[context] = me;
        }
        return done;
    }

  private:
    std::mutex mutex_;
    std::map<GLXContext, std::thread::id> threads_;
};

Holders *strict() {
    static Holders *const holders = std::getenv("OTHER_DRIVER_CONTEXTS") ? new Holders : nullptr;
    return holders;
}

template <class F> Bool make_current(GLXContext context, F real) {
    return strict() ? strict()->make_current(context, real) : real();
}

/// What this thread has given to the GPU and has not waited for.
class Late {
  public:
    void draw() { under_way_ = true; }
    void finish() { under_way_ = false; }
    void go_on(const char *what) const {
        if (std::getenv("OTHER_DRIVER_DRAWING"))
            std::fprintf(stderr, "%s %s the GPU has drawn\n", what, under_way_ ? "before" : "after");
    }

  private:
    bool under_way_ = false;
};

thread_local Late late;

} // namespace

DRIVER_EXPORT void glClear(GLbitfield what) {
    late.draw();
    NEXT(glClear)(what);
}

DRIVER_EXPORT void glEnd() {
    late.draw();
    NEXT(glEnd)();
}

DRIVER_EXPORT void glFinish() {
    late.finish();
    NEXT(glFinish)();
}

DRIVER_EXPORT void glXSwapBuffers(Display *display, GLXDrawable drawable) {
    late.go_on("swap");
    late.finish();
    static const bool kept = std::getenv("OTHER_DRIVER_FRONT") != nullptr;
    if (kept && drawable == glXGetCurrentDrawable() && !pbuffers().contains(drawable))
        copy_to_front(display, drawable);
    NEXT(glXSwapBuffers)(display, drawable);
}

DRIVER_EXPORT Bool glXMakeCurrent(Display *display, GLXDrawable drawable, GLXContext context) {
    return make_current(context, [=] { return NEXT(glXMakeCurrent)(display, drawable, context); });
}

DRIVER_EXPORT Bool glXMakeContextCurrent(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context) {
    return make_current(context, [=] { return NEXT(glXMakeContextCurrent)(display, draw, read, context); });
}

DRIVER_EXPORT GLXPbuffer glXCreatePbuffer(Display *display, GLXFBConfig config, const int *attributes) {
    const char *const widest = std::getenv("OTHER_DRIVER_PBUFFERS");
    const int *width = attributes;
    while (width[0] != None && width[0] != GLX_PBUFFER_WIDTH)
        width += 2;
    const int too_large[] = {GLX_PBUFFER_WIDTH, 100'000, GLX_PBUFFER_HEIGHT, 1, None}; // no X server has these
    const bool refused = widest && width[0] != None && width[1] > std::atoi(widest);
    const GLXPbuffer made = NEXT(glXCreatePbuffer)(display, config, refused ? too_large : attributes);
    pbuffers().insert(made);
    return made;
}

DRIVER_EXPORT void glTexImage2D(GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height, GLint border,
                                GLenum format, GLenum type, const void *pixels) {
    if (internal == GL_RGB10_A2)
        std::fprintf(stderr, "a texture of 10 bits\n");
    NEXT(glTexImage2D)(target, level, internal, width, height, border, format, type, pixels);
}

DRIVER_EXPORT void glGetIntegerv(GLenum name, GLint *values) {
    static const bool rich = std::getenv("OTHER_DRIVER_PIXELS") != nullptr;
    if (rich && (name == GL_RED_BITS || name == GL_STEREO)) {
        *values = name == GL_STEREO ? GL_TRUE : 10;
        return;
    }
    NEXT(glGetIntegerv)(name == GL_PACK_INVERT_MESA ? unknown : name, values);
    if (name == GL_CONTEXT_PROFILE_MASK && *values == GL_CONTEXT_COMPATIBILITY_PROFILE_BIT)
        *values = 0;
    if (name == GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX)
        *values = 9000 - 1000 * std::atoi(rank().c_str());
}

DRIVER_EXPORT GLenum glClientWaitSync(GLsync fence, GLbitfield flags, GLuint64 timeout) {
    const GLenum state = NEXT(glClientWaitSync)(fence, flags, timeout);
    return still_busy(fence) ? GL_TIMEOUT_EXPIRED : state;
}

DRIVER_EXPORT void glGetSynciv(GLsync fence, GLenum name, GLsizei room, GLsizei *length, GLint *values) {
    NEXT(glGetSynciv)(fence, name, room, length, values);
    if (name == GL_SYNC_STATUS && still_busy(fence))
        *values = GL_UNSIGNALED;
}

DRIVER_EXPORT void glDeleteSync(GLsync fence) {
    asked.erase(fence);
    NEXT(glDeleteSync)(fence);
}

DRIVER_EXPORT void glGetShaderiv(GLuint shader, GLenum name, GLint *value) {
    if (name == GL_COMPLETION_STATUS_KHR)
        *value = !still_busy(nullptr);
    else
        NEXT(glGetShaderiv)(shader, name, value);
}

DRIVER_EXPORT void glPixelStorei(GLenum name, GLint value) {
    NEXT(glPixelStorei)(name == GL_PACK_INVERT_MESA ? unknown : name, value);
}

DRIVER_EXPORT const GLubyte *glGetString(GLenum name) {
    const GLubyte *text = NEXT(glGetString)(name);
    return name == GL_EXTENSIONS ? without_pack_invert(text) : text;
}

DRIVER_EXPORT const GLubyte *glGetStringi(GLenum name, GLuint index) {
    const GLubyte *text = NEXT(glGetStringi)(name, index);
    return name == GL_EXTENSIONS ? without_pack_invert(text) : text;
}

DRIVER_EXPORT const char *glXQueryExtensionsString(Display *display, int screen) {
    const char *text = NEXT(glXQueryExtensionsString)(display, screen);
    static std::string with;
    with = text ? text : "";
    if (groups())
        with += " GLX_NV_swap_group";
    if (has_intervals())
        with += " GLX_SGI_swap_control";
    return with.c_str();
}

DRIVER_EXPORT int MPI_Finalize() {
    while (std::getenv("OTHER_DRIVER_MPI"))
        pause();
    return NEXT(MPI_Finalize)();
}

DRIVER_EXPORT int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                            MPI_Request *request) {
    late.go_on("message");
    return NEXT(MPI_Isend)(bytes, count, type, to, tag, comm, request);
}

DRIVER_EXPORT __GLXextFuncPtr glXGetProcAddressARB(const GLubyte *name) {
    const auto *text = reinterpret_cast<const char *>(name);
    if (groups() && std::strcmp(text, "glXJoinSwapGroupNV") == 0)
        return reinterpret_cast<__GLXextFuncPtr>(join);
    if (groups() && std::strcmp(text, "glXBindSwapBarrierNV") == 0)
        return reinterpret_cast<__GLXextFuncPtr>(bind);
    if (has_intervals() && std::strcmp(text, "glXSwapIntervalSGI") == 0)
        return reinterpret_cast<__GLXextFuncPtr>(set_interval);
    return NEXT(glXGetProcAddressARB)(name);
}
