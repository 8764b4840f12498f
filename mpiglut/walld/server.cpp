#include "server.h"
#include "child/spawn.h"
#include "link/secret.h"

#include <nlohmann/json.hpp>

#include <array>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace mpiglut::walld {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds patience_of_question = 5s, patience_of_stop = 3s, patience_of_browsers = 300ms,
                                    patience_of_end = 4s;

} // namespace

Server::Server(ServerOptions options)
    : options_(std::move(options)),
      web_({[this](Request &request) { return api_->refuse(request); },
            [this](const Request &request, Web::Answer answer) { api_->handle(request, answer); },
            [this](const Request &request) { return api_->admit(request); },
            [this](Web::Client client, const Visitor &visitor) { desk_.opened(client, visitor); },
            [this](Web::Client client) { desk_.closed(client); },
            [this](Web::Client client, const std::string &text) { desk_.message(client, text); }}),
      captures_(options_.captures, options_.captures_limit),
      thumbnails_(captures_, [this](Stills::Work work) { gallery_worker_.add(std::move(work)); }),
      stills_([this](Stills::Work work) { worker_.add(std::move(work)); }), desk_(web_, log_) {
    const bool tls = !options_.web.certificate.empty();
    // No other server will have a port that was any.
    access_ = std::make_unique<Access>(launcher::random_token(), launcher::random_token(),
                                       Sessions(options_.web.port ? Sessions::usual_path(options_.web.port) : ""));
    if (options_.attached < 0)
        programs_ = std::make_unique<Programs>(
            options_.apps, options_.wall, options_.headless,
            Programs::Listener{[this](int fd, const std::string &name, int errors) { begin_run(fd, name, errors); },
                               [this](bool at_once) { stop_run(at_once); }, [this] { return run_ && run_->is_over(); },
                               [this] { desk_.changed(); },
                               [this](const std::string &line) { say(line); },
                               [this](auto delay, auto then) { web_.after(delay, std::move(then)); }});
    shows_ = std::make_unique<Shows>(
        programs_.get(), options_.presets.empty() ? presets_file(options_.wall, options_.captures) : options_.presets,
        Shows::Listener{[this](double brightness) {
                            if (run_)
                                run_->dim(brightness);
                        },
                        [this] { desk_.changed(); }, [this](const std::string &line) { say(line); }});
    desk_.also([this] {
        auto more = programs_ ? programs_->to_json() : nlohmann::json::object();
        if (programs_)
            more.update(shows_->to_json());
        more["captures"] = captures_.version();
        return more;
    });
    api_ = std::make_unique<Api>(web_, *access_, desk_, captures_, thumbnails_, stills_, log_, programs_.get(), *shows_,
                                 tls);
}

std::string Server::link(Role role) const {
    const std::string &address = options_.web.address;
    std::string host = address.starts_with("127.") ? "localhost" : address;
    if (address == "0.0.0.0") { // all of this host's
        std::array<char, 256> name{};
        host = ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
    }
    const bool tls = !options_.web.certificate.empty();
    return std::string(tls ? "https" : "http") + "://" + host + ":" + std::to_string(web_.port()) +
           "/?token=" + (role == Role::operate ? access_->token() : access_->token_to_look());
}

void Server::begin_run(int fd, const std::string &name, int errors) {
    api_->run(nullptr);
    desk_.run(nullptr);
    // A separate descriptor: the web library closes the one that it watches as soon as the other end has gone, and says
    // nothing; its number may be a browser's by then.
    errors_.reset(errors < 0 ? -1 : ::fcntl(errors, F_DUPFD_CLOEXEC, 3));
    if (errors >= 0)
        web_.watch(errors, [this, errors, run = ++runs_] {
            if (run == runs_)
                return read_errors() ? 0 : -1;
            std::array<char, 4096> bytes; // of an earlier one, which is not asked any more
            return ::read(errors, bytes.data(), bytes.size()) == 0 ? -1 : 0;
        });
    run_ = std::make_unique<WallRun>(
        web_, fd, stills_, log_, name,
        WallRun::Listener{[this] { desk_.changed(); },
                          [this](const std::vector<LogLine> &lines) { desk_.printed(lines); },
                          [this](std::uint64_t key, const WallRun::Picture &picture) { desk_.picture(key, picture); },
                          [this] { run_over(); }});
    run_->dim(shows_->brightness());
    api_->run(run_.get());
    desk_.run(run_.get());
}

