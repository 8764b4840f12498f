#include "screen.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>

namespace wall_test {
namespace {

mpiglut::Picture screenshot(Display *display) {
    const int width = DisplayWidth(display, DefaultScreen(display));
    const int height = DisplayHeight(display, DefaultScreen(display));
    mpiglut::Picture picture(width, height);
    XImage *const image = XGetImage(display, DefaultRootWindow(display), 0, 0, static_cast<unsigned>(width),
                                    static_cast<unsigned>(height), AllPlanes, ZPixmap);
    if (!image)
        return {};
    std::size_t at = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const unsigned long pixel = XGetPixel(image, x, y);
            for (const int shift : {16, 8, 0})
                picture.rgb[at++] = static_cast<unsigned char>(pixel >> shift);
        }
    }
    XDestroyImage(image);
    return picture;
}

} // namespace

mpiglut::Picture wall_on_screen(const std::string &name, const pixmpi::Wall &wall) {
    Display *const display = XOpenDisplay(name.c_str());
    if (!display)
        return {};
    const mpiglut::Picture screen = screenshot(display);
    XCloseDisplay(display);

    pixmpi::Rect size;
    const std::vector<pixmpi::Rect> places = pixmpi::arrange_on_screen(wall.tiles, size);
    std::vector<mpiglut::Picture> tiles;
    for (const pixmpi::Tile &tile : wall.tiles) {
        mpiglut::Picture &seen = tiles.emplace_back(tile.rect.width, tile.rect.height);
        const pixmpi::Rect &place = places[static_cast<std::size_t>(tile.rank)];
        for (int fy = 0; fy < place.height; ++fy) {
            for (int fx = 0; fx < place.width; ++fx) {
                if (place.x + fx >= screen.width || place.y + fy >= screen.height)
                    continue;
                int x = 0, y = 0;
                pixmpi::from_framebuffer(tile, fx, fy, x, y);
                const auto to =
                    static_cast<std::size_t>(y) * static_cast<std::size_t>(seen.width) + static_cast<std::size_t>(x);
                const auto from = static_cast<std::size_t>(place.y + fy) * static_cast<std::size_t>(screen.width) +
                                  static_cast<std::size_t>(place.x + fx);
                for (std::size_t c = 0; c < 3; ++c)
                    seen.rgb[to * 3 + c] = screen.rgb[from * 3 + c];
            }
        }
    }
    return mpiglut::assemble(wall, tiles);
}

bool pull_at_window(const std::string &name, int width, int height) {
    Display *const display = XOpenDisplay(name.c_str());
    if (!display)
        return false;
    Window root = 0, parent = 0, *all = nullptr;
    unsigned count = 0;
    bool found = false;
    XQueryTree(display, DefaultRootWindow(display), &root, &parent, &all, &count);
    for (unsigned i = 0; i < count && !found; ++i) {
        XWindowAttributes is{};
        found = XGetWindowAttributes(display, all[i], &is) && is.width == width && is.height == height &&
                is.map_state == IsViewable;
        if (found)
            XMoveResizeWindow(display, all[i], is.x + 40, is.y + 50, is.width - 20u, is.height - 30u);
    }
    XFree(all);
    XCloseDisplay(display);
    return found;
}

Cover::Cover(const std::string &name) : display_(XOpenDisplay(name.c_str())) {
    if (!display_)
        return;
    XSetWindowAttributes attributes{};
    attributes.override_redirect = True;
    attributes.background_pixel = 0x123456;
    const Window window = XCreateWindow(display_, DefaultRootWindow(display_), 0, 0, 10000, 10000, 0, CopyFromParent,
                                        InputOutput, CopyFromParent, CWOverrideRedirect | CWBackPixel, &attributes);
    XMapRaised(display_, window);
    XSync(display_, False);
}

Cover::~Cover() {
    if (display_)
        XCloseDisplay(display_);
}

} // namespace wall_test
