#include "api/copy_call.h"

#include "request/local_copy.h"

namespace pixmpi {

Status check_alike(const Place &from, const Place &to, const CopyNames &names) {
    if (from.surface->pixel_bytes != to.surface->pixel_bytes || from.surface->has_depth() != to.surface->has_depth())
        return fail(PIXMPI_ERR_FORMAT, "%s: its pixels have %d bytes%s, those of %s %d%s, expected the same", names.to,
                    to.surface->pixel_bytes, to.surface->has_depth() ? " with depth" : "", names.from,
                    from.surface->pixel_bytes, from.surface->has_depth() ? " with depth" : "");
    if (from.region->pixels != to.region->pixels)
        return fail(PIXMPI_ERR_REGION, "%s: %llu pixels, %s has %llu, expected as many", names.to_region,
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
    if (made->state == State::active) // nobody is left to wait for it
        made->abandon(error);
    return error;
}

} // namespace pixmpi
