// All verbs that make a request, by the shape of their arguments. Blocking verbs are made of them in Python: their
// waiting can be interrupted.
#include "objects.h"

#include <pixmpi_collectives.h>
#include <pixmpi_messages.h>
#include <pixmpi_neighbors.h>
#include <pixmpi_partitioned.h>

namespace {

using Keep = nb::object;
using Regions = std::vector<Region *>;

bool is_persistent(const char *name) { return std::string_view(name).ends_with("_init"); }

/// An array may be read-only: a TypeError, not a crash.
void need_writable(const Surface &surface) {
    if (!surface.writable)
        throw nb::type_error("surface: its memory is read-only, expected one that can be received into");
}

using Message = int (*)(pixMPI_Surface, pixMPI_Region, int, int, MPI_Comm, pixMPI_Request *);
void bind(nb::module_ &module, const char *name, bool receives, Message verb) {
    module.def(name, [=](Surface &surface, Region &region, int rank, int tag, int comm, Keep keep) {
        if (receives)
            need_writable(surface);
        return make_request(is_persistent(name), std::move(keep), [&](pixMPI_Request *request) {
            return verb(surface.value, region.handle, rank, tag, comm_of(comm), request);
        });
    });
}

void bind_messages(nb::module_ &module) {
    bind(module, "isend", false, pixMPI_Isend);
    bind(module, "issend", false, pixMPI_Issend);
    bind(module, "irecv", true, pixMPI_Irecv);
    bind(module, "send_init", false, pixMPI_Send_init);
    bind(module, "ssend_init", false, pixMPI_Ssend_init);
    bind(module, "recv_init", true, pixMPI_Recv_init);
    module.def("isendrecv", [](Surface &out, Region &out_region, int dest, int out_tag, Surface &in, Region &in_region,
                               int source, int in_tag, int comm, Keep keep) {
        need_writable(in);
        return make_request(false, std::move(keep), [&](pixMPI_Request *request) {
            return pixMPI_Isendrecv(out.value, out_region.handle, dest, out_tag, in.value, in_region.handle, source,
                                    in_tag, comm_of(comm), request);
        });
    });
    module.def("isendrecv_replace", [](Surface &surface, Region &region, int dest, int out_tag, int source, int in_tag,
                                       int comm, Keep keep) {
        need_writable(surface);
        return make_request(false, std::move(keep), [&](pixMPI_Request *request) {
            return pixMPI_Isendrecv_replace(surface.value, region.handle, dest, out_tag, source, in_tag, comm_of(comm),
                                            request);
        });
    });
    for (const bool sends : {true, false})
        module.def(sends ? "psend_init" : "precv_init", [=](Surface &surface, const Regions &regions, int rank, int tag,
                                                            int comm, Keep keep) {
            if (!sends)
                need_writable(surface);
            const auto handles = handles_of(regions);
            return make_request(true, std::move(keep), [&](pixMPI_Request *request) {
                return (sends ? pixMPI_Psend_init : pixMPI_Precv_init)(
                    surface.value, static_cast<int>(handles.size()), handles.data(), rank, tag, comm_of(comm), request);
            });
        });
}

void bind_copies(nb::module_ &module) {
    for (const bool persistent : {false, true})
        module.def(persistent ? "copy_init" : "icopy",
                   [=](Surface &from, Region &from_region, Surface &to, Region &to_region, Keep keep) {
                       need_writable(to);
                       return make_request(persistent, std::move(keep), [&](pixMPI_Request *request) {
                           return (persistent ? pixMPI_Copy_init : pixMPI_Icopy)(from.value, from_region.handle,
                                                                                 to.value, to_region.handle, request);
                       });
                   });
}

using Spread = int (*)(pixMPI_Surface, pixMPI_Region, pixMPI_Surface, const pixMPI_Region[], MPI_Comm,
                       pixMPI_Request *);
void bind(nb::module_ &module, const char *name, Spread verb) {
    module.def(name, [=](Surface &out, Region &region, Surface &in, const Regions &regions, int comm, Keep keep) {
        need_writable(in);
        const auto handles = handles_of(regions);
        return make_request(is_persistent(name), std::move(keep), [&](pixMPI_Request *request) {
            return verb(out.value, region.handle, in.value, handles.data(), comm_of(comm), request);
        });
    });
}

using Exchange = int (*)(pixMPI_Surface, const pixMPI_Region[], pixMPI_Surface, const pixMPI_Region[], MPI_Comm,
                         pixMPI_Request *);
void bind(nb::module_ &module, const char *name, Exchange verb) {
    module.def(name, [=](Surface &out, const Regions &from, Surface &in, const Regions &to, int comm, Keep keep) {
        need_writable(in);
        const auto out_regions = handles_of(from), in_regions = handles_of(to);
        return make_request(is_persistent(name), std::move(keep), [&](pixMPI_Request *request) {
            return verb(out.value, out_regions.data(), in.value, in_regions.data(), comm_of(comm), request);
        });
    });
}

using Combination = int (*)(pixMPI_Surface, pixMPI_Region, pixMPI_Surface, pixMPI_Region, pixMPI_Op, MPI_Comm,
                            pixMPI_Request *);
void bind(nb::module_ &module, const char *name, Combination verb) {
    module.def(name, [=](Surface &out, Region &from, Surface &in, Region &to, Op &op, int comm, Keep keep) {
        need_writable(in);
        return make_request(is_persistent(name), std::move(keep), [&](pixMPI_Request *request) {
            return verb(out.value, from.handle, in.value, to.handle, op.handle, comm_of(comm), request);
        });
    });
}

void bind_rooted(nb::module_ &module, bool persistent) {
    const auto name = [=](const char *verb) {
        return persistent ? std::string(verb) + "_init" : "i" + std::string(verb);
    };
    module.def(name("barrier").c_str(), [=](int comm, Keep keep) {
        return make_request(persistent, std::move(keep), [&](pixMPI_Request *request) {
            return (persistent ? pixMPI_Barrier_init : pixMPI_Ibarrier)(comm_of(comm), request);
        });
    });
    module.def(name("bcast").c_str(), [=](Surface &surface, Region &region, int root, int comm, Keep keep) {
        return make_request(persistent, std::move(keep), [&](pixMPI_Request *request) {
            return (persistent ? pixMPI_Bcast_init : pixMPI_Ibcast)(surface.value, region.handle, root, comm_of(comm),
                                                                    request);
        });
    });
    module.def(name("gather").c_str(), [=](Surface &out, Region &region, Surface &in, const Regions &regions, int root,
                                           int comm, Keep keep) {
        const auto handles = handles_of(regions);
        return make_request(persistent, std::move(keep), [&](pixMPI_Request *request) {
            return (persistent ? pixMPI_Gather_init : pixMPI_Igather)(out.value, region.handle, in.value,
                                                                      handles.empty() ? nullptr : handles.data(), root,
                                                                      comm_of(comm), request);
        });
    });
    module.def(name("scatter").c_str(),
               [=](Surface &out, const Regions &regions, Surface &in, Region &region, int root, int comm, Keep keep) {
                   const auto handles = handles_of(regions);
                   return make_request(persistent, std::move(keep), [&](pixMPI_Request *request) {
                       return (persistent ? pixMPI_Scatter_init
                                          : pixMPI_Iscatter)(out.value, handles.empty() ? nullptr : handles.data(),
                                                             in.value, region.handle, root, comm_of(comm), request);
                   });
               });
    module.def(name("reduce").c_str(),
               [=](Surface &out, Region &from, Surface &in, Region &to, Op &op, int root, int comm, Keep keep) {
                   return make_request(persistent, std::move(keep), [&](pixMPI_Request *request) {
                       return (persistent ? pixMPI_Reduce_init : pixMPI_Ireduce)(
                           out.value, from.handle, in.value, to.handle, op.handle, root, comm_of(comm), request);
                   });
               });
    module.def(name("reduce_scatter").c_str(),
               [=](Surface &out, const Regions &regions, Surface &in, Region &to, Op &op, int comm, Keep keep) {
                   need_writable(in);
                   const auto handles = handles_of(regions);
                   return make_request(persistent, std::move(keep), [&](pixMPI_Request *request) {
                       return (persistent ? pixMPI_Reduce_scatter_init : pixMPI_Ireduce_scatter)(
                           out.value, handles.data(), in.value, to.handle, op.handle, comm_of(comm), request);
                   });
               });
}

} // namespace

void bind_verbs(nb::module_ &module) {
    module.def("need_writable", need_writable);
    bind_messages(module);
    bind_copies(module);
    bind_rooted(module, false);
    bind_rooted(module, true);
    bind(module, "iallgather", pixMPI_Iallgather);
    bind(module, "allgather_init", pixMPI_Allgather_init);
    bind(module, "ineighbor_allgather", pixMPI_Ineighbor_allgather);
    bind(module, "neighbor_allgather_init", pixMPI_Neighbor_allgather_init);
    bind(module, "ialltoall", pixMPI_Ialltoall);
    bind(module, "alltoall_init", pixMPI_Alltoall_init);
    bind(module, "ineighbor_alltoall", pixMPI_Ineighbor_alltoall);
    bind(module, "neighbor_alltoall_init", pixMPI_Neighbor_alltoall_init);
    bind(module, "iallreduce", pixMPI_Iallreduce);
    bind(module, "allreduce_init", pixMPI_Allreduce_init);
    bind(module, "iscan", pixMPI_Iscan);
    bind(module, "scan_init", pixMPI_Scan_init);
    bind(module, "iexscan", pixMPI_Iexscan);
    bind(module, "exscan_init", pixMPI_Exscan_init);
}
