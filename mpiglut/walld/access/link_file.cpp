#include "access/link_file.h"
#include "child/descriptor.h"
#include "link/net.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace mpiglut::walld {

/// /tmp is everybody's, so a folder that was there before may be another user's.
bool own_folder(const std::string &path) {
    struct stat info {};
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return false;
    if (::lstat(path.c_str(), &info) != 0)
        return false;
    errno = EPERM;
    return S_ISDIR(info.st_mode) && info.st_uid == ::getuid() && (info.st_mode & 077) == 0;
}

LinkFile::~LinkFile() {
    if (!path_.empty())
        ::unlink(path_.c_str());
}

std::string LinkFile::write(const std::string &link, const std::string &link_to_look, int port,
                            const std::string &certificate) {
    const char *runtime = std::getenv("XDG_RUNTIME_DIR");
    const bool has_runtime = runtime && *runtime;
    const std::string parent = has_runtime ? runtime : "/tmp/pixmpi-" + std::to_string(::getuid());
    const std::string folder = parent + "/pixmpi-walls";
    if ((!has_runtime && !own_folder(parent)) || !own_folder(folder))
        return "the link cannot be left for wallctl in '" + folder + "': " + std::strerror(errno);
    std::error_code ignored;
    const nlohmann::json facts = {
        {"link", link},
        {"link_to_look", link_to_look},
        {"host", launcher::host_name()},
        {"port", port},
        {"pid", ::getpid()},
        {"certificate", certificate.empty() ? "" : std::filesystem::absolute(certificate, ignored).string()}};
    const std::string text = facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    const std::string path = folder + "/" + std::to_string(port) + ".json", fresh = path + ".new";
    ::unlink(fresh.c_str());
    const launcher::Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::rename(fresh.c_str(), path.c_str()) != 0)
        return "the link cannot be left for wallctl in '" + path + "': " + std::strerror(errno);
    path_ = path;
    return {};
}

} // namespace mpiglut::walld
