#include "sync/content.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <sys/auxv.h>
#include <unistd.h>
#include <vector>

namespace mpiglut::content {
namespace {

constexpr std::size_t chunk = sample_bytes;
constexpr std::size_t small = 4 * chunk;    ///< a matrix of floats; what is larger is an array
constexpr std::size_t values_per_tick = 64; ///< about a microsecond's worth
constexpr std::size_t draws_per_tick = 4;   ///< each asks GL for some state
constexpr std::size_t most_per_tick = 4096;
constexpr std::size_t one_in = 64;       ///< chunks of an array that is sampled
constexpr std::size_t in_full = 1 << 16; ///< chunks, at the start of the run: what is uploaded once, for good
constexpr std::size_t most_places = 64, places_per_tick = 1024; ///< of what is slow to read
constexpr std::size_t kept_ticks = 4;    ///< rank 0 is one tick ahead at most

struct Sample {
    const Call *call;
    std::uint32_t number; ///< of the call in its tick, from 1
    std::uint32_t place;  ///< in bytes, within what the call was given
    Type type;
    std::uint8_t size;
    std::array<unsigned char, chunk> data;
};

struct Tick {
    std::uint64_t number = 0;
    std::vector<Sample> samples;
};

struct Sampler {
    std::array<Tick, kept_ticks> kept;
    std::size_t at = 0; ///< in `kept`: the running tick
    std::uint64_t calls = 0, small_calls = 0, hash = 0;
    std::uint64_t draws = 0, draw_stride = 1;
    std::uint64_t stride = 1, turn = 0; ///< of the small values every stride-th is taken
    std::size_t credit = in_full;
    std::size_t places = 0; ///< in this tick
    bool by_tile = false;
};
Sampler sampler;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 29);
}

/// This word is the lower half of an address of the heap, as far as these look like large floats: from 1.4e13 on, where
/// Linux puts the heap without randomization.
bool is_in_heap(std::uint32_t word) {
    constexpr std::uint32_t begins_at_least = 0x5500'0000, ends_at_most = 0x6000'0000;
    if (word < begins_at_least || word >= ends_at_most)
        return false;
    static const std::uint64_t program = getauxval(AT_PHDR); // the heap begins behind it
    const std::uint64_t address = (program >> 32 << 32) + word, end = reinterpret_cast<std::uint64_t>(sbrk(0));
    return program >> 32 && address > program && address < end;
}

/// Of what lies near the stack's end: libraries, their memory, the stack. As floats these are -8.6e9 and below, where
/// programs also have the least float, -inf, and the processor's NaN.
bool is_near_stack(std::uint32_t word) {
    return word >= 0xd000'0000 && word != 0xff7f'ffff && word != 0xff80'0000 && word != 0xffc0'0000;
}

/// Such as the upper half of an address. OpenGL may take it for zero.
bool is_denormal(std::uint32_t word) { return (word & 0x7f80'0000) == 0; }

/// Of an address of the program's memory, or of the stack and what lies near its end.
bool is_upper_half(std::uint32_t word) {
    return (word >= 0x5500 && word < 0x5700) || (word >= 0x7f00 && word < 0x8000);
}

/// Programs hand over floats that they have not written: gaps of structures, the fourth of three. There are halves of
/// addresses then, and what lies there is not at the same places on all ranks. In a buffer the same bits may be a colour
/// or a count, so that an address is both halves there.
void clear_addresses(Sample &sample) {
    constexpr std::size_t half = sizeof(std::uint32_t);
    for (std::size_t at = 0; at + half <= sample.size; at += half) {
        std::array<std::uint32_t, 2> words{};
        std::memcpy(words.data(), sample.data.data() + at, std::min(2 * half, sample.size - at));
        const bool is_address = (sample.place + at) % (2 * half) == 0 && is_upper_half(words[1]);
        if (sample.type == Type::buffer && is_address)
            std::memset(sample.data.data() + at, 0, std::min(2 * half, sample.size - at));
        else if (is_in_heap(words[0]) ||
                 (sample.type == Type::floats && (is_denormal(words[0]) || is_near_stack(words[0]))))
            std::memset(sample.data.data() + at, 0, half);
    }
}

void add_sample(const Call &call, Type type, const unsigned char *data, std::size_t place, std::size_t size) {
    std::vector<Sample> &samples = sampler.kept[sampler.at].samples;
    Sample sample{&call, static_cast<std::uint32_t>(sampler.calls), static_cast<std::uint32_t>(place), type,
                  static_cast<std::uint8_t>(size), {}};
    std::memcpy(sample.data.data(), data + place, size);
    if (type == Type::floats || type == Type::buffer)
        clear_addresses(sample);
    std::uint64_t words[2];
    std::memcpy(words, sample.data.data(), sizeof words);
    sampler.hash = mix(mix(mix(sampler.hash, call.hash ^ place), words[0]), words[1]);
    samples.push_back(sample);
}

template <class T> std::string numbers(const Sample &sample) {
    std::string text;
    for (std::size_t at = 0; at + sizeof(T) <= sample.size; at += sizeof(T)) {
        T value;
        std::memcpy(&value, sample.data.data() + at, sizeof value);
        char number[40];
        if constexpr (std::is_integral_v<T>)
            std::snprintf(number, sizeof number, "%d", value);
        else
            std::snprintf(number, sizeof number, "%.*g", sizeof(T) == 4 ? 9 : 17, static_cast<double>(value));
        text += (text.empty() ? "" : ", ") + std::string(number);
    }
    return text;
}

const char *name_of(Type type) {
    constexpr std::array names{"bytes", "ints", "floats", "doubles", "floats"};
    return names[static_cast<std::size_t>(type)];
}

/// "floats of glUniform3f, call 7 of the tick"
std::string origin_of(const Sample &sample) {
    return std::string(name_of(sample.type)) + " of " + sample.call->name + ", call " + std::to_string(sample.number) +
           " of the tick" + (sample.place ? ", byte " + std::to_string(sample.place) : "");
}

std::string value_of(const Sample &sample) {
    switch (sample.type) {
    case Type::ints:
        return numbers<std::int32_t>(sample);
    case Type::floats:
    case Type::buffer:
        return numbers<float>(sample);
    case Type::doubles:
        return numbers<double>(sample);
    case Type::bytes:
        break;
    }
    std::string text = "0x";
    for (std::size_t i = 0; i < sample.size; ++i) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x", sample.data[i]);
        text += digits;
    }
    return text;
}

} // namespace

