// The virtual clock as a program sees it: clock_program runs with the clock in front of the C library, preloaded and
// linked, and what it prints is the same for every process of a run.

#include "clock/libraries.h"
#include "run/options.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <sys/wait.h>

using mpiglut::ClockMode;
using mpiglut::RunOptions;
using mpiglut::clock::Origin;

namespace {

RunOptions run_of(ClockMode mode) {
    timespec realtime{}, monotonic{};
    clock_gettime(CLOCK_REALTIME, &realtime);
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    RunOptions options;
    options.clock = mode;
    options.step_hz = 60;
    options.start_realtime_ns = realtime.tv_sec * 1'000'000'000 + realtime.tv_nsec;
    options.start_monotonic_ns = monotonic.tv_sec * 1'000'000'000 + monotonic.tv_nsec;
    options.pid = 4194000; // of hardly any process
    options.host = "first.wall";
    options.processors = 123;
    return options;
}

/// How the clock gets in front: both have to do.
enum class Way { preloaded, linked };
void PrintTo(Way way, std::ostream *to) { *to << (way == Way::linked ? "linked" : "preloaded"); }

std::string run(Way way, const RunOptions &options, const std::string &mode) {
    setenv("MPIGLUT_RUN", to_json(options).c_str(), 1);
    setenv("CLOCK_PLUGIN", CLOCK_PLUGIN, 1);
    setenv("CLOCK_CIPHER", CLOCK_CIPHER, 1);
    std::string command = way == Way::linked ? CLOCK_PROGRAM_LINKED : CLOCK_PROGRAM;
    command += " " + mode;
    // A sanitizer's runtime wants to be first, and is told that this is on purpose.
    if (way == Way::preloaded)
        command = "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=" CLOCK_LIBRARY " " + command;
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    char part[4096];
    for (std::size_t size; (size = std::fread(part, 1, sizeof part, pipe)) > 0;)
        text.append(part, size);
    const int status = pclose(pipe);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command << "\n" << text;
    return text;
}

class Clock : public testing::TestWithParam<Way> {};

} // namespace

TEST_P(Clock, ProcessesOfARunSeeTheSame) {
    // In the mode `step` ticks are the same too; in the mode `wall` before the first one, which real time stamps.
    const RunOptions steps = run_of(ClockMode::step), wall = run_of(ClockMode::wall);
    const std::string first = run(GetParam(), steps, "sequence");
    EXPECT_EQ(first, run(GetParam(), steps, "sequence"));
    EXPECT_NE(first.find("random_device"), std::string::npos);
    EXPECT_NE(first.find("host 0 first.wall 0 first.wall short -1 1\n"
                         "processors 123 123 123\nthread 4194304 4194304, parent 4194305 4194305\n"),
              std::string::npos)
        << first;
    EXPECT_EQ(run(GetParam(), wall, "every-clock"), run(GetParam(), wall, "every-clock"));
}

TEST_P(Clock, StepsAreTheSameInEveryRun) {
    const std::string first = run(GetParam(), run_of(ClockMode::step), "sequence");
    EXPECT_EQ(first, run(GetParam(), run_of(ClockMode::step), "sequence"));
    EXPECT_EQ(first.rfind("946684800\n", 0), 0u) << first;
}

TEST_P(Clock, TheWallBeginsWhenTheRunDid) {
    RunOptions options = run_of(ClockMode::wall);
    const std::string text = run(GetParam(), options, "every-clock");
    EXPECT_EQ(text.rfind(std::to_string(options.start_realtime_ns / 1'000'000'000) + "\n", 0), 0u) << text;
    // The third reading, a microsecond each, nanoseconds of the stamp included.
    EXPECT_NE(text.find("clock 1 " + std::to_string(options.start_monotonic_ns + 3'000) + "\n"), std::string::npos)
        << text;
    options.pid += 1;
    EXPECT_NE(run(GetParam(), options, "sequence").find("pid " + std::to_string(options.pid)), std::string::npos);
}

TEST_P(Clock, OtherRunsHaveOtherSeeds) {
    RunOptions options = run_of(ClockMode::wall);
    const auto seeds = [&] {
        const std::string text = run(GetParam(), options, "sequence");
        return text.substr(text.find("random_device"), 200);
    };
    const std::string first = seeds();
    EXPECT_EQ(first.substr(0, 30), seeds().substr(0, 30));
    options.start_realtime_ns += 1;
    EXPECT_NE(first.substr(0, 30), seeds().substr(0, 30));
}

TEST_P(Clock, LoopsThatWaitForItEnd) {
    const std::string all = "steady\nclock\ngettimeofday\ntime\ntimes\n";
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::wall), "busy-loops"), all);
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::step), "busy-loops"), all);
}

