// The verbs that an API has under its own name because its surfaces are pixMPI_Surface: each says its name for errors, and
// calls the verb of all surfaces.
#pragma once

#include "base/status.h"

#include <pixmpi_messages.h>

// PIXMPI_FORWARD(PREFIX, VERB, (parameters), (arguments))
#define PIXMPI_FORWARD(prefix, verb, parameters, arguments)                                                            \
    int prefix##verb parameters {                                                                                      \
        pixmpi::pixMPI_Internal_next_call(#prefix #verb);                                                              \
        return pixMPI_##verb arguments;                                                                                \
    }

// PIXMPI_VERBS_OF_API(glMPI_) defines glMPI_Send and its kin.
#define PIXMPI_VERBS_OF_API(prefix)                                                                                    \
    PIXMPI_FORWARD(prefix, Send,                                                                                       \
                   (pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm),                   \
                   (surface, region, dest, tag, comm))                                                                 \
    PIXMPI_FORWARD(prefix, Recv,                                                                                       \
                   (pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,                  \
                    MPI_Status *status),                                                                               \
                   (surface, region, source, tag, comm, status))                                                       \
    PIXMPI_FORWARD(prefix, Isend,                                                                                      \
                   (pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,                    \
                    pixMPI_Request *request),                                                                          \
                   (surface, region, dest, tag, comm, request))                                                        \
    PIXMPI_FORWARD(prefix, Irecv,                                                                                      \
                   (pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,                  \
                    pixMPI_Request *request),                                                                          \
                   (surface, region, source, tag, comm, request))                                                      \
    PIXMPI_FORWARD(prefix, Sendrecv,                                                                                   \
                   (pixMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,                       \
                    pixMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag, MPI_Comm comm,      \
                    MPI_Status *status),                                                                               \
                   (sendsurface, sendregion, dest, sendtag, recvsurface, recvregion, source, recvtag, comm, status))   \
    PIXMPI_FORWARD(prefix, Sendrecv_replace,                                                                           \
                   (pixMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source, int recvtag,      \
                    MPI_Comm comm, MPI_Status *status),                                                                \
                   (surface, region, dest, sendtag, source, recvtag, comm, status))                                    \
    PIXMPI_FORWARD(prefix, Send_init,                                                                                  \
                   (pixMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,                    \
                    pixMPI_Request *request),                                                                          \
                   (surface, region, dest, tag, comm, request))                                                        \
    PIXMPI_FORWARD(prefix, Recv_init,                                                                                  \
                   (pixMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,                  \
                    pixMPI_Request *request),                                                                          \
                   (surface, region, source, tag, comm, request))
