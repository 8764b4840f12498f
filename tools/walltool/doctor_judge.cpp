// What a host's answers mean, and what mends it.
#include "doctor.h"

#include "wall/wall.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace walltool {

namespace {

using Level = Finding::Level;
constexpr double most_apart = 0.5; // seconds

bool has(const std::string &text, const char *word) { return text.find(word) != text.npos; }

std::string user() {
    const char *name = ::getlogin();
    return name ? name : "$USER";
}

/// What OpenSSH says when it gives up.
std::string remedy_of_ssh(const std::string &said, const std::string &host) {
    if (has(said, "Permission denied"))
        return "let ssh in without a password: ssh-copy-id " + host;
    if (has(said, "Could not resolve"))
        return "correct the host's name in the wall file, or add it to /etc/hosts";
    if (has(said, "Host key") || has(said, "host key"))
        return "accept the host's key once by hand: ssh " + host;
    if (has(said, "refused"))
        return "start the ssh server there: systemctl enable --now ssh";
    return "is the host switched on, and does its firewall let ssh through? Try: ssh " + host + " true";
}

struct Row {
    std::vector<Finding> &findings;
    const std::string &host;
    void operator()(const char *check, Level level, const std::string &found, const std::string &remedy = {}) const {
        findings.push_back({host, check, level, found, remedy});
    }
};

/// "CRC BYTES PATH" as cksum has it.
std::string path_in(const std::string &line) {
    const auto second = line.find(' ', line.find(' ') + 1);
    return second == line.npos ? line : line.substr(second + 1);
}

void add(std::string &list, const std::string &item) { list += (list.empty() ? "" : ", ") + item; }

void judge_files(const HostAnswer &answer, const HostAnswer &here, const Row &row) {
    const auto theirs = answer.of("file"), ours = here.of("file");
    std::string missing, different;
    for (const std::string &path : answer.of("missing"))
        add(missing, path);
    for (const std::string &file : theirs)
        if (std::ranges::find(ours, file) == ours.end())
            add(different, path_in(file));
    if (!missing.empty())
        row("files", Level::failed, "missing: " + missing,
            "install this at the same path there, or share the folder between the hosts");
    if (!different.empty())
        row("files", Level::failed, "not as here: " + different, "install the same version on all hosts");
    if (missing.empty() && different.empty())
        row("files", Level::well, std::to_string(theirs.size()) + " files, as here");
}

void judge_versions(const HostAnswer &answer, const HostAnswer &here, const Row &row) {
    const auto theirs = answer.of("version"), ours = here.of("version");
    const std::string known = theirs.empty() ? "" : theirs.front();
    if (theirs.empty())
        return row("version", Level::failed, "walltool did not run there" + (answer.said.empty() ? "" : ": " + answer.said),
                   "install the libraries that it needs: ldd names what is not found");
    if (theirs != ours && !ours.empty())
        return row("version", Level::failed, known + ", here " + ours.front(), "install the same version on all hosts");
    const auto mpi = answer.of("mpi"), own_mpi = here.of("mpi");
    if (mpi.empty())
        return row("version", Level::failed, known + ", MPI is missing", "install the MPI that this was built with");
    if (mpi != own_mpi && !own_mpi.empty())
        return row("version", Level::failed, "the MPI library " + path_in(mpi.front()) + " is not the same as here",
                   "install the same version of MPI on all hosts");
    row("version", Level::well, known + ", MPI " + path_in(mpi.front()));
}

void judge_display(const std::string &line, const Row &row) {
    const auto space = std::min(line.find(' '), line.size());
    const std::string name = line.substr(0, space), how = line.substr(std::min(space + 1, line.size()));
    const std::string display = name == "-" ? "DISPLAY is not set" : name;
    if (how.starts_with("renderer ")) {
        row("display", Level::well, display);
        const std::string renderer = how.substr(9);
        const bool software = has(renderer, "llvmpipe") || has(renderer, "softpipe") || has(renderer, "Software") ||
                              has(renderer, "swrast");
        return software ? row("GPU", Level::note, renderer + ": software",
                              "install the GPU's driver there, and let this user use it (group video or render)")
                        : row("GPU", Level::well, renderer);
    }
    if (how.starts_with("session")) {
        const std::string trouble = how.substr(std::min<std::size_t>(how.size(), 8));
        return trouble.empty() ? row("display", Level::well, "Wayland session " + display + ", with Xwayland")
                               : row("display", Level::failed, trouble,
                                     "log in there, correct `display` in the wall file, or use --headless");
    }
    if (how == "refused")
        return row("display", Level::failed, display + " does not let this user in",
                   "run there, as the user who is logged in: xhost +si:localuser:" + user() +
                       "; or let XAUTHORITY name its cookie (xauth list)");
    if (how == "none")
        return row("display", Level::failed, name == "-" ? display : display + " has no X server",
                   "start one there, correct `display` in the wall file, or use --headless");
    if (how == "hangs")
        return row("display", Level::failed, display + " does not answer",
                   pixmpi::is_wayland(display) ? "log in there again" : "restart the X server there");
    row("display", Level::failed, display + (how == "crashed" ? ": the OpenGL driver crashed" : " has no OpenGL (" + how + ")"),
        "install the GPU's driver and GLX there: glxinfo must work");
}

void judge_clock(const Question &question, const HostAnswer &answer, const Row &row) {
    if (question.here || answer.of("time").empty())
        return;
    std::array<char, 80> text;
    std::snprintf(text.data(), text.size(), "%+.3f s (give or take %.3f)", answer.ahead, answer.unsure);
    if (std::abs(answer.ahead) - answer.unsure > most_apart)
        row("clock", Level::failed, text.data(), "let both hosts follow one server of time: timedatectl set-ntp true");
    else
        row("clock", Level::well, text.data());
}

} // namespace

void judge(const Question &question, const HostAnswer &answer, const HostAnswer &here, const DoctorOptions &options,
           std::vector<Finding> &findings) {
    const Row row{findings, question.host};
    if (!answer.reached)
        return row("reachable", Level::failed,
                   !answer.in_time       ? "no answer within " + std::to_string(options.seconds) + " s"
                   : answer.said.empty() ? "ssh ended without a word"
                                         : answer.said,
                   remedy_of_ssh(answer.said, question.host));
    row("reachable", Level::well, question.here ? "this host" : "by ssh");
    judge_files(answer, here, row);
    if (!answer.of("missing").empty())
        return judge_clock(question, answer, row); // the rest needs these files
    judge_versions(answer, here, row);
    for (const std::string &line : answer.of("display"))
        judge_display(line, row);
    if (const auto lacks = answer.of("lacks"); options.headless) {
        for (const std::string &program : lacks)
            row("headless", Level::failed, program + " is missing", "install it there (Debian: xvfb, xauth)");
        if (lacks.empty())
            row("headless", Level::well, "Xvfb and xauth are there");
    }
    if (const auto back = answer.of("back"); !back.empty() && back.front() != "ok")
        row("network", Level::failed, "it cannot connect to this host",
            "let this host's firewall accept TCP from " + question.host + " on all ports");
    else if (!back.empty())
        row("network", Level::well, "connects to this host");
    judge_clock(question, answer, row);
    if (!answer.in_time)
        row("reachable", Level::failed, "it did not say all within " + std::to_string(options.seconds) + " s",
            "is the host overloaded? Try --timeout " + std::to_string(4 * options.seconds));
}

} // namespace walltool
