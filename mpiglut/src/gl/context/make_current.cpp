#include "gl/context/make_current.h"

#include "base/real.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/cut.h"
#include "gl/present/present.h"

#include <ctime>
#include <mutex>

namespace mpiglut::gl {

namespace {

void (*before_window)(GLXDrawable) = nullptr; ///< the window model's
void (*before_thread)() = nullptr;            ///< the same

/// The program makes a context or lets go of one: another thread may be about to draw.
void may_hand_over(bool by_program) {
    clock::hand_over();
    if (before_thread && role() == Role::ticks && by_program)
        before_thread();
}

/// FreeGLUT makes a window's context current around each callback, in the thread of the ticks, where the program may
/// want nothing of it: it does not take the context from the thread that draws with it.
bool is_left_to_drawing(bool by_program, GLXContext context) {
    return role() == Role::ticks && someone_draws() && !by_program && held_elsewhere(context);
}

/// Held while a context that the program has handed over goes from one thread to the other.
std::mutex &passing_on() {
    static auto *const mutex = new std::mutex; // threads may still draw while static objects are destroyed
    return *mutex;
}

void let_go(Display *display) {
    REAL(glXMakeContextCurrent)(display, None, None, nullptr);
    made_current(nullptr, None, None, false);
}

/// No context here, instead of one that another thread has. One that it has taken from here is left alone: letting go
/// of it would work on it.
Bool leave(Display *display, GLXContext context) {
    const std::lock_guard lock(passing_on());
    if (!was_current_here(context) || !held_by_another(context))
        let_go(display);
    return True;
}

/// GLX lets a context be current in one thread only, though not all drivers insist: NVIDIA's refuses it to another
/// thread, and Mesa's (25) raises an X error, which ends the program. FreeGLUT may have made it current in the thread of
/// the ticks for a callback after the program had handed it over. That thread returns it with its next tick, and until
/// then nothing is asked of the driver.
template <class F> Bool bind_in_turn(GLXContext context, GLXDrawable draw, GLXDrawable read, F real) {
    constexpr timespec pause{0, 200'000};
    constexpr int most_pauses = 10'000; // two seconds
    for (int pauses = 0;; ++pauses) {
        {
            const std::lock_guard lock(passing_on());
            if (!is_on_loan(context) || pauses == most_pauses) {
                const Bool done = real();
                if (done)
                    made_current(context, draw, read, false);
                return done;
            }
        }
        REAL(nanosleep)(&pause, nullptr);
    }
}

/// For one of FreeGLUT's callbacks. The thread that draws may have taken the context just now.
template <class F> Bool bind_for_callback(GLXContext context, GLXDrawable draw, GLXDrawable read, F real) {
    const std::lock_guard lock(passing_on());
    const Bool done = !is_left_to_drawing(false, context) && real();
    if (done)
        made_current(context, draw, read, false);
    return done;
}

} // namespace

Bool make_current(bool by_program, Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context,
                  const std::function<Bool(GLXDrawable, GLXDrawable)> &real) {
    if (!context)
        may_hand_over(by_program);
    else if (is_left_to_drawing(by_program, context))
        return leave(display, context);
    if (context && before_window && is_window(draw))
        before_window(stands_for(draw));
    const GLXDrawable real_draw = substitute(display, draw, context);
    const GLXDrawable real_read = read == draw ? real_draw : substitute(display, read, context);
    const auto really = [&] { return real(real_draw, real_read); };
    if (const Context *c = looks_at_targets ? current() : nullptr; c && c->handle != context)
        leave_count_to_program();
    Bool done = False;
    if (role() == Role::drawing && context)
        done = bind_in_turn(context, draw, read, really);
    else if (role() == Role::ticks && context && !by_program)
        done = bind_for_callback(context, draw, read, really);
    else if ((done = really()))
        made_current(context, draw, read, by_program && role() == Role::ticks);
    if (done && context)
        fit_drawable(); // the window may have got another size while neither thread had it
    return done;
}

GLXContext created(bool by_program, GLXContext context, GLXContext shares_with) {
    may_hand_over(by_program);
    share_lists(context, shares_with);
    return context;
}

void on_window_current(void (*call)(GLXDrawable)) { before_window = call; }
void on_hand_over(void (*call)()) { before_thread = call; }

void return_loan() {
    const std::lock_guard lock(passing_on());
    if (has_on_loan())
        let_go(REAL(glXGetCurrentDisplay)());
}

} // namespace mpiglut::gl
