#include "child.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

Child::Child(const std::vector<std::string> &command, const std::string &display, Reads reads) {
    int pipe_fds[2];
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    std::vector<char *> argv;
    for (const std::string &word : command)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);

    pid_ = fork();
    if (pid_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        dup2(pipe_fds[1], STDOUT_FILENO);
        if (reads == Reads::output_and_errors)
            dup2(pipe_fds[1], STDERR_FILENO);
        if (!display.empty())
            setenv("DISPLAY", display.c_str(), 1);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    close(pipe_fds[1]);
    output_ = pipe_fds[0];
    if (pid_ < 0)
        throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
}

Child::~Child() {
    close(output_);
    kill(pid_, SIGTERM);
    for (int i = 0; i < 500; ++i) {
        if (waitpid(pid_, nullptr, WNOHANG) == pid_)
            return;
        usleep(10'000);
    }
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

std::string Child::read_line() {
    std::string line;
    for (char c; read(output_, &c, 1) == 1 && c != '\n';)
        line += c;
    return line;
}

// The fields of /proc/PID/stat after the command's name, which may hold anything.
static std::vector<std::string> stat_fields(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::size_t end = text.rfind(')');
    if (end == std::string::npos)
        return {};
    std::istringstream rest(text.substr(end + 1));
    return {std::istream_iterator<std::string>(rest), {}};
}

double cpu_seconds(pid_t pid) {
    auto fields = stat_fields(pid);
    if (fields.size() < 13)
        return 0;
    return (std::stod(fields[11]) + std::stod(fields[12])) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

pid_t parent(pid_t pid) {
    auto fields = stat_fields(pid);
    return fields.size() < 2 ? 0 : std::stoi(fields[1]);
}

std::int64_t now_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}
