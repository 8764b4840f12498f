#include "base/options.h"

#include "base/environment.h"
#include "base/struct_size.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <strings.h>
#include <utility>

namespace pixmpi {
namespace {

constexpr std::size_t least_stage = std::size_t{1} << 20;

/// A number with an optional K, M or G behind it.
Status read_size(const char *name, const char *text, std::size_t &bytes) {
    char *end = nullptr;
    const unsigned long long number = std::strtoull(text, &end, 10);
    unsigned shift = 0;
    switch (std::toupper(static_cast<unsigned char>(*end))) {
    case 'K':
        shift = 10;
        break;
    case 'M':
        shift = 20;
        break;
    case 'G':
        shift = 30;
        break;
    default:
        break;
    }
    if (!std::isdigit(static_cast<unsigned char>(text[0])) || end[shift ? 1 : 0] != 0 || number > (~0ull >> 1) >> shift)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: \"%s\", expected a number of bytes, with K, M or G", name, text);
    bytes = static_cast<std::size_t>(number) << shift;
    return PIXMPI_SUCCESS;
}

Status read_size_variable(const char *name, std::size_t &bytes) {
    const char *text = std::getenv(name);
    return text && *text ? read_size(name, text, bytes) : PIXMPI_SUCCESS;
}

Status read_routes(const char *name, const char *text, Options &options) {
    options.shm = options.peer = false;
    for (std::string_view rest = text;;) {
        const auto comma = rest.find(',');
        const std::string_view word = rest.substr(0, comma);
        if (word == "auto")
            options.shm = options.peer = true;
        else if (word == "shm")
            options.shm = true;
        else if (word == "peer")
            options.peer = true;
        else if (word != "mpi" && word != "self")
            return fail(PIXMPI_ERR_ARGUMENT, "%s: \"%s\", expected auto, or a list of peer, shm and mpi", name, text);
        if (comma == rest.npos)
            return PIXMPI_SUCCESS;
        rest.remove_prefix(comma + 1);
    }
}

Status read_log_level(const char *text, int &level) {
    constexpr const char *names[] = {"none", "error", "info", "debug"};
    for (int i = 0; i < 4; ++i)
        if (strcasecmp(text, names[i]) == 0) {
            level = i;
            return PIXMPI_SUCCESS;
        }
    return fail(PIXMPI_ERR_ARGUMENT, "PIXMPI_LOG: \"%s\", expected none, error, info or debug", text);
}

constexpr std::string_view codec_kinds[] = {"none", "lz4", "jpeg", "auto"};

/// Of the words behind the codec's name.
bool read_codec_word(std::string_view word, pixMPI_Codec &codec) {
    constexpr std::pair<std::string_view, int> subsamplings[] = {
        {"420", PIXMPI_SUBSAMPLING_420}, {"422", PIXMPI_SUBSAMPLING_422}, {"444", PIXMPI_SUBSAMPLING_444}};
    constexpr std::pair<std::string_view, int> alphas[] = {{"opaque", PIXMPI_ALPHA_OPAQUE},
                                                           {"beside", PIXMPI_ALPHA_BESIDE}};
    for (const auto &[name, value] : subsamplings)
        if (word == name) {
            codec.subsampling = static_cast<std::uint8_t>(value);
            return true;
        }
    for (const auto &[name, value] : alphas)
        if (word == name) {
            codec.alpha = static_cast<std::uint8_t>(value);
            return true;
        }
    int quality = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), quality);
    if (error != std::errc() || end != word.data() + word.size() || quality < 1 || quality > 100)
        return false;
    codec.quality = static_cast<std::uint8_t>(quality);
    return true;
}

} // namespace

Status read_codec(const char *name, const char *text, pixMPI_Codec &codec) {
    pixMPI_Codec read{};
    std::string_view rest = text;
    bool right = true;
    for (bool first = true; right; first = false) {
        const auto colon = rest.find(':');
        const std::string_view word = rest.substr(0, colon);
        const auto *const kind = std::find(std::begin(codec_kinds), std::end(codec_kinds), word);
        if (!first)
            right = read.kind >= PIXMPI_CODEC_JPEG && read_codec_word(word, read);
        else if (kind == std::end(codec_kinds))
            right = false;
        else
            read.kind = static_cast<std::uint8_t>(PIXMPI_CODEC_NONE + (kind - std::begin(codec_kinds)));
        if (colon == rest.npos)
            break;
        rest.remove_prefix(colon + 1);
    }
    if (!right)
        return fail(
            PIXMPI_ERR_ARGUMENT,
            "%s: \"%s\", expected none, lz4, jpeg or auto; behind jpeg and auto, after colons, a quality from 1 "
            "to 100, 420, 422 or 444, opaque or beside",
            name, text);
    codec = read;
    return PIXMPI_SUCCESS;
}

