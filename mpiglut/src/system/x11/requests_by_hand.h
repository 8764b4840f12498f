// Requests of X's extensions that this library makes itself. It is preloaded into programs that may have none of xcb's
// libraries for these, so it needs none of them.
#pragma once

#include "system/x11/x11.h"

#include <xcb/xcb.h>
#include <xcb/xcbext.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sys/uio.h>

namespace mpiglut::x11 {

struct FreeReply {
    void operator()(void *reply) const { std::free(reply); }
};
template <class T> using ReplyOf = std::unique_ptr<T, FreeReply>;

/// How a request begins; xcb fills it in.
struct RequestHead {
    std::uint8_t opcode = 0, minor = 0;
    std::uint16_t length = 0;
};

/// `body` begins with a RequestHead, and `more` bytes follow it. Returns what a reply is waited for by.
template <class Body>
unsigned send_request(xcb_connection_t *connection, xcb_extension_t &extension, std::uint8_t minor, Body body,
                      bool has_reply = false, const void *more = nullptr, std::size_t more_bytes = 0) {
    static_assert(sizeof(Body) % 4 == 0);
    // The two pieces before are where xcb puts what belongs in front.
    iovec parts[4] = {{}, {}, {&body, sizeof body}, {const_cast<void *>(more), more_bytes}};
    const xcb_protocol_request_t request{more ? 2u : 1u, &extension, minor, static_cast<std::uint8_t>(!has_reply)};
    return xcb_send_request(connection, has_reply ? XCB_REQUEST_CHECKED : 0, parts + 2, &request);
}

/// The reply to a request with this number; null where the server has refused.
template <class Reply> ReplyOf<Reply> reply_to(xcb_connection_t *connection, unsigned number) {
    xcb_generic_error_t *error = nullptr;
    ReplyOf<Reply> reply(static_cast<Reply *>(xcb_wait_for_reply(connection, number, &error)));
    std::free(error);
    return reply;
}

/// A reply of the core protocol; null where the server has refused.
template <class T, class Cookie>
ReplyOf<T> reply_of(T *(*get)(xcb_connection_t *, Cookie, xcb_generic_error_t **), xcb_connection_t *connection,
                    Cookie cookie) {
    xcb_generic_error_t *error = nullptr;
    ReplyOf<T> reply(get(connection, cookie, &error));
    std::free(error);
    return reply;
}

/// The extension is there, and what its events begin with.
inline const xcb_query_extension_reply_t *find_extension(xcb_connection_t *connection, xcb_extension_t &extension) {
    const xcb_query_extension_reply_t *const found = xcb_get_extension_data(connection, &extension);
    return found && found->present ? found : nullptr;
}

} // namespace mpiglut::x11
