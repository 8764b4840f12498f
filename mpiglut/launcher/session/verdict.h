// How the run ended: what to say about it, and the exit status.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mpiglut::launcher {

class Verdict {
  public:
    explicit Verdict(std::vector<std::string> tiles) : ranks_(tiles.size()) {
        for (std::size_t i = 0; i < tiles.size(); ++i)
            ranks_[i].tile = std::move(tiles[i]);
    }
    void host(int rank, const std::string &name) { at(rank).host = name; }
    /// "rank 2 (host, tile (0,1))"
    std::string who(int rank) const;

    // Each returns the line to print now, or nothing.
    /// `status`: as from wait(2). `said`: the last lines that it printed and that were not shown.
    std::string ended(int rank, int status, bool by_us, std::vector<std::string> said = {});
    std::string failed(int rank, int status, const std::string &why);
    std::string lost(int rank);
    /// The wall goes on without it; it has no say in the exit status.
    std::string died(int rank, int status, const std::string &how, const std::string &then,
                     std::vector<std::string> said);
    /// It has come back so long after its death.
    std::string back(int rank, std::chrono::nanoseconds after) const;
    std::string error(int rank, const std::string &text); ///< from the library
    std::string note(const std::string &text);
    std::string trouble(const std::string &why); ///< with the run as a whole

    void interrupted(int signal) { signal_ = signal; }
    /// Nobody reads what we print: a program that dies of that does so as it should.
    void output_broken() { output_broken_ = true; }

    /// What is to be said when everything has ended.
    std::vector<std::string> remarks() const;
    int exit_status() const;
    /// A rank ended with something else than 0, or something went wrong before.
    bool bad() const { return failure_ || first_bad_; }

  private:
    struct Rank {
        std::string host, tile;
        std::optional<int> status; ///< of a program that ended by itself
        bool explained = false;    ///< a line has said why
        bool library_error = false;
        std::vector<std::string> said;
    };
    Rank &at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    const Rank &at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
    std::string once(const std::string &key, const std::string &line);

    std::vector<Rank> ranks_;
    std::set<std::string> said_;
    int signal_ = 0, failure_ = 0, first_bad_ = 0;
    bool output_broken_ = false;
};

} // namespace mpiglut::launcher
