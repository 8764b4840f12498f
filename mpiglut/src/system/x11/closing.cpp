// The operator ends the program: it is asked to close its windows, as a window manager does, so that it can save what
// it has. All ranks get that with the connection's other events. Rank 0 asks, by a connection of its own.
#include "clock/clock.h"
#include "system/x11/requests_by_hand.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <xcb/xcb.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace mpiglut::x11 {
namespace {

xcb_atom_t atom(xcb_connection_t *connection, const char *name) {
    const auto reply = reply_of(xcb_intern_atom_reply, connection,
                                xcb_intern_atom(connection, 0, static_cast<std::uint16_t>(std::strlen(name)), name));
    return reply ? reply->atom : 0;
}

/// The operator who ends the program once more within that time means it. Later it is asked again: it may have gone on.
constexpr std::int64_t patience_ns = 30'000'000'000;

struct Words {
    xcb_atom_t protocols, close;
};

bool accepts_close_requests(xcb_connection_t *connection, xcb_window_t window, const Words &words) {
    const auto attributes =
        reply_of(xcb_get_window_attributes_reply, connection, xcb_get_window_attributes(connection, window));
    if (!attributes || attributes->map_state != XCB_MAP_STATE_VIEWABLE)
        return false;
    const auto known = reply_of(xcb_get_property_reply, connection,
                                xcb_get_property(connection, 0, window, words.protocols, XCB_ATOM_ATOM, 0, 32));
    if (!known || known->format != 32)
        return false;
    const std::span atoms(static_cast<const xcb_atom_t *>(xcb_get_property_value(known.get())), known->value_len);
    return std::ranges::find(atoms, words.close) != atoms.end();
}

std::vector<xcb_window_t> children(xcb_connection_t *connection, xcb_window_t window) {
    const auto tree = reply_of(xcb_query_tree_reply, connection, xcb_query_tree(connection, window));
    if (!tree)
        return {};
    const xcb_window_t *const first = xcb_query_tree_children(tree.get());
    return {first, first + xcb_query_tree_children_length(tree.get())};
}

void ask(xcb_connection_t *connection, xcb_window_t window, const Words &words) {
    xcb_client_message_event_t message{};
    message.response_type = XCB_CLIENT_MESSAGE;
    message.format = 32;
    message.window = window;
    message.type = words.protocols;
    message.data.data32[0] = words.close;
    xcb_send_event(connection, 0, window, XCB_EVENT_MASK_NO_EVENT, reinterpret_cast<const char *>(&message));
}

/// Of what lies in `window`: top-level windows, or frames of a window manager with such windows in them.
bool ask_all(xcb_connection_t *connection, xcb_window_t window, const Words &words, int depth) {
    bool asked = false;
    for (const xcb_window_t child : children(connection, window)) {
        if (accepts_close_requests(connection, child, words)) {
            ask(connection, child, words);
            asked = true;
        } else if (depth > 1) {
            asked = ask_all(connection, child, words, depth - 1) || asked;
        }
    }
    return asked;
}

} // namespace

bool System::ask_to_close() {
    const std::int64_t now = clock::real_monotonic_ns();
    if (asked_to_close_ns_ && now - *asked_to_close_ns_ < patience_ns)
        return false;
    asked_to_close_ns_ = now;
    const Ours ours;
    xcb_connection_t *const connection = xcb_connect(nullptr, nullptr);
    bool asked = false;
    if (!xcb_connection_has_error(connection)) {
        const Words words{atom(connection, "WM_PROTOCOLS"), atom(connection, "WM_DELETE_WINDOW")};
        asked = ask_all(connection, xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root, words, 2);
        // A reply says that the server has what came before.
        reply_of(xcb_get_input_focus_reply, connection, xcb_get_input_focus(connection));
    }
    xcb_disconnect(connection);
    return asked;
}

} // namespace mpiglut::x11
