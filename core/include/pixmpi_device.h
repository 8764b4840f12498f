/*
 * Messages from inside a running compute shader: the part that all APIs share. <vkmpi_device.h> and
 * <glmpi_device.h> make endpoints of Vulkan and OpenGL and run shaders on them; shaders include "pixmpi_device.glsl".
 * docs/reference/device.md is the guide.
 *
 * Words. An endpoint is what lets the shaders of one process take part in the messages of a communicator. It has slots;
 * each workgroup of a run says which slot it is. A window is memory that messages of shaders are about, known by its
 * number in the endpoint. A run is a compute shader that is dispatched, and dispatched again for the workgroups that
 * have to wait, until all of them have come to their PM_END.
 *
 * Ranks. All slots of all endpoints of a communicator are ranks, from 0 on in the order of the processes. Behind them
 * come the processes themselves: process p is rank slots + p. Shaders use these numbers. The host uses them with the
 * endpoint's communicator and the ordinary verbs: pixMPI_Send(picture, PIXMPI_WHOLE, slot, tag, space).
 *
 * Answers. What shaders put, get and signal needs something of the other process. It is done in calls of the library
 * that wait or test; and by a thread of the library while the program is elsewhere, also inside MPI. The thread answers
 * processes of the same host at every thread level of MPI, others with MPI_THREAD_MULTIPLE; not where a window needs a
 * graphics context. The guide has a table. All else (messages of two sides, collectives, runs) goes on in calls of the
 * library.
 */
#ifndef PIXMPI_DEVICE_H
#define PIXMPI_DEVICE_H

#include <pixmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An endpoint; vkMPI_Endpoint_create or glMPI_Endpoint_create makes it. */
typedef struct pixMPI_Endpoint_tag *pixMPI_Endpoint;
#define PIXMPI_ENDPOINT_NULL ((pixMPI_Endpoint)0)

/** How a shader waits. The shader is the same; the modes differ in what it may look at, and for how long. */
typedef enum pixMPI_Device_mode PIXMPI_ENUM {
    PIXMPI_MODE_AUTOMATIC = 0, /* RUNNING on GPUs if that works, otherwise SUSPENDING. */
    PIXMPI_MODE_SUSPENDING,    /* a wait looks once; the host reads calls while the dispatch runs. */
    PIXMPI_MODE_RUNNING,       /* a wait looks `budget` times, for what the host writes meanwhile. It becomes SUSPENDING
                                  if a trial shows that a dispatch does not see that. It also does if processes share a
                                  GPU: they use it alternately. */
    PIXMPI_MODE_TIMELINE       /* a wait looks once; the host touches the memory that it shares with the shader between
                                  dispatches only. The specifications promise no more. */
} pixMPI_Device_mode;

enum { PIXMPI_MAX_WINDOWS = 16, PIXMPI_MAX_CALLS = 32 };

/** Properties of an endpoint; a field of 0 gets the value in brackets. Each process may choose its own, except for
 *  `signals` and `data_words`, which must be the same. */
typedef struct pixMPI_Endpoint_info {
    size_t struct_size; /* set by PIXMPI_ENDPOINT_INFO_INIT. */
    int slots;               /* of this process [1]. */
    int max_groups;          /* workgroups that a run may have [64]. */
    int state_words;         /* words of 4 bytes that are kept of a workgroup while it is suspended: 8 + PM_KEEP_WORDS +
                                invocations of the workgroup * PM_OWN_WORDS, at least [1024]. */
    int data_words;          /* maximum of words of a call on pm_data, 1 to 8192 [64]. */
    int signals;             /* of each slot, 1 to 65536 [16]. */
    int ring_entries;        /* calls of a ring that the host has not read yet, a power of two up to 1024 [16]. */
    int calls;               /* calls of a workgroup that are under way at once, up to PIXMPI_MAX_CALLS [16]. */
    pixMPI_Device_mode mode; /* PIXMPI_DEVICE_MODE in the environment (suspending, running, timeline) comes first. */
    int budget;              /* how often a wait looks again in the mode running [2000]. */
    int max_turns; /* of loops in one dispatch, the calls' and the PM_GOTOs'; a workgroup that has used them up is
                       dispatched again. Some drivers end an invocation at 65,536 without saying so, and a turn has
                       several of their iterations [4096; 131072 in the mode running on GPUs, which do not]. */
    double timeout;   /* seconds without any progress until a run fails; negative: never [30]. 60 or more until
                         the first dispatch has shown something, since the driver may be compiling. Other processes
                         of the host wait for that. */
    int shared_rings; /* so many rings for all workgroups; workgroup w has number w % shared_rings, up to 65536. They
                         take less memory and time of the host if few of many workgroups make calls at a time. A
                         workgroup's calls keep their order. [0: a ring for each workgroup]. */
} pixMPI_Endpoint_info;
#define PIXMPI_ENDPOINT_INFO_INIT {sizeof(pixMPI_Endpoint_info), 0, 0, 0, 0, 0, 0, 0, PIXMPI_MODE_AUTOMATIC, 0, 0, 0, 0}

/**
 * The communicator of an endpoint's ranks: for the ordinary verbs (Send, Recv, their nonblocking and persistent forms,
 * Probe) of host ranks, between these and slots. It has no collectives. It stays the endpoint's and must not be freed.
 *
 * space: receives the communicator. slots: the number of all slots, which is the rank of process 0; may be null.
 * first: the rank of this process' first slot; may be null. PIXMPI_ERR_ARGUMENT: no endpoint, null `space`.
 */
PIXMPI_API int pixMPI_Endpoint_comm(pixMPI_Endpoint endpoint, MPI_Comm *space, int *slots, int *first);

/** The mode that was chosen. PIXMPI_ERR_ARGUMENT: no endpoint, null `mode`. */
PIXMPI_API int pixMPI_Endpoint_mode(pixMPI_Endpoint endpoint, pixMPI_Device_mode *mode);

/** Counts of an endpoint since it was made. */
typedef struct pixMPI_Endpoint_stats {
    size_t struct_size; /* set by PIXMPI_ENDPOINT_STATS_INIT. */
    uint64_t dispatches, suspensions; /* suspensions: workgroups that had to wait. */
    uint64_t calls;                   /* of shaders, of all kinds. */
    uint64_t served; /* puts, gets and signals of other slots in this process' memory; of copies that a GPU of another
                        process made by itself, the signal behind them. */
} pixMPI_Endpoint_stats;
#define PIXMPI_ENDPOINT_STATS_INIT {sizeof(pixMPI_Endpoint_stats), 0, 0, 0, 0}
PIXMPI_API int pixMPI_Endpoint_get_stats(pixMPI_Endpoint endpoint, pixMPI_Endpoint_stats *stats);

/**
 * Frees an endpoint and sets the handle to PIXMPI_ENDPOINT_NULL. Collective over the communicator that it was made
 * from. Messages of the endpoint's communicator that have not been received are lost. The endpoint's windows stay the
 * program's.
 *
 * PIXMPI_ERR_REQUEST while a run is under way, or a persistent one has not been freed; PIXMPI_ERR_ARGUMENT.
 */
PIXMPI_API int pixMPI_Endpoint_free(pixMPI_Endpoint *endpoint);

#ifdef __cplusplus
}
#endif

#endif
