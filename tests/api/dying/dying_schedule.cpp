// What dies is a rank in the middle of a schedule: a picture goes down the chain of ranks in parts, and up again.
#include "dying/dying.h"

#include "host/host_device.h"
#include "request/request_list.h"
#include "schedule/schedule.h"

#include <vector>

namespace {

using namespace pixmpi;

class Chain final : public dying::Together {
  public:
    Chain() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }
    int replace(int, int) override {
        std::shared_ptr<Schedule> schedule;
        void *handle = nullptr;
        {
            const Lock lock;
            Runtime &runtime = pixmpi::runtime();
            if (const Status error = Schedule::make(MPI_COMM_WORLD, {}, schedule))
                return error;
            for (int part = 0; part < parts; ++part)
                if (const Status error = add(*schedule, part))
                    return error;
            handle = runtime.requests.insert(schedule);
            if (const Status error = start(runtime, schedule))
                return error;
        }
        auto request = static_cast<pixMPI_Request>(handle);
        return pixMPI_Wait(&request, MPI_STATUS_IGNORE);
    }

  private:
    static constexpr int parts = 8;

    Status end(int part, Schedule::End &end) {
        if (const Status error = make_host_surface(
                pixMPI_Memory(pixels_.data(), PIXMPI_R8, dying::width, dying::height), end.surface))
            return error;
        pixMPI_Region handle;
        const int rows = dying::height / parts;
        if (const Status error = pixMPI_Region_rect(0, part * rows, dying::width, rows, &handle))
            return error;
        Status error = pixMPI_Region_commit(&handle);
        error = error ? error : find_region(handle, end.surface->extent, end.region);
        pixMPI_Region_free(&handle);
        return error;
    }

    Status add(Schedule &schedule, int part) {
        Schedule::End pixels;
        if (const Status error = end(part, pixels))
            return error;
        Schedule::Steps last;
        if (rank_ > 0)
            last = {schedule.recv(pixels, rank_ - 1, part)};
        if (rank_ + 1 < size_) {
            last = {schedule.send(pixels, rank_ + 1, part, last)};
            last = {schedule.recv(pixels, rank_ + 1, parts + part, last)};
        }
        if (rank_ > 0)
            schedule.send(pixels, rank_ - 1, parts + part, last);
        return PIXMPI_SUCCESS;
    }

    int rank_ = 0, size_ = 1;
    std::vector<unsigned char> pixels_ = std::vector<unsigned char>(std::size_t{dying::width} * dying::height);
};

} // namespace

std::unique_ptr<dying::Ends> dying::make_ends(int) { return std::make_unique<Chain>(); }
