#include "system/x11/screen.h"

#include "run/report.h"
#include "system/x11/gl_windows.h"
#include "system/x11/requests_by_hand.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

namespace mpiglut::x11 {
namespace {

using pixmpi::Rect;

xcb_extension_t of_damage{"DAMAGE", 0}, of_shape{"SHAPE", 0};

// As they are on the wire.
struct QueryDamage : RequestHead {
    std::uint32_t major = 1, minor_version = 1;
};
struct CreateDamage : RequestHead {
    std::uint32_t damage = 0, drawable = 0;
    std::uint8_t level = 1, unused[3] = {}; ///< what has not been told yet
};
struct SubtractDamage : RequestHead {
    std::uint32_t damage = 0, repair = 0, parts = 0;
};
struct DamageEvent {
    std::uint8_t type, level;
    std::uint16_t sequence;
    std::uint32_t drawable, damage, time;
    xcb_rectangle_t area, geometry;
};
struct AskShape : RequestHead {
    std::uint32_t window = 0;
    std::uint8_t kind = 0, unused[3] = {};
};
struct ShapeReply {
    std::uint8_t type, order;
    std::uint16_t sequence;
    std::uint32_t length, count, unused[5];
};
static_assert(sizeof(CreateDamage) == 16 && sizeof(SubtractDamage) == 16 && sizeof(AskShape) == 12 &&
              sizeof(DamageEvent) == 32 && sizeof(ShapeReply) == 32);

bool changes_places(int type) {
    return type == XCB_CONFIGURE_NOTIFY || type == XCB_MAP_NOTIFY || type == XCB_UNMAP_NOTIFY ||
           type == XCB_REPARENT_NOTIFY || type == XCB_CIRCULATE_NOTIFY || type == XCB_CREATE_NOTIFY ||
           type == XCB_DESTROY_NOTIFY;
}

} // namespace

struct Screen::Server {
    Server(int width, int height) : screen{0, 0, width, height}, cells(width, height) {
        connection = xcb_connect(nullptr, nullptr);
        const xcb_query_extension_reply_t *const damage_found =
            xcb_connection_has_error(connection) ? nullptr : find_extension(connection, of_damage);
        if (!damage_found) {
            report_once(Report::note, "the wall's X server has no DAMAGE: tiles show OpenGL alone");
            return;
        }
        first_event = damage_found->first_event;
        has_shapes = find_extension(connection, of_shape) != nullptr;
        root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
        reply_to<xcb_generic_reply_t>(connection, send_request(connection, of_damage, 0, QueryDamage{}, true));
        CreateDamage create;
        create.damage = damage = xcb_generate_id(connection);
        create.drawable = root;
        send_request(connection, of_damage, 1, create);
        watch(root);
        xcb_flush(connection);
        works = true;
        cells.add({0, 0, width, height});
    }

    /// Changes among its children are reported.
    void watch(xcb_window_t window) {
        if (watched.insert(window).second) {
            const std::uint32_t mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
            xcb_change_window_attributes(connection, window, XCB_CW_EVENT_MASK, &mask);
        }
    }

    void handle(const xcb_generic_event_t &event) {
        const int type = event.response_type & 0x7f;
        if (type == first_event) {
            DamageEvent changed;
            std::memcpy(&changed, &event, sizeof changed);
            cells.add({changed.area.x, changed.area.y, changed.area.width, changed.area.height});
        } else if (changes_places(type)) {
            places_changed = moved = true;
            if (type == XCB_DESTROY_NOTIFY) // the server gives its id out again
                watched.erase(reinterpret_cast<const xcb_destroy_notify_event_t &>(event).window);
        }
    }
    void read_events() {
        while (const ReplyOf<xcb_generic_event_t> event{xcb_poll_for_event(connection)})
            handle(*event);
    }
    void wait_for_server() { reply_of(xcb_get_input_focus_reply, connection, xcb_get_input_focus(connection)); }

    /// On the screen, with its border where it has one; nothing where it is not seen.
    struct Node {
        Rect inside;
        Region outside;
        bool seen = false;
        xcb_window_t parent = 0;
        std::vector<xcb_window_t> children; ///< bottom to top
    };
    std::optional<Node> look_at(xcb_window_t window) {
        const auto tree_asked = xcb_query_tree(connection, window);
        const auto geometry_asked = xcb_get_geometry(connection, window);
        const auto corner_asked = xcb_translate_coordinates(connection, window, root, 0, 0);
        const auto attributes_asked = xcb_get_window_attributes(connection, window);
        AskShape shape;
        shape.window = window;
        const unsigned shape_asked = has_shapes ? send_request(connection, of_shape, 8, shape, true) : 0;
        const auto tree = reply_of(xcb_query_tree_reply, connection, tree_asked);
        const auto geometry = reply_of(xcb_get_geometry_reply, connection, geometry_asked);
        const auto corner = reply_of(xcb_translate_coordinates_reply, connection, corner_asked);
        const auto attributes = reply_of(xcb_get_window_attributes_reply, connection, attributes_asked);
        const auto shapes = has_shapes ? reply_to<ShapeReply>(connection, shape_asked) : nullptr;
        if (!tree || !geometry || !corner || !attributes)
            return std::nullopt;
        Node node;
        node.inside = {corner->dst_x, corner->dst_y, geometry->width, geometry->height};
        node.seen =
            attributes->map_state == XCB_MAP_STATE_VIEWABLE && attributes->_class == XCB_WINDOW_CLASS_INPUT_OUTPUT;
        node.parent = tree->parent;
        const xcb_window_t *const children = xcb_query_tree_children(tree.get());
        node.children.assign(children, children + xcb_query_tree_children_length(tree.get()));
        const int border = geometry->border_width;
        if (!shapes)
            node.outside.push_back({node.inside.x - border, node.inside.y - border, geometry->width + 2 * border,
                                    geometry->height + 2 * border});
        for (std::uint32_t i = 0; shapes && i < shapes->count; ++i) {
            xcb_rectangle_t one;
            std::memcpy(&one, reinterpret_cast<const char *>(shapes.get() + 1) + i * sizeof one, sizeof one);
            node.outside.push_back({node.inside.x + one.x, node.inside.y + one.y, one.width, one.height});
        }
        return node;
    }
    void subtract_window(Region &region, xcb_window_t window) {
        const auto node = look_at(window);
        for (std::size_t i = 0; node && node->seen && i < node->outside.size(); ++i)
            subtract(region, node->outside[i]);
    }

