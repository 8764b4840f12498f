// Plays recorded input by calling the program's callbacks, each event once its frame has been completed.
#include "oracle.h"

#include <GL/freeglut.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <deque>
#include <fstream>
#include <map>

namespace oracle {
namespace {

struct Callbacks {
    void (*keyboard)(unsigned char, int, int) = nullptr;
    void (*keyboard_up)(unsigned char, int, int) = nullptr;
    void (*special)(int, int, int) = nullptr;
    void (*special_up)(int, int, int) = nullptr;
    void (*mouse)(int, int, int, int) = nullptr;
    void (*wheel)(int, int, int, int) = nullptr;
    void (*motion)(int, int) = nullptr;
    void (*passive)(int, int) = nullptr;
    void (*entry)(int) = nullptr;
    void (*joystick)(unsigned, int, int, int) = nullptr;
};
std::map<int, Callbacks> callbacks; // by window
std::map<int, void (*)(int)> menus;
std::deque<nlohmann::json> script;
int modifiers = -1;

void dispatch(const nlohmann::json &event) {
    const auto kind = event.at("kind").get<std::string>();
    const int a = event.value("a", 0), b = event.value("b", 0), x = event.value("x", 0), y = event.value("y", 0);
    const int window = event.value("window", 1);
    glutSetWindow(window);
    modifiers = event.value("modifiers", 0);
    const Callbacks &to = callbacks[window];
    const auto call = [](auto *callback, auto... args) {
        if (callback)
            callback(args...);
    };
    if (kind == "key")
        call(to.keyboard, static_cast<unsigned char>(a), x, y);
    else if (kind == "key_up")
        call(to.keyboard_up, static_cast<unsigned char>(a), x, y);
    else if (kind == "special")
        call(to.special, a, x, y);
    else if (kind == "special_up")
        call(to.special_up, a, x, y);
    else if (kind == "mouse")
        call(to.mouse, a, b, x, y);
    else if (kind == "wheel")
        call(to.wheel, a, b, x, y);
    else if (kind == "motion")
        call(to.motion, x, y);
    else if (kind == "passive")
        call(to.passive, x, y);
    else if (kind == "entry")
        call(to.entry, a);
    else if (kind == "joystick")
        call(to.joystick, static_cast<unsigned>(a), x, y, event.value("z", 0));
    else if (kind == "menu") {
        glutSetMenu(b);
        call(menus[b], a);
    } else
        std::fprintf(stderr, "oracle: cannot play '%s'\n", kind.c_str());
    modifiers = -1;
}

void poll(int) {
    while (!script.empty() && script.front().at("frame").get<std::int64_t>() <= frames()) {
        const nlohmann::json event = script.front();
        script.pop_front();
        dispatch(event);
    }
    if (!script.empty())
        glutTimerFunc(1, poll, 0);
}

bool replaying() {
    static const bool is = !setting("ORACLE_REPLAY").empty();
    return is;
}

Callbacks &of_current() { return callbacks[glutGetWindow()]; }

} // namespace

void start_replay() {
    std::ifstream file(setting("ORACLE_REPLAY"));
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line.find("\"frame\"") != std::string::npos)
            script.push_back(nlohmann::json::parse(line));
    if (!script.empty())
        glutTimerFunc(1, poll, 0);
}

} // namespace oracle

#define REGISTER(function, member, ...)                                                                                \
    ORACLE_EXPORT void function(void (*callback)(__VA_ARGS__)) {                                                       \
        oracle::of_current().member = callback;                                                                        \
        ORACLE_NEXT(function)(oracle::replaying() ? nullptr : callback); /* no real input beside the recorded */       \
    }
REGISTER(glutKeyboardFunc, keyboard, unsigned char, int, int)
REGISTER(glutKeyboardUpFunc, keyboard_up, unsigned char, int, int)
REGISTER(glutSpecialFunc, special, int, int, int)
REGISTER(glutSpecialUpFunc, special_up, int, int, int)
REGISTER(glutMouseFunc, mouse, int, int, int, int)
REGISTER(glutMouseWheelFunc, wheel, int, int, int, int)
REGISTER(glutMotionFunc, motion, int, int)
REGISTER(glutPassiveMotionFunc, passive, int, int)
REGISTER(glutEntryFunc, entry, int)

ORACLE_EXPORT void glutJoystickFunc(void (*callback)(unsigned, int, int, int), int interval) {
    oracle::of_current().joystick = callback;
    ORACLE_NEXT(glutJoystickFunc)(oracle::replaying() ? nullptr : callback, interval);
}

ORACLE_EXPORT int glutCreateMenu(void (*callback)(int)) {
    const int menu = ORACLE_NEXT(glutCreateMenu)(callback);
    oracle::menus[menu] = callback;
    return menu;
}

ORACLE_EXPORT int glutGetModifiers() {
    return oracle::modifiers >= 0 ? oracle::modifiers : ORACLE_NEXT(glutGetModifiers)();
}
