#include "link/secret.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <random>
#include <sstream>
#include <sys/stat.h>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t longest_secret = 256;

/// Only a file that no other user can have written: /tmp is everybody's.
std::string read_secret(const char *path, std::string &error) {
    const Descriptor file(::open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0) {
        error = std::string("cannot read the run's secret, '") + path + "': " + std::strerror(errno) +
                "; hosts that ssh does not start need a folder that all can see (MPIGLUT_SHARED_FOLDER)";
        return {};
    }
    if (!S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 077) != 0) {
        error = std::string("the run's secret, '") + path + "': expected a file of this user that others cannot read";
        return {};
    }
    std::string text(longest_secret, '\0');
    const ssize_t size = ::read(file.get(), text.data(), text.size());
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text.substr(0, text.find('\n'));
}

std::string quoted(const std::string &text) {
    std::string safe = "'";
    for (const char c : text)
        safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return safe + "'";
}

} // namespace

std::string random_token() {
    std::random_device device; // getrandom(2) or the processor's own, not seeded by us
    std::string token;
    for (int i = 0; i < 4; ++i)
        for (unsigned bits = device(), digit = 0; digit < 8; ++digit, bits >>= 4)
            token += "0123456789abcdef"[bits & 15];
    return token;
}

bool same_text(const std::string &a, const std::string &b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

SecretFile::SecretFile(const std::string &folder, const std::string &secret, std::string &error)
    : path_(folder + "/secret") {
    const Descriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    const std::string line = secret + "\n";
    if (file && ::write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()))
        return;
    error = "cannot write '" + path_ + "': " + std::strerror(errno);
    if (!file)
        path_.clear();
}

void SecretFile::remove() {
    if (!path_.empty())
        ::unlink(path_.c_str());
    path_.clear();
}

std::string read_secret(std::string &error) {
    const char *const brought = std::getenv(secret_variable), *const path = std::getenv(secret_file_variable);
    std::string secret = brought ? brought : "";
    if (secret.empty() && path)
        secret = read_secret(path, error);
    for (const char *variable : {secret_variable, secret_file_variable, ssh_variable})
        ::unsetenv(variable);
    if (secret.empty() && error.empty())
        error = "there is no secret of a run";
    return secret;
}

std::string with_secret(const std::string &command) {
    return std::string("exec sh -c ") +
           quoted(std::string("IFS= read -r ") + secret_variable + "; export " + secret_variable +
                  "; exec \"${SHELL:-sh}\" -c \"$0\"") +
           " " + quoted(command);
}

int carry_secret(const std::vector<std::string> &arguments) {
    const char *const ssh = std::getenv(ssh_variable);
    std::istringstream words(ssh && *ssh ? ssh : "ssh");
    std::vector<std::string> argv;
    for (std::string word; words >> word;)
        argv.push_back(word);
    std::size_t at = 0;
    while (at < arguments.size() && arguments[at].starts_with('-'))
        argv.push_back(arguments[at++]);
    if (at == arguments.size())
        return std::fprintf(stderr, "mpiglutrun-agent is started by mpiglutrun, not by hand\n"), 2;
    argv.push_back(arguments[at]);
    std::string command, error;
    while (++at < arguments.size())
        command += (command.empty() ? "" : " ") + arguments[at];
    argv.push_back(with_secret(command));
    const std::string secret = read_secret(error) + "\n";
    Pipe input = make_pipe(); // a pipe has room for it
    if (!error.empty() || !input.write ||
        ::write(input.write.get(), secret.data(), secret.size()) != static_cast<ssize_t>(secret.size()) ||
        ::dup2(input.read.get(), 0) < 0)
        return std::fprintf(stderr, "mpiglutrun: %s\n", error.empty() ? std::strerror(errno) : error.c_str()), 1;
    std::vector<char *> pointers;
    for (std::string &word : argv)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execvp(pointers[0], pointers.data());
    std::fprintf(stderr, "mpiglutrun: cannot run '%s': %s\n", pointers[0], std::strerror(errno));
    return 127;
}

} // namespace mpiglut::launcher
