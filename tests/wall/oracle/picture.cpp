// What windows show, asked of the X server: the screen itself, subwindows and all.
#include "oracle.h"
#include "run/capture.h"

#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <cstdio>

namespace oracle {
namespace {

std::vector<mpiglut::Picture> &last = *new std::vector<mpiglut::Picture>; // never destroyed: it is written at exit

mpiglut::Picture picture_of(Display *display, GLXDrawable window) {
    Window root = 0, child = 0;
    int x = 0, y = 0;
    unsigned width = 0, height = 0, border = 0, depth = 0;
    if (!XGetGeometry(display, window, &root, &x, &y, &width, &height, &border, &depth))
        return {};
    XTranslateCoordinates(display, window, root, 0, 0, &x, &y, &child);
    XImage *const image = XGetImage(display, root, x, y, width, height, AllPlanes, ZPixmap);
    if (!image)
        return {};
    mpiglut::Picture picture(static_cast<int>(width), static_cast<int>(height));
    std::size_t at = 0;
    for (int row = 0; row < picture.height; ++row) {
        for (int column = 0; column < picture.width; ++column) {
            const unsigned long pixel = XGetPixel(image, column, row);
            for (const int shift : {16, 8, 0})
                picture.rgb[at++] = static_cast<unsigned char>(pixel >> shift);
        }
    }
    XDestroyImage(image);
    return picture;
}

} // namespace

void take_pictures(const std::vector<unsigned long> &windows) {
    glFinish();
    Display *const display = glXGetCurrentDisplay();
    last.clear();
    for (const GLXDrawable window : windows)
        if (display)
            last.push_back(picture_of(display, window));
}

void write_pictures() {
    const std::string file = setting("ORACLE_PICTURE");
    for (std::size_t i = 0; i < last.size() && !file.empty(); ++i) {
        std::string error;
        if (last[i].width && !mpiglut::write_png(mpiglut::numbered(file, i + 1), last[i], error))
            std::fprintf(stderr, "oracle: %s\n", error.c_str());
    }
    last.clear();
}

} // namespace oracle
