#include "system/x11/tile_input.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "model/loop/loop.h"
#include "model/window/window_system.h"
#include "run/report.h"
#include "sync/comm.h"
#include "system/glx/windows.h"
#include "system/x11/backdrop.h"
#include "system/x11/gl_windows.h"
#include "system/x11/requests_by_hand.h"
#include "system/x11/x11.h"

#include <X11/keysym.h>
#include <X11/Xutil.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mpiglut::x11 {
namespace {

using Kind = Event::Kind;

/// GLUT's numbers of special keys, which events have, and X's.
constexpr std::array<std::pair<int, KeySym>, 32> special_keys{{
    {1, XK_F1},        {2, XK_F2},          {3, XK_F3},          {4, XK_F4},       {5, XK_F5},
    {6, XK_F6},        {7, XK_F7},          {8, XK_F8},          {9, XK_F9},       {10, XK_F10},
    {11, XK_F11},      {12, XK_F12},        {100, XK_Left},      {101, XK_Up},     {102, XK_Right},
    {103, XK_Down},    {104, XK_Page_Up},   {105, XK_Page_Down}, {106, XK_Home},   {107, XK_End},
    {108, XK_Insert},  {109, XK_Num_Lock},  {110, XK_Begin},     {111, XK_Delete}, {112, XK_Shift_L},
    {113, XK_Shift_R}, {114, XK_Control_L}, {115, XK_Control_R}, {116, XK_Alt_L},  {117, XK_Alt_R},
    {118, XK_Super_L}, {119, XK_Super_R},
}};
/// Keys that GLUT has no number for have X's, and this.
constexpr int of_x = 1 << 28;

KeySym key_of(const Event &event) {
    if (event.kind == Kind::special || event.kind == Kind::special_up) {
        const auto found = std::ranges::find(special_keys, event.a, &std::pair<int, KeySym>::first);
        return event.a & of_x ? static_cast<KeySym>(event.a & ~of_x) : found == special_keys.end() ? 0 : found->second;
    }
    switch (event.a) {
    case 8:
        return XK_BackSpace;
    case 9:
        return XK_Tab;
    case 10:
    case 13:
        return XK_Return;
    case 27:
        return XK_Escape;
    case 127:
        return XK_Delete;
    default:
        return static_cast<KeySym>(event.a >= 1 && event.a <= 26 ? event.a + 'a' - 1 : event.a); // with control
    }
}

/// As XTEST has it on the wire.
struct FakeInput : RequestHead {
    std::uint8_t type = 0, detail = 0;
    std::uint16_t unused = 0;
    std::uint32_t delay = 0, root = 0;
    std::uint8_t unused_too[8] = {};
    std::int16_t x = 0, y = 0;
    std::uint8_t unused_as_well[7] = {}, device = 0;
};
static_assert(sizeof(FakeInput) == 36);

struct Key {
    std::uint8_t code = 0; ///< 0: none
    bool shifted = false;
};

/// Rank 0's own connection to the wall's X server.
class Server {
  public:
    Server() {
        const Ours ours;
        connection_ = xcb_connect(nullptr, nullptr);
        const xcb_query_extension_reply_t *test = nullptr;
        if (!xcb_connection_has_error(connection_))
            test = xcb_get_extension_data(connection_, &extension_);
        works_ = test && test->present;
        if (!works_) {
            report_once(Report::note, "the wall's X server has no XTEST: input at the tiles, from the operator's page "
                                      "and from replays does not reach the program");
            return;
        }
        const xcb_setup_t *const setup = xcb_get_setup(connection_);
        root_ = xcb_setup_roots_iterator(setup).data->root;
        first_ = setup->min_keycode;
        const auto count = static_cast<std::uint8_t>(setup->max_keycode - setup->min_keycode + 1);
        keys_.reset(
            xcb_get_keyboard_mapping_reply(connection_, xcb_get_keyboard_mapping(connection_, first_, count), nullptr));
    }

