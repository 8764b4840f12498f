#include "command.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// Started in its own process group, so that whatever it starts can be ended along with it.
pid_t start(const std::vector<std::string> &command, int output, int errors) {
    std::vector<char *> argv;
    for (const std::string &word : command)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&files, output, 1);
    posix_spawn_file_actions_adddup2(&files, errors, 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t pid = -1;
    if (posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ) != 0)
        pid = -1;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

} // namespace

Outcome run_command(const std::vector<std::string> &command, int seconds) {
    int output[2], errors[2];
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0)
        return {};
    const pid_t pid = start(command, output[1], errors[1]);
    close(output[1]);
    close(errors[1]);
    Outcome outcome;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    std::array<pollfd, 2> ends{{{output[0], POLLIN, 0}, {errors[0], POLLIN, 0}}};
    bool late = false;
    while (pid > 0 && (ends[0].fd >= 0 || ends[1].fd >= 0)) {
        if (poll(ends.data(), ends.size(), 200) < 0 && errno != EINTR)
            break;
        for (std::size_t i = 0; i < 2; ++i) {
            char text[4096];
            if (ends[i].fd < 0 || ends[i].revents == 0)
                continue;
            const ssize_t got = read(ends[i].fd, text, sizeof text);
            if (got > 0)
                (i == 0 ? outcome.output : outcome.errors).append(text, static_cast<std::size_t>(got));
            else
                ends[i].fd = -1;
        }
        if (!late && std::chrono::steady_clock::now() > end) {
            late = true;
            kill(-pid, SIGKILL);
        }
    }
    close(output[0]);
    close(errors[0]);
    int status = 0;
    if (pid > 0 && waitpid(pid, &status, 0) == pid)
        outcome.status = late ? 124 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}
