#include "job/slurm.h"
#include "program/program_file.h"
#include "session/session.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fcntl.h>

namespace {

using namespace mpiglut;
using namespace mpiglut::launcher;

std::int64_t now_ns(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void set_start(RunOptions &run) {
    run.began_ns = now_ns(CLOCK_REALTIME);
    if (run.clock == ClockMode::step) {                  // reproducible: the same instant in every run
        run.start_realtime_ns = 946'684'800'000'000'000; // 2000-01-01
        run.start_monotonic_ns = 1'000'000'000'000;
        run.pid = 4242;
        return;
    }
    run.start_realtime_ns = now_ns(CLOCK_REALTIME);
    run.start_monotonic_ns = now_ns(CLOCK_MONOTONIC);
    run.pid = ::getpid();
}

int complain(const std::string &line, int status) {
    std::fprintf(stderr, "mpiglutrun: %s\n", line.c_str());
    return status;
}

/// Says what has been chosen where that is not what it has always been. Returns why the program cannot run, or nothing.
std::string choose_system(CommandLine &command) {
    std::error_code ignored;
    const ProgramKind kind = look_at_program(command.program, std::filesystem::current_path(ignored));
    const std::string name = "'" + command.program.front() + "'";
    if (!command.system_given) {
        command.run.system = kind.system;
        if (kind.system == System::x11)
            complain("note: " + name + " runs as a program of X11: " + kind.why + " (--system glut for one of GLUT)", 0);
    }
    if (command.run.system != System::x11)
        return command.run.threads != Threads::free ? "--threads ordered: expected a program of X11, not of GLUT"
               : !command.beside.empty()            ? "--beside: expected a program of X11, not of GLUT"
                                                    : "";
    if (command.run.on_death == OnDeath::rejoin)
        return "--on-death rejoin: expected a program of GLUT; of one of X11 no rank comes back";
    return kind.refused.empty() ? "" : name + " cannot run on a wall: " + kind.refused;
}

} // namespace

int main(int argc, char **argv) {
    open_standard_streams();
    std::signal(SIGPIPE, SIG_IGN);
    Parsed parsed = parse_command_line({argv + 1, argv + argc});
    if (!parsed.answer.empty())
        return std::fputs(parsed.answer.c_str(), stdout) < 0;
    if (!parsed.command) {
        for (const std::string &error : parsed.errors)
            complain(error, 2);
        return 2;
    }
    for (const std::string &note : parsed.notes)
        complain("note: " + note, 0);
    CommandLine &command = *parsed.command;
    std::string error;
    std::string job_error;
    Placement placement = place(command.wall, command.hosts, slurm_nodes(job_error), error);
    if (!error.empty())
        return complain(error, 2);
    if (!job_error.empty() && placement.host_of_rank.empty())
        return complain(job_error, 1);
    auto mpiexec = find_mpiexec(command.mpiexec, error);
    if (!mpiexec)
        return complain(error, 1);
    const char *other_library = std::getenv("MPIGLUT_LIB");
    if (built_with() && *built_with() != mpiexec->flavour && !(other_library && *other_library))
        return complain(std::string("'") + mpiexec->path + "' is " + name(mpiexec->flavour) +
                            "'s, but libmpiglut was built with " + name(*built_with()),
                        1);
    if (const std::string why = choose_system(command); !why.empty())
        return complain(why, 1);
    set_start(command.run);
    return Session(std::move(command), std::move(placement), std::move(*mpiexec)).run();
}