    void point(int x, int y) { send(XCB_MOTION_NOTIFY, 0, x, y); }
    void press(int button, bool down) { send(down ? XCB_BUTTON_PRESS : XCB_BUTTON_RELEASE, button); }
    void press_key(KeySym key, bool down, int modifiers) {
        const Key found = find(key);
        if (!found.code)
            return;
        std::vector<KeySym> held; // while it is pressed: what the key needs, and what the event's own modifiers say
        if (down && (found.shifted || modifiers & Event::shift) && !shift_is_down_)
            held.push_back(XK_Shift_L);
        if (down && modifiers & Event::control)
            held.push_back(XK_Control_L);
        if (down && modifiers & Event::alt)
            held.push_back(XK_Alt_L);
        for (const KeySym one : held)
            send(XCB_KEY_PRESS, find(one).code);
        send(down ? XCB_KEY_PRESS : XCB_KEY_RELEASE, found.code);
        for (const KeySym one : held)
            send(XCB_KEY_RELEASE, find(one).code);
        if (key == XK_Shift_L || key == XK_Shift_R)
            shift_is_down_ = down;
    }
    void flush() {
        if (works_)
            ReplyOf<xcb_get_input_focus_reply_t>(
                xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr));
    }

  private:
    Key find(KeySym key) const {
        if (!keys_)
            return {};
        const xcb_keysym_t *const all = xcb_get_keyboard_mapping_keysyms(keys_.get());
        const int each = keys_->keysyms_per_keycode, count = xcb_get_keyboard_mapping_keysyms_length(keys_.get());
        for (int level = 0; level < std::min(each, 2); ++level)
            for (int i = level; i < count; i += each)
                if (all[i] == key)
                    return {static_cast<std::uint8_t>(first_ + i / each), level == 1};
        return {};
    }

    void send(int type, int detail, int x = 0, int y = 0) {
        if (!works_)
            return;
        FakeInput fake;
        fake.type = static_cast<std::uint8_t>(type);
        fake.detail = static_cast<std::uint8_t>(detail);
        fake.root = type == XCB_MOTION_NOTIFY ? root_ : 0;
        fake.x = static_cast<std::int16_t>(x);
        fake.y = static_cast<std::int16_t>(y);
        send_request(connection_, extension_, 2, fake);
    }

    static inline xcb_extension_t extension_{"XTEST", 0};
    xcb_connection_t *connection_ = nullptr;
    bool works_ = false, shift_is_down_ = false;
    xcb_window_t root_ = 0;
    int first_ = 0;
    ReplyOf<xcb_get_keyboard_mapping_reply_t> keys_;
};

Server &server() {
    static auto *const the_server = new Server;
    return *the_server;
}

bool given = false; ///< something, which has not set out
std::int64_t first_shown_ns = 0;
std::int64_t waited_in_vain_ns = 0; ///< in this tick; not what the program has computed, however slow the machine

/// A key that is down at this tile.
struct Held {
    unsigned code = 0;
    Event release;
};
std::vector<Held> &held() {
    static auto *const keys = new std::vector<Held>; // of use until the very end of the process
    return *keys;
}
bool keyboard_is_lost = false;

std::int64_t ticks_since_frame() {
    const State &s = state();
    return static_cast<std::int64_t>(s.tick) - s.frames.tick;
}

Event at(const Window &window, int x, int y) {
    Event event;
    event.rank = comm::rank();
    event.window = window.id;
    to_whole(window, x, y);
    event.x = x;
    event.y = y;
    return event;
}

} // namespace

// The character without what modifiers make of it, since these come as keys themselves.
bool note_key(Event &event, KeySym key, unsigned code, bool pressed) {
    const bool is_character = (key >= 0x20 && key <= 0x7e) || (key >= 0xa0 && key <= 0xff);
    const auto special = std::ranges::find(special_keys, key, &std::pair<int, KeySym>::second);
    event.kind = is_character ? pressed ? Kind::key : Kind::key_up : pressed ? Kind::special : Kind::special_up;
    event.a = is_character                    ? static_cast<int>(key)
              : special != special_keys.end() ? special->first
                                              : static_cast<int>(key) | of_x;
    const bool was_down = std::erase_if(held(), [code](const Held &one) { return one.code == code; }) != 0;
    if (pressed) {
        held().push_back({code, event});
        held().back().release.kind = is_character ? Kind::key_up : Kind::special_up;
    }
    return pressed || was_down;
}

void note_keyboard_lost() { keyboard_is_lost = true; }

bool asks_for_keys() { return keyboard_is_lost && (keyboard_is_lost = !held().empty()); }

void note_keys_down(const char (&down)[32]) {
    std::erase_if(held(), [&down](const Held &one) {
        const bool is_up = !(down[one.code / 8 % 32] >> one.code % 8 & 1);
        if (is_up)
            state().outbox.push_back(one.release);
        return is_up;
    });
}

