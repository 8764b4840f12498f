/*
 * pixmpi_memory: memory that the CPU and a GPU share. vkMPI_Shared_create (<vkmpi_memory.h>) and glMPI_Shared_create
 * (<glmpi_memory.h>) make an object: a pointer for the CPU, and a buffer of the graphics API for the same bytes. All
 * verbs accept the pointer like any host memory, also one into the middle of an object. They move the data from
 * where it is newest, by the GPU where there is one.
 *
 *     float *heights;
 *     VkBuffer buffer;
 *     vkMPI_Shared_create(context, bytes, 0, PIXMPI_SHARED_AUTO, (void **)&heights, &buffer);
 *     heights[17] = 4.0f;                                         // the CPU has the object
 *     pixMPI_Shared_to_device(heights, PIXMPI_READ | PIXMPI_WRITE);
 *     ... submit shaders that use `buffer` ...
 *     pixMPI_Shared_to_host(heights);                             // the CPU has it again
 *     printf("%f\n", heights[17]);
 *     pixMPI_Send(pixMPI_Memory(heights, PIXMPI_R32F, 1024, 1024), PIXMPI_WHOLE, 1, tag, comm);
 *     pixMPI_Shared_free(heights);
 *
 * The kinds.
 * PINNED: host memory that the device reads and writes over the bus.
 * MAPPED: memory of the device that the CPU writes through the bus, where there is room; reading it is slow.
 * COHERENT: memory of the device, and a shadow of it in host memory. The library protects the shadow's pages, in blocks
 * of 64 KiB or more, so that it learns which of them the CPU touches. A block is fetched from the device when the CPU
 * first touches it; a block that the CPU has changed is written back when the device is given the object. Touches in
 * sequence take more and more blocks at once. A block that the CPU changes each time stays unprotected for up to 16
 * times, and is copied each time.
 * On drivers that draw with the CPU all three are the same memory, and nothing is copied. PIXMPI_SHADOW in the
 * environment, set to userfaultfd or signal, gives coherent objects a shadow there as well.
 *
 * Faults. Where the system allows it (vm.unprivileged_userfaultfd, CAP_SYS_PTRACE or /dev/userfaultfd), the library
 * gets touches from userfaultfd: no signal is involved, and system calls may read and write the memory as any other.
 * Elsewhere the library has a handler for SIGSEGV. It hands all faults that are not its own to the handler that was
 * there before. A handler that the program installs later replaces the library's. The next call of the library on
 * shared memory, or of pixMPI_Progress, puts the library's handler in front again. If your program touches shared
 * memory before that, call pixMPI_Shared_fault first in its handler. With signals a system call on a protected page
 * fails with EFAULT, so call pixMPI_Shared_touch before read(), MPI_Recv and similar calls. PIXMPI_SHADOW chooses one
 * of both; pixMPI_Shared_get_info tells which it is.
 *
 * Threads. Any thread touches the memory. Bytes of Vulkan's are fetched on the queue of the object's context: at once
 * when the touching thread is the context's, or the context has a lock. Otherwise the touching thread waits until the
 * context's thread is in a call of the library. pixMPI_Shared_to_host fetches all bytes that OpenGL may have written.
 * With software drivers, and with PIXMPI_GL_FETCH=touch, a context of the library that shares the program's objects
 * fetches them at once, if EGL made the program's context. On a GPU such a program must call pixMPI_Shared_touch before
 * it gives OpenGL a pointer into such an object: otherwise the driver would wait for itself.
 *
 * Messages. A verb that is given such a pointer works on the device's copy where its thread may use the context. From
 * its start to its completion do not touch the blocks that contain the region. Pixels with rows upside down (row_bytes
 * below 0) and other threads' contexts are served from the host's memory for the kinds pinned and mapped, and are
 * errors for objects with a shadow.
 *
 * fork(). A child has no shadow: its touches are ordinary faults. The parent's shadow continues. Memory of drivers is
 * in a child what the driver makes of it.
 */
