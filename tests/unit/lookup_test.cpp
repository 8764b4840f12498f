// The look-up functions as a program sees them, preloaded as libmpiglut is.
#include "system/glut/hook.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <sstream>
#include <string>

namespace {

// FreeGLUT's two spellings of one function, and what they were given.
using Plain = void (*)(int, int);
using WithData = void (*)(int, int, void *);
Plain plain_callback;
WithData callback_with_data;
int called_with;

void register_plain(Plain callback) { plain_callback = callback; }
void register_with_data(WithData callback, void *) { callback_with_data = callback; }

void hook_by(void (*with_data)(WithData, void *), bool set = true) {
    plain_callback = nullptr;
    callback_with_data = nullptr;
    mpiglut::hook(with_data, register_plain, set, [](int x, int y) { called_with = x + y; });
}

/// What the program printed, by what stands in front of the colon.
std::map<std::string, std::string> run(const std::string &environment) {
    std::map<std::string, std::string> answers;
    FILE *pipe = popen(("env " + environment +
                        " ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 " LOOKUP_PROGRAM " " LOOKUP_PLUGIN)
                           .c_str(),
                       "r");
    if (!pipe)
        return answers;
    std::string all;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
        all.append(buffer, got);
    EXPECT_EQ(pclose(pipe), 0) << all;
    std::istringstream stream(all);
    for (std::string line; std::getline(stream, line);)
        if (const std::size_t colon = line.find(": "); colon != line.npos)
            answers[line.substr(0, colon)] = line.substr(colon + 2);
    return answers;
}

const std::string ours = "liblookup_library.so", preload = "LD_PRELOAD=" LOOKUP_LIBRARY " ";

} // namespace

TEST(Lookup, HandsOutWrappersOnAWall) {
    auto found = run(preload + "MPIGLUT_RUN={}");
    EXPECT_EQ(found["before libGL, default glViewport"], ours);
    EXPECT_EQ(found["glViewport"], ours);
    EXPECT_EQ(found["glXGetProcAddressARB"], ours);
    EXPECT_EQ(found["proc glViewport"], ours);
    EXPECT_EQ(found["proc glXGetProcAddress"], ours);
    EXPECT_EQ(found["real glViewport"], "another");
    EXPECT_EQ(found["real nothing"], "1");
}

TEST(Lookup, LeavesTheRestAlone) {
    auto found = run(preload + "MPIGLUT_RUN={}");
    EXPECT_EQ(found["glFlush"].substr(0, 5), "libGL");
    EXPECT_EQ(found["a plug-in's own glViewport"], "liblookup_plugin.so");
    EXPECT_EQ(found["none"], "1, named");
    // RTLD_NEXT goes by the caller, which the detour must not change.
    const auto plain = run("");
    EXPECT_EQ(found["next puts"], plain.at("next puts"));
    EXPECT_EQ(found["a plug-in's next puts"], plain.at("a plug-in's next puts"));
}

TEST(Lookup, GivesOtherInterposersWhatIsBehindThem) {
    const std::string asks = "a plug-in's glViewport of libGL";
    const auto found = [&](const char *preloaded) {
        return run(std::string("LD_PRELOAD=") + preloaded + " MPIGLUT_RUN={}").at(asks);
    };
    EXPECT_EQ(found(LOOKUP_LIBRARY), ours);
    EXPECT_EQ(found(LOOKUP_PLUGIN ":" LOOKUP_LIBRARY), ours);
    // This one's function is what the wrapper calls: with the wrapper in its hands, neither would ever return.
    EXPECT_EQ(found(LOOKUP_LIBRARY ":" LOOKUP_PLUGIN).substr(0, 5), "libGL");
}

TEST(Lookup, IsInertWithoutALauncher) {
    auto found = run("-u MPIGLUT_RUN " + preload);
    EXPECT_EQ(found["glViewport"].substr(0, 5), "libGL");
    EXPECT_EQ(found["proc glViewport"].substr(0, 5), "libGL");
}

TEST(Hook, TakesTheSpellingWithUserData) {
    hook_by(register_with_data);
    ASSERT_TRUE(callback_with_data);
    EXPECT_FALSE(plain_callback);
    callback_with_data(1, 2, nullptr);
    EXPECT_EQ(called_with, 3);
    hook_by(register_with_data, false);
    EXPECT_FALSE(callback_with_data);
}

/// An old FreeGLUT has no such spelling; but another one, which the program does not use, may be in its memory.
TEST(Hook, TakesThePlainOneWithoutAnotherOfTheSameLibrary) {
    using Register = void (*)(WithData, void *);
    for (const Register other : {Register(nullptr), reinterpret_cast<Register>(dlsym(RTLD_DEFAULT, "puts"))}) {
        hook_by(other);
        ASSERT_TRUE(plain_callback);
        plain_callback(4, 5);
        EXPECT_EQ(called_with, 9);
    }
}