void note_input(const XEvent &event) {
    const ProgramWindow *const known = window_on_tile(event.xany.window);
    const Window *const window = known ? state().window(known->id) : nullptr;
    if (!window)
        return;
    if (event.type == FocusOut || event.type == LeaveNotify)
        return note_keyboard_lost();
    if (event.type == EnterNotify || event.type == ButtonPress)
        glx::take_keyboard(event.xany.display, event.xany.window);
    Event mine;
    switch (event.type) {
    case MotionNotify:
        mine = at(*window, event.xmotion.x, event.xmotion.y);
        mine.kind = event.xmotion.state & (Button1Mask | Button2Mask | Button3Mask) ? Kind::motion : Kind::passive;
        break;
    case ButtonPress:
    case ButtonRelease:
        mine = at(*window, event.xbutton.x, event.xbutton.y);
        mine.kind = Kind::mouse;
        mine.a = static_cast<int>(event.xbutton.button) - 1;
        mine.b = event.type == ButtonPress ? Event::down : Event::up;
        break;
    case KeyPress:
    case KeyRelease: {
        XKeyEvent key = event.xkey;
        mine = at(*window, key.x, key.y);
        if (!note_key(mine, XLookupKeysym(&key, 0), key.keycode, event.type == KeyPress))
            return;
        break;
    }
    default:
        return;
    }
    state().outbox.push_back(mine);
}

bool give_input(const Event &event) {
    if (event.kind > Kind::passive)
        return false;
    const Window *const window = event.window ? state().window(event.window) : nullptr;
    if (event.window && state().windows.empty())
        return false;
    if ((event.window && !window) || comm::rank() != 0)
        return true;
    const Ours ours;
    Server &to = server();
    to.point((window ? window->place.x : 0) + event.x, (window ? window->place.y : 0) + event.y);
    switch (event.kind) {
    case Kind::mouse:
        to.press(event.a + 1, event.b == Event::down);
        break;
    case Kind::wheel:
        to.press(event.b > 0 ? 4 : 5, true);
        to.press(event.b > 0 ? 4 : 5, false);
        break;
    case Kind::key:
    case Kind::special:
        to.press_key(key_of(event), true, event.modifiers);
        break;
    case Kind::key_up:
    case Kind::special_up:
        to.press_key(key_of(event), false, event.modifiers);
        break;
    default:
        break;
    }
    given = true;
    return true;
}

void send_input_ahead() {
    if (comm::rank() != 0 && passes_input_on())
        pass_input(Replayed::none, 0, give_input);
}

void pass_replayed_input() {
    pass_input(Replayed::due, ticks_since_frame(), give_input);
    flush_input();
}

void flush_input() {
    if (std::exchange(given, false))
        server().flush();
}

void note_shown() {
    if (first_shown_ns == 0)
        first_shown_ns = clock::real_monotonic_ns();
}

bool passes_input_on() {
    const State &s = state();
    return s.running && role() == Role::ticks && !displays_that_open && (!s.windows.empty() || shows_screen());
}

std::array<int, 2> input_descriptors() {
    if (!passes_input_on())
        return {-1, -1};
    return {window_system().descriptor(), backdrop_descriptor()};
}

void pass_input_on() {
    constexpr std::int64_t longest_wait = 300'000'000; // a program that draws may wait, too
    constexpr std::int64_t hundredth = 10'000'000;
    static std::uint64_t tick = 0;
    const State &s = state();
    if (!passes_input_on())
        return;
    if (std::exchange(tick, s.tick) != s.tick)
        waited_in_vain_ns = 0;
    // Whether a wait takes time is chance: what is due of a replay has come at the end of the frame before.
    if (!s.windows.empty())
        pass_input(waited_in_vain_ns > longest_wait ? Replayed::next : Replayed::none, ticks_since_frame(), give_input);
    else
        pass_input(Replayed::due,
                   first_shown_ns == 0 ? -1 : (clock::real_monotonic_ns() - first_shown_ns) / hundredth, give_input);
    flush_input();
}

void note_waited(std::int64_t ns) {
    if (passes_input_on())
        waited_in_vain_ns += ns;
}

void note_found() {
    if (passes_input_on())
        waited_in_vain_ns = 0;
}

} // namespace mpiglut::x11
