// Memory that the CPU and a device share: which object a pointer belongs to, and what verbs do with the pointer.
#pragma once

#include "api/core.h"
#include "pixmpi_memory.h"

namespace pixmpi {

/// Whether it is a pointer into an object. If so, makes `surface` from that object.
bool make_shared_surface(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface, Status &error);

/// See Core::choose_sharing().
Status choose_sharing(pixMPI_Sharing kind, bool one_memory, bool imports, SharingChoice &choice);
/// See Core::share().
Status share(std::unique_ptr<SharedBacking> backing, std::size_t bytes, const SharingChoice &choice, void **pointer);

} // namespace pixmpi
