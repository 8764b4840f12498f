// The payloads of the control connection that have parts; the others are raw bytes (see wire.h).
#pragma once

#include "link/wire.h"
#include "run/dashboard.h"
#include "run/packing.h"
#include "run/stats.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mpiglut::launcher {

struct Hello {
    static constexpr Type type = Type::hello;
    std::string version; ///< of the toolkit
    std::int64_t rank = -1, pid = 0;
    std::string host;    ///< its name, for people
    std::string machine; ///< equal for agents that share an X server's socket and a file system
    std::int64_t cores = 1;      ///< that it may use
    std::int64_t processors = 1; ///< that its host has
    std::string directory; ///< its own for the run; empty: it cannot make one
    std::string display;   ///< of a tile that names none
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.version, m.rank, m.pid, m.host, m.machine, m.cores, m.processors, m.directory, m.display);
    }
};

struct WantDisplay {
    static constexpr Type type = Type::want_display;
    std::int64_t width = 0, height = 0;
    std::int64_t of_wall = 0; ///< 1: for the windows of an X11 program, and not for tiles
    std::string wayland;      ///< the Wayland session on which it shows its screen, which has a size; empty: on none
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.width, m.height, m.of_wall, m.wayland);
    }
};

struct Display {
    static constexpr Type type = Type::display;
    std::string name, authority;
    std::int64_t of_wall = 0; ///< as in WantDisplay
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.name, m.authority, m.of_wall);
    }
};

/// Where the agent of rank 0 is found by those of ranks that come back (rejoin.h).
struct RejoinAddress {
    static constexpr Type type = Type::rejoin_address;
    std::int64_t port = 0; ///< 0: nowhere
    std::vector<std::string> addresses;
    std::string machine; ///< as in Hello
    std::string secret;  ///< that opens it, and nothing else
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.port, m.addresses, m.machine, m.secret);
    }
};

struct Start {
    static constexpr Type type = Type::start;
    std::vector<std::string> argv;
    std::string directory;          ///< working directory
    std::string run;                ///< RunOptions as JSON
    std::string display, authority; ///< empty: as inherited
    std::string wall_display;       ///< of an X11 program: the wall's X server, on rank 0's host
    std::string wall_authority;     ///< its cookie file; empty for all ranks except rank 0
    std::string rank_0;             ///< the directory of rank 0's agent; empty: on another host
    std::vector<std::string> beside; ///< of rank 0: commands that use the wall's X server, too
    std::string mark;               ///< what every process of this rank carries in its environment
    std::int64_t silent = 0;        ///< 1: keep what the program prints to yourself
    std::int64_t terminal = 0;      ///< bit 1: standard output is one, bit 2: standard error is one
    std::int64_t threads = 0;       ///< for a software GL, 0: its own choice
    std::int64_t counted_ranks = 0; ///< whose deaths are counted; 0: the wall ends with any of its ranks
    std::int64_t still_bytes = 0;   ///< room for a screenshot of this tile, 0: there is no operator
    // Where ranks that die may come back:
    std::int64_t may_rejoin = 0; ///< 1: they may
    std::int64_t life = 0;       ///< how often this rank has been started before
    RejoinAddress rejoin;        ///< in a further life: of rank 0
    std::int64_t elsewhere = 0;  ///< rank 0's agent: as listen_for_agents
    std::vector<std::string> hosts;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.argv, m.directory, m.run, m.display, m.authority, m.wall_display, m.wall_authority, m.rank_0,
              m.beside, m.mark, m.silent, m.terminal, m.threads, m.counted_ranks, m.still_bytes, m.may_rejoin, m.life,
              m.rejoin, m.elsewhere, m.hosts);
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
    std::int64_t status = 0;       ///< as from wait(2)
    std::int64_t by_us = 0;        ///< 1: after a signal that mpiglutrun or the agent sent
    std::vector<std::string> said; ///< the last lines of its standard error, where these have not been printed
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.status, m.by_us, m.said); }
};

/// input_taken, close_output, signal, dead, attend, over and stop.
template <Type type_> struct Number {
    static constexpr Type type = type_;
    std::int64_t value = 0;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.value); }
};
using InputTaken = Number<Type::input_taken>;
using CloseOutput = Number<Type::close_output>;
using Signal = Number<Type::signal>;
using Dead = Number<Type::dead>;
using Attend = Number<Type::attend>;
using Over = Number<Type::over>;
using Stop = Number<Type::stop>;

/// What one rank does, from its dashboard.
struct Figures {
    static constexpr Type type = Type::figures;
    std::int64_t activity = 0; ///< as Activity
    std::int64_t for_ms = 0;   ///< so long it has been doing that
    std::int64_t tick = 0, frames = 0, divergences = 0;
    TileTimes times;
    std::vector<std::int64_t> skew_ns; ///< rank 0: median and 99th percentile of the last frames
    std::vector<std::int64_t> lag_ns;  ///< rank 0: of each rank behind the first
    std::int64_t replayed = 0;         ///< rank 0: the number of the operator's replay that is over
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.activity, m.for_ms, m.tick, m.frames, m.divergences, m.times, m.skew_ns, m.lag_ns, m.replayed);
    }
};

/// A piece of a picture; the last one has no `more`.
struct PictureOfTile {
    static constexpr Type type = Type::picture;
    PictureFacts facts;
    std::int64_t more = 0;
    std::string bytes; ///< JPEG of a live picture, PNG of a screenshot
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.facts, m.more, m.bytes); }
};

/// What the server learns of a run, once.
struct Run {
    static constexpr Type type = Type::run;
    std::vector<std::string> program;
    std::string wall; ///< a wall file's text
    std::string wall_name, clock;
    std::string wall_file; ///< its whole path; empty for a wall that is no file
    std::int64_t pid = 0;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.program, m.wall, m.wall_name, m.clock, m.wall_file, m.pid);
    }
};

struct OfRank {
    static constexpr Type type = Type::of_rank;
    std::int64_t rank = 0, inner = 0; ///< the inner frame's type
    std::string payload;
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.rank, m.inner, m.payload); }
};

struct TileState {
    static constexpr Type type = Type::tile;
    std::int64_t rank = 0;
    std::string host, display, state; ///< "joined", "started", "ended", "dead", "returning"
    std::int64_t status = 0;          ///< of one that has ended, as from wait(2)
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.rank, m.host, m.display, m.state, m.status);
    }
};

struct Line {
    static constexpr Type type = Type::line;
    std::int64_t rank = -1;  ///< -1: of mpiglutrun itself
    std::int64_t stream = 2; ///< 1, 2; 0: a report of the library
    std::string text;        ///< bytes as they came
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) { visit(m.rank, m.stream, m.text); }
};

struct Address {
    static constexpr Type type = Type::address;
    std::string link, link_to_look; ///< of the page
    std::string error;              ///< or why there is none
    template <class Self, class Visit> static void parts(Self &m, Visit &&visit) {
        visit(m.link, m.link_to_look, m.error);
    }
};

template <class Message> std::string pack(const Message &message) { return to_bytes<std::string>(message); }

template <class Message> std::optional<Message> unpack(const std::string &payload) {
    return from_bytes<Message>(std::as_bytes(std::span(payload)));
}

} // namespace mpiglut::launcher
