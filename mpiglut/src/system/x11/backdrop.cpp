#include "system/x11/backdrop.h"

#include "base/state.h"
#include "gl/present/correction.h"
#include "model/console/console.h"
#include "model/window/window.h"
#include "run/report.h"
#include "sync/comm.h"
#include "system/x11/gl_windows.h"
#include "system/x11/requests_by_hand.h"
#include "system/x11/tile_input.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

namespace mpiglut::x11 {
namespace {

using pixmpi::Rect;

xcb_extension_t of_shape{"SHAPE", 0};

// As they are on the wire.
struct SetShape : RequestHead {
    std::uint8_t operation = 0, kind = 0, order = 0, unused = 0;
    std::uint32_t window = 0;
    std::int16_t x = 0, y = 0;
};
struct SetMask : RequestHead {
    std::uint8_t operation = 0, kind = 0, unused[2] = {};
    std::uint32_t window = 0;
    std::int16_t x = 0, y = 0;
    std::uint32_t source = 0; ///< none: the window is whole
};
static_assert(sizeof(SetShape) == 16 && sizeof(SetMask) == 20);

/// The operator may move it, or give it another size.
const pixmpi::Tile &tile_here() { return state().plan.tiles[static_cast<std::size_t>(comm::rank())]; }

/// A rectangle between two ways of counting, by its corners.
template <class Turn> Rect turned(const Rect &rect, Turn turn) {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    turn(tile_here(), rect.x, rect.y, x0, y0);
    turn(tile_here(), rect.right() - 1, rect.bottom() - 1, x1, y1);
    return {std::min(x0, x1), std::min(y0, y1), std::abs(x1 - x0) + 1, std::abs(y1 - y0) + 1};
}

/// Where a window with OpenGL was when it got its shape.
struct Shaped {
    Rect clip, on_screen;
    Region region;
    bool operator==(const Shaped &) const = default;
};

class Backdrop {
  public:
    Backdrop()
        : place_(tile_on_display()), tile_(tile_here().rect), width_(tile_here().rect.width),
          height_(tile_here().rect.height) {
        const Ours ours;
        connection_ = xcb_connect(tile_display().c_str(), nullptr);
        if (xcb_connection_has_error(connection_))
            fail("the tile's display " + tile_display() + " cannot be opened a second time");
        pixels_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
        const xcb_setup_t *const setup = xcb_get_setup(connection_);
        const xcb_screen_t &screen = *xcb_setup_roots_iterator(setup).data;
        has_shapes_ = find_extension(connection_, of_shape) != nullptr;
        context_ = xcb_generate_id(connection_);
        depth_ = screen.root_depth;
        if (depth_ != 24)
            report_once(Report::note, "the tile's display has no pixels of 24 bits: what the program draws by X "
                                      "requests is not shown there");
        window_ = xcb_generate_id(connection_);
        const std::uint32_t values[] = {screen.black_pixel, 1, input_events | XCB_EVENT_MASK_EXPOSURE};
        xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screen.root, short_of(place_.x),
                          short_of(place_.y), static_cast<std::uint16_t>(place_.width),
                          static_cast<std::uint16_t>(place_.height), 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                          XCB_COPY_FROM_PARENT, XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK,
                          values);
        xcb_create_gc(connection_, context_, window_, 0, nullptr);
        xcb_map_window(connection_, window_);
        for (const int id : ids_of_windows()) {
            const std::uint32_t above = XCB_STACK_MODE_ABOVE;
            xcb_configure_window(connection_, static_cast<xcb_window_t>(window_with(id)->real),
                                 XCB_CONFIG_WINDOW_STACK_MODE, &above);
        }
        first_key_ = setup->min_keycode;
        const auto keys = static_cast<std::uint8_t>(setup->max_keycode - setup->min_keycode + 1);
        keys_ = reply_of(xcb_get_keyboard_mapping_reply, connection_,
                         xcb_get_keyboard_mapping(connection_, setup->min_keycode, keys));
    }

    ~Backdrop() {
        const Ours ours;
        xcb_disconnect(connection_);
    }
    Backdrop(const Backdrop &) = delete;
    Backdrop &operator=(const Backdrop &) = delete;

    int descriptor() const { return xcb_get_file_descriptor(connection_); }
    bool fits() const { return place_ == tile_on_display() && tile_ == tile_here().rect; }

    void draw(const Piece &piece) {
        const Rect &tile = tile_here().rect;
        const Rect here = pixmpi::intersect(piece.place, tile);
        for (int y = here.y; y < here.bottom(); ++y) {
            const std::uint32_t *const from =
                &piece.pixels[at(here.x - piece.place.x, y - piece.place.y, piece.place.width)];
            std::copy_n(from, here.width, &pixels_[at(here.x - tile.x, y - tile.y, width_)]);
        }
        changed_ = changed_ || !here.empty();
        if (!here.empty())
            paint({here.x - tile.x, here.y - tile.y, here.width, here.height});
    }

