// The file where a server leaves its link, for wallctl of the same user on the same host.
#pragma once

#include <string>

namespace mpiglut::walld {

/// Makes a folder that is this user's alone, or finds that it is; else false, with errno set.
bool own_folder(const std::string &path);

class LinkFile {
  public:
    LinkFile() = default;
    ~LinkFile();
    LinkFile(const LinkFile &) = delete;
    LinkFile &operator=(const LinkFile &) = delete;
    /// Empty, or why there is none. `certificate`: the one that the server is known by, empty without TLS.
    std::string write(const std::string &link, const std::string &link_to_look, int port,
                      const std::string &certificate);

  private:
    std::string path_;
};

} // namespace mpiglut::walld
