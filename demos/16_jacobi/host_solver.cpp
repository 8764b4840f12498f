#include "solvers.h"

#include "sweep_comp.spv.h"

#include <pixmpi.h>

std::vector<float> band_at_first(const Field &field, int band) {
    std::vector<float> cells(field.band_cells());
    for (int y = -1; y <= field.rows_of(band); ++y)
        for (int x = 0; x < field.width; ++x) {
            const int row = band * field.rows() + y;
            if (row >= 0 && row < field.height)
                cells[static_cast<std::size_t>((y + 1) * field.width + x)] = cell_at_first(field, x, row);
        }
    return cells;
}

namespace {

class HostSolver final : public Solver {
  public:
    HostSolver(const demo::VkWorld &world, const Field &field)
        : field_(field), rank_(world.rank), cells_(world.gpu(), sizeof(float) * 2 * field.band_cells()),
          change_(world.gpu(), sizeof(float), true),
          kernel_(world.gpu(), sweep_comp, {.buffers = 2, .push_bytes = sizeof(Push)}),
          bound_(kernel_.bind({}, {&cells_, &change_})), commands_(world.gpu()) {
        std::vector<float> both = band_at_first(field, rank_);
        both.resize(2 * field.band_cells());
        cells_.write(both.data());
        if (field.rows_of(rank_) == 0)
            return;
        for (const int parity : {0, 1}) {
            if (rank_ > 0)
                exchange(parity, rank_ - 1, 1, 0);
            if (rank_ + 1 < field.bands && field.rows_of(rank_ + 1) > 0)
                exchange(parity, rank_ + 1, field.rows(), field.rows() + 1);
        }
    }
    ~HostSolver() override {
        for (auto &requests : exchanges_)
            for (pixMPI_Request &one : requests)
                pixMPI_Request_free(&one);
    }
    float go_on(int steps, int every, float enough, int &done) override {
        float change = 0;
        for (done = 0; done < steps;) {
            change = 0;
            *static_cast<float *>(change_.data()) = 0;
            for (int i = 0; i < every; ++i, ++done)
                step();
            commands_.wait();
            const float mine = *static_cast<const float *>(change_.data());
            MPI_Request all;
            MPI_Iallreduce(&mine, &change, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD, &all);
            demo::wait(all);
            if (!(change > enough))
                break;
        }
        return change;
    }
    std::vector<float> band(int) override {
        std::vector<float> both(2 * field_.band_cells());
        cells_.read(both.data());
        const auto begin = both.begin() + static_cast<std::ptrdiff_t>(before_ % 2 * field_.band_cells());
        return {begin, begin + static_cast<std::ptrdiff_t>(field_.band_cells())};
    }

  private:
    void exchange(int parity, int other, int sent, int received) {
        const auto row = [&](int y) {
            vkMPI_Surface surface = cells_.surface(PIXMPI_R32F, field_.width, 1);
            surface.offset = sizeof(float) * (static_cast<std::size_t>(parity) * field_.band_cells() +
                                              static_cast<std::size_t>(y) * static_cast<std::size_t>(field_.width));
            return surface;
        };
        std::vector<pixMPI_Request> &requests = exchanges_[parity];
        vkMPI_Send_init(row(sent), PIXMPI_WHOLE, other, parity, MPI_COMM_WORLD, &requests.emplace_back());
        vkMPI_Recv_init(row(received), PIXMPI_WHOLE, other, parity, MPI_COMM_WORLD, &requests.emplace_back());
    }
    void step() {
        std::vector<pixMPI_Request> &requests = exchanges_[before_ % 2];
        const int count = static_cast<int>(requests.size());
        if (count) {
            pixMPI_Startall(count, requests.data());
            pixMPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
        }
        const Push push{field_.width, field_.height, field_.rows(), before_++, 0, 0, 0, rank_};
        kernel_.run(commands_.begin(), bound_, push, field_.width, field_.rows());
        commands_.submit();
    }

    const Field field_;
    const int rank_;
    demo::Buffer cells_, change_;
    demo::Kernel kernel_;
    VkDescriptorSet bound_;
    demo::Commands commands_;
    std::vector<pixMPI_Request> exchanges_[2];
    std::uint32_t before_ = 0;
};

} // namespace

std::unique_ptr<Solver> make_host_solver(const demo::VkWorld &world, const Field &field) {
    return std::make_unique<HostSolver>(world, field);
}
