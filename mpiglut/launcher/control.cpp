#include "control.h"

#include <filesystem>
#include <random>
#include <sstream>

namespace mpiglut::launcher {

std::string to_text(const Control &control) {
    std::ostringstream text;
    text << control.token << ' ' << control.port << ' ' << control.seconds;
    for (const std::string &address : control.addresses)
        text << ' ' << address;
    return text.str();
}

std::optional<Control> control_from(const std::string &text) {
    std::istringstream words(text);
    Control control;
    words >> control.token >> control.port >> control.seconds;
    if (!words)
        return {};
    for (std::string address; words >> address;)
        control.addresses.push_back(address);
    return control;
}

std::string random_token() {
    std::random_device device; // getrandom(2) or the processor's own, not seeded by us
    std::string token;
    for (int i = 0; i < 4; ++i)
        for (unsigned bits = device(), digit = 0; digit < 8; ++digit, bits >>= 4)
            token += "0123456789abcdef"[bits & 15];
    return token;
}

bool same_token(const std::string &a, const std::string &b) {
    unsigned difference = a.size() != b.size();
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        difference |= static_cast<unsigned char>(a[i] ^ b[i]);
    return difference == 0;
}

std::string executable_directory() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

} // namespace mpiglut::launcher
