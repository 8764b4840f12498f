#include "session/session.h"

#include "run/report.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>

namespace mpiglut::launcher {

namespace {

std::vector<std::string> tile_names(const pixmpi::Wall &wall) {
    std::vector<std::string> names;
    for (const pixmpi::Tile &tile : wall.tiles)
        names.push_back(tile.name);
    return names;
}

} // namespace

Session::Session(CommandLine command, Placement placement, Mpiexec mpiexec)
    : command_(std::move(command)), placement_(std::move(placement)), mpiexec_(std::move(mpiexec)), out_(loop_, 1),
      err_(loop_, 2), verdict_(tile_names(command_.wall)), job_(loop_, guard_,
                                                                [this](std::string_view text) {
                                                                    if (command_.verbose)
                                                                        err_.write(text);
                                                                    look_for_failed_ssh();
                                                                }),
      console_(loop_, guard_,
               Console::Listener{[this](std::chrono::milliseconds interval) { attend(interval); },
                                 [this](const std::string &events) { agents_->send(0, Type::operate, events); },
                                 [this](bool at_once) { at_once ? interrupted(SIGTERM) : interrupted(SIGINT); },
                                 [this](const Address &where) { address(where); },
                                 [this] { page_gone(); }}),
      input_(loop_, placement_.ranks,
             [this](std::string_view bytes) {
                 for (int rank = 0; rank < placement_.ranks; ++rank)
                     agents_->send(rank, Type::input, std::string(bytes));
             }),
      ranks_(static_cast<std::size_t>(placement_.ranks)) {
    for (std::size_t i = 0; i < ranks_.size(); ++i)
        ranks_[i].lines.assign(2, LinePrefix(command_.wall.tiles[i].name + " "));
}

int Session::run() {
    loop_.signals({SIGCHLD, SIGINT, SIGTERM, SIGHUP}, [this](int number) {
        if (number == SIGCHLD)
            reap();
        else
            interrupted(number);
    });
    int stream = 0;
    for (Sink *sink : {&out_, &err_}) {
        sink->on_drained([this] {
            if (agents_)
                agents_->pause(out_.full() || err_.full());
        });
        sink->on_broken([this, broken = ++stream] { output_broken(broken); });
    }
    if (std::string error = launch(); !error.empty())
        say(verdict_.trouble(error));
    else
        loop_.run();
    conclude();
    guard_.finish();
    return verdict_.exit_status();
}

void Session::received(int rank, Frame &&frame) {
    auto receive = [&]<class Message>(void (Session::*handle)(int, const Message &)) {
        if (auto message = unpack<Message>(frame.payload))
            (this->*handle)(rank, *message);
    };
    switch (frame.type) {
    case Type::display:
        return receive(&Session::display_ready);
    case Type::output:
        return receive(&Session::output);
    case Type::report:
        return receive(&Session::report);
    case Type::exited:
        return receive(&Session::ended);
    case Type::failed:
        return receive(&Session::failed);
    case Type::input_taken:
        if (auto message = unpack<InputTaken>(frame.payload); message && message->value >= 0)
            input_.taken(rank, static_cast<std::size_t>(message->value));
        return;
    case Type::rejoin_address:
        if (auto message = unpack<RejoinAddress>(frame.payload); message && rank == 0)
            rejoin_address_ = *message;
        return;
    case Type::started:
        program_started_ = true;
        if (!ranks_[static_cast<std::size_t>(rank)].returning)
            console_.send(TileState{rank, agents_->hello(rank).host, {}, "started", 0});
        agents_->send(rank, Attend{live_interval_.count()});
        return;
    case Type::figures:
    case Type::picture:
    case Type::recorded:
    case Type::menu:
        return console_.pass_on(rank, frame);
    default:
        return;
    }
}

void Session::attend(std::chrono::milliseconds interval) {
    live_interval_ = interval;
    for (int rank = 0; rank < placement_.ranks; ++rank)
        agents_->send(rank, Attend{interval.count()});
}

void Session::address(const Address &address) {
    if (!address.error.empty()) {
        say(verdict_.trouble("--control: " + address.error));
        return end_now();
    }
    page_shown_ = true;
    // Not by say(): the page also shows the log to those who may only look.
    err_.write("mpiglutrun: the wall's page: " + address.link + "\nmpiglutrun: for looking only: " +
               address.link_to_look + "\n");
}

void Session::page_gone() {
    if (stage_ >= Stage::ending)
        return; // it goes with the run, or has said why there is no page
    if (page_shown_ || command_.control.console_fd >= 0)
        return say(verdict_.note("the operator's page is gone; the wall goes on"));
    say(verdict_.trouble("--control: the page's server ended before a browser could connect"));
    end_now();
}

void Session::output(int rank, const Output &output) {
    if (ranks_[static_cast<std::size_t>(rank)].returning)
        return; // it says again what it has said before
    console_.send(Line{rank, output.stream, output.bytes});
    if (rank != 0 && !command_.all_output)
        return;
    bool to_out = output.stream == 1;
    Sink &sink = to_out ? out_ : err_;
    sink.write(command_.all_output ? ranks_[static_cast<std::size_t>(rank)].lines[to_out ? 0 : 1].add(output.bytes)
                                   : output.bytes);
    if (sink.full() && stage_ != Stage::finishing)
        agents_->pause(true);
}

/// These are for us: a GLUT program has come up; a rank has met the others of a wall that outlives its ranks, or has
/// come back to them; a signal has told a rank to end; a rank writes files at its end.
void Session::report(int rank, const ReportLine &line) {
    const auto is_for_us = [](const std::string &text) {
        constexpr const char *all[] = {"started", "joined", "rejoined", "ending", "saving", "saved"};
        return std::ranges::find(all, text) != std::end(all);
    };
    if (line.kind != "note" || !is_for_us(line.text))
        console_.send(Line{rank, 0, line.kind + ": " + line.text + "\n"});
    const bool returning = ranks_[static_cast<std::size_t>(rank)].returning;
    if (line.kind != "note" && !returning)
        say(verdict_.error(rank, line.text));
    else if (line.kind != "note" && stage_ == Stage::running && !comes_to_its_end(0))
        say(verdict_.note(verdict_.who(rank) + ": " + line.text)); // it has no say in the run's end
    if (line.kind == "fatal" && !goes_on_without(rank))
        end_now();
    if (line.kind != "note")
        return;
    if (line.text == "started")
        library_seen_ = true;
    else if (line.text == "joined")
        ranks_[static_cast<std::size_t>(rank)].joined = true;
    else if (line.text == "rejoined")
        rejoined(rank);
    else if (is_for_us(line.text) && returning)
        return; // on its way it comes by ends that the others have not come to
    else if (line.text == "ending")
        ranks_[static_cast<std::size_t>(rank)].told_to_end = true;
    else if (line.text == "saving")
        saving(rank);
    else if (line.text == "saved")
        saved(rank);
    else {
        if (line.text.starts_with(no_rejoining))
            rejoin_address_ = {};
        say(verdict_.note(line.text));
    }
}

void Session::output_broken(int stream) {
    verdict_.output_broken();
    if (agents_)
        for (int rank = 0; rank < placement_.ranks; ++rank)
            agents_->send(rank, CloseOutput{stream});
}

void Session::say(const std::string &line) const {
    if (!line.empty())
        console_.send(Line{-1, 2, line + "\n"});
    if (!line.empty())
        err_.write("mpiglutrun: " + line + "\n");
}

void Session::reap() {
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == job_.pid())
            mpiexec_ended(status);
        else
            guard_.reaped(pid);
}

} // namespace mpiglut::launcher