    /// In coordinates of the upright tile.
    void paint(const Rect &rect) {
        constexpr int most_bytes = 1 << 17;
        const Rect to = turned(rect, pixmpi::to_framebuffer);
        const int rows = std::max(1, most_bytes / 4 / to.width);
        for (int y = to.y; y < to.bottom() && depth_ == 24; y += rows)
            put({to.x, y, to.width, std::min(rows, to.bottom() - y)});
    }

    void fit_shapes() {
        for (const int id : ids_of_windows())
            if (const Window *const window = state().window(id))
                fit_shape(*window);
        flush();
    }

    void flush() {
        const Ours ours;
        xcb_flush(connection_);
    }

    void receive_events() {
        const Ours ours;
        if (gl::correction() != correction_) { // the operator has moved a slider
            correction_ = gl::correction();
            table_ = gl::table_of(correction_);
            paint({0, 0, width_, height_});
        }
        while (const ReplyOf<xcb_generic_event_t> event{xcb_poll_for_event(connection_)})
            handle(*event);
        show_to_operator();
        if (asks_for_keys())
            if (const auto keys = reply_of(xcb_query_keymap_reply, connection_, xcb_query_keymap(connection_))) {
                char down[32];
                std::memcpy(down, keys->keys, sizeof down);
                note_keys_down(down);
            }
        xcb_flush(connection_);
    }

    Picture picture() const {
        Picture picture(width_, height_);
        for (std::size_t i = 0; i < pixels_.size(); ++i)
            for (std::size_t k = 0; k < 3; ++k)
                picture.rgb[3 * i + k] = static_cast<unsigned char>(pixels_[i] >> (16 - 8 * k));
        return picture;
    }

  private:
    /// What has changed since, and all of it to one who begins to look.
    void show_to_operator() {
        const bool watched = console::live_interval() > 0, begins = watched && !watched_;
        watched_ = watched;
        changed_ = changed_ || begins;
        if (!changed_ || !console::looks_below())
            return;
        changed_ = !console::put_below(picture());
    }

    static std::int16_t short_of(int value) { return static_cast<std::int16_t>(value); }
    static std::size_t at(int x, int y, int width) {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    }

    /// What the monitor is to show: captures have the pixels as they are.
    std::uint32_t corrected(std::uint32_t pixel) const {
        return std::uint32_t{table_[0][pixel >> 16 & 0xff]} << 16 | std::uint32_t{table_[1][pixel >> 8 & 0xff]} << 8 |
               table_[2][pixel & 0xff];
    }

    void put(const Rect &to) {
        std::vector<std::uint32_t> rows(static_cast<std::size_t>(to.width) * static_cast<std::size_t>(to.height));
        for (int y = 0; y < to.height; ++y)
            for (int x = 0; x < to.width; ++x) {
                if (tile_here().rotation == 0 && x == 0) {
                    std::copy_n(&pixels_[at(to.x, to.y + y, width_)], to.width, &rows[at(0, y, to.width)]);
                    break;
                }
                int upright_x = 0, upright_y = 0;
                pixmpi::from_framebuffer(tile_here(), to.x + x, to.y + y, upright_x, upright_y);
                rows[at(x, y, to.width)] = pixels_[at(upright_x, upright_y, width_)];
            }
        for (std::uint32_t &pixel : rows)
            pixel = corrected(pixel);
        const Ours ours;
        xcb_put_image(connection_, XCB_IMAGE_FORMAT_Z_PIXMAP, window_, context_, static_cast<std::uint16_t>(to.width),
                      static_cast<std::uint16_t>(to.height), short_of(to.x), short_of(to.y), 0, depth_,
                      static_cast<std::uint32_t>(rows.size() * 4), reinterpret_cast<const std::uint8_t *>(rows.data()));
    }

    void fit_shape(const Window &window) {
        const ProgramWindow *const known = window_with(window.id);
        const Shaped wanted = window.covered ? Shaped{window.clip, window.on_screen, window.seen} : Shaped{};
        if (!known || !has_shapes_ || shaped()[window.id] == wanted)
            return;
        shaped()[window.id] = wanted;
        const Ours ours;
        if (!window.covered) {
            SetMask whole;
            whole.window = static_cast<std::uint32_t>(known->real);
            send_request(connection_, of_shape, 2, whole);
            return;
        }
        std::vector<xcb_rectangle_t> rects;
        for (const Rect &one : window.seen)
            if (const Rect real = on_real(window, one); !real.empty())
                rects.push_back({short_of(real.x), short_of(real.y), static_cast<std::uint16_t>(real.width),
                                 static_cast<std::uint16_t>(real.height)});
        SetShape shape;
        shape.window = static_cast<std::uint32_t>(known->real);
        send_request(connection_, of_shape, 1, shape, false, rects.data(), rects.size() * sizeof rects[0]);
    }

    /// An event at that point of the real window.
    Event event_at(int x, int y) const {
        Event event;
        event.rank = comm::rank();
        pixmpi::from_framebuffer(tile_here(), x, y, event.x, event.y);
        event.x += tile_here().rect.x;
        event.y += tile_here().rect.y;
        return event;
    }

