// The ways a program looks functions up at run time, so that loaders (GLEW, glad, PyOpenGL) get the wrappers too.
//
// glXGetProcAddress and its kin answer for any name that has a wrapper. dlsym answers for names of GL, GLX, EGL, GLUT
// and Vulkan alone, for XOpenDisplay, and for what gets blocks of memory (free, realloc), and only if what it would have
// found lies in such a library: OSMesa and a program's plug-ins have functions of these names that are not ours to
// replace. Clock functions are left to the dynamic linker: runtimes (sanitizers, Python, Java) look the C library up to
// get behind whatever is in front of it. dlvsym is not interposed: GL and GLUT symbols have no versions, and this
// library needs the real one to find the real dlsym.
//
// Other interposers (apitrace, VirtualGL) look for the functions behind their own in the same way. One whose functions
// this library calls as the real ones gets what it asks for: a wrapper would call the interposer again, for ever.

#include "base/lookup.h"
#include "base/export.h"
#include "base/real.h"
#include "run/options.h"

#include <dlfcn.h>
#include <GL/glx.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string_view>

namespace mpiglut {

namespace {

/// A launcher started this process. Loaders look names up once, many of them before glutInit, so that this counts and
/// not whether the wall is at work yet. Asked when the library is loaded: glutInit removes the variable.
const bool launched = std::getenv(run_variable) != nullptr;

bool without_glx = false;

bool in_library_of_ours(const void *address) {
    Dl_info info{};
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    const char *slash = std::strrchr(info.dli_fname, '/');
    const char *file = slash ? slash + 1 : info.dli_fname;
    for (const char *prefix : {"libGL", "libOpenGL", "libEGL", "libglut", "libfreeglut", "libvulkan", "libX11.so", "libc.so"})
        if (std::strncmp(file, prefix, std::strlen(prefix)) == 0)
            return true;
    return false;
}

/// Where the library that the address lies in begins; null for none.
const void *library_of(const void *address) {
    Dl_info info{};
    return address && dladdr(address, &info) ? info.dli_fbase : nullptr;
}

/// Whether the caller is an interposer behind this library: its definition of this function, or of the function that
/// every interposer of GLX has, is the one that this library calls as the real one.
bool called_by_the_real_one(const void *caller, const char *name) {
    const void *const library = library_of(caller);
    for (const char *one : {name, "glXGetProcAddressARB", "glXSwapBuffers"})
        if (const void *real = real_symbol(one); library && library_of(real) == library)
            return true;
    return false;
}

} // namespace

void *wrapped(const char *name, void *found) {
    if (!found || !name || !launched || is_own(found))
        return found;
    void *own = own_symbol(name);
    return own ? own : found;
}

void server_lacks_glx(bool lacks) { without_glx = lacks; }

} // namespace mpiglut

using namespace mpiglut;

/// A function of GLX that would go to a server without GLX: that of an X11 program's own display. Those that take no
/// display go to the tile's.
static bool lacks_display(std::string_view name) {
    if (!without_glx || !name.starts_with("glX"))
        return false;
    constexpr std::string_view without[] = {
        "glXGetContextIDEXT", "glXGetCurrentContext", "glXGetVideoSyncSGI", "glXQueryCurrentRendererIntegerMESA",
        "glXQueryCurrentRendererStringMESA", "glXWaitGL", "glXWaitVideoSyncSGI", "glXWaitX"};
    return std::find(std::begin(without), std::end(without), name) == std::end(without);
}

MPIGLUT_EXPORT __GLXextFuncPtr glXGetProcAddressARB(const GLubyte *name) {
    auto *real = REAL(glXGetProcAddressARB);
    const auto *const text = reinterpret_cast<const char *>(name);
    void *found = real ? reinterpret_cast<void *>(real(name)) : nullptr;
    void *const given = wrapped(text, found);
    return reinterpret_cast<__GLXextFuncPtr>(given == found && text && lacks_display(text) ? nullptr : given);
}

MPIGLUT_EXPORT __GLXextFuncPtr glXGetProcAddress(const GLubyte *name) { return glXGetProcAddressARB(name); }

#if defined(__x86_64__) || defined(__aarch64__)

namespace {
struct Answer {
    void *found; ///< what dlsym returns, or null: let `real` decide, called as if by the caller
    Dlsym real;
};
} // namespace

/// The functions of Xlib that are called everywhere stay Xlib's, and those of the C library its own, except for those
/// that get blocks of memory, which may be this library's.
static MPIGLUT_UNCHECKED bool is_one_of_few(const char *name) {
    for (const char *ours : {"XOpenDisplay", "free", "realloc", "reallocarray", "malloc_usable_size"}) {
        std::size_t i = 0;
        while (name[i] && name[i] == ours[i])
            ++i;
        if (name[i] == ours[i])
            return true;
    }
    return false;
}

static MPIGLUT_UNCHECKED bool may_be_ours(const char *name) {
    return (name[0] == 'g' && name[1] == 'l') || (name[0] == 'e' && name[1] == 'g' && name[2] == 'l') ||
           (name[0] == 'v' && name[1] == 'k') || is_one_of_few(name);
}

// Both halves of an Answer come back in registers, which is all the trampoline below needs.
extern "C" __attribute__((visibility("hidden"), used, no_sanitize("address", "undefined", "thread"))) Answer
mpiglut_dlsym(void *handle, const char *name, const void *caller) {
    Answer answer{nullptr, real_dlsym()};
    if (!name || handle == RTLD_NEXT || handle == RTLD_DEFAULT || !may_be_ours(name))
        return answer; // in the global scope this library comes first without help
    if (!launched)
        return answer;
    void *found = answer.real(handle, name);
    if (found && in_library_of_ours(found) && !called_by_the_real_one(caller, name)) {
        void *handed_out = wrapped(name, found);
        answer.found = handed_out != found ? handed_out : nullptr;
    }
    return answer;
}

// dlsym(RTLD_NEXT, ...) goes by its return address: it has to be jumped to, not called, at any optimisation level.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl dlsym
    .type dlsym, @function
    .p2align 4
dlsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    movq 24(%rsp), %rdx
    call mpiglut_dlsym
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rax, %rax
    jz 1f
    ret
1:  jmp *%rdx
    .cfi_endproc
    .size dlsym, .-dlsym
)");
#else
asm(R"(
    .text
    .globl dlsym
    .type dlsym, %function
    .p2align 4
dlsym:
    .cfi_startproc
    hint #34
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset x29, -32
    .cfi_offset x30, -24
    stp x0, x1, [sp, #16]
    mov x2, x30
    bl mpiglut_dlsym
    mov x16, x1
    mov x9, x0
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    cbz x9, 1f
    mov x0, x9
    ret
1:  br x16
    .cfi_endproc
    .size dlsym, .-dlsym
)");
#endif

#endif
