// A file descriptor that closes itself.
#pragma once

#include <unistd.h>
#include <utility>

namespace mpiglut::launcher {

class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor &operator=(Descriptor &&other) noexcept {
        if (this != &other)
            reset(std::exchange(other.fd_, -1));
        return *this;
    }
    ~Descriptor() { reset(); }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    void reset(int fd = -1) {
        if (fd_ >= 0)
            ::close(fd_);
        fd_ = fd;
    }

  private:
    int fd_ = -1;
};

struct Pipe {
    Descriptor read, write;
};
/// Both ends closed on exec. Empty descriptors when the system has none left.
Pipe make_pipe();

void set_nonblocking(int fd);
/// Opens what is closed of 0, 1 and 2, so that no descriptor of ours becomes one of them.
void open_standard_streams();

} // namespace mpiglut::launcher