#ifndef PIXMPI_MEMORY_H
#define PIXMPI_MEMORY_H

#include <pixmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The kind of an object. AUTO: on drivers that draw with the CPU the one memory; otherwise coherent, or pinned if the
 *  device cannot import host memory. */
typedef enum pixMPI_Sharing PIXMPI_ENUM {
    PIXMPI_SHARED_AUTO = 0,
    PIXMPI_SHARED_PINNED,
    PIXMPI_SHARED_MAPPED,
    PIXMPI_SHARED_COHERENT
} pixMPI_Sharing;

enum { PIXMPI_READ = 1, PIXMPI_WRITE = 2 };

/** The properties of an object, and the work for it so far. */
typedef struct pixMPI_Shared_info {
    size_t struct_size; /* set by PIXMPI_SHARED_INFO_INIT. */
    void *pointer; /* to its first byte. */
    size_t bytes;
    pixMPI_Sharing kind;    /* never AUTO. */
    const char *faults;     /* "userfaultfd", "signal"; "none": it has no shadow. A constant. */
    size_t block_bytes;     /* what is fetched and written back at least; 0 without a shadow. */
    uint64_t fault_count;   /* touches that the library has answered. */
    uint64_t bytes_fetched; /* from the device to the shadow. */
    uint64_t bytes_written; /* from the shadow to the device. */
} pixMPI_Shared_info;
#define PIXMPI_SHARED_INFO_INIT {sizeof(pixMPI_Shared_info), 0, 0, PIXMPI_SHARED_AUTO, 0, 0, 0, 0, 0}

/** Gives an object to the device: what the CPU has written is in the buffer for what is submitted to the context's
 *  queue (given to the OpenGL context) afterwards. The call waits until it is there. Until pixMPI_Shared_to_host the
 *  CPU must leave the object alone.
 *
 *  pointer: to any byte of the object. access: PIXMPI_READ, PIXMPI_WRITE or both: what the device will do with the
 *  object. After PIXMPI_READ alone the shadow stays right, and nothing is fetched again.
 *
 *  Called where the object's context may be used (PIXMPI_ERR_CONTEXT). Returns PIXMPI_ERR_ARGUMENT (no object there;
 *  the device has it already), PIXMPI_ERR_DEVICE. */
PIXMPI_API int pixMPI_Shared_to_device(void *pointer, int access);

/** Gives it back to the CPU, which sees what was submitted to the context's queue (given to the OpenGL context) before.
 *  Work on other queues has to be over. Codes as above; PIXMPI_ERR_ARGUMENT when the device does not have it. */
PIXMPI_API int pixMPI_Shared_to_host(void *pointer);

/** Frees an object, in a thread that may use its context. Nobody uses memory or buffer any more: what was submitted
 *  has to be over. PIXMPI_ERR_ARGUMENT for what is no pointer to the first byte of an object; PIXMPI_ERR_REQUEST while
 *  messages use it. */
PIXMPI_API int pixMPI_Shared_free(void *pointer);

/** Makes bytes ready to be read, or read and written (`access`), as if the CPU had touched each page. Memory that is no
 *  object is none of its business: the call does nothing then. With userfaultfd it is never needed, and saves faults.
 *  PIXMPI_ERR_CONTEXT where bytes have to be fetched and the thread may not use the context. */
PIXMPI_API int pixMPI_Shared_touch(void *pointer, size_t bytes, int access);

/** Describes the object that a pointer points into. PIXMPI_ERR_ARGUMENT when it points to none. */
PIXMPI_API int pixMPI_Shared_get_info(const void *pointer, pixMPI_Shared_info *info);

/** For handlers of SIGSEGV that were installed after the first object: `address` is si_addr. Returns 1 when it was a
 *  touch of shared memory, which is answered now, so that the handler returns; otherwise 0. Safe in signal handlers. */
PIXMPI_API int pixMPI_Shared_fault(void *address);

#ifdef __cplusplus
}
#endif

#endif
