// Which device belongs to the context that is current.
#pragma once

#include "device/gl_device.h"

namespace glmpi {

/// Makes it on first use. PIXMPI_ERR_CONTEXT when none is current, or it is too old.
Status current_device(std::shared_ptr<GlDevice> &device);

/// By GlDevice::number, in any thread. PIXMPI_ERR_CONTEXT when it has gone.
Status device_numbered(std::uint64_t number, std::shared_ptr<GlDevice> &device);

/// Frees what is kept for the current context, if anything. PIXMPI_ERR_REQUEST while requests use it.
Status release_current();

} // namespace glmpi
