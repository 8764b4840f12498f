// What the look-up functions (dlsym, glXGetProcAddress, glutGetProcAddress) and real_symbol share.
#pragma once

namespace mpiglut {

using Dlsym = void *(*)(void *handle, const char *name);

/// The C library's dlsym; may be called before any constructor has run.
Dlsym real_dlsym();
/// Does this address lie in this library?
bool is_own(const void *address);

/// The wrapper to hand out instead of `found`, the real function of that name; `found` itself when there is none.
void *wrapped(const char *name, void *found);

/// The X server that the program talks to has no GLX: the look-up functions give no function that would ask it.
void server_lacks_glx(bool lacks);

} // namespace mpiglut
