#include "launch.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

bool lives(pid_t pid) {
    const std::string stat = slurp("/proc/" + std::to_string(pid) + "/stat");
    auto end = stat.rfind(") ");
    return end != stat.npos && stat[end + 2] != 'Z';
}

} // namespace

std::string slurp(const std::filesystem::path &path) {
    std::string all;
    if (std::FILE *file = std::fopen(path.c_str(), "rb")) {
        char some[4096];
        while (const std::size_t got = std::fread(some, 1, sizeof some, file))
            all.append(some, got);
        std::fclose(file);
    }
    return all;
}

const std::vector<MpiFlavour> &flavours() {
    static const std::vector<MpiFlavour> list{FLAVOURS};
    return list;
}

int count(const std::string &text, const std::string &part) {
    int times = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        ++times;
    return times;
}

Launch::Launch(std::vector<std::string> arguments, std::map<std::string, std::string> environment, std::string input)
    : input_(std::move(input)) {
    static int number = 0;
    mark_ = "LAUNCH_TEST_MARK=" + std::to_string(::getpid()) + "-" + std::to_string(++number);
    std::string pattern = (std::filesystem::temp_directory_path() / "launch-test-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    int in[2], out[2], err[2];
    if (::pipe2(in, O_CLOEXEC) || ::pipe2(out, O_CLOEXEC) || ::pipe2(err, O_CLOEXEC))
        std::abort();
    arguments.insert(arguments.begin(), LAUNCHER);
    std::vector<char *> argv;
    for (std::string &argument : arguments)
        argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::setsid();
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        ::dup2(err[1], 2);
        ::unsetenv("DISPLAY");
        ::unsetenv("WAYLAND_DISPLAY");
        ::setenv("MPIGLUT_LIB", PROBE, 1);
        ::setenv("TMPDIR", directory_.c_str(), 1);
        ::putenv(mark_.data());
        for (const auto &[name, value] : environment)
            ::setenv(name.c_str(), value.c_str(), 1);
        ::execv(LAUNCHER, argv.data());
        ::_exit(99);
    }
    for (int fd : {in[0], out[1], err[1]})
        ::close(fd);
    in_fd_ = in[1];
    out_fd_ = out[0];
    err_fd_ = err[0];
    ::signal(SIGPIPE, SIG_IGN);
    for (int fd : {in_fd_, out_fd_, err_fd_})
        ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

Launch::~Launch() {
    for (int fd : {in_fd_, out_fd_, err_fd_})
        if (fd >= 0)
            ::close(fd);
    for (const Process &process : processes()) // of a test that failed
        ::kill(process.pid, SIGKILL);
    if (!reaped_)
        ::waitpid(pid_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

void Launch::read(int &fd, std::string &into) {
    char bytes[65536];
    ssize_t n = ::read(fd, bytes, sizeof bytes);
    if (n > 0)
        into.append(bytes, static_cast<std::size_t>(n));
    if (n == 0) {
        ::close(fd);
        fd = -1;
    }
}

/// Moves what can be moved; false when both outputs are closed.
bool Launch::pump(std::chrono::milliseconds longest) {
    if (hung_up_ && out_fd_ >= 0) {
        ::close(out_fd_);
        out_fd_ = -1;
    }
    if (input_.empty() && in_fd_ >= 0) {
        ::close(in_fd_);
        in_fd_ = -1;
    }
    pollfd fds[] = {{out_fd_, POLLIN, 0}, {err_fd_, POLLIN, 0}, {in_fd_, POLLOUT, 0}};
    if (out_fd_ < 0 && err_fd_ < 0)
        return false;
    ::poll(fds, 3, static_cast<int>(longest.count()));
    if (fds[0].revents)
        read(out_fd_, out_);
    if (fds[1].revents)
        read(err_fd_, err_);
    if (fds[2].revents) {
        ssize_t n = ::write(in_fd_, input_.data(), input_.size());
        input_.erase(0, n > 0 ? static_cast<std::size_t>(n) : errno == EAGAIN ? 0 : input_.size());
    }
    return true;
}

bool Launch::wait_for(const std::string &text, int times) {
    for (auto end = Clock::now() + longest_run; Clock::now() < end;) {
        if (count(out_, text) >= times)
            return true;
        if (!pump(50ms))
            return count(out_, text) >= times;
    }
    return false;
}

int Launch::wait() {
    for (auto end = Clock::now() + longest_run; Clock::now() < end;) {
        bool open = pump(10ms);
        if (!reaped_ && ::waitpid(pid_, &status_, WNOHANG) == pid_)
            reaped_ = true;
        if (reaped_) {
            while (open && Clock::now() < end) // what is in the pipes still
                open = pump(10ms);
            return WIFSIGNALED(status_) ? -WTERMSIG(status_) : WEXITSTATUS(status_);
        }
        if (!open)
            std::this_thread::sleep_for(5ms);
    }
    return -1000;
}

std::vector<std::string> Launch::err_lines() const {
    std::istringstream text(err_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
        lines.push_back(line);
    return lines;
}

std::vector<Process> Launch::processes() const {
    std::vector<Process> list;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator("/proc", error)) {
        std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != name.npos)
            continue;
        pid_t pid = std::atoi(name.c_str());
        std::string environment = '\0' + slurp(entry.path() / "environ");
        if (environment.find('\0' + mark_ + '\0') == environment.npos || !lives(pid))
            continue;
        std::string comm = slurp(entry.path() / "comm"), command = slurp(entry.path() / "cmdline");
        for (char &c : command)
            c = c ? c : ' ';
        list.push_back({pid, comm.substr(0, comm.find('\n')), command});
    }
    return list;
}

std::vector<Process> Launch::processes(const std::string &name) const {
    auto list = processes();
    std::erase_if(list, [&](const Process &process) { return process.name != name.substr(0, 15); });
    return list;
}

testing::AssertionResult Launch::gone() const {
    std::string left;
    for (auto end = Clock::now() + longest_tidying;;) {
        left.clear();
        for (const Process &process : processes())
            left += "process " + std::to_string(process.pid) + " (" + process.name + "): " + process.command + "\n";
        for (const auto &entry : std::filesystem::directory_iterator(directory_))
            left += "file " + entry.path().string() + "\n";
        if (left.empty())
            return testing::AssertionSuccess();
        if (Clock::now() > end)
            return testing::AssertionFailure() << "left over:\n" << left;
        std::this_thread::sleep_for(20ms);
    }
}
