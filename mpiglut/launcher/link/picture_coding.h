// Pictures for the operator as files: JPEG for those that come and go, PNG for those that are kept.
#pragma once

#include "run/capture.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace mpiglut::launcher {

/// RGB rows from the top. Empty when that fails.
std::string encode_jpeg(std::span<const std::byte> rgb, int columns, int rows);
std::string encode_png(std::span<const std::byte> rgb, int columns, int rows);
/// Nothing when these bytes are not a picture of that size.
std::optional<Picture> decode_png(const std::string &bytes, int columns, int rows);

} // namespace mpiglut::launcher
