#include "child/control.h"

#include <filesystem>
#include <sstream>

namespace mpiglut::launcher {

std::string to_text(const Control &control) {
    std::ostringstream text;
    text << control.port << ' ' << control.seconds;
    for (const std::string &address : control.addresses)
        text << ' ' << address;
    return text.str();
}

std::optional<Control> control_from(const std::string &text) {
    std::istringstream words(text);
    Control control;
    words >> control.port >> control.seconds;
    if (!words)
        return {};
    for (std::string address; words >> address;)
        control.addresses.push_back(address);
    return control;
}

std::string executable_directory() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

} // namespace mpiglut::launcher
