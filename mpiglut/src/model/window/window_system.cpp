#include "model/window/window_system.h"

#include "base/state.h"
#include "sync/comm.h"

#include <utility>

namespace mpiglut {
namespace {

WindowSystem *at_work = nullptr;

/// Windows that other threads than that of the ticks want redisplayed.
struct Asked {
    std::mutex mutex;
    std::vector<int> windows;
};

Asked &asked() {
    static auto *const all = new Asked; // threads may still ask while static objects are destroyed
    return *all;
}

void send_asked() {
    std::vector<int> windows;
    {
        const std::lock_guard lock(asked().mutex);
        windows.swap(asked().windows);
    }
    for (const int window : windows)
        state().outbox.push_back({Event::Kind::redisplay, comm::rank(), window});
}

} // namespace

WindowSystem &window_system() { return *at_work; }
void use(WindowSystem &system) { at_work = &system; }

std::unique_lock<std::recursive_mutex> hold_window_system() {
    static auto *const mutex = new std::recursive_mutex; // of use until the very end of the process
    return std::unique_lock(*mutex);
}

void pump_window_system() {
    const auto held = hold_window_system();
    window_system().receive_events();
    send_asked();
}

void send_redisplay(int window) {
    const std::lock_guard lock(asked().mutex);
    asked().windows.push_back(window);
}

} // namespace mpiglut
