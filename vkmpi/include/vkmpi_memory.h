/*
 * vkmpi_memory: memory that the CPU and a Vulkan device share. <pixmpi_memory.h> says what it is, and has the calls for
 * objects that have been made.
 */
#ifndef VKMPI_MEMORY_H
#define VKMPI_MEMORY_H

#include <pixmpi_memory.h>
#include <vkmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes an object: a pointer for the CPU, and a buffer of the context's device, for the same bytes, which are zero.
 *
 * bytes: at least 1. usage: what the program uses the buffer for; copies and storage are always allowed. The buffer is
 * of exclusive sharing and belongs to the context's queue family. pointer: page aligned for kinds with a shadow.
 * buffer: may be null; it stays the object's, as does the memory that is bound to it.
 *
 * A context that has a lock: a thread that holds the lock must not touch memory with a shadow, since the fetch takes
 * the lock. If it does, it waits for 10 seconds and sees old bytes; the next pixMPI_Shared_to_device returns
 * PIXMPI_ERR_TIMEOUT.
 *
 * Returns PIXMPI_ERR_ARGUMENT (null pointers, bytes, kind, a usage that needs more than a buffer: device addresses;
 * PIXMPI_SHADOW), PIXMPI_ERR_CONTEXT, PIXMPI_ERR_MEMORY, PIXMPI_ERR_DEVICE (kind coherent, and the device does not
 * import host memory: VK_EXT_external_memory_host).
 *
 * Source: one pointer for host and device, and the protection of pages behind it, are those of GMAC (Gelado et al.,
 * ASPLOS 2010).
 */
PIXMPI_API int vkMPI_Shared_create(vkMPI_Context context, size_t bytes, VkBufferUsageFlags usage, pixMPI_Sharing kind,
                           void **pointer, VkBuffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
