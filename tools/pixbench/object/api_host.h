// --api host: pixels in host memory.
#pragma once

#include "object/api.h"

std::unique_ptr<Api> make_host_api();
