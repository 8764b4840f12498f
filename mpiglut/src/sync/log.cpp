#include "sync/log.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace mpiglut::transport {
namespace {

constexpr std::size_t piece = 64u << 10;

/// Not every file system has files without names.
int open_nameless(const std::string &folder) {
    const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    std::string name = folder + "/mpiglut-log-XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0)
        ::unlink(name.c_str());
    return named;
}

} // namespace

Log::Log(const std::string &folder, std::uint64_t most) : fd_(open_nameless(folder)), most_(most) {
    if (fd_ < 0)
        problem_ = "no file for the log of the run can be made in " + folder + ": " + std::strerror(errno);
}

Log::~Log() {
    if (fd_ >= 0)
        ::close(fd_);
}

bool Log::add(std::span<const std::byte> encoded, std::string &error) {
    if (problem_.empty() && size() + encoded.size() > most_)
        problem_ = "the log of the run has grown to " + std::to_string(most_ >> 20) + " MiB (--rejoin-log)";
    if (problem_.empty()) {
        waiting_.insert(waiting_.end(), encoded.begin(), encoded.end());
        if (waiting_.size() >= piece)
            write_waiting(problem_);
    }
    error = problem_;
    return problem_.empty();
}

bool Log::write_waiting(std::string &error) {
    for (std::size_t done = 0; done < waiting_.size();) {
        const ssize_t n =
            ::pwrite(fd_, waiting_.data() + done, waiting_.size() - done, static_cast<off_t>(written_ + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            error = std::string("the log of the run cannot be written: ") + std::strerror(errno);
            return false;
        }
        done += static_cast<std::size_t>(n);
    }
    written_ += waiting_.size();
    waiting_.clear();
    return true;
}

Bytes Log::read(std::uint64_t from, std::size_t most) {
    if (!problem_.empty() || !write_waiting(problem_) || from >= written_)
        return {};
    Bytes bytes(std::min<std::uint64_t>(most, written_ - from));
    const ssize_t n = ::pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(from));
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    return bytes;
}

} // namespace mpiglut::transport
