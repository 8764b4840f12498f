// Runs committed seeds through what is fuzzed: fuzz_replay SEEDS, a folder with a folder of seeds for each entry. What
// a fuzzer finds is added there, so that it stays found.
#include "entries.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

std::vector<std::uint8_t> read(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::fprintf(stderr, "fuzz_replay: %s: cannot be read\n", path.c_str());
        std::exit(1);
    }
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int replay(const fuzz::Entry &entry, const std::filesystem::path &seeds) {
    int count = 0;
    for (const auto &file : std::filesystem::directory_iterator(seeds)) {
        std::printf("%s\n", file.path().c_str()); // known even after a crash
        std::fflush(stdout);
        entry.run(read(file.path()));
        ++count;
    }
    return count;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: fuzz_replay SEEDS\n");
        return 2;
    }
    for (const fuzz::Entry &entry : fuzz::entries) {
        const int count = replay(entry, std::filesystem::path(argv[1]) / entry.name);
        std::printf("%s: %d seeds\n", entry.name, count);
        if (count == 0)
            return 1;
    }
}
