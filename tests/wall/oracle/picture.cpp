// What the first window shows, asked of the X server: the screen itself, subwindows and all.
#include "oracle.h"
#include "run/capture.h"

#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <cstdio>

namespace oracle {
namespace {

mpiglut::Picture &last = *new mpiglut::Picture; // never destroyed: it is written at exit

} // namespace

void take_picture() {
    glFinish();
    Display *const display = glXGetCurrentDisplay();
    const GLXDrawable window = glXGetCurrentDrawable();
    Window root = 0, child = 0;
    int x = 0, y = 0;
    unsigned width = 0, height = 0, border = 0, depth = 0;
    if (!display || !XGetGeometry(display, window, &root, &x, &y, &width, &height, &border, &depth))
        return;
    XTranslateCoordinates(display, window, root, 0, 0, &x, &y, &child);
    XImage *const image = XGetImage(display, root, x, y, width, height, AllPlanes, ZPixmap);
    if (!image)
        return;
    last = mpiglut::Picture(static_cast<int>(width), static_cast<int>(height));
    std::size_t at = 0;
    for (int row = 0; row < last.height; ++row) {
        for (int column = 0; column < last.width; ++column) {
            const unsigned long pixel = XGetPixel(image, column, row);
            for (const int shift : {16, 8, 0})
                last.rgb[at++] = static_cast<unsigned char>(pixel >> shift);
        }
    }
    XDestroyImage(image);
}

void write_picture() {
    const std::string file = setting("ORACLE_PICTURE");
    if (file.empty() || last.width == 0)
        return;
    std::string error;
    if (!mpiglut::write_png(file, last, error))
        std::fprintf(stderr, "oracle: %s\n", error.c_str());
    last = {};
}

} // namespace oracle
