#include "model/console/operator_menu.h"

#include "base/state.h"
#include "run/dashboard.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace mpiglut::operator_menu {
namespace {

using nlohmann::json;

constexpr int deepest = 8;

struct Open {
    int menu = 0; ///< 0: none is open
    int window = 0;
    int x = 0, y = 0;                              ///< in the window
    std::map<int, std::vector<MenuEntry>> entries; ///< of all menus, as they were when it opened
};
Open open;
unsigned swallowed = 0; ///< buttons that are down; their release is not passed on
std::string text;       ///< what the operator is to know
bool published = true;

/// GLUT's labels are Latin 1, or UTF-8 by now.
std::string utf8(const std::string &label) {
    if (json(label).dump(-1, ' ', false, json::error_handler_t::ignore) ==
        json(label).dump(-1, ' ', false, json::error_handler_t::replace))
        return label;
    std::string converted;
    for (const char c : label) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            converted += c;
        else
            converted += {static_cast<char>(0xc0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3f))};
    }
    return converted;
}

json described(const std::map<int, std::vector<MenuEntry>> &all, int menu, int depth) {
    json entries = json::array();
    const auto found = all.find(menu);
    if (found != all.end() && depth < deepest)
        for (const MenuEntry &entry : found->second) {
            json one{{"label", utf8(entry.label)}};
            if (entry.submenu)
                one["submenu"] = described(all, entry.submenu, depth + 1);
            entries.push_back(std::move(one));
        }
    return {{"menu", menu}, {"entries", std::move(entries)}};
}

/// Of a menu that has too much to tell the rest is left out.
void describe(int menu, const char *by, int x, int y) {
    json all = described(open.menu ? open.entries : state().menus.entries, menu, 0);
    all.update({{"by", by}, {"x", x}, {"y", y}});
    for (json &entries = all["entries"]; all.dump().size() > Dashboard::most_menu_bytes && !entries.empty();)
        entries.erase(entries.size() - 1);
    text = all.dump();
    published = false;
    tell();
}

void forget() {
    text.clear();
    published = false;
    tell();
}

void add_status(std::vector<Event> &events, const Event &like, int status) {
    Event event = like;
    event.kind = Event::Kind::menu_status;
    event.window = open.window;
    event.x = open.x;
    event.y = open.y;
    event.a = status;
    event.b = open.menu;
    if (state().window(open.window))
        events.push_back(event);
}

void close(std::vector<Event> &events, const Event &like) {
    add_status(events, like, Event::menu_closed);
    open = {};
    forget();
}

/// The entry with this item of the open menu or of one that it leads to; null: there is none that can be chosen.
const MenuEntry *find(int from, int menu, int item, int depth = 0) {
    const auto found = open.entries.find(from);
    if (found == open.entries.end() || depth >= deepest)
        return nullptr;
    const auto &own = found->second;
    if (from == menu && item > 0 && static_cast<std::size_t>(item) <= own.size())
        return own[static_cast<std::size_t>(item) - 1].submenu ? nullptr : &own[static_cast<std::size_t>(item) - 1];
    for (const MenuEntry &entry : own)
        if (entry.submenu)
            if (const MenuEntry *const deeper = find(entry.submenu, menu, item, depth + 1))
                return deeper;
    return nullptr;
}

} // namespace

bool press(std::vector<Event> &events, const Window &window, const Event &event, const Event &at) {
    const unsigned button = 1u << (event.a & 7);
    if (event.b != Event::down) {
        const bool ours = swallowed & button;
        swallowed &= ~button;
        return ours;
    }
    const bool was_open = is_open();
    if (was_open)
        close(events, event);
    const auto which = static_cast<std::size_t>(event.a);
    const int menu = !was_open && which < window.menus.size() ? window.menus[which] : 0;
    if (!was_open && !menu)
        return false;
    swallowed |= button;
    if (menu) {
        open = {menu, window.id, event.x, event.y, state().menus.entries};
        add_status(events, event, Event::menu_open);
        describe(menu, "operator", at.x, at.y);
    }
    return true;
}

bool is_open() { return open.menu != 0; }

void choose(std::vector<Event> &events, const Event &choice) {
    if (!is_open())
        return;
    Event event = choice;
    event.window = open.window;
    const MenuEntry *const entry = find(open.menu, choice.b, choice.a);
    const bool good = entry && state().window(open.window);
    event.a = good ? entry->value : 0;
    close(events, choice); // as FreeGLUT: the program is told of that first
    if (good)
        events.push_back(event);
}

void note_tile(const Event &status) {
    const Window *const window = state().window(status.window);
    if (!dashboard() || !window || is_open())
        return;
    const pixmpi::Rect place = wall_rect(*window);
    if (status.a == Event::menu_open)
        describe(status.b, "tile", place.x + status.x, place.y + status.y);
    else
        forget();
}

void tell() {
    if (Dashboard *const b = dashboard(); b && !published)
        published = b->write_menu(text);
}

} // namespace mpiglut::operator_menu