TEST_P(Clock, SleepsMoveItByWhatWasAsked) {
#ifdef __SANITIZE_THREAD__
    if (GetParam() == Way::linked)
        GTEST_SKIP() << "ThreadSanitizer stands before the linked library where a program waits for a condition";
#endif
    // One microsecond of each difference is the second reading's own.
    const std::string expected = "usleep 20001\nnanosleep 20001\nclock_nanosleep 20001\nsleep_for 20001\n"
                                 "select 20001\npoll 20001\nselect for a pipe 20001\npselect for a pipe 20001\n"
                                 "poll for a pipe 20001\nppoll for a pipe 20001\nepoll_wait 20001\ncondition 20002\n"
                                 "beat 20001\nsleep_until\n";
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::step), "sleeps"), expected);
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::wall), "sleeps"), expected);
}

TEST_P(Clock, DeadlinesCome) {
    const std::string all = "steady 1\nsystem 1\nthread 1\nthread 1\nsemaphore -1 1\nmutex 0\nfuture 1\n";
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::wall), "deadlines"), all);
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::step), "deadlines"), all);
}

TEST_P(Clock, WaitsUntilAnInstantLastAsLongAsItSays) {
#ifdef __SANITIZE_THREAD__
    if (GetParam() == Way::linked)
        GTEST_SKIP() << "ThreadSanitizer stands before the linked library where a program waits for a lock";
#endif
    std::string all;
    for (const std::string thread : {"ticks ", "other "})
        for (const std::string wait :
             {"future steady 1", "future system 1", "shared_timed_mutex 0", "shared_timed_mutex system 0",
              "timed_mutex 0", "counting_semaphore 0", "pthread_rwlock_timedrdlock 110",
              "pthread_rwlock_clockwrlock 110", "pthread_mutex_timedlock 110", "sem_clockwait -1", "mtx_timedlock 4",
              "cnd_timedwait 4", "pthread_timedjoin_np 110", "futex -1", "futex relative -1"})
            all += thread + wait + " real 1 clock 1\n";
    all += "mq_timedreceive 1 real 1\n";
    for (const std::string id : {"1", "0", "7"})
        all += "timerfd " + id + " 1 real 1\npast 1\ntimer 1 real 1\n";
    all += "thrd_sleep 0 clock 1\n";
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::step), "instants"), all);
    // The launcher's host, and rank 0's, was started a day before this one.
    RunOptions options = run_of(ClockMode::wall);
    EXPECT_EQ(run(GetParam(), options, "instants"), all);
    options.start_monotonic_ns += 86'400'000'000'000;
    EXPECT_EQ(run(GetParam(), options, "instants"), all);
}

TEST_P(Clock, OtherThreadsDoNotDisturb) {
    const std::string alone = run(GetParam(), run_of(ClockMode::step), "no-threads");
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::step), "threads"), alone);
    EXPECT_NE(alone.find("backwards 0"), std::string::npos) << alone;
    EXPECT_NE(run(GetParam(), run_of(ClockMode::wall), "threads").find("backwards 0"), std::string::npos);
}

TEST_P(Clock, IsForTheProgramAlone) {
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::step), "callers"), "library real 1\ncounted 3\nplugin counted 1\n");
}

TEST_P(Clock, SignalsToTheVirtualNumberArrive) {
    const std::string expected = "kill 0 1\nchild has a number of its own 1\n";
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::wall), "signals"), expected);
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::off), "signals"), expected);
}

TEST_P(Clock, NumbersOfProcessesAndThreadsWork) {
    const std::string expected =
        "parent 0, affinity 0, priority 0, group 1, session 1, thread 0 0, the child's parent 1\n";
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::wall), "numbers"), expected);
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::step), "numbers"), expected);
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::off), "numbers"), expected);
}

TEST_P(Clock, CryptographicLibrariesGetNumbersThatNobodyForesees) {
    const std::string first = run(GetParam(), run_of(ClockMode::step), "secrets");
    const std::string second = run(GetParam(), run_of(ClockMode::step), "secrets");
    const std::size_t line = first.find('\n');
    EXPECT_EQ(first.rfind("1 ", 0), 0u) << first;
    EXPECT_EQ(first.compare(line, 3, "\n1 "), 0) << first;
    EXPECT_EQ(first.substr(0, line), second.substr(0, line)) << "the program's own library";
    EXPECT_NE(first.substr(line), second.substr(line)) << "the cryptographic one";
}

