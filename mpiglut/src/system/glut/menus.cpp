// Menus stay FreeGLUT's: every rank makes the same ones, and one opens where it is asked for. Only the choice travels.
// What is in them is kept for the operator (operator_menu.h).
//
// FreeGLUT ends a program that changes menus while one is open. The program cannot know as soon as one opens, because
// its callback goes by way of rank 0. So its changes wait, on the tile where a menu is open, until that is closed.
#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "system/glut/backend.h"

#include <GL/freeglut.h>
#include <GL/freeglut_ucall.h>

#include <algorithm>
#include <string>
#include <utility>

namespace mpiglut {
namespace {

void change(const std::function<void()> &what, const char *call = __builtin_FUNCTION()) {
    glut_active(call);
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

int create(const Callback<int> &callback, const char *call = __builtin_FUNCTION()) {
    Menus &menus = state().menus;
    change([] { create_real_menu(); }, call);
    menus.current = ++menus.made; // FreeGLUT counts alike
    menus.callbacks[menus.current] = callback;
    menus.entries[menus.current] = {};
    return menus.current;
}

/// The current menu's entries; null without one.
std::vector<MenuEntry> *entries() {
    Menus &menus = state().menus;
    const auto found = menus.entries.find(menus.current);
    return found == menus.entries.end() ? nullptr : &found->second;
}

/// Items count from 1.
void set_entry(int item, MenuEntry entry) {
    auto *const own = entries();
    if (own && item > 0 && static_cast<std::size_t>(item) <= own->size())
        (*own)[static_cast<std::size_t>(item) - 1] = std::move(entry);
}

void add_entry(MenuEntry entry) {
    if (auto *const own = entries())
        own->push_back(std::move(entry));
}

void attach(int button, int menu) {
    Window *const window = active() ? state().current() : nullptr;
    if (window && button >= 0 && static_cast<std::size_t>(button) < window->menus.size())
        window->menus[static_cast<std::size_t>(button)] = menu;
}

void forget(int menu) {
    State &s = state();
    s.menus.entries.erase(menu);
    for (auto &[number, own] : s.menus.entries)
        for (MenuEntry &entry : own)
            entry.submenu = entry.submenu == menu ? 0 : entry.submenu;
    for (auto &[id, window] : s.windows)
        std::replace(window->menus.begin(), window->menus.end(), menu, 0);
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
    forget(menu);
    if (menu == menus.current)
        menus.current = 0;
    change([=] { REAL(glutDestroyMenu)(menu); });
}

MPIGLUT_EXPORT int glutGetMenu(void) { return active() ? state().menus.current : REAL(glutGetMenu)(); }

MPIGLUT_EXPORT void glutSetMenu(int menu) {
    if (glut_active() && !state().menus.callbacks.contains(menu))
        return; // as FreeGLUT, without a word
    state().menus.current = menu;
    if (!state().menus.open_here)
        REAL(glutSetMenu)(menu);
}

MPIGLUT_EXPORT void glutAddMenuEntry(const char *label, int value) {
    add_entry({label, value, 0});
    change([=, text = std::string(label)] { REAL(glutAddMenuEntry)(text.c_str(), value); });
}

MPIGLUT_EXPORT void glutAddSubMenu(const char *label, int menu) {
    add_entry({label, 0, menu});
    change([=, text = std::string(label)] { REAL(glutAddSubMenu)(text.c_str(), menu); });
}

MPIGLUT_EXPORT void glutChangeToMenuEntry(int item, const char *label, int value) {
    set_entry(item, {label, value, 0});
    change([=, text = std::string(label)] { REAL(glutChangeToMenuEntry)(item, text.c_str(), value); });
}

MPIGLUT_EXPORT void glutChangeToSubMenu(int item, const char *label, int menu) {
    set_entry(item, {label, 0, menu});
    change([=, text = std::string(label)] { REAL(glutChangeToSubMenu)(item, text.c_str(), menu); });
}

MPIGLUT_EXPORT void glutRemoveMenuItem(int item) {
    if (auto *const own = entries(); own && item > 0 && static_cast<std::size_t>(item) <= own->size())
        own->erase(own->begin() + item - 1);
    change([=] { REAL(glutRemoveMenuItem)(item); });
}

MPIGLUT_EXPORT void glutSetMenuFont(int menu, void *font) {
    change([=] { REAL(glutSetMenuFont)(menu, font); });
}

MPIGLUT_EXPORT void glutAttachMenu(int button) {
    attach(button, state().menus.current);
    change([=] { REAL(glutAttachMenu)(button); });
}

MPIGLUT_EXPORT void glutDetachMenu(int button) {
    attach(button, 0);
    change([=] { REAL(glutDetachMenu)(button); });
}
