// The payloads of the control connection that have parts; the others are raw bytes (see wire.h).
#pragma once

#include "wire.h"

#include <optional>
#include <string>
#include <vector>

namespace mpiglut::launcher {

struct Challenge {
    static constexpr Type type = Type::challenge;
    std::string nonce; ///< another one for each connection
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.nonce); }
};

struct Hello {
    static constexpr Type type = Type::hello;
    std::string nonce;   ///< the agent's own challenge
    std::string version; ///< of the toolkit
    std::int64_t rank = -1, pid = 0;
    std::string host;    ///< its name, for people
    std::string machine; ///< equal for agents that share an X server's socket and a file system
    std::int64_t cores = 1;
    std::string proof; ///< that mpiglutrun started this agent (proof.h)
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.nonce, m.version, m.rank, m.pid, m.host, m.machine, m.cores, m.proof);
    }
};

struct Welcome {
    static constexpr Type type = Type::welcome;
    std::string proof; ///< that this is mpiglutrun
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.proof); }
};

struct WantDisplay {
    static constexpr Type type = Type::want_display;
    std::int64_t width = 0, height = 0;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.width, m.height); }
};

struct Display {
    static constexpr Type type = Type::display;
    std::string name, authority;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.name, m.authority); }
};

struct Start {
    static constexpr Type type = Type::start;
    std::vector<std::string> argv;
    std::string directory;          ///< working directory
    std::string run;                ///< RunOptions as JSON
    std::string display, authority; ///< empty: as inherited
    std::string mark;               ///< what every process of this rank carries in its environment
    std::int64_t silent = 0;        ///< 1: keep what the program prints to yourself
    std::int64_t terminal = 0;      ///< bit 1: standard output is one, bit 2: standard error is one
    std::int64_t threads = 0;       ///< for a software GL, 0: its own choice
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.argv, m.directory, m.run, m.display, m.authority, m.mark, m.silent, m.terminal, m.threads);
    }
};

struct Failed {
    static constexpr Type type = Type::failed;
    std::int64_t status = 1; ///< what mpiglutrun should exit with
    std::string why;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.status, m.why); }
};

struct Output {
    static constexpr Type type = Type::output;
    std::int64_t stream = 1; ///< 1 or 2
    std::string bytes;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.stream, m.bytes); }
};

struct ReportLine {
    static constexpr Type type = Type::report;
    std::string kind, text; ///< kind: "note", "error", or the agent's own "fatal"
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.kind, m.text); }
};

struct Exited {
    static constexpr Type type = Type::exited;
    std::int64_t status = 0; ///< as from wait(2)
    std::int64_t by_us = 0;  ///< 1: after a signal that mpiglutrun or the agent sent
    std::vector<std::string> said; ///< the last lines of its standard error, where these have not been printed
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.status, m.by_us, m.said); }
};

/// input_taken, close_output and signal.
template <Type type_> struct Number {
    static constexpr Type type = type_;
    std::int64_t value = 0;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.value); }
};
using InputTaken = Number<Type::input_taken>;
using CloseOutput = Number<Type::close_output>;
using Signal = Number<Type::signal>;

inline void write_part(Writer &writer, std::int64_t part) { writer.number(part); }
inline void write_part(Writer &writer, const std::string &part) { writer.text(part); }
inline void write_part(Writer &writer, const std::vector<std::string> &part) { writer.texts(part); }
inline void read_part(Reader &reader, std::int64_t &part) { part = reader.number(); }
inline void read_part(Reader &reader, std::string &part) { part = reader.text(); }
inline void read_part(Reader &reader, std::vector<std::string> &part) { part = reader.texts(); }

template <class Message> std::string pack(const Message &message) {
    Writer writer;
    Message::parts(message, [&](const auto &...part) { (write_part(writer, part), ...); });
    return writer.take();
}

template <class Message> std::optional<Message> unpack(const std::string &payload) {
    Message message;
    Reader reader(payload);
    Message::parts(message, [&](auto &...part) { (read_part(reader, part), ...); });
    return reader.good() ? std::optional(std::move(message)) : std::nullopt;
}

} // namespace mpiglut::launcher