void note(const Call &call, Type type, const void *data, std::size_t bytes) {
    if (!data || bytes == 0 || sampler.by_tile)
        return;
    ++sampler.calls;
    const std::size_t chunks = (bytes + chunk - 1) / chunk;
    std::size_t step = 1;
    if (bytes <= small) {
        if (sampler.small_calls++ % sampler.stride != sampler.turn % sampler.stride)
            return;
    } else if (sampler.credit < chunks) {
        step = std::clamp<std::size_t>(chunks / 4, 1, one_in);
    } else {
        sampler.credit -= chunks;
    }
    const auto *from = static_cast<const unsigned char *>(data);
    for (std::size_t i = step > 1 ? sampler.turn % step : 0; i < chunks; i += step) {
        if (sampler.kept[sampler.at].samples.size() == most_per_tick)
            return;
        add_sample(call, type, from, i * chunk, std::min(chunk, bytes - i * chunk));
    }
}

std::vector<std::size_t> places(std::size_t bytes) {
    const std::size_t chunks = (bytes + chunk - 1) / chunk, count = std::min(chunks, most_places);
    std::vector<std::size_t> all;
    if (count == 0 || sampler.by_tile || sampler.places >= places_per_tick)
        return all;
    sampler.places += count;
    const std::size_t step = chunks / count;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back((i * step + sampler.turn % step) * chunk);
    return all;
}

void note_at(const Call &call, Type type, const void *data, std::size_t bytes, std::span<const std::size_t> places) {
    if (!data || places.empty() || sampler.by_tile)
        return;
    ++sampler.calls;
    for (const std::size_t place : places)
        if (place < bytes && sampler.kept[sampler.at].samples.size() < most_per_tick)
            add_sample(call, type, static_cast<const unsigned char *>(data), place, std::min(chunk, bytes - place));
}

void differs_by_tile() {
    sampler.by_tile = true;
    sampler.calls = sampler.hash = 0;
}

bool draw_counts() { return !sampler.by_tile && sampler.draws++ % sampler.draw_stride == sampler.turn % sampler.draw_stride; }

std::uint64_t turn() { return sampler.turn; }

void finish_tick(std::uint64_t tick, Digest &digest) {
    Digest::Tally &entry = digest.entries[static_cast<int>(Did::values)];
    entry.times = static_cast<std::uint32_t>(sampler.calls);
    entry.hash = sampler.hash;
    sampler.kept[sampler.at].number = tick;
    sampler.at = (sampler.at + 1) % kept_ticks;
    sampler.kept[sampler.at].samples.clear();
    sampler.stride = sampler.small_calls / values_per_tick + 1;
    sampler.draw_stride = sampler.draws / draws_per_tick + 1;
    sampler.draws = sampler.places = 0;
    ++sampler.turn;
    sampler.calls = sampler.small_calls = sampler.hash = 0;
}

std::string samples(std::uint64_t tick) {
    std::string text;
    for (const Tick &kept : sampler.kept)
        for (const Sample &sample : kept.samples)
            if (kept.number == tick && &kept != &sampler.kept[sampler.at])
                text += origin_of(sample) + "\t" + value_of(sample) + "\n";
    return text;
}

std::string difference(const std::string &samples_of_rank_0, const std::string &samples_of_other) {
    const std::string kind = std::string(name(Did::values)) + ": ";
    std::istringstream ours(samples_of_rank_0), theirs(samples_of_other);
    for (;;) {
        std::string a, b;
        std::getline(ours, a);
        std::getline(theirs, b);
        if (!ours && !theirs)
            break;
        if (a == b)
            continue;
        const auto origin = [](const std::string &line) { return line.substr(0, line.find('\t')); };
        const auto value = [](const std::string &line) { return line.substr(line.find('\t') + 1); };
        const auto whole = [&](const std::string &line) {
            return line.empty() ? "no further call" : origin(line) + ": " + value(line);
        };
        return kind + whole(a) + " on rank 0, " + (origin(a) == origin(b) ? value(b) : whole(b)) + " here";
    }
    return kind + (samples_of_rank_0.empty() ? "those of this tick are not kept any more" : "equal ones as printed");
}

} // namespace mpiglut::content
