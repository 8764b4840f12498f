#include "text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <sys/stat.h>

namespace pixmpi {

namespace {

constexpr std::size_t longest_file = 1 << 20; // far more than most_tiles take

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::optional<std::string> read_file(const std::string &path, Errors &errors) {
    const auto fail = [&](const std::string &why) {
        errors.add(0, "", why);
        return std::nullopt;
    };
    struct stat info {};
    if (path.find('\0') != std::string::npos || stat(path.c_str(), &info) != 0)
        return fail(std::string("expected a wall file: ") + std::strerror(errno ? errno : ENOENT));
    if (!S_ISREG(info.st_mode)) // a pipe or a device may never end
        return fail(S_ISDIR(info.st_mode) ? "expected a wall file, not a directory" : "expected a regular file");
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file)
        return fail(std::string("expected a readable file: ") + std::strerror(errno));
    std::string text(longest_file + 1, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    if (std::ferror(file.get()))
        return fail(std::string("cannot be read: ") + std::strerror(errno));
    return text;
}

WallResult finish(const WallText &text, Errors &errors, std::string_view file) {
    WallResult result;
    result.wall = build_wall(text, errors);
    result.errors = errors.list();
    Errors warnings(file);
    if (result.wall && !file.empty())
        warn(text, *result.wall, warnings);
    result.warnings = warnings.list();
    return result;
}

} // namespace

WallResult parse_wall(std::string_view toml, std::string_view file) {
    const std::string_view name = file.empty() ? "wall" : file;
    Errors errors(name);
    if (toml.size() > longest_file) {
        errors.add(0, "", "expected a wall file of at most " + std::to_string(longest_file) + " bytes");
        return {std::nullopt, errors.list(), {}};
    }
    const WallText text = read_toml(toml, errors);
    return finish(text, errors, name);
}

WallResult read_wall(std::string_view spec) {
    const std::string path(spec);
    struct stat info {};
    const bool is_file =
        ends_with(spec, ".toml") || spec.find('/') != spec.npos || (!spec.empty() && stat(path.c_str(), &info) == 0);
    Errors errors(is_file ? spec : "wall " + in_quotes(spec));
    if (is_file) {
        const auto text = read_file(path, errors);
        return text ? parse_wall(*text, spec) : WallResult{std::nullopt, errors.list(), {}};
    }
    if (spec.empty() || spec.front() < '0' || spec.front() > '9') {
        errors.add(0, "", "expected CxR, CxR@WxH[+BX[+BY]] or a .toml file");
        return {std::nullopt, errors.list(), {}};
    }
    const WallText text = read_spec(spec, errors);
    return finish(text, errors, {});
}

} // namespace pixmpi