Status read_errors_variable(OnError &on_error) {
    return read_word("PIXMPI_ERRORS", {"default", "print", "abort", "return"}, on_error);
}

Status read_options(const pixMPI_Options *of_program, Options &result) {
    Options options;
    if (of_program) {
        pixMPI_Options known = PIXMPI_OPTIONS_INIT;
        if (const Status error = read_struct("options", of_program, known))
            return error;
        const pixMPI_Options *const given = &known;
        if (given->route)
            if (const Status error = read_routes("options.route", given->route, options))
                return error;
        options.band_bytes = given->band_bytes;
        if (given->stage_bytes)
            options.stage_bytes = given->stage_bytes;
        options.peer_bytes = given->peer_bytes;
        if (given->eager_bytes)
            options.eager_bytes = given->eager_bytes;
        if (given->log_level < PIXMPI_LOG_NONE || given->log_level > PIXMPI_LOG_DEBUG)
            return fail(PIXMPI_ERR_ARGUMENT, "options.log_level: %d, expected PIXMPI_LOG_NONE to PIXMPI_LOG_DEBUG",
                        given->log_level);
        if (given->progress != PIXMPI_PROGRESS_CALLS && given->progress != PIXMPI_PROGRESS_THREAD)
            return fail(PIXMPI_ERR_ARGUMENT,
                        "options.progress: %d, expected PIXMPI_PROGRESS_CALLS or PIXMPI_PROGRESS_THREAD",
                        given->progress);
        options.progress_thread = given->progress == PIXMPI_PROGRESS_THREAD;
        if (given->errors < PIXMPI_ERRORS_DEFAULT || given->errors > PIXMPI_ERRORS_RETURN)
            return fail(PIXMPI_ERR_ARGUMENT,
                        "options.errors: %d, expected PIXMPI_ERRORS_DEFAULT, _PRINT, _ABORT or _RETURN", given->errors);
        options.on_error = static_cast<OnError>(given->errors);
        options.log_level = given->log_level;
        options.log = given->log;
        options.log_data = given->log_data;
    }
    const char *route = std::getenv("PIXMPI_ROUTE"), *log = std::getenv("PIXMPI_LOG");
    if (route && *route)
        if (const Status error = read_routes("PIXMPI_ROUTE", route, options))
            return error;
    OnError by_environment = OnError::unsaid; // base/errhandler.cpp asks for it when there is an error
    if (const Status error = read_errors_variable(by_environment))
        return error;
    if (const Status error = read_word("PIXMPI_PROGRESS", {"calls", "thread"}, options.progress_thread))
        return error;
    if (log && *log)
        if (const Status error = read_log_level(log, options.log_level))
            return error;
    bool cuda = true; // gpu/cuda.cpp asks for it
    if (const Status error = read_word("PIXMPI_CUDA", {"0", "1"}, cuda))
        return error;
    if (const Status error = read_word("PIXMPI_GPU_AWARE", {"auto", "0", "1"}, options.gpu_aware))
        return error;
    if (const Status error = read_word("PIXMPI_JPEG", {"auto", "cpu", "device"}, options.jpeg))
        return error;
    if (const Status error = read_word("PIXMPI_SEARCH", {"auto", "cpu", "device"}, options.search))
        return error;
    if (const char *codec = std::getenv("PIXMPI_CODEC"); codec && *codec)
        if (const Status error = read_codec("PIXMPI_CODEC", codec, options.codec))
            return error;
    if (const Status error = read_size_variable("PIXMPI_BAND", options.band_bytes))
        return error;
    if (const Status error = read_size_variable("PIXMPI_STAGE", options.stage_bytes))
        return error;
    if (const Status error = read_size_variable("PIXMPI_PEER", options.peer_bytes))
        return error;
    if (const Status error = read_size_variable("PIXMPI_EAGER", options.eager_bytes))
        return error;
    if (options.stage_bytes < least_stage || options.stage_bytes > std::size_t{1} << 40)
        return fail(PIXMPI_ERR_ARGUMENT, "stage_bytes (PIXMPI_STAGE): %zu, expected 1 MiB to 1 TiB",
                    options.stage_bytes);
    result = options;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
