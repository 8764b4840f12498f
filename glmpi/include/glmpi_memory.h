/*
 * glmpi_memory: memory that the CPU and OpenGL share. <pixmpi_memory.h> says what it is, and has the calls for objects
 * that have been made.
 */
#ifndef GLMPI_MEMORY_H
#define GLMPI_MEMORY_H

#include <glmpi.h>
#include <pixmpi_memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes an object of the context that is current: a pointer for the CPU, and a buffer object, for the same bytes, which
 * are zero.
 *
 * bytes: at least 1. pointer: page aligned for kinds with a shadow. buffer: may be null; the name stays the object's,
 * and so do size and storage. The kinds pinned and mapped are persistent mappings (OpenGL 4.4 or ARB_buffer_storage):
 * mapped asks for memory near to the GPU, pinned for the client's. Writes of the CPU need no barrier.
 *
 * Where the program's shaders wrote the buffer, it calls glMemoryBarrier before pixMPI_Shared_to_host, with
 * GL_BUFFER_UPDATE_BARRIER_BIT and GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT.
 *
 * Returns PIXMPI_ERR_ARGUMENT (null pointer, bytes, kind, PIXMPI_SHADOW), PIXMPI_ERR_CONTEXT (no context is current),
 * PIXMPI_ERR_MEMORY, PIXMPI_ERR_DEVICE (no persistent mappings).
 *
 * Source: as vkMPI_Shared_create.
 */
PIXMPI_API int glMPI_Shared_create(size_t bytes, pixMPI_Sharing kind, void **pointer, glMPI_uint *buffer);

#ifdef __cplusplus
}
#endif

#endif
