#include "session/verdict.h"
#include "child/spawn.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <utility>

namespace mpiglut::launcher {

std::string Verdict::who(int rank) const {
    const Rank &r = at(rank);
    return "rank " + std::to_string(rank) + " (" + (r.host.empty() ? "" : r.host + ", ") + "tile " + r.tile + ")";
}

/// Ranks mostly fail all in the same way; one line is enough for that.
std::string Verdict::once(const std::string &key, const std::string &line) {
    return said_.insert(key).second ? line : std::string();
}

std::string Verdict::ended(int rank, int status, bool by_us, std::vector<std::string> said) {
    if (by_us)
        return {};
    at(rank).status = status;
    at(rank).said = std::move(said);
    if (!first_bad_)
        first_bad_ = shell_status(status);
    if (!WIFSIGNALED(status) || (output_broken_ && WTERMSIG(status) == SIGPIPE))
        return {};
    at(rank).explained = true;
    return once("signal " + std::to_string(WTERMSIG(status)), who(rank) + ": " + describe_status(status));
}

std::string Verdict::failed(int rank, int status, const std::string &why) {
    if (bad()) // so the wall is ending, and takes away what a rank that still starts looks for: its X server
        return {};
    failure_ = status;
    return once(why, who(rank) + ": " + why);
}

std::string Verdict::lost(int rank) {
    if (!failure_)
        failure_ = 1;
    return who(rank) + ": its agent ended or cannot be reached any more";
}

std::string Verdict::died(int rank, int status, const std::string &how, const std::string &then,
                          std::vector<std::string> said) {
    Rank &r = at(rank);
    r.status = status;
    r.said = std::move(said);
    r.explained = true;
    r.library_error = false;
    return who(rank) + ": " + how + "; " + then;
}

std::string Verdict::back(int rank, std::chrono::nanoseconds after) const {
    std::array<char, 32> seconds;
    std::snprintf(seconds.data(), seconds.size(), "%.1f", std::chrono::duration<double>(after).count());
    return who(rank) + ": is back after " + seconds.data() + " seconds";
}

std::string Verdict::error(int rank, const std::string &text) {
    at(rank).explained = true;
    at(rank).library_error = true;
    return once(text, who(rank) + ": " + text);
}

std::string Verdict::note(const std::string &text) { return once(text, text); }

std::string Verdict::trouble(const std::string &why) {
    if (!failure_)
        failure_ = 1;
    return once(why, why);
}

std::vector<std::string> Verdict::remarks() const {
    std::vector<std::string> lines;
    std::set<std::vector<std::string>> quoted; // ranks that fail alike mostly say the same
    const std::optional<int> &model = ranks_[0].status;
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
        const Rank &r = at(rank);
        if (!r.status || r.status == model || (!model && (failure_ || signal_)))
            continue;
        const bool crashed = WIFSIGNALED(*r.status); // which has been said
        if (r.explained && !crashed)
            continue;
        if (!crashed)
            lines.push_back(who(rank) + ": " + describe_status(*r.status) +
                            (!model                ? " while rank 0 went on"
                             : WIFSIGNALED(*model) ? ""
                                                   : ", rank 0 with " + std::to_string(WEXITSTATUS(*model))));
        if (r.said.empty() || !quoted.insert(r.said).second)
            continue;
        lines.push_back(who(rank) + ": its standard error ended with");
        for (const std::string &line : r.said)
            lines.push_back("    " + line);
    }
    return lines;
}

int Verdict::exit_status() const {
    if (signal_)
        return 128 + signal_;
    const bool library_error = std::ranges::any_of(ranks_, &Rank::library_error);
    if (ranks_[0].status && (*ranks_[0].status != 0 || !library_error))
        return shell_status(*ranks_[0].status);
    if (failure_)
        return failure_;
    return first_bad_ ? first_bad_ : 1;
}

} // namespace mpiglut::launcher
