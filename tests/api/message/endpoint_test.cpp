// Runs of a shader that is none: the test writes what shaders write, and decides how long a dispatch takes.
#include "rig/cases.h"

#include "endpoint/run.h"
#include "endpoint/service.h"
#include "host/host_device.h"

using namespace api;

namespace {

/// Of one workgroup for each process.
class Memory final : public pixmpi::EndpointMemory {
  public:
    Memory(std::size_t in_words, std::size_t out_words) : in_(in_words), out_(out_words) {
        in = in_;
        out = out_;
        on_host_cores = true;
    }

  private:
    std::vector<std::uint32_t> in_, out_;
};

class Parts final : public pixmpi::EndpointParts {
  public:
    pixmpi::Status make_memory(std::size_t in, std::size_t out, std::size_t,
                               std::shared_ptr<pixmpi::EndpointMemory> &memory) override {
        memory = std::make_shared<Memory>(in, out);
        return PIXMPI_SUCCESS;
    }
};

/// Its first dispatch takes `seconds`, as if a driver compiled it. Then process 0 tells process 1, which waits for it.
class SlowKernel final : public pixmpi::Kernel {
  public:
    SlowKernel(pixmpi::Endpoint &endpoint, double seconds) : endpoint_(endpoint), seconds_(seconds) {}
    const std::shared_ptr<pixmpi::Device> &device() const override { return device_; }
    pixmpi::Status dispatch(std::uint32_t) override {
        ++dispatches_;
        since_ = Clock::now();
        return PIXMPI_SUCCESS;
    }
    pixmpi::Status poll(bool &over) override {
        over = dispatches_ > 1 || std::chrono::duration<double>(Clock::now() - since_).count() >= seconds_;
        if (over && rank == 0)
            tell();
        if (over)
            report(rank == 0 || dispatches_ > 1 ? PM_LEFT_DONE : PM_LEFT_WAITING);
        return PIXMPI_SUCCESS;
    }

  private:
    using Clock = std::chrono::steady_clock;
    void tell() {
        const auto entry = endpoint_.memory->out.subspan(endpoint_.layout.entry(0, 0));
        entry[PM_ENTRY_OP] = PM_OP_SIGNAL | PM_NO_CALL << 16;
        entry[PM_ENTRY_PEER] = 1;
        entry[PM_ENTRY_ARGUMENT + 3] = PM_SIGNAL_ADD;
        entry[PM_ENTRY_ARGUMENT + 4] = 1;
        entry[PM_ENTRY_SEQUENCE] = 1;
    }
    void report(std::uint32_t status) {
        const auto words = endpoint_.memory->out.subspan(endpoint_.layout.report(0));
        words[PM_REPORT_WAIT] = PM_WAIT_SIGNAL;
        words[PM_REPORT_COMPARE] = PM_GE;
        words[PM_REPORT_VALUE] = 1;
        words[PM_REPORT_STATUS] = status;
    }

    pixmpi::Endpoint &endpoint_;
    const std::shared_ptr<pixmpi::Device> device_ = pixmpi::host_device();
    const double seconds_;
    int dispatches_ = 0;
    Clock::time_point since_;
};

} // namespace

RANK_CASE(endpoints, compilation_does_not_count, 2) {
    constexpr double timeout = 1.5, compilation = 4;
    Parts parts;
    parts.info.timeout = timeout;
    std::shared_ptr<pixmpi::Endpoint> endpoint;
    {
        pixmpi::Lock lock;
        pixmpi::Runtime &runtime = pixmpi::runtime();
        NEED_OK(pixmpi::Endpoint::make(runtime, lock, world(), parts, PIXMPI_SUCCESS, endpoint));
        const auto run = std::make_shared<pixmpi::Run>(
            endpoint, std::make_unique<SlowKernel>(*endpoint, rank == 0 ? compilation : 0), 1);
        NEED_OK(pixmpi::start(runtime, run));
        CHECK_OK(pixmpi::wait(runtime, lock, *run));
        CHECK_EQ(run->error.code, PIXMPI_SUCCESS);
        CHECK_EQ(endpoint->signal(0, 0), rank == 1 ? 1U : 0U);
    }
    barrier();
    const pixmpi::Lock lock;
    endpoint->close();
    endpoint.reset();
}
