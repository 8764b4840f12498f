/* Preloaded: every process has one joystick; its buttons say which rank it is: 1 for rank 0, 2 for rank 1, 4 for rank
   2. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/joystick.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int device = -1, told;

static int is_joystick(const char *path) { return !strncmp(path, "/dev/input/js", 13) || !strncmp(path, "/dev/js", 7); }

int open(const char *path, int flags, ...) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!is_joystick(path))
        return real(path, flags, mode);
    if (device >= 0) {
        errno = ENODEV;
        return -1;
    }
    return device = real("/dev/null", O_RDWR);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open(path, flags, mode);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *data = va_arg(arguments, void *);
    va_end(arguments);
    if (fd != device || fd < 0)
        return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(fd, request, data);
    if (request == JSIOCGVERSION)
        *(unsigned *)data = JS_VERSION;
    if (request == JSIOCGAXES || request == JSIOCGBUTTONS)
        *(unsigned char *)data = request == JSIOCGAXES ? 2 : 4;
    return 0;
}

ssize_t read(int fd, void *buffer, size_t size) {
    if (fd != device || fd < 0 || size < sizeof(struct js_event))
        return ((ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read"))(fd, buffer, size);
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    struct js_event event = {0, 1, JS_EVENT_BUTTON, (unsigned char)(rank ? atoi(rank) : 0)};
    if (told++) {
        errno = EAGAIN;
        return -1;
    }
    memcpy(buffer, &event, sizeof event);
    return sizeof event;
}