    /// As glx::take_keyboard.
    void take_keyboard() {
        const auto focus = reply_of(xcb_get_input_focus_reply, connection_, xcb_get_input_focus(connection_));
        if (focus && focus->focus != XCB_INPUT_FOCUS_POINTER_ROOT && focus->focus != window_)
            xcb_set_input_focus(connection_, XCB_INPUT_FOCUS_POINTER_ROOT, window_, XCB_CURRENT_TIME);
    }

    void handle(const xcb_generic_event_t &event) {
        const int type = event.response_type & 0x7f;
        if (type == XCB_EXPOSE) {
            if (!fits()) // all that it shows comes anew
                return;
            const auto &exposed = reinterpret_cast<const xcb_expose_event_t &>(event);
            paint(turned(Rect{exposed.x, exposed.y, exposed.width, exposed.height}, pixmpi::from_framebuffer));
            return;
        }
        if (type == XCB_FOCUS_OUT || type == XCB_LEAVE_NOTIFY)
            return note_keyboard_lost();
        if (type == XCB_ENTER_NOTIFY || type == XCB_BUTTON_PRESS)
            take_keyboard();
        if (type < XCB_KEY_PRESS || type > XCB_MOTION_NOTIFY)
            return;
        const auto &of_device = reinterpret_cast<const xcb_key_press_event_t &>(event); // all of these are alike
        Event mine = event_at(of_device.event_x, of_device.event_y);
        if (type == XCB_MOTION_NOTIFY) {
            mine.kind = of_device.state & (XCB_BUTTON_MASK_1 | XCB_BUTTON_MASK_2 | XCB_BUTTON_MASK_3)
                            ? Event::Kind::motion
                            : Event::Kind::passive;
        } else if (type == XCB_BUTTON_PRESS || type == XCB_BUTTON_RELEASE) {
            mine.kind = Event::Kind::mouse;
            mine.a = of_device.detail - 1;
            mine.b = type == XCB_BUTTON_PRESS ? Event::down : Event::up;
        } else {
            if (!note_key(mine, key_of(of_device.detail), of_device.detail, type == XCB_KEY_PRESS))
                return;
        }
        state().outbox.push_back(mine);
    }

    std::uint32_t key_of(int code) const {
        const int index = keys_ ? (code - first_key_) * keys_->keysyms_per_keycode : -1;
        return index >= 0 && index < xcb_get_keyboard_mapping_keysyms_length(keys_.get())
                   ? xcb_get_keyboard_mapping_keysyms(keys_.get())[index]
                   : 0;
    }

    Rect place_, tile_;
    int width_, height_;
    pixmpi::Correction correction_ = gl::correction();
    gl::CorrectionTable table_ = gl::table_of(correction_);
    std::vector<std::uint32_t> pixels_; ///< of the upright tile
    xcb_connection_t *connection_ = nullptr;
    xcb_window_t window_ = 0;
    xcb_gcontext_t context_ = 0;
    std::uint8_t depth_ = 0;
    bool has_shapes_ = false, changed_ = false, watched_ = false;
    int first_key_ = 0;
    ReplyOf<xcb_get_keyboard_mapping_reply_t> keys_;
    /// By window; whole windows have an empty one. Shapes outlive the backdrop.
    static std::map<int, Shaped> &shaped() {
        static auto *const all = new std::map<int, Shaped>;
        return *all;
    }
};

/// Made with the first pixels, and of use until the very end of the process.
Backdrop *backdrop = nullptr;
bool has_painted = false; ///< or might have: the same on all ranks

} // namespace

bool shows_screen() { return active() && comm::started() && !state().plan.from_window; }

bool has_backdrop() { return has_painted; }

void paint(const std::vector<Piece> &pieces) {
    has_painted = true;
    if (pieces.empty() || pixmpi::is_helper(tile_here()))
        return;
    if (backdrop && !backdrop->fits()) // all that it shows comes anew
        delete std::exchange(backdrop, nullptr);
    if (!backdrop)
        backdrop = new Backdrop;
    for (const Piece &piece : pieces)
        backdrop->draw(piece);
    backdrop->flush();
}

void set_seen(const std::vector<Seen> &seen) {
    for (const auto &[id, window] : state().windows) {
        const auto found = std::ranges::find(seen, id, &Seen::id);
        window->covered = found != seen.end() && !found->whole;
        window->seen = window->covered ? found->region : Region{};
    }
    fit_shapes();
}

void fit_shapes() {
    if (backdrop)
        backdrop->fit_shapes();
}

void receive_backdrop_events() {
    if (backdrop)
        backdrop->receive_events();
}

int backdrop_descriptor() { return backdrop ? backdrop->descriptor() : -1; }

Picture picture_of_backdrop() { return backdrop ? backdrop->picture() : Picture(); }

} // namespace mpiglut::x11
