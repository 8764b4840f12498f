/* An OpenGL context of the compatibility profile with a framebuffer of this size, without a display. 0: there is none.
 */
#ifndef WINDOW_H
#define WINDOW_H

#ifdef __cplusplus
extern "C" {
#endif

int open_window(int width, int height);
void close_window(void);

#ifdef __cplusplus
}
#endif

#endif
