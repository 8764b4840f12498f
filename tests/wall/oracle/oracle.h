// The oracle: preloaded into a program on plain FreeGLUT, it says what one window shows. It knows nothing of
// libmpiglut; it only keeps the same rules: what a frame is, how the step clock goes, when recorded input is due.
//
// Environment:
//   ORACLE_FRAMES   end after this many frames
//   ORACLE_PICTURE  PNG file of the first window, subwindows included, at the last frame
//   ORACLE_APART    other than 0: further windows lie apart and also have pictures, in F.2.png, F.3.png, ...
//   ORACLE_SIZE     WxH: size of the first window, whatever the program asked for
//   ORACLE_REPLAY   recorded input to play
//   ORACLE_TIME     what time() starts from;  ORACLE_PID  what getpid() returns
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace oracle {

/// The next definition of a function, of the same type: next(glutSwapBuffers, "glutSwapBuffers").
template <class Function> Function *next(Function *, const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}
#define ORACLE_NEXT(function)                                                                                          \
    ([]() {                                                                                                            \
        static auto *const pointer = ::oracle::next(&function, #function);                                             \
        return pointer;                                                                                                \
    }())
#define ORACLE_EXPORT extern "C" __attribute__((visibility("default")))

std::string setting(const char *name);
long setting(const char *name, long otherwise);

/// Frames completed by the first window.
std::int64_t frames();

// clock.cpp
void frame_passed();
std::int64_t elapsed_ns();

// replay.cpp
void start_replay();

// picture.cpp
/// Takes what these windows show now.
void take_pictures(const std::vector<unsigned long> &windows);
/// Writes the last pictures taken, if there are any and none has been written.
void write_pictures();

} // namespace oracle