    Seen seen_of(const ProgramWindow &window) {
        Seen found{window.id, false, {}};
        const auto mine = look_at(window.name);
        if (!mine || !mine->seen)
            return {window.id, true, {}};
        watch(window.name);
        found.region = {mine->inside};
        for (const xcb_window_t child : mine->children)
            subtract_window(found.region, child);
        xcb_window_t below = window.name;
        for (xcb_window_t above = mine->parent; above;) {
            const auto node = look_at(above);
            if (!node)
                break;
            watch(above);
            cut(found.region, node->inside);
            const auto at = std::ranges::find(node->children, below);
            for (auto sibling = at; sibling != node->children.end() && ++sibling != node->children.end();)
                subtract_window(found.region, *sibling);
            below = above;
            above = node->parent;
        }
        found.whole = found.region == Region{pixmpi::intersect(mine->inside, screen)};
        return found;
    }

    Rect screen;
    xcb_connection_t *connection = nullptr;
    bool works = false, has_shapes = false, places_changed = true, moved = true;
    int first_event = 0;
    xcb_window_t root = 0;
    std::uint32_t damage = 0;
    std::set<xcb_window_t> watched;
    std::vector<int> windows; ///< with OpenGL, when it was last looked which are seen
    std::vector<Seen> seen;
    Cells cells;
};

Screen::Screen(int width, int height) {
    const Ours ours;
    server_ = std::make_unique<Server>(width, height);
}
Screen::~Screen() = default;

bool Screen::look(bool surely) {
    Server &server = *server_;
    if (!server.works)
        return false;
    const Ours ours;
    if (surely)
        server.wait_for_server();
    server.read_events();
    return server.cells.any() || server.places_changed || ids_of_windows() != server.windows;
}

bool Screen::pop_moved() {
    // Of a window that is new to this nothing was told yet.
    const bool may_have_moved = !server_->works || server_->moved || ids_of_windows() != server_->windows;
    server_->moved = false;
    return may_have_moved;
}

void Screen::forget() {
    server_->cells.add(server_->screen);
    server_->seen.clear();
    server_->places_changed = true;
}

std::vector<Piece> Screen::pop_pieces() {
    Server &server = *server_;
    std::vector<Piece> pieces;
    if (!server.works || !server.cells.any())
        return pieces;
    const Ours ours;
    SubtractDamage subtract;
    subtract.damage = server.damage;
    send_request(server.connection, of_damage, 3, subtract);
    server.wait_for_server(); // what was told before is here, and what changes from now on is told anew
    server.read_events();
    std::vector<xcb_get_image_cookie_t> asked;
    for (const Rect &place : server.cells.pop()) {
        pieces.push_back({place, {}});
        asked.push_back(xcb_get_image(server.connection, XCB_IMAGE_FORMAT_Z_PIXMAP, server.root,
                                      static_cast<std::int16_t>(place.x), static_cast<std::int16_t>(place.y),
                                      static_cast<std::uint16_t>(place.width),
                                      static_cast<std::uint16_t>(place.height), UINT32_MAX));
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto image = reply_of(xcb_get_image_reply, server.connection, asked[i]);
        Piece &piece = pieces[i];
        piece.pixels.resize(static_cast<std::size_t>(piece.place.width) * static_cast<std::size_t>(piece.place.height));
        const std::size_t bytes = piece.pixels.size() * sizeof piece.pixels[0];
        if (image && static_cast<std::size_t>(xcb_get_image_data_length(image.get())) >= bytes)
            std::memcpy(piece.pixels.data(), xcb_get_image_data(image.get()), bytes);
    }
    return pieces;
}

bool Screen::pop_seen(std::vector<Seen> &seen) {
    Server &server = *server_;
    std::vector<int> windows = ids_of_windows();
    if (!server.works || (!server.places_changed && windows == server.windows))
        return false;
    const Ours ours;
    server.places_changed = false;
    server.moved |= windows != server.windows;
    server.windows = std::move(windows);
    std::vector<Seen> now;
    for (const int id : server.windows)
        if (const ProgramWindow *const window = window_with(id))
            now.push_back(server.seen_of(*window));
    xcb_flush(server.connection);
    if (now == server.seen)
        return false;
    seen = server.seen = std::move(now);
    return true;
}

} // namespace mpiglut::x11
