// Many commands at once, each with its time-out, and a look at the clocks of their hosts.
#include "child/descriptor.h"
#include "child/spawn.h"
#include "doctor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace walltool {

namespace {

using namespace mpiglut::launcher;
using Clock = std::chrono::steady_clock;

double wall_clock() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

struct Conversation {
    HostAnswer answer;
    Pipe in = make_pipe(), out = make_pipe(), err = make_pipe();
    std::string line, errors;
    pid_t pid = -1;
    double asked = 0;
    Clock::time_point end{};

    bool runs() const { return static_cast<bool>(out.read) || static_cast<bool>(err.read); }
    void start(const Question &question, int seconds);
    void receive(std::string_view bytes, int seconds);
    void receive_line(const std::string &text, int seconds);
    void finish();
};

void Conversation::start(const Question &question, int seconds) {
    const Spawned process = spawn({.argv = question.argv,
                                   .environment = own_environment(),
                                   .in = in.read.get(),
                                   .out = out.write.get(),
                                   .err = err.write.get(),
                                   .group = Group::own_session, // without a terminal ssh asks for no password
                                   .death_signal = SIGTERM});
    pid = process.pid;
    end = Clock::now() + std::chrono::seconds(seconds);
    in.read.reset();
    out.write.reset();
    err.write.reset();
    if (pid >= 0)
        return;
    answer.said = "cannot run '" + question.argv[0] + "': " + std::strerror(process.error);
    out.read.reset();
    err.read.reset();
}

/// The host answers at once when it is asked for its time, so the time lies between question and answer.
void Conversation::receive_line(const std::string &text, int seconds) {
    const auto space = std::min(text.find(' '), text.size());
    const std::string word = text.substr(0, space), rest = text.substr(std::min(space + 1, text.size()));
    if (word == "ready") {
        answer.reached = true;
        end = Clock::now() + std::chrono::seconds(seconds + 1); // what the host itself gives up on is told then
        asked = wall_clock();
        [[maybe_unused]] const ssize_t n = ::write(in.write.get(), "\n", 1);
    } else if (word == "time") {
        const double now = wall_clock();
        answer.ahead = std::strtod(rest.c_str(), nullptr) / 1e9 - (asked + now) / 2;
        answer.unsure = (now - asked) / 2;
    }
    answer.answers[word].push_back(rest);
}

void Conversation::receive(std::string_view bytes, int seconds) {
    for (const char c : bytes)
        if (c == '\n')
            receive_line(std::exchange(line, {}), seconds);
        else if (line.size() < 4096)
            line += c;
}

void Conversation::finish() {
    if (runs()) {
        answer.in_time = false;
        ::kill(-pid, SIGKILL);
        out.read.reset();
        err.read.reset();
    }
    if (pid > 0)
        ::waitpid(pid, nullptr, 0);
    while (!errors.empty() && errors.back() == '\n')
        errors.pop_back();
    if (answer.said.empty())
        answer.said = errors.substr(std::min(errors.rfind('\n') + 1, errors.size()));
}

void read_some(Descriptor &from, std::string &bytes) {
    std::array<char, 4096> buffer;
    const ssize_t n = ::read(from.get(), buffer.data(), buffer.size());
    if (n > 0)
        bytes.assign(buffer.data(), static_cast<std::size_t>(n));
    else
        from.reset();
}

} // namespace

std::vector<HostAnswer> ask(const std::vector<Question> &questions, int seconds) {
    std::signal(SIGPIPE, SIG_IGN);
    std::vector<Conversation> all(questions.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].start(questions[i], seconds);
    for (;;) {
        std::vector<pollfd> waits;
        Clock::time_point next = Clock::time_point::max();
        for (Conversation &one : all)
            if (one.runs() && Clock::now() < one.end) {
                waits.push_back({one.out.read.get(), POLLIN, 0}); // poll leaves a descriptor of -1 out
                waits.push_back({one.err.read.get(), POLLIN, 0});
                next = std::min(next, one.end);
            }
        if (waits.empty())
            break;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count() + 1;
        ::poll(waits.data(), waits.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
        for (const pollfd &wait : waits)
            for (Conversation &one : all) {
                std::string bytes;
                if (!wait.revents || wait.fd < 0)
                    continue;
                if (wait.fd == one.out.read.get())
                    read_some(one.out.read, bytes), one.receive(bytes, seconds);
                else if (wait.fd == one.err.read.get())
                    read_some(one.err.read, bytes), one.errors += bytes.substr(0, 4096);
            }
    }
    std::vector<HostAnswer> answers;
    for (Conversation &one : all) {
        one.finish();
        answers.push_back(std::move(one.answer));
    }
    return answers;
}

} // namespace walltool
