/* OpenGL contexts without a display, current when they are made. 0: there is none. */
#ifndef WINDOW_H
#define WINDOW_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of the compatibility profile, with a framebuffer of this size. */
int open_window(int width, int height);
/* Of the core profile, with framebuffer objects alone. */
int open_core_context(void);
void close_window(void);

#ifdef __cplusplus
}
#endif

#endif
