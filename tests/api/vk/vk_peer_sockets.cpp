// Between the library and sendmsg.
#include "vk/vk_peer_sockets.h"

#include <sys/syscall.h>

int (*api::sent_instead)() = nullptr;

extern "C" [[gnu::visibility("default")]] ssize_t sendmsg(int socket, const msghdr *message, int flags) {
    cmsghdr *const header = message->msg_controllen ? CMSG_FIRSTHDR(message) : nullptr;
    int descriptor = -1;
    if (api::sent_instead && header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof descriptor)) {
        descriptor = api::sent_instead();
        std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    const ssize_t sent = syscall(SYS_sendmsg, socket, message, flags);
    const int error = errno;
    close(descriptor);
    errno = error;
    return sent;
}
