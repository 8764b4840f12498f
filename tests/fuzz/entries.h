// What is fuzzed. Each entry takes any bytes, and ends the program when something that it promises does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace fuzz {

using Input = std::span<const std::uint8_t>;

void wall_file(Input input); ///< the text of a wall file
void envelope(Input input);  ///< what arrives on the private communicator
void flow(Input input);      ///< what a sender writes into its shared memory
void codec_lz4(Input input); ///< a stream of pixels by LZ4
void codec_jpeg(Input input); ///< the same by JPEG
void operator_page(Input input); ///< requests and messages of browsers and scripts
void http(Input input);          ///< what strangers send to the port of the operator's page
void control_wire(Input input);  ///< what arrives at a wall's control connections
void kept_file(Input input);     ///< recordings, presets, apps.toml, a run's options, TIFF

struct Entry {
    const char *name; ///< of the folder with its seeds, too
    void (*run)(Input input);
};

constexpr Entry entries[] = {{"wall_file", wall_file}, {"envelope", envelope},     {"flow", flow},
                             {"codec_lz4", codec_lz4}, {"codec_jpeg", codec_jpeg}, {"operator_page", operator_page},
                             {"http", http},           {"control_wire", control_wire}, {"kept_file", kept_file}};

inline void require(bool holds, const char *what) {
    if (holds)
        return;
    std::fprintf(stderr, "fuzz: not so: %s\n", what);
    std::abort();
}

} // namespace fuzz
