// What may arrive at a listener or an agent of a wall's control connections. The first byte chooses: frames of a sender
// with the run's secret, bytes of a stranger to either end, or what becomes of a protected record on its way.
#include "entries.h"

#include "link/messages.h"
#include "link/tls.h"
#include "sync/tick.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

using namespace mpiglut;
using namespace mpiglut::launcher;

namespace {

template <class Message> void unpack_one(const Frame &frame) {
    if (const auto message = unpack<Message>(frame.payload))
        fuzz::require(pack(*message) == frame.payload, "a message is what its bytes say, and nothing else");
}

/// Each payload is taken for each message: a peer may put any type in front of it.
void frames(std::string_view text) {
    constexpr std::size_t longest = 4096;
    launcher::Unframer unframer;
    unframer.limit(longest);
    const std::size_t piece = std::max<std::size_t>(1, text.size() / 3);
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
        unframer.feed(text.substr(0, piece));
        while (const auto frame = unframer.next()) {
            fuzz::require(frame->payload.size() <= longest, "no frame is longer than the limit");
            unpack_one<Hello>(*frame);
            unpack_one<WantDisplay>(*frame);
            unpack_one<Display>(*frame);
            unpack_one<RejoinAddress>(*frame);
            unpack_one<Start>(*frame);
            unpack_one<Failed>(*frame);
            unpack_one<Output>(*frame);
            unpack_one<ReportLine>(*frame);
            unpack_one<Exited>(*frame);
            unpack_one<InputTaken>(*frame);
            unpack_one<Figures>(*frame);
            unpack_one<PictureOfTile>(*frame);
            unpack_one<Run>(*frame);
            unpack_one<OfRank>(*frame);
            unpack_one<TileState>(*frame);
            unpack_one<Line>(*frame);
            unpack_one<Address>(*frame);
            unpack_events(std::as_bytes(std::span(frame->payload)));
        }
    }
}

const std::string &key() {
    static const std::string text(32, 'k');
    return text;
}

void stranger(Tls &&end, std::string_view text) {
    std::string plain, wire;
    end.send("what only a friend may hear");
    const bool good = end.decrypt(text, plain);
    end.move_outgoing(wire);
    fuzz::require(!end.is_secured() && plain.empty(), "no stranger is heard");
    fuzz::require(wire.find("friend") == wire.npos, "nor told anything");
    fuzz::require(!good || text.size() <= 1u << 14, "little is kept of a stranger");
}

void to_listener(std::string_view text) { stranger(Tls(listener_key(key())), text); }
void to_caller(std::string_view text) { stranger(Tls(caller_key(key())), text); }

/// Each byte of the input is added to one of a record; what is left of the input comes behind the record.
void on_its_way(std::string_view text) {
    Tls caller(caller_key(key())), listener(listener_key(key()));
    std::string wire, plain;
    for (Tls *from = &caller; !listener.is_secured(); from = from == &caller ? &listener : &caller) {
        wire.clear();
        from->move_outgoing(wire);
        fuzz::require((from == &caller ? listener : caller).decrypt(wire, plain), "two friends understand each other");
    }
    wire.clear();
    listener.send("an order");
    listener.move_outgoing(wire);
    std::string changed = wire;
    for (std::size_t i = 0; i < std::min(text.size(), wire.size()); ++i)
        changed[i] = static_cast<char>(changed[i] + text[i]);
    changed += text.substr(std::min(text.size(), wire.size()));
    caller.decrypt(changed, plain);
    fuzz::require(plain.empty() || (plain == "an order" && changed.starts_with(wire)),
                  "an order arrives as it was given");
}

} // namespace

void fuzz::control_wire(Input input) {
    if (input.empty())
        return;
    constexpr void (*kinds[])(std::string_view) = {frames, to_listener, to_caller, on_its_way};
    kinds[input[0] % std::size(kinds)]({reinterpret_cast<const char *>(input.data()) + 1, input.size() - 1});
}
