#include "combine/operation.h"

#include "base/format.h"

namespace pixmpi {
namespace {

bool has_alpha(const FormatInfo &info) { return info.channels == 4; }

/// What the operation expects of a format; null: this one is right.
const char *missing(Operation operation, pixMPI_Format format, pixMPI_Format depth_format) {
    const bool with_depth = depth_format != PIXMPI_FORMAT_NONE;
    if (with_depth != (operation == Operation::nearest))
        return with_depth ? "NEAREST of pixels with depth" : "pixels with depth (pixMPI_With_depth)";
    const FormatInfo &info = format_info(format);
    const Numbers n = info.numbers;
    const bool depth = n == Numbers::depth, real = n == Numbers::sfloat;
    if (n == Numbers::depth_stencil && !with_depth && operation != Operation::user)
        return "a format with one kind of number";
    switch (operation) {
    case Operation::replace:
    case Operation::nearest:
    case Operation::user:
    case Operation::min:
    case Operation::max:
        return nullptr;
    case Operation::sum:
    case Operation::prod:
        return depth ? "a format that is no depth" : nullptr;
    case Operation::band:
    case Operation::bor:
    case Operation::bxor:
        return depth || real ? "a format of integers" : nullptr;
    case Operation::over:
    case Operation::over_straight:
        return has_alpha(info) && (n == Numbers::unorm || n == Numbers::srgb || real)
                   ? nullptr
                   : "a format with alpha that is unorm, sRGB or float";
    }
    return "an operation";
}

} // namespace

const char *operation_name(Operation operation) {
    constexpr const char *names[] = {"REPLACE", "SUM",  "PROD", "MIN",           "MAX",    "BAND",
                                     "BOR",     "BXOR", "OVER", "OVER_STRAIGHT", "NEAREST", "USER"};
    return names[static_cast<int>(operation)];
}

bool can_combine(Operation operation, pixMPI_Format format, pixMPI_Format depth) {
    return operation == Operation::replace || (format_info(format).bytes > 0 && !missing(operation, format, depth));
}

Status check_operation(Operation operation, pixMPI_Format format, pixMPI_Format depth) {
    if (operation == Operation::replace)
        return PIXMPI_SUCCESS;
    if (format_info(format).bytes == 0)
        return fail(PIXMPI_ERR_FORMAT, "operation: %s of the format %d, expected a pixMPI_Format",
                    operation_name(operation), static_cast<int>(format));
    if (const char *expected = missing(operation, format, depth))
        return fail(PIXMPI_ERR_FORMAT, "operation: %s has no meaning for %s, expected %s", operation_name(operation),
                    format_info(format).name, expected);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
