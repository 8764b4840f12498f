#include "api/copy_call.h"

#include "device/planes.h"
#include "schedule/local_copy.h"

#include <string>

namespace pixmpi {

namespace {

/// The bytes of a pixel: "12"; "4 + 8", where they are in two planes.
std::string pixel_bytes(const std::shared_ptr<Surface> &surface) {
    std::string text;
    for (const auto &plane : planes_of(surface))
        text += (text.empty() ? "" : " + ") + std::to_string(plane->pixel_bytes);
    return text;
}

} // namespace

Status check_alike(const Place &from, const Place &to, const CopyNames &names) {
    if (!are_alike(from.surface, to.surface))
        return fail(PIXMPI_ERR_FORMAT, "%s: its pixels have %s bytes, those of %s %s, expected the same", names.to,
                    pixel_bytes(to.surface).c_str(), names.from, pixel_bytes(from.surface).c_str());
    if (from.region->pixels != to.region->pixels)
        return fail(PIXMPI_ERR_REGION, "%s: %llu pixels, %s has %llu, expected the same", names.to_region,
                    static_cast<unsigned long long>(to.region->pixels), names.from_region,
                    static_cast<unsigned long long>(from.region->pixels));
    return PIXMPI_SUCCESS;
}

Status run_copy(const Form &form, const Place &from, const Place &to, const CopyNames &names) {
    if (const Status error = check_form(form))
        return error;
    if (const Status error = check_alike(from, to, names))
        return error;
    Lock lock;
    Runtime &runtime = pixmpi::runtime();
    if (const Status error = need_library(runtime))
        return error;
    const auto made = std::make_shared<LocalCopy>(from, to, Combination(), LocalCopy::Of::program);
    if (const Status error = launch(runtime, form, made))
        return error;
    if (!form.blocking)
        return PIXMPI_SUCCESS;
    const Status error = finish(runtime, lock, *made);
    if (made->state == State::active) // no call is left that could wait for it
        made->fail_with(error);
    return error;
}

} // namespace pixmpi
