// Secrets: how they are made, compared, and how that of a run reaches the agents, which no network may read. mpiexec
// hands its environment to other hosts in clear, so the secret is not in it. Where ssh starts mpiexec's daemons, it
// goes through ssh's standard input. Otherwise agents read it from a file that only this user can read.
#pragma once

#include "child/descriptor.h"

#include <string>
#include <utility>
#include <vector>

namespace mpiglut::launcher {

/// 128 random bits in hexadecimal.
std::string random_token();
/// Takes equally long wherever the two differ.
bool same_text(const std::string &a, const std::string &b);

/// In the environment of daemons that ssh has started, and of agents, but never in mpiexec's.
inline constexpr const char *secret_variable = "MPIGLUT_SECRET";
/// The path of the file, in mpiexec's environment.
inline constexpr const char *secret_file_variable = "MPIGLUT_SECRET_FILE";
/// What carry_secret runs, in mpiexec's environment: ssh, and words for it.
inline constexpr const char *ssh_variable = "MPIGLUT_SSH";

/// A new file with the run's secret, gone with this object.
class SecretFile {
  public:
    SecretFile() = default;
    /// In a folder that only this user can enter. `error`: why there is none.
    SecretFile(const std::string &folder, const std::string &secret, std::string &error);
    SecretFile(SecretFile &&other) noexcept : path_(std::exchange(other.path_, {})) {}
    SecretFile &operator=(SecretFile &&other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    ~SecretFile() { remove(); }
    void remove();
    const std::string &path() const { return path_; }

  private:
    std::string path_;
};

/// Of the run that has started this process; empty, with `error` set, when neither way has brought it. This process's
/// children will not find it in their environment.
std::string read_secret(std::string &error);

/// What mpiexec takes for ssh: `[-OPTION...] HOST COMMAND...`. Becomes ssh, which reads the secret from its standard
/// input and starts COMMAND with it in the environment. Returns an exit status when it could not.
int carry_secret(const std::vector<std::string> &arguments);
/// The words that a login shell of any kind makes of carry_secret's COMMAND: reads the secret, then runs it.
std::string with_secret(const std::string &command);

} // namespace mpiglut::launcher
