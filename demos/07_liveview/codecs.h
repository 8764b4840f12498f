// Which codec: by keys, in words, one after another.
#pragma once

#include "error.h"

#include <algorithm>
#include <cstdint>
#include <pixmpi.h>
#include <string>
#include <vector>

inline pixMPI_Codec codec_named(const std::string &text) {
    pixMPI_Codec codec;
    pixMPI_Set_errhandler(pixMPI_Errors_return, nullptr); // a word of the user
    const int error = pixMPI_Codec_named(text.c_str(), &codec);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, nullptr);
    if (error)
        throw demo::UsageError("--codec: " + std::string(pixMPI_Error_text()));
    codec.alpha = PIXMPI_ALPHA_OPAQUE; // the scene has none, its texture has
    if (codec.kind == PIXMPI_CODEC_JPEG && codec.quality == 0)
        codec.quality = 90;
    return codec;
}

/// As codec_named() takes it.
inline std::string name_of(pixMPI_Codec codec) {
    const char *const kinds[] = {"default", "none", "lz4", "jpeg", "auto"};
    const char *const subsamplings[] = {"420", "422", "444"};
    std::string name = kinds[codec.kind];
    if (codec.kind == PIXMPI_CODEC_JPEG || (codec.kind == PIXMPI_CODEC_AUTO && codec.quality > 0))
        name += ":" + std::to_string(codec.quality) + ":" + subsamplings[codec.subsampling];
    return name;
}

inline bool loses(pixMPI_Codec codec) {
    return codec.kind == PIXMPI_CODEC_JPEG || (codec.kind == PIXMPI_CODEC_AUTO && codec.quality > 0);
}

constexpr const char *keys_text = "c: codec, + and -: quality, s: subsampling, Escape: end";

/// What a key makes of it; false for others.
inline bool change(pixMPI_Codec &codec, char key) {
    const int quality = codec.quality > 0 ? codec.quality : 90;
    switch (key) {
    case 'c':
        codec.kind = codec.kind == PIXMPI_CODEC_AUTO ? std::uint8_t{PIXMPI_CODEC_NONE} : std::uint8_t(codec.kind + 1);
        break;
    case '+':
    case '-':
        codec.quality = static_cast<std::uint8_t>(std::clamp(key == '+' ? quality + 5 : quality - 5, 5, 100));
        return true;
    case 's':
        codec.subsampling = static_cast<std::uint8_t>((codec.subsampling + 1) % 3);
        break;
    default:
        return false;
    }
    codec.quality = static_cast<std::uint8_t>(quality);
    return true;
}

/// Of --tour.
inline std::vector<pixMPI_Codec> tour() {
    std::vector<pixMPI_Codec> all;
    for (const char *name : {"none", "lz4", "jpeg:95:444", "jpeg:90", "jpeg:50", "auto", "auto:90"})
        all.push_back(codec_named(name));
    return all;
}
