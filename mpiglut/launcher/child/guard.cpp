#include "child/guard.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace mpiglut::launcher {

namespace {

using namespace std::chrono_literals;

std::string read_file(const std::string &path) {
    // /tmp is everybody's: what has the name may be a pipe, a link, or without end.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
        return {};
    constexpr std::size_t most = 8u << 20; // an environment has 6 MiB at most
    std::string text;
    std::array<char, 4096> bytes;
    for (ssize_t n; text.size() < most && (n = ::read(file.get(), bytes.data(), bytes.size())) > 0;)
        text.append(bytes.data(), static_cast<std::size_t>(n));
    return text;
}

/// Not even a zombie that waits for its parent.
bool alive(pid_t pid) {
    std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
    auto name_end = stat.rfind(')');
    return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] != 'Z';
}

template <class Done> bool wait_until(std::chrono::milliseconds longest, Done done) {
    auto end = std::chrono::steady_clock::now() + longest;
    while (!done()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

/// Kills whatever carries the mark and says whether there was anything. It finds processes of the program that have
/// made their own group or session.
bool kill_marked_once(const std::string &mark) {
    bool any = false;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator("/proc", error)) {
        std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        pid_t pid = std::atoi(name.c_str());
        std::string environment = '\0' + read_file(entry.path() / "environ");
        if (environment.find('\0' + mark + '\0') == std::string::npos || pid == ::getpid() || !alive(pid))
            continue;
        any |= ::kill(pid, SIGKILL) == 0;
    }
    return any;
}

/// Not another process, which has the number of a server that has ended.
bool is_server(pid_t pid) {
    const std::string name = read_file("/proc/" + std::to_string(pid) + "/comm");
    return pid > 1 && alive(pid) && (name.starts_with("Xvfb") || name.starts_with("Xwayland"));
}

void end_servers(const std::vector<pid_t> &servers, const std::vector<std::string> &displays) {
    for (const pid_t pid : servers)
        if (is_server(pid))
            ::kill(pid, SIGTERM); // it removes its own lock and socket
    for (const pid_t pid : servers)
        if (!wait_until(500ms, [pid] { return !is_server(pid); }))
            ::kill(pid, SIGKILL);
    for (const std::string &display : displays) {
        const std::string number = display.substr(std::min<std::size_t>(display.size(), 1));
        const std::string lock = "/tmp/.X" + number + "-lock";
        if (std::ranges::find(servers, std::atoi(read_file(lock).c_str())) == servers.end())
            continue; // removed, or another server's by now
        std::error_code ignored;
        std::filesystem::remove(lock, ignored);
        std::filesystem::remove("/tmp/.X11-unix/X" + number, ignored);
    }
}

[[noreturn]] void guard(int pipe) {
    ::setsid();
    ::prctl(PR_SET_NAME, "mpiglutrun-tidy");
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
        ::signal(number, SIG_IGN);
    int null = ::open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; ++stream)
        ::dup2(null, stream);
    ::dup2(pipe, 3);
    ::close_range(4, ~0u, 0);
    // A working directory that may be unmounted meanwhile is none of the guard's business.
    if (::chdir("/") != 0)
        ::_exit(1);
    Leftovers leftovers;
    FILE *lines = ::fdopen(3, "r");
    char *line = nullptr;
    std::size_t size = 0;
    while (lines && ::getline(&line, &size, lines) > 0)
        leftovers.note(line);
    leftovers.remove();
    ::_exit(0);
}

} // namespace

void Leftovers::note(const std::string &line) {
    std::string_view text(line);
    if (text.ends_with('\n'))
        text.remove_suffix(1);
    auto space = text.find(' ');
    std::string key(text.substr(0, space)), value(space == text.npos ? "" : text.substr(space + 1));
    if (key == "group")
        group = std::atoi(value.c_str());
    else if (key == "server")
        servers.push_back(std::atoi(value.c_str()));
    else if (key == "display")
        displays.push_back(value);
    else if (key == "directory")
        directories.push_back(value);
    else if (key == "mark")
        mark = value;
}

void Leftovers::remove() const {
    if (group > 1)
        ::kill(-group, SIGKILL);
    // A process that is just being forked shows up in the next round.
    for (int round = 0; !mark.empty() && round < 20 && kill_marked_once(mark); ++round)
        std::this_thread::sleep_for(5ms);
    end_servers(servers, displays);
    std::error_code ignored;
    for (const std::string &directory : directories)
        std::filesystem::remove_all(directory, ignored);
}

Guard::Guard() {
    Pipe pipe = make_pipe();
    pid_ = pipe.write ? ::fork() : -1;
    if (pid_ == 0) {
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        pipe.write.reset();
        guard(pipe.read.get());
    }
    pipe_ = std::move(pipe.write);
}

void Guard::tell(const std::string &line) {
    leftovers_.note(line);
    std::string text = line + "\n";
    if (pipe_) {
        [[maybe_unused]] ssize_t n = ::write(pipe_.get(), text.data(), text.size()); // SIGPIPE is ignored
    }
}

void Guard::finish() {
    if (!pipe_)
        return;
    pipe_.reset();
    int status = -1;
    bool ended = pid_ > 0 && wait_until(1500ms, [&] { return ::waitpid(pid_, &status, WNOHANG) != 0; });
    if (!ended || status != 0)
        leftovers_.remove();
}

void Guard::reaped(pid_t pid) {
    if (pid == pid_)
        pid_ = -1;
}

std::string make_run_directory(const std::string &place) {
    const char *const temporary = std::getenv("TMPDIR");
    const std::string base = !place.empty() ? place : temporary && *temporary ? temporary : "/tmp";
    std::string path = base + (place.empty() ? "/mpiglut-XXXXXX" : "/.mpiglut-XXXXXX");
    return ::mkdtemp(path.data()) ? path : std::string();
}

} // namespace mpiglut::launcher
