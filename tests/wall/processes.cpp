#include "processes.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wall_test {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point in(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

[[noreturn]] void become(const std::vector<std::string> &command) {
    std::vector<char *> words;
    for (const std::string &word : command)
        words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
}

/// In the child: dies with the test, in its own process group.
void detach(pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
}

bool drain(int &fd, std::string &into) {
    char block[4096];
    const ssize_t count = read(fd, block, sizeof block);
    if (count > 0) {
        into.append(block, static_cast<std::size_t>(count));
        return true;
    }
    close(fd);
    fd = -1;
    return false;
}

} // namespace

Process::Process(const std::vector<std::string> &command, const std::map<std::string, std::string> &environment) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return;
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return;
    }
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        detach(parent);
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        for (const auto &[name, value] : environment)
            value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
        become(command);
    }
    close(out[1]);
    close(err[1]);
    out_ = out[0];
    err_ = err[0];
}

Process::~Process() {
    if (pid_ > 0 && !reaped_) {
        kill(-pid_, SIGKILL);
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    if (out_ >= 0)
        close(out_);
    if (err_ >= 0)
        close(err_);
}

void Process::pump(int milliseconds) {
    pollfd fds[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
    if (poll(fds, 2, milliseconds) <= 0)
        return;
    if (fds[0].revents)
        drain(out_, result_.output);
    if (fds[1].revents)
        drain(err_, result_.errors);
}

bool Process::ended() {
    int status = 0;
    if (!reaped_ && (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) == pid_)) {
        reaped_ = true;
        if (pid_ > 0)
            result_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return reaped_;
}

Finished Process::finish(double seconds) {
    const auto until = in(seconds);
    while (!ended()) {
        if (Clock::now() > until) {
            result_.timed_out = true;
            kill(-pid_, SIGKILL);
        }
        pump(5);
    }
    // What is still in the pipes, even if this process gets no time to read; a grandchild that holds them open is not
    // waited for.
    auto quiet = in(0.2);
    for (const auto last = in(10); (out_ >= 0 || err_ >= 0) && Clock::now() < last;) {
        const std::size_t before = result_.output.size() + result_.errors.size();
        pump(20);
        if (result_.output.size() + result_.errors.size() != before)
            quiet = in(0.2);
        else if (Clock::now() > quiet)
            break;
    }
    return result_;
}

bool Process::wait_until(const std::function<bool()> &ready, double seconds) {
    const auto until = in(seconds);
    while (!ready()) {
        if (Clock::now() > until || (ended() && out_ < 0))
            return false;
        pump(10);
    }
    return true;
}

std::string Process::output_so_far() {
    pump(0);
    return result_.output;
}

Finished run(const std::vector<std::string> &command, const std::map<std::string, std::string> &environment,
             double seconds) {
    return Process(command, environment).finish(seconds);
}

Xvfb::Xvfb(int width, int height) {
    int ready[2];
    if (pipe(ready) != 0)
        return;
    const std::string screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        detach(parent);
        close(ready[0]);
        const int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        become(
            {"Xvfb", "-displayfd", std::to_string(ready[1]), "-screen", "0", screen, "-nolisten", "tcp", "-noreset"});
    }
    close(ready[1]);
    std::string number;
    pollfd fd{ready[0], POLLIN, 0};
    while (poll(&fd, 1, 20000) > 0) {
        char c = 0;
        if (read(ready[0], &c, 1) != 1 || c == '\n')
            break;
        number += c;
    }
    close(ready[0]);
    if (!number.empty())
        display_ = ":" + number;
}

Xvfb::~Xvfb() {
    if (pid_ > 0) {
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
    }
}

} // namespace wall_test
