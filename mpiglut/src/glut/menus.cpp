// Menus stay FreeGLUT's: every rank makes the same ones, and one opens where it is asked for. Only the choice travels.
//
// FreeGLUT ends a program that changes menus while one is open. The program cannot know as soon as one opens, because
// its callback goes by way of rank 0; so what it changes waits, on the tile where a menu is open, until that is closed.
#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "glut/backend.h"

#include <GL/freeglut.h>
#include <GL/freeglut_ucall.h>

#include <string>
#include <utility>

namespace mpiglut {
namespace {

void change(const std::function<void()> &what) {
    if (!state().menus.open_here)
        return what();
    const int menu = state().menus.current, window = REAL(glutGetWindow)();
    state().menus.waiting.push_back([=] {
        if (menu)
            REAL(glutSetMenu)(menu);
        if (window)
            REAL(glutSetWindow)(window);
        what();
    });
}

int create(const Callback<int> &callback) {
    Menus &menus = state().menus;
    change([] { create_real_menu(); });
    menus.current = ++menus.made; // FreeGLUT counts alike
    menus.callbacks[menus.current] = callback;
    return menus.current;
}

} // namespace

void change_menus_that_waited() {
    Menus &menus = state().menus;
    if (menus.open_here || menus.waiting.empty())
        return;
    const int window = REAL(glutGetWindow)();
    for (const auto &what : std::exchange(menus.waiting, {}))
        what();
    if (menus.current)
        REAL(glutSetMenu)(menus.current);
    if (window)
        REAL(glutSetWindow)(window);
}

} // namespace mpiglut

using namespace mpiglut;

MPIGLUT_EXPORT int glutCreateMenu(void (*callback)(int)) {
    return active() ? create(callback) : REAL(glutCreateMenu)(callback);
}

MPIGLUT_EXPORT int glutCreateMenuUcall(void (*callback)(int, void *), void *data) {
    return active() ? create({callback, data}) : REAL(glutCreateMenuUcall)(callback, data);
}

MPIGLUT_EXPORT void glutDestroyMenu(int menu) {
    Menus &menus = state().menus;
    menus.callbacks.erase(menu);
    if (menu == menus.current)
        menus.current = 0;
    change([=] { REAL(glutDestroyMenu)(menu); });
}

MPIGLUT_EXPORT int glutGetMenu(void) { return active() ? state().menus.current : REAL(glutGetMenu)(); }

MPIGLUT_EXPORT void glutSetMenu(int menu) {
    if (active() && !state().menus.callbacks.contains(menu))
        return; // as FreeGLUT, without a word
    state().menus.current = menu;
    if (!state().menus.open_here)
        REAL(glutSetMenu)(menu);
}

MPIGLUT_EXPORT void glutAddMenuEntry(const char *label, int value) {
    change([=, text = std::string(label)] { REAL(glutAddMenuEntry)(text.c_str(), value); });
}

MPIGLUT_EXPORT void glutAddSubMenu(const char *label, int menu) {
    change([=, text = std::string(label)] { REAL(glutAddSubMenu)(text.c_str(), menu); });
}

MPIGLUT_EXPORT void glutChangeToMenuEntry(int item, const char *label, int value) {
    change([=, text = std::string(label)] { REAL(glutChangeToMenuEntry)(item, text.c_str(), value); });
}

MPIGLUT_EXPORT void glutChangeToSubMenu(int item, const char *label, int menu) {
    change([=, text = std::string(label)] { REAL(glutChangeToSubMenu)(item, text.c_str(), menu); });
}

MPIGLUT_EXPORT void glutRemoveMenuItem(int item) {
    change([=] { REAL(glutRemoveMenuItem)(item); });
}

MPIGLUT_EXPORT void glutSetMenuFont(int menu, void *font) {
    change([=] { REAL(glutSetMenuFont)(menu, font); });
}

MPIGLUT_EXPORT void glutAttachMenu(int button) {
    change([=] { REAL(glutAttachMenu)(button); });
}

MPIGLUT_EXPORT void glutDetachMenu(int button) {
    change([=] { REAL(glutDetachMenu)(button); });
}
