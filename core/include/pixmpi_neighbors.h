/*
 * Collectives between neighbours: each rank exchanges pixels with its neighbours in the topology of the communicator.
 * A grid of ranks exchanges its borders by one call, once the communicator is one of MPI_Cart_create:
 *
 *     MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);                   // once
 *     pixMPI_Comm_attach(grid, NULL);
 *     pixMPI_Region inner[4], border[4];                       // left, right, below, above: committed rectangles
 *     pixMPI_Neighbor_alltoall_init(field, inner, field, border, grid, &exchange);
 *
 *     pixMPI_Start(&exchange);                                                       // in each step
 *     pixMPI_Wait(&exchange, MPI_STATUS_IGNORE);
 *
 * Neighbours, and their order, are MPI's.
 *   MPI_Cart_create   2 d and 2 d + 1 are the neighbours in dimension d: the lower one, then the upper one, as
 *                     MPI_Cart_shift by 1 names them. Beyond a border that is not periodic it is MPI_PROC_NULL. Its
 *                     region is not looked at and may be PIXMPI_REGION_NULL.
 *   MPI_Graph_create  Those of MPI_Graph_neighbors, for both sides. All ranks have to see the same edges.
 *   MPI_Dist_graph_create, MPI_Dist_graph_create_adjacent
 *                     Those of MPI_Dist_graph_neighbors: the destinations for what is sent, the sources for what is
 *                     received.
 *
 * A rank may be its own neighbour, and may be a neighbour several times. Where a dimension of MPI_Cart_create is
 * periodic with one or two ranks, both neighbours are the same rank: what goes to the lower one arrives as what comes
 * from the upper one there. In a graph the k-th edge from rank a to rank b is the k-th edge to b in a's list and the
 * k-th edge from a in b's.
 *
 * Regions. An array has a region for each neighbour of its side, in the order above: `recvregions` by source,
 * `sendregions` by destination. A side without neighbours is not looked at. Neighbours may have different numbers of
 * pixels.
 * There is no pixMPI_In_place(). Sides may be of one surface if no pixel is sent and received.
 *
 * All ranks of the communicator call it, also those without neighbours. What <pixmpi_collectives.h> says of forms,
 * order, errors and Vulkan also holds here. Further return codes: PIXMPI_ERR_COMM, for a communicator without a
 * topology.
 *
 * Source: MPI 4.1, sections 8.6 and 8.7.
 */
#ifndef PIXMPI_NEIGHBORS_H
#define PIXMPI_NEIGHBORS_H

#include <pixmpi_collectives.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Each rank's pixels to all its destinations: `sendregion` to each, and into recvregions[i] what source i sends. */
PIXMPI_API int pixMPI_Neighbor_allgather(pixMPI_Surface sendsurface, pixMPI_Region sendregion,
                                         pixMPI_Surface recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm);
PIXMPI_API int pixMPI_Ineighbor_allgather(pixMPI_Surface sendsurface, pixMPI_Region sendregion,
                                          pixMPI_Surface recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm,
                                          pixMPI_Request *request);
PIXMPI_API int pixMPI_Neighbor_allgather_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion,
                                              pixMPI_Surface recvsurface, const pixMPI_Region recvregions[],
                                              MPI_Comm comm, pixMPI_Request *request);

/** Pixels for each destination: sendregions[i] to destination i, and into recvregions[i] what source i sends. */
PIXMPI_API int pixMPI_Neighbor_alltoall(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                                        pixMPI_Surface recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm);
PIXMPI_API int pixMPI_Ineighbor_alltoall(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                                         pixMPI_Surface recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm,
                                         pixMPI_Request *request);
PIXMPI_API int pixMPI_Neighbor_alltoall_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                                             pixMPI_Surface recvsurface, const pixMPI_Region recvregions[],
                                             MPI_Comm comm, pixMPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif
