#include "gl_interpose.h"

#include <context/gl.h>

#include <array>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

extern "C" void *__real_dlsym(void *library, const char *name);

namespace gl_interpose {

std::atomic<bool> lost{false};
std::atomic<const char *> missing{nullptr};

namespace {

enum {
#define X(TYPE, name) at_##name,
    GLMPI_GL_FUNCTIONS(X)
#undef X
        count
};

std::array<Hand, count> hands{{
#define X(TYPE, name) {"gl" #name},
    GLMPI_GL_FUNCTIONS(X)
#undef X
}};

struct Counts {
    std::mutex mutex;
    std::map<std::string, int> alive;

    void add(const char *what, int number) {
        const std::lock_guard lock(mutex);
        alive[what] += number;
    }
};

Counts &counts() {
    static Counts one;
    return one;
}

thread_local GLenum pending = GL_NO_ERROR;

/// "Buffers" of "glGenBuffers", where the name begins so; else null.
const char *after(const char *name, const char *verb) {
    const std::size_t length = std::strlen(verb);
    return std::strncmp(name, verb, length) == 0 ? name + length : nullptr;
}

int number_of(GLsizei number, const GLuint *names) {
    int some = 0;
    for (GLsizei i = 0; i < number; ++i)
        some += names[i] != 0;
    return some;
}

/// Looks at a call that went through. Functions that make or delete lists of names have these two arguments; those that
/// make or delete one object return it or have it as their only one.
template <class... Arguments> void look(const char *name, Arguments... arguments) {
    if constexpr (sizeof...(Arguments) == 2) {
        const auto list = [&](auto number, auto names) {
            if constexpr (std::is_same_v<decltype(number), GLsizei> &&
                          std::is_convertible_v<decltype(names), const GLuint *>) {
                for (const char *verb : {"glGen", "glCreate"})
                    if (const char *what = after(name, verb))
                        counts().add(what, number_of(number, names));
                if (const char *what = after(name, "glDelete"))
                    counts().add(what, -number_of(number, names));
            }
        };
        list(arguments...);
    } else if constexpr (sizeof...(Arguments) == 3) { // glCreateQueries: the target comes first
        const auto without_first = [&](auto, auto... rest) { look(name, rest...); };
        without_first(arguments...);
    } else if constexpr (sizeof...(Arguments) == 1) {
        if (const char *what = after(name, "glDelete"))
            if ((... && arguments))
                counts().add(what, -1);
    }
}

template <class Function, int index> struct Through;
template <class Result, class... Arguments, int index> struct Through<Result(APIENTRYP)(Arguments...), index> {
    static inline std::atomic<Result(APIENTRYP)(Arguments...)> real{nullptr};

    static Result APIENTRY call(Arguments... arguments) {
        Hand &hand = hands[index];
        if constexpr (index == at_GetError) {
            if (lost)
                return GL_CONTEXT_LOST;
            if (pending != GL_NO_ERROR)
                return std::exchange(pending, GL_NO_ERROR);
        }
        if (hand.strikes() || (lost && !after(hand.name, "glDelete"))) {
            if constexpr (index == at_UnmapBuffer) // which says that what was mapped is lost, not that it still is
                real.load()(arguments...);
            if (pending == GL_NO_ERROR && !lost)
                pending = hand.error;
            if constexpr (index == at_ClientWaitSync)
                return GL_WAIT_FAILED;
            else
                return Result();
        }
        if constexpr (std::is_void_v<Result>) {
            if (after(hand.name, "glDelete")) // names are read before they go
                look(hand.name, arguments...);
            real.load()(arguments...);
            if (!after(hand.name, "glDelete"))
                look(hand.name, arguments...);
        } else {
            const Result result = real.load()(arguments...);
            if (result)
                for (const char *verb : {"glCreate", "glFence"})
                    if (const char *what = after(hand.name, verb))
                        counts().add(what, 1);
            return result;
        }
    }
};

using Lookup = void *(*)(const char *);
std::atomic<Lookup> real_lookup{nullptr};

/// What eglGetProcAddress and glXGetProcAddress answer.
void *find(const char *name) {
    if (const char *none = missing; none && std::strcmp(none, name) == 0)
        return nullptr;
    void *const real = real_lookup.load()(name);
#define X(TYPE, name_)                                                                                                 \
    if (real && std::strcmp(name, "gl" #name_) == 0) {                                                                 \
        using It = Through<PFNGL##TYPE##PROC, at_##name_>;                                                             \
        It::real = reinterpret_cast<PFNGL##TYPE##PROC>(real);                                                          \
        return reinterpret_cast<void *>(&It::call);                                                                    \
    }
    GLMPI_GL_FUNCTIONS(X)
#undef X
    return real;
}

} // namespace

Hand &hand(const std::string &name) { return interpose::hand_named(hands, name); }

void heal_all() {
    for (Hand &one : hands)
        one.heal();
    lost = false;
    missing = nullptr;
    pending = GL_NO_ERROR;
}

std::map<std::string, int> alive() {
    const std::lock_guard lock(counts().mutex);
    std::map<std::string, int> some = counts().alive;
    std::erase_if(some, [](const auto &each) { return each.second == 0; });
    return some;
}

void forget_all() {
    const std::lock_guard lock(counts().mutex);
    counts().alive.clear();
}

} // namespace gl_interpose

extern "C" void *__wrap_dlsym(void *library, const char *name) {
    void *const real = __real_dlsym(library, name);
    if (!real || (std::strcmp(name, "eglGetProcAddress") != 0 && std::strcmp(name, "glXGetProcAddressARB") != 0))
        return real;
    gl_interpose::real_lookup = reinterpret_cast<gl_interpose::Lookup>(real);
    return reinterpret_cast<void *>(&gl_interpose::find);
}
