// One run of mpiglutrun, watched from outside.
#pragma once

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

struct MpiFlavour {
    const char *name, *mpiexec, *subject;
};
inline void PrintTo(const MpiFlavour &flavour, std::ostream *out) { *out << flavour.name; }
const std::vector<MpiFlavour> &flavours();
/// For tests that need no MPI in particular.
inline const MpiFlavour &any_flavour() { return flavours().front(); }

struct Process {
    pid_t pid;
    std::string name, command; ///< comm and command line
};

/// PATIENCE: how many times as long as usual a sanitizer may take. What goes well is over in a second or two; a busy
/// machine may take far longer.
inline constexpr std::chrono::seconds longest_run{60 * PATIENCE}, longest_tidying{30 * PATIENCE};

class Launch {
  public:
    /// Starts mpiglutrun with these arguments. The environment has the probe for libmpiglut, a mark, and a TMPDIR of
    /// its own. `input`: what comes on standard input, else nothing does.
    explicit Launch(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {},
                    std::string input = {});
    ~Launch();
    Launch(const Launch &) = delete;

    pid_t pid() const { return pid_; }
    /// Waits until it has printed this on standard output so many times; false after longest_run or when it ends
    /// before.
    bool wait_for(const std::string &text, int times = 1);
    /// Stops reading its standard output for good.
    void hang_up() { hung_up_ = true; }
    /// Ends with its exit status, or minus its signal; -1000 when that takes longer than longest_run.
    int wait();

    const std::string &out() const { return out_; }
    const std::string &err() const { return err_; }
    /// Lines on standard error.
    std::vector<std::string> err_lines() const;

    /// Every process of the run that lives, mpiglutrun itself included.
    std::vector<Process> processes() const;
    std::vector<Process> processes(const std::string &name) const;
    /// Waits up to longest_tidying for every process and every file of the run to be gone, and says which are not.
    testing::AssertionResult gone() const;

  private:
    bool pump(std::chrono::milliseconds longest);
    void read(int &fd, std::string &into);
    std::string mark_, directory_, out_, err_, input_;
    pid_t pid_ = -1;
    int in_fd_ = -1, out_fd_ = -1, err_fd_ = -1, status_ = 0;
    bool hung_up_ = false, reaped_ = false;
};

int count(const std::string &text, const std::string &part);
/// A file's content; nothing of a process in /proc that ends meanwhile, where iterators of a stream would throw.
std::string slurp(const std::filesystem::path &path);
