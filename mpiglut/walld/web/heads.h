// The heads of requests and answers, as libwebsockets has them.
#pragma once

#include "web/http.h"

#include <libwebsockets.h>

namespace mpiglut::walld {

/// The value of one header; empty without it.
std::string header(lws *wsi, lws_token_indexes token);
/// Of the other end of a connection.
std::string address_of(int socket);
/// A request without its body.
Request read_head(lws *wsi);
/// Room for libwebsockets' own header in front.
std::vector<unsigned char> framed(std::string_view bytes);
/// False when the connection takes nothing more.
bool write_head(lws *wsi, const Response &response);

} // namespace mpiglut::walld
