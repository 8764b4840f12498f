#include "child/spawn.h"
#include "child/descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sstream>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpiglut::launcher {

namespace {

std::vector<char *> pointers(const std::vector<std::string> &strings) {
    std::vector<char *> list;
    for (const std::string &text : strings)
        list.push_back(const_cast<char *>(text.c_str()));
    list.push_back(nullptr);
    return list;
}

void default_signals() {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTTIN, SIGTTOU, SIGUSR1})
        ::signal(number, SIG_DFL);
}

/// Standard descriptors may be each other's sources, so they are first moved out of the way.
bool connect_streams(const Spawn &what) {
    std::array<int, 3> source{what.in, what.out, what.err};
    for (int &fd : source) {
        fd = fd < 0 ? ::open("/dev/null", O_RDWR | O_CLOEXEC) : fd;
        fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 10);
        if (fd < 0)
            return false;
    }
    for (int stream = 0; stream < 3; ++stream)
        if (::dup2(source[static_cast<std::size_t>(stream)], stream) < 0)
            return false;
    return true;
}

struct Failure {
    int error;
    bool in_directory;
};

[[noreturn]] void become(const Spawn &what, pid_t parent, int report) {
    auto fail = [report](bool in_directory) {
        Failure failure{errno, in_directory};
        [[maybe_unused]] ssize_t n = ::write(report, &failure, sizeof failure);
        ::_exit(127);
    };
    if (what.group == Group::own_session)
        ::setsid();
    else
        ::setpgid(0, 0);
    if (what.death_signal) {
        ::prctl(PR_SET_PDEATHSIG, what.death_signal);
        if (::getppid() != parent) // it died before that
            ::_exit(127);
    }
    if (what.fixed_addresses) // the library says what is lost where the system refuses it
        ::personality(static_cast<unsigned long>(::personality(0xffffffff)) | ADDR_NO_RANDOMIZE);
    default_signals();
    if (!connect_streams(what))
        fail(false);
    if (what.alone)
        ::close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    for (int fd : what.keep)
        ::fcntl(fd, F_SETFD, 0);
    if (!what.directory.empty() && ::chdir(what.directory.c_str()) != 0)
        fail(true);
    ::execvpe(what.argv[0].c_str(), pointers(what.argv).data(), pointers(what.environment).data());
    fail(false);
    ::_exit(127);
}

/// Of a process or thread, what its `stat` has behind the name.
std::vector<std::string> fields_of(const std::filesystem::path &folder) {
    std::ifstream file(folder / "stat");
    std::string stat(std::istreambuf_iterator<char>(file), {});
    std::istringstream fields(stat.erase(0, std::min(stat.rfind(')') + 1, stat.size())));
    return {std::istream_iterator<std::string>(fields), {}};
}

bool is_killed(const std::filesystem::path &thread) {
    std::ifstream status(thread / "status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("SigPnd:"))
            return std::strtoull(line.c_str() + 7, nullptr, 16) >> (SIGKILL - 1) & 1;
    return false;
}

} // namespace

Spawned spawn(const Spawn &what) {
    Pipe report = make_pipe();
    pid_t parent = ::getpid();
    pid_t pid = report.write ? ::fork() : -1;
    if (pid < 0)
        return {-1, errno, false};
    if (pid == 0)
        become(what, parent, report.write.get());
    report.write.reset();
    Failure failure{};
    ssize_t n;
    while ((n = ::read(report.read.get(), &failure, sizeof failure)) < 0 && errno == EINTR) {
    }
    if (n != sizeof failure)
        return {pid, 0, false};
    ::waitpid(pid, nullptr, 0);
    return {-1, failure.error, failure.in_directory};
}

std::string output_of(const std::vector<std::string> &argv, std::chrono::milliseconds longest, int &status) {
    status = -1;
    Pipe output = make_pipe();
    Spawn what{.argv = argv, .environment = own_environment(), .out = output.write.get(), .err = output.write.get()};
    Spawned process = spawn(what);
    if (process.pid < 0)
        return {};
    output.write.reset();
    std::string text;
    auto end = std::chrono::steady_clock::now() + longest;
    for (;;) {
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd wait{output.read.get(), POLLIN, 0};
        char bytes[4096];
        ssize_t n = left.count() > 0 && ::poll(&wait, 1, static_cast<int>(left.count())) == 1
                        ? ::read(output.read.get(), bytes, sizeof bytes)
                        : -1;
        if (n <= 0) {
            if (n < 0)
                ::kill(-process.pid, SIGKILL);
            int how = -1;
            ::waitpid(process.pid, &how, 0);
            status = n == 0 ? how : -1;
            return text;
        }
        text.append(bytes, static_cast<std::size_t>(n));
    }
}

std::vector<std::string> own_environment() {
    std::vector<std::string> list;
    for (char **entry = environ; *entry; ++entry)
        list.emplace_back(*entry);
    return list;
}

void unset(std::vector<std::string> &environment, const std::string &name) {
    std::erase_if(environment, [&](const std::string &entry) { return entry.starts_with(name + "="); });
}

void remove_place_in_job(std::vector<std::string> &environment) {
    std::erase_if(environment, [](const std::string &entry) {
        return entry.starts_with("PMI_") || entry.starts_with("PMIX_") || entry.starts_with("OMPI_COMM_WORLD_");
    });
}

void set(std::vector<std::string> &environment, const std::string &name, const std::string &value) {
    unset(environment, name);
    environment.push_back(name + "=" + value);
}

std::optional<int> status_of_dying(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    constexpr std::size_t state = 0, flags = 6, exit_code = 49;
    const auto process = fields_of(folder);
    if (process.size() <= exit_code || process[state] != "Z")
        return std::nullopt;
    // A program goes on when its main thread has ended by itself: the other threads have not been killed.
    std::error_code gone;
    bool others = false;
    for (const auto &thread : std::filesystem::directory_iterator(folder + "/task", gone)) {
        if (thread.path().filename() == std::to_string(pid))
            continue;
        const auto own = fields_of(thread.path());
        constexpr unsigned long exiting = 4; // PF_EXITING of the kernel
        if (own.size() > flags && !(std::strtoul(own[flags].c_str(), nullptr, 10) & exiting) && !is_killed(thread))
            return std::nullopt;
        others = true;
    }
    return others ? std::optional(std::atoi(process[exit_code].c_str())) : std::nullopt;
}

std::string describe_signal(int number) {
    const char *words = ::sigdescr_np(number);
    return "signal " + std::to_string(number) + (words ? std::string(" (") + words + ")" : "");
}

std::string describe_status(int status) {
    if (WIFSIGNALED(status))
        return "killed by " + describe_signal(WTERMSIG(status));
    return "exited with status " + std::to_string(WEXITSTATUS(status));
}

int shell_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

} // namespace mpiglut::launcher
