/*
 * The part of IceT's interface that knows MPI: communicators are made from MPI's. <IceTMPI.h> includes this header.
 *
 * The MPI is the one that the library was built with. A program with another MPI does not run on it.
 */
#ifndef ICET_PIXMPI_MPI_H
#define ICET_PIXMPI_MPI_H

#include "icet_pixmpi.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a communicator for icetCreateContext. It duplicates `mpi_comm`, so all ranks of `mpi_comm` call it. Returns
 *  ICET_COMM_NULL when MPI does not run, or when `mpi_comm` is MPI_COMM_NULL. */
ICET_EXPORT IceTCommunicator icetCreateMPICommunicator(MPI_Comm mpi_comm);

/** Destroys a communicator. All its ranks call this. Contexts that were made of it remain valid. */
ICET_EXPORT void icetDestroyMPICommunicator(IceTCommunicator comm);

#ifdef __cplusplus
}
#endif

#endif
