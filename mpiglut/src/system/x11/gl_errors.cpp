#include "system/x11/gl_errors.h"

#include "base/real.h"
#include "system/x11/tile_system.h"

#include <GL/glx.h>
#include <X11/Xlib.h>

namespace mpiglut::x11 {

void send_error(Display *program, int code, XID resource) {
    if (!program)
        return;
    XErrorEvent event{};
    event.display = program;
    event.resourceid = resource;
    event.serial = LastKnownRequestProcessed(program);
    event.error_code = static_cast<unsigned char>(code);
    const XErrorHandler handler = XSetErrorHandler(nullptr); // Xlib tells it in no other way
    XSetErrorHandler(handler);
    if (handler)
        handler(program, &event);
}

void send_error(Display *program, GlxError error, XID resource) {
    int first_error = 0, first_event = 0;
    REAL(glXQueryExtension)(tile(), &first_error, &first_event);
    send_error(program, first_error + static_cast<int>(error), resource);
}

} // namespace mpiglut::x11
