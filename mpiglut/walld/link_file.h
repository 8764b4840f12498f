// The file in which a server leaves its link, for wallctl of the same user on the same host.
#pragma once

#include <string>

namespace mpiglut::walld {

class LinkFile {
  public:
    LinkFile() = default;
    ~LinkFile();
    LinkFile(const LinkFile &) = delete;
    LinkFile &operator=(const LinkFile &) = delete;
    /// Empty, or why there is none. `certificate`: the one by which the server is known, empty without TLS.
    std::string write(const std::string &link, int port, const std::string &certificate);

  private:
    std::string path_;
};

} // namespace mpiglut::walld
