// Buffers are surfaces of one row, a pixel for a body.
#include "galaxies.h"
#include "movers.h"

#include "step_comp.spv.h"

#include <pixmpi_collectives.h>
#include <vector>

namespace {

class HostMover final : public Mover {
  public:
    explicit HostMover(Cluster &cluster)
        : all_(cluster), step_(cluster.gpu, step_comp, {.buffers = 3, .push_bytes = 20}),
          bound_{step_.bind({}, {&cluster.positions[0], &cluster.positions[1], &cluster.velocities}),
                 step_.bind({}, {&cluster.positions[1], &cluster.positions[0], &cluster.velocities})},
          commands_(cluster.gpu) {
        std::vector<pixMPI_Region> shares(all_.ranks, PIXMPI_REGION_NULL);
        for (int rank = 0; rank < all_.ranks; ++rank) {
            const Share share(all_.bodies, rank, all_.ranks);
            pixMPI_Region_rect(share.first, 0, share.count, 1, &shares[rank]);
            pixMPI_Region_commit(&shares[rank]);
        }
        for (int next : {0, 1}) {
            const vkMPI_Surface positions = cluster.positions[next].surface(PIXMPI_RGBA32F, all_.bodies, 1);
            pixMPI_Allgather_init(pixMPI_In_place(), PIXMPI_WHOLE, vkMPI_Any(&positions, nullptr), shares.data(),
                                  all_.comm, &gather_[next]);
        }
        for (pixMPI_Region &share : shares)
            pixMPI_Region_free(&share);
    }
    ~HostMover() override {
        for (pixMPI_Request &request : gather_)
            pixMPI_Request_free(&request);
    }
    void move(int steps, float time) override {
        for (int i = 0; i < steps; ++i) {
            step(time);
            computing += commands_.seconds();
        }
        all_.gpu.finish();
    }

  private:
    void step(float time) {
        const struct {
            Share share;
            int bodies;
            float time, softening;
        } push{all_.share, all_.bodies, time, Galaxies::softening};
        step_.run(commands_.begin(), bound_[all_.now], push, all_.share.count, 8);
        commands_.submit();
        all_.now = 1 - all_.now;
        pixMPI_Start(&gather_[all_.now]);
        pixMPI_Wait(&gather_[all_.now], MPI_STATUS_IGNORE);
    }

    Cluster &all_;
    demo::Kernel step_;
    VkDescriptorSet bound_[2];
    demo::Commands commands_;
    pixMPI_Request gather_[2] = {PIXMPI_REQUEST_NULL, PIXMPI_REQUEST_NULL}; ///< of positions[0] and [1]
};

} // namespace

std::unique_ptr<Mover> make_host_mover(Cluster &cluster) { return std::make_unique<HostMover>(cluster); }
