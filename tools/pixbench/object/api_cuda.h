// --api cuda: device memory and arrays of CUDA.
#pragma once

#include "object/api.h"

std::unique_ptr<Api> make_cuda_api();
