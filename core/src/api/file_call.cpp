#include "api/file_call.h"

#include "base/handles.h"
#include "schedule/file_sync.h"

namespace pixmpi {
namespace {

constexpr int root = 0;
constexpr CopyNames reading{"file", "file_region", "surface", "region"},
    writing{"surface", "region", "file", "file_region"};

/// Both ends of a call that reads or writes.
struct Ends {
    Place surface;
    std::shared_ptr<Device> device; ///< that of files
    std::shared_ptr<OpenFile> file;
    std::shared_ptr<const Grid> grid;
    std::shared_ptr<const Region> file_region;
    std::shared_ptr<Surface> picture(std::shared_ptr<LastByte> last = nullptr) const {
        return std::make_shared<FileSurface>(device, file, grid, std::move(last));
    }
};

Status find_ends(const FileCall &call, const FileHandle &handle, const Use &use, Ends &ends) {
    ends.file = handle.file;
    if (const Status error = need_library(runtime()))
        return error;
    if (const Status error = handle.file->find_grid(call.picture, call.write, ends.grid))
        return error;
    if (const Status error = FileDevice::get(ends.device))
        return error;
    if (const Status error = find_region(call.file_region, ends.grid->extent, ends.file_region, "file_region"))
        return error;
    if (const Status error = find_surface(call.surface, use, ends.surface.surface))
        return error;
    return find_region(call.region, ends.surface.surface->extent, ends.surface.region);
}

/// The next steps come after those of `after`.
Plan::Steps write_picture(Plan &plan, const Ends &ends) {
    constexpr int all_begun = 0, all_written = barrier_labels, last_written = 2 * barrier_labels,
                  all_over = 3 * barrier_labels;
    const std::shared_ptr<OpenFile> file = ends.file;
    const std::shared_ptr<const Grid> grid = ends.grid;
    // A TIFF is whole by its directory, a raw picture by its length.
    const auto last = grid->is_tiff ? nullptr : std::make_shared<LastByte>();
    Plan::Steps at;
    if (plan.rank() == root)
        at = {plan.work([file, grid] { return file->begin_whole(*grid); }, {})};
    at = barrier(plan, std::move(at), all_begun);
    const Plan::Side from = plan.add(ends.surface.surface), to = plan.add_own(ends.picture(last));
    at = {plan.copy(from, ends.surface.region, to, ends.file_region, std::move(at))};
    at = {plan.work(std::make_shared<FileSync>(file, ends.device), std::move(at))};
    at = barrier(plan, std::move(at), all_written);
    if (last)
        at.push_back(plan.work(
            [file, grid, last] {
                return last->held ? file->put(&last->value, 1, grid->end() - 1) : Status{PIXMPI_SUCCESS};
            },
            at));
    at = barrier(plan, std::move(at), last_written);
    const bool ends_it = plan.rank() == root;
    at.push_back(plan.work([file, grid, ends_it] { return file->end_whole(*grid, ends_it); }, at));
    return barrier(plan, std::move(at), all_over);
}

} // namespace

Status find_file(pixMPI_File handle, std::shared_ptr<FileHandle> &file) {
    return find_handle(handle, "file", "PIXMPI_FILE_NULL", "one of pixMPI_File_open", file);
}

int open_file(const char *name, MPI_Comm comm, const char *path, int mode, pixMPI_File *handle) {
    const auto made = std::make_shared<FileHandle>();
    const auto check = [&] {
        return handle && path ? PIXMPI_SUCCESS
                              : fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected %s", handle ? "path" : "file",
                                     handle ? "a file's name" : "a pointer to a file");
    };
    int failed = PIXMPI_SUCCESS;
    if (comm == MPI_COMM_NULL) {
        failed = call_without_lock(name, [&] { // a disk may take its time
            const Status error = check();
            return error ? error : OpenFile::open(path, mode, true, made->file);
        });
    } else {
        made->comm = comm;
        failed = collective(name, blocking(), comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
            if (const Status error = check())
                return error;
            const bool maker = call.rank == root;
            write = [made, maker, mode, where = std::string(path)](Plan &plan) -> Status {
                const auto open = [=] { return OpenFile::open(where, mode, maker, made->file); };
                Plan::Steps at;
                if (maker)
                    at = {plan.work(open, {})};
                at = barrier(plan, std::move(at));
                if (!maker)
                    at.push_back(plan.work(open, at));
                barrier(plan, std::move(at), barrier_labels);
                return PIXMPI_SUCCESS;
            };
            return PIXMPI_SUCCESS;
        });
    }
    if (failed)
        return failed;
    return public_call(name, [&]() -> Status {
        *handle = static_cast<pixMPI_File>(handles_of<FileHandle>().insert(made));
        return PIXMPI_SUCCESS;
    });
}

int close_file(const char *name, pixMPI_File *handle) {
    std::shared_ptr<FileHandle> found;
    const int wrong = public_call(name, [&] {
        return handle ? find_file(*handle, found)
                      : fail(PIXMPI_ERR_ARGUMENT, "file: null, expected a pointer to a file");
    });
    if (wrong)
        return wrong;
    handles_of<FileHandle>().erase(*handle);
    *handle = PIXMPI_FILE_NULL;
    const std::shared_ptr<OpenFile> file = found->file;
    const auto finish = [file] { return file->unfinished() ? file->finish_tiff() : Status{PIXMPI_SUCCESS}; };
    if (found->comm == MPI_COMM_NULL)
        return public_call(name, finish);
    return collective(name, blocking(), found->comm, [&](const CallArguments &, WriteSteps &write) -> Status {
        write = [finish](Plan &plan) -> Status {
            Plan::Steps at = barrier(plan);
            at.push_back(plan.work(finish, at)); // all of them write the same
            barrier(plan, std::move(at), barrier_labels);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

int access_file(const char *name, const Form &form, const FileCall &call) {
    return public_call(name, [&]() -> Status {
        std::shared_ptr<FileHandle> handle;
        if (const Status error = find_file(call.file, handle))
            return error;
        Ends ends;
        if (const Status error = find_ends(call, *handle, {call.write, !call.write, 1, true}, ends))
            return error;
        const Place picture{ends.picture(), ends.file_region};
        return call.write ? run_copy(form, ends.surface, picture, writing)
                          : run_copy(form, picture, ends.surface, reading);
    });
}

int access_file_together(const char *name, const Form &form, const FileCall &call) {
    std::shared_ptr<FileHandle> handle;
    const int wrong = public_call(name, [&]() -> Status {
        if (const Status error = find_file(call.file, handle))
            return error;
        return handle->comm == MPI_COMM_NULL
                   ? fail(PIXMPI_ERR_COMM, "file: opened by this process alone, expected one of a communicator")
                   : PIXMPI_SUCCESS;
    });
    if (wrong)
        return wrong;
    return collective(name, form, handle->comm, [&](const CallArguments &, WriteSteps &write) -> Status {
        Ends ends;
        if (const Status error = find_ends(call, *handle, {call.write, !call.write, 1}, ends))
            return error;
        const Place picture{ends.picture(), ends.file_region};
        if (const Status error =
                call.write ? check_alike(ends.surface, picture, writing) : check_alike(picture, ends.surface, reading))
            return error;
        const bool writes = call.write;
        write = [ends, picture, writes](Plan &plan) -> Status {
            if (writes) {
                write_picture(plan, ends);
                return PIXMPI_SUCCESS;
            }
            const Plan::Side from = plan.add_own(picture.surface), to = plan.add(ends.surface.surface);
            barrier(plan, {plan.copy(from, picture.region, to, ends.surface.region)});
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

} // namespace pixmpi
