// What browsers and scripts say to the server of the operator's page: the first byte chooses what the rest is.
#include "entries.h"

#include "desk/input.h"
#include "web/http.h"

#include <nlohmann/json.hpp>

using namespace mpiglut;
using namespace mpiglut::walld;

namespace {

/// A request's body, or a message of a WebSocket; or what a rank says of an open menu.
void body(const std::string &text) {
    const auto menu = read_menu(text);
    fuzz::require(menu.is_null() || menu["entries"].is_array(), "a menu has entries");
    const auto object = read_json(text);
    fuzz::require(object.error.empty() == object.value.is_object(), "an object or an error");
    if (!object.error.empty())
        return;
    const auto input = read_input(object.value);
    fuzz::require(input.error.empty() || input.value.empty(), "events or an error");
    fuzz::require(input.value.size() <= most_events, "so many events at once");
    for (const Event &event : input.value) {
        fuzz::require(event.modifiers >= 0 && event.modifiers <= 7, "modifiers of GLUT");
        fuzz::require(event.rank == 0 && (event.kind < Event::Kind::visibility || event.kind == Event::Kind::menu),
                      "an event of a device");
    }
    const auto bytes = pack(std::span<const Event>(input.value));
    fuzz::require(unpack_events(bytes) == input.value, "what is sent on can be read");
    if (const auto show = read_show(object.value); show.error.empty())
        fuzz::require(object.value["show"] == name_of_show(show.value), "a picture has one name");
    if (const auto every = read_film(object.value); every.error.empty())
        fuzz::require(every.value >= 1, "a film goes on");
    if (const auto nudge = read_nudge(object.value); nudge.error.empty())
        fuzz::require(nudge.value.rank >= -1, "a tile, or the bezels");
    if (const auto wish = read_recolouring(object.value); wish.error.empty())
        fuzz::require(!wish.value.gamma || *wish.value.gamma > 0, "colours that can be shown");
}

void query(const std::string &text) {
    for (const char *name : {"token", "after", "filter"})
        fuzz::require(query_value(text, name).size() <= text.size(), "a value is not longer than its text");
}

void error(const std::string &text) {
    const auto object = nlohmann::json::parse(json_error(400, text).body, nullptr, false);
    bool plain = true;
    for (const char c : text)
        plain = plain && static_cast<unsigned char>(c) < 0x80;
    fuzz::require(!plain || object.is_object(), "an error is JSON");
}

/// The first line is a header, the second a name or a host.
void headers(const std::string &text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string first = text.substr(0, end), second = text.substr(std::min(end + 1, text.size()));
    const std::string_view value = cookie_value(first, second);
    fuzz::require(value.empty() || (value.data() >= first.data() && value.size() < first.size()),
                  "a cookie's value lies in its header");
    if (same_origin(first, second) && !first.empty())
        fuzz::require(first.ends_with(second) && !second.empty(), "an origin is that of its host");
    Access access(std::string(32, 't'), std::string(32, 'l'), Sessions());
    Visitor visitor;
    const Caller caller{
        .address = "a", .host = second, .origin = {}, .authorization = first, .cookie = first, .token = {}};
    const bool comes_in = access.judge(caller, visitor) == Verdict::good;
    const auto knows = [&](const std::string &token) { return first.find(token) != first.npos; };
    fuzz::require(!comes_in || knows(access.token()) || knows(access.token_to_look()),
                  "nobody comes in without a token");
    fuzz::require(visitor.role != Role::operate || knows(access.token()), "nobody operates by the token to look");
}

} // namespace

void fuzz::operator_page(Input input) {
    if (input.empty())
        return;
    constexpr void (*kinds[])(const std::string &) = {body, query, error, headers};
    kinds[input[0] % std::size(kinds)]({reinterpret_cast<const char *>(input.data()) + 1, input.size() - 1});
}
