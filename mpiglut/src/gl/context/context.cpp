// The current context of each thread, what it draws to, and the one place where the driver's state follows the
// mirror's.

#include "gl/context/context.h"

#include "base/real.h"
#include "gl/context/parts.h"
#include "gl/coordinates/coordinates.h"
#include "gl/coordinates/mirror.h"

#include <GL/glx.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <pthread.h>
#include <utility>

namespace mpiglut::gl {

namespace {

struct Known {
    std::mutex mutex;
    std::map<GLXDrawable, Surface *> surfaces;
    std::map<GLXContext, std::shared_ptr<Context>> contexts;
    std::map<GLXContext, std::shared_ptr<Lists>> lists; ///< of contexts that share theirs
};

Known &known() {
    static Known *const all = new Known; // threads may still draw while static objects are destroyed
    return *all;
}

// Looked at by every wrapper: the fastest kind of thread-local there is.
__attribute__((tls_model("initial-exec"))) thread_local Context *translated_context = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local std::shared_ptr<Context> *held_here = nullptr;

void let_go(Context &c) {
    const void *me = &translated_context;
    c.holder.compare_exchange_strong(me, nullptr);
}

/// A driver may keep the context for the thread, as in one window: Mesa 25 does.
void end_of_thread(void *own) {
    const std::unique_ptr<std::shared_ptr<Context>> mine(static_cast<std::shared_ptr<Context> *>(own));
    held_here = nullptr;
    if (*mine)
        let_go(**mine);
}

/// This thread's context, kept if it is destroyed while current. Not a thread-local object: `exit` would destroy that
/// before the exit handlers of the program run, which may call GLUT.
std::shared_ptr<Context> &held() {
    static const pthread_key_t key = [] {
        pthread_key_t made{};
        pthread_key_create(&made, end_of_thread);
        return made;
    }();
    if (!held_here) {
        held_here = new std::shared_ptr<Context>;
        pthread_setspecific(key, held_here);
    }
    return *held_here;
}

Surface *surface_of(GLXDrawable drawable) {
    const auto found = known().surfaces.find(drawable);
    return found == known().surfaces.end() ? nullptr : found->second;
}

std::shared_ptr<Context> context_of(GLXContext handle, bool &is_new) {
    std::shared_ptr<Context> &context = known().contexts[handle];
    is_new = !context;
    if (is_new) {
        context = std::make_shared<Context>();
        context->handle = handle;
        std::shared_ptr<Lists> &lists = known().lists[handle];
        if (!lists)
            lists = std::make_shared<Lists>();
        context->lists = lists;
    }
    return context;
}

/// What the driver has is what the program set, as long as nothing was translated.
void adopt(Context &c) {
    pull_limits(c);
    pull_viewport(c);
    pull_scissor(c);
    pull_framebuffers(c);
    c.target_scale = 0;
    c.applied_origin = c.raster_origin = {};
    c.crop = {};
    c.cropped.clear();
    if (!c.limits.fixed_function)
        return;
    pull_stipple(c);
    pull_attrib(c);
    pull_feedback(c);
}

/// GL gives a new context the viewport and the scissor of the first drawable: here, of the whole window.
void whole_window(Context &c) {
    const Part &part = c.surface->part;
    c.viewport.set_all({0, 0, static_cast<GLfloat>(part.full_width), static_cast<GLfloat>(part.full_height)});
    c.scissor.set_all({0, 0, part.full_width, part.full_height});
}

} // namespace

void attach(GLXDrawable drawable, Surface *surface) {
    const std::lock_guard lock(known().mutex);
    known().surfaces[drawable] = surface;
}

void detach(GLXDrawable drawable) {
    const std::lock_guard lock(known().mutex);
    Surface *surface = surface_of(drawable);
    known().surfaces.erase(drawable);
    // A window and the pbuffer that stands in for it lead to the same surface.
    const bool elsewhere = std::any_of(known().surfaces.begin(), known().surfaces.end(),
                                       [surface](const auto &entry) { return entry.second == surface; });
    if (!surface || elsewhere)
        return;
    for (auto &[handle, context] : known().contexts)
        for (Surface **used : {&context->surface, &context->read_surface})
            if (*used == surface)
                *used = nullptr;
    if (translated_context && !translated_context->surface)
        translated_context = nullptr;
}

bool is_window(GLXDrawable drawable) {
    const std::lock_guard lock(known().mutex);
    return surface_of(drawable) != nullptr;
}

namespace {

bool held_by_another(const Context &c) {
    const void *holder = c.holder;
    return holder && holder != &translated_context;
}

/// Null where it has never been current.
std::shared_ptr<Context> known_context(GLXContext handle) {
    const std::lock_guard lock(known().mutex);
    const auto found = known().contexts.find(handle);
    return found == known().contexts.end() ? nullptr : found->second;
}

} // namespace

bool held_by_another(GLXContext handle) {
    const auto c = known_context(handle);
    return c && held_by_another(*c);
}

bool held_elsewhere(GLXContext handle) {
    const auto c = known_context(handle);
    return c && (c->handed_over || held_by_another(*c));
}

bool was_current_here(GLXContext handle) { return held() && held()->handle == handle; }

bool is_on_loan(GLXContext handle) {
    const auto c = known_context(handle);
    return c && c->handed_over && held_by_another(*c);
}

bool has_on_loan() { return held() && held()->handed_over && !held_by_another(*held()); }

void draw_agreed_part() {
    if (Context *c = current())
        apply(*c);
}

void moved(Surface *surface) {
    Context *c = current();
    if (c && (c->surface == surface || c->read_surface == surface) && c->applied_part != c->surface->part)
        apply(*c);
}

void share_lists(GLXContext context, GLXContext with) {
    if (!context)
        return;
    const std::lock_guard lock(known().mutex);
    std::shared_ptr<Lists> lists;
    if (with) {
        std::shared_ptr<Lists> &theirs = known().lists[with];
        if (!theirs)
            theirs = std::make_shared<Lists>();
        lists = theirs;
    }
    known().lists[context] = lists;
}

void made_current(GLXContext handle, GLXDrawable draw, GLXDrawable read, bool chosen) {
    std::shared_ptr<Context> &mine = held();
    if (mine && chosen)
        mine->handed_over = !handle;
    if (mine && mine->handle != handle)
        let_go(*mine);
    if (!handle) {
        translated_context = nullptr;
        mine.reset();
        return;
    }
    Surface *surface = nullptr, *read_surface = nullptr;
    bool is_new = false;
    {
        const std::lock_guard lock(known().mutex);
        surface = surface_of(draw);
        read_surface = surface_of(read);
        if (!mine || mine->handle != handle)
            mine = context_of(handle, is_new);
    }
    surface = surface ? seen_here(surface) : nullptr;
    read_surface = read_surface ? seen_here(read_surface) : nullptr;
    Context &c = *mine;
    c.holder = &translated_context;
    if (chosen)
        c.handed_over = false;
    const bool same = c.surface == surface && c.mirrored;
    const bool switched = translated_context != &c;
    c.surface = surface;
    c.read_surface = read_surface;
    translated_context = surface ? &c : nullptr;
    if (!surface) {
        if (c.mirrored)
            apply(c); // a foreign drawable gets what the program set, as it is
        c.mirrored = false;
        return;
    }
    if (!c.mirrored) {
        adopt(c);
        if (is_new)
            whole_window(c);
        c.mirrored = true;
    }
    if (!same || c.applied_part != surface->part)
        apply(c);
    else if (switched)
        shaders_moved(c);
}

void destroyed(GLXContext handle) {
    const std::lock_guard lock(known().mutex);
    known().contexts.erase(handle);
    known().lists.erase(handle);
}

Context *current() {
    Context *c = translated_context;
    return c && c->holder.load(std::memory_order_relaxed) == &translated_context ? c : nullptr;
}

Untranslated::Untranslated() : context_(std::exchange(translated_context, nullptr)) {}
Untranslated::~Untranslated() { translated_context = context_; }

bool has_context() { return REAL(glXGetCurrentContext)() != nullptr; }

bool is_handed_over() {
    return !has_context() || (held() && held()->handed_over) || (translated_context && !current());
}

Surface *current_surface() {
    const Context *c = current();
    return c ? c->surface : nullptr;
}

int max_viewport_override() {
    static const int limit = [] {
        const char *text = std::getenv("MPIGLUT_MAX_VIEWPORT");
        return text ? std::max(0, std::atoi(text)) : 0;
    }();
    return limit;
}

void apply(Context &c) {
    const Unrecorded unrecorded(c);
    c.applied_part = c.surface ? c.surface->part : Part{};
    c.applied_origin = draw_origin(c);
    apply_viewport(c);
    apply_scissor(c);
    if (c.limits.fixed_function) {
        apply_stipple(c);
        move_raster(c, c.applied_origin);
    }
    shaders_moved(c);
}

} // namespace mpiglut::gl