#ifdef __x86_64__
TEST_P(Clock, CounterOfTheProcessorGoesByIt) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "under ThreadSanitizer a child dies of the counter's signal between fork and exec";
#endif
    RunOptions options = run_of(ClockMode::step);
    options.tsc = true;
    EXPECT_EQ(run(GetParam(), options, "counter"), "1000000001000 1000000002000\nreal 1\nsystem 0\npopen 0\n"
                                                   "child\nfork 0\n1000000003000\n");
}
#endif

TEST_P(Clock, NeverGoesBack) {
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::step), "monotonic"), "never back 1, together again 1\n");
    EXPECT_EQ(run(GetParam(), run_of(ClockMode::wall), "monotonic"), "never back 1, together again 1\n");
}

TEST_P(Clock, OffMeansUntouched) {
    const RunOptions options = run_of(ClockMode::off);
    const std::string text = run(GetParam(), options, "every-clock");
    const long long seconds = std::atoll(text.c_str()), start = options.start_realtime_ns / 1'000'000'000;
    EXPECT_GE(seconds, start);
    EXPECT_LT(seconds, start + 600);
    EXPECT_NE(text, run(GetParam(), options, "every-clock"));
    EXPECT_EQ(run(GetParam(), options, "sequence").find("pid 4194000"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(, Clock, testing::Values(Way::preloaded, Way::linked),
                         [](const auto &way) { return way.param == Way::linked ? "Linked" : "Preloaded"; });

TEST(Callers, SystemLibrariesGoByTheRealClock) {
    for (const char *path : {"/lib/x86_64-linux-gnu/libc.so.6",
                             "/lib64/ld-linux-x86-64.so.2",
                             "linux-vdso.so.1",
                             "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
                             "libGLX_mesa.so.0",
                             "libGL.so.1",
                             "/usr/lib/dri/radeonsi_dri.so",
                             "libLLVM-15.so.1",
                             "libX11.so.6",
                             "libxcb.so.1",
                             "libmpich.so.12",
                             "libmpi.so.40",
                             "libfabric.so.1",
                             "mca_btl_vader.so",
                             "libglut.so.3",
                             "libhwloc.so.15",
                             "libnvidia-glcore.so.535.54",
                             "libhsa-runtime64.so.1",
                             "libze_loader.so.1",
                             "libjemalloc.so.2",
                             "libtcmalloc_minimal.so.4",
                             "/lib/x86_64-linux-gnu/libcrypto.so.3",
                             "/usr/lib/libsodium.so.23",
                             "/usr/lib64/libmbedcrypto.so.7",
                             "/usr/lib/x86_64-linux-gnu/nss/libfreeblpriv3.so",
                             "/usr/local/lib/libgcrypt.so.20"})
        EXPECT_EQ(mpiglut::clock::origin_of_library(path), Origin::system) << path;
    for (const char *path : {"/home/somebody/game/libengine.so", "libcairo.so.2", "libpython3.11.so.1.0", "libSDL2.so",
                             "libGLee.so", "libXyz.so", "/opt/libGL.so.d/libscene.so", "", "libevents.so",
                             "/home/somebody/game/libcrypto.so", "/usr/lib/libcryptoworld.so", "/usr/lib/libsslide.so"})
        EXPECT_EQ(mpiglut::clock::origin_of_library(path), Origin::program) << path;
    EXPECT_EQ(mpiglut::clock::origin_of_library("/lib/libasan.so.8"), Origin::wrapper);
    EXPECT_EQ(mpiglut::clock::origin_of_library(nullptr), Origin::program);
}

#ifdef __x86_64__
// The bytes of rdrand %eax, which this never comes to.
TEST(Callers, ThoseThatDrawFromTheProcessorAreNamed) {
    asm volatile("jmp 1f; .byte 0x0f, 0xc7, 0xf0; 1:");
    EXPECT_EQ(mpiglut::clock::files_with_processor_random().rfind("its executable", 0), 0u);
}
#endif

TEST(Callers, AddressesBelongToTheirObjects) {
    EXPECT_EQ(mpiglut::clock::origin(reinterpret_cast<const void *>(&run_of)), Origin::program);
    EXPECT_EQ(mpiglut::clock::origin(reinterpret_cast<const void *>(&lldiv)), Origin::system);
    static const int data = 0; // in no code at all
    EXPECT_EQ(mpiglut::clock::origin(&data), Origin::program);
    EXPECT_EQ(mpiglut::clock::origin(nullptr), Origin::program);
}
