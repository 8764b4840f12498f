// How two pixels become one.
//
// An operation combines channel by channel, `over` apart. Its result is the same bits on the host and on every device,
// except where numbers are 32-bit floats: see there.
//
//   unorm, snorm   SUM is exact and stops at the ends of the range. PROD is exact and rounded to the nearest value. The
//                  least bit pattern of an snorm channel means -1, as the second least does, and counts as that one.
//   sRGB           SUM and PROD are those of the light, in 16 bits; alpha is unorm.
//   uint, sint     SUM and PROD wrap around (two's complement). So do stencils.
//   float          SUM and PROD are IEEE 754's, rounded to nearest even; 16, 11 and 10 bits are computed in single
//                  precision and rounded once. A NaN becomes the positive quiet NaN without payload. Devices may take
//                  subnormal 32-bit numbers for zero.
//   MIN, MAX       -0 is less than +0. Of a NaN and a number the number wins; two NaNs give a NaN, as above.
//   depth          MIN and MAX only. Bits of a word that mean nothing become zero.
//   BAND BOR BXOR  The pixel's bits, whatever they mean; not for floats and depths.
//   OVER           The first pixel over the second one, for formats with an alpha that are unorm, sRGB or float.
//   Colours
//                  are multiplied by alpha: c = c1 + c2 (1 - a1), and a likewise. With `over_straight` they are not:
//                  a = a1 + a2 (1 - a1), c = (c1 a1 + c2 a2 (1 - a1)) / a, or all 0 where a is. Integers are exact and
//                  rounded to the nearest value, halves upwards; premultiplied ones stop at the end of the range.
//                  Floats are computed as written, each step rounded; devices' divisions may differ in the last two
//                  bits, and where an alpha is infinite or no number.
//   NEAREST        Of two pixels with depth the one with the smaller depth, both planes of it; the first one where
//                  depths are equal. -0 is less than +0; NaNs are equal, and greater than all numbers. The bits stay as
//                  they are, and so does a stencil next to the depth.
//   USER           What a program's functions make of whole pixels (user_operation.h), of any format, without a depth
//                  surface.
//
// All but OVER, NEAREST and USER give the same in either order of their operands.
#pragma once

#include "base/status.h"

#include <memory>

namespace pixmpi {

class UserOperation;

enum class Operation { replace, sum, prod, min, max, band, bor, bxor, over, over_straight, nearest, user };

/// Which operand stands first.
enum class Order {
    incoming_first, ///< incoming OVER present
    present_first   ///< present OVER incoming
};

/// What an unpack does with the pixels that are there.
struct Combination {
    Operation operation = Operation::replace;
    Order order = Order::incoming_first;
    std::shared_ptr<const UserOperation> user{}; ///< for Operation::user
    bool operator==(const Combination &) const = default;
};

/// "SUM", "OVER", ...
const char *operation_name(Operation operation);

/// Whether pixels of the format can be combined so; `replace` serves all. `depth`: of a second plane, or none.
bool can_combine(Operation operation, pixMPI_Format format, pixMPI_Format depth = PIXMPI_FORMAT_NONE);
/// PIXMPI_ERR_FORMAT where they cannot.
Status check_operation(Operation operation, pixMPI_Format format, pixMPI_Format depth = PIXMPI_FORMAT_NONE);

} // namespace pixmpi