/// All that is there; false at its end, which comes when the last process of the run has gone.
bool Server::read_errors() {
    std::array<char, 4096> bytes;
    ssize_t count = -1;
    while (errors_ && (count = ::read(errors_.get(), bytes.data(), bytes.size())) > 0)
        if (run_)
            run_->complained(std::string(bytes.data(), static_cast<std::size_t>(count)));
    if (count == 0)
        errors_.reset();
    return static_cast<bool>(errors_);
}

void Server::say(const std::string &line) {
    std::fprintf(stderr, "walld: %s\n", line.c_str());
    if (run_)
        run_->note("walld: " + line);
}

void Server::run_over() {
    desk_.changed();
    if (!programs_)
        web_.after(patience_of_browsers, [this] { web_.stop(); }); // they are told of the end
}

void Server::stop_run(bool at_once) {
    if (!run_ || run_->is_over())
        return;
    run_->quit(at_once);
    const auto later = [this, which = run_.get(), pid = programs_ ? programs_->pid() : 0](auto delay, bool killed) {
        web_.after(delay, [this, which, pid, killed] {
            if (run_.get() == which && !which->is_over() && (!programs_ || programs_->pid() == pid))
                which->quit(killed);
        });
    };
    if (!at_once) {
        later(patience_of_question, false); // the first may have been a question: does it want to save?
        later(patience_of_question + patience_of_stop, true);
    }
}

/// Once in a row: the wall ends in an orderly way, and so do we. An mpiglutrun that ends takes its server along;
/// browsers are told of the run's end first, and the port is free for the next server at once nearly.
void Server::end() {
    if (options_.attached >= 0 && !std::exchange(ending_, true))
        return web_.after(50ms, [this] { web_.stop(); });
    if (ending_ || !programs_ || !programs_->busy())
        return web_.stop();
    ending_ = true;
    stop_run(true);
    web_.after(patience_of_end, [this] { web_.stop(); });
}

void Server::look() {
    if (run_ && !run_->is_over())
        run_->look();
    web_.after(250ms, [this] { look(); });
}

void Server::sample() {
    if (run_ && !run_->is_over())
        desk_.sampled(run_->sample());
    desk_.keep([this](const std::string &session) { return access_->is_open(session); });
    shows_->look();
    web_.after(1s, [this] { sample(); });
}

int Server::run() {
    sigset_t set;
    sigemptyset(&set);
    for (int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
        sigaddset(&set, number);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);

    const std::string error = web_.listen(options_.web);
    if (!error.empty() && options_.attached < 0) {
        std::fprintf(stderr, "walld: %s\n", error.c_str());
        return 1;
    }
    if (!error.empty()) { // mpiglutrun says it, and ends
        const std::string frame = launcher::encode(launcher::Type::address, pack(launcher::Address{{}, {}, error}));
        return ::write(options_.attached, frame.data(), frame.size()) < 0;
    }
    const int signals = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    web_.watch(signals, [this, signals] {
        signalfd_siginfo info;
        while (::read(signals, &info, sizeof info) == sizeof info) {
            if (info.ssi_signo != SIGCHLD) {
                end();
                continue;
            }
            int status = 0;
            for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
                if (programs_ && pid == programs_->pid()) {
                    read_errors();
                    if (run_)
                        run_->ended_with(launcher::shell_status(status));
                    programs_->ended(status);
                    if (programs_->idle() && !ending_)
                        shows_->program_ended(status);
                    if (ending_)
                        web_.stop();
                }
        }
        return 0;
    });
    worker_.join(web_);
    gallery_worker_.join(web_);
    worker_.add([this] {
        const auto tool = std::make_shared<const FilmTool>(find_film_tool());
        return [this, tool] { api_->film_tool(*tool); };
    });
    look();
    sample();
    const std::string unwritten =
        link_file_.write(link(Role::operate), link(Role::look), web_.port(), options_.web.certificate);
    if (options_.forget_sessions)
        access_->sessions().close_all();
    for (const std::string &note : {unwritten, access_->sessions().trouble()})
        if (!note.empty())
            std::fprintf(stderr, "walld: note: %s\n", note.c_str());
    if (options_.attached >= 0) {
        begin_run(options_.attached);
        run_->send_address({link(Role::operate), link(Role::look), {}});
    } else {
        std::printf("the wall's page: %s\nfor looking only: %s\n", link(Role::operate).c_str(),
                    link(Role::look).c_str());
        std::fflush(stdout);
        if (!shows_->resume())
            programs_->autostart();
    }
    web_.run();
    return 0;
}

} // namespace mpiglut::walld
