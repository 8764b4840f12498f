#include "ways.h"

#include "add_comp.spv.h"

#include <algorithm>
#include <deque>
#include <pixmpi.h>

namespace {

class HostRings final : public Way {
  public:
    HostRings(const demo::VkWorld &world, const Rings &given)
        : Way(given), sums_(world.gpu(), sizeof(float) * rings.words), landed_(world.gpu(), sums_.bytes()),
          kernel_(world.gpu(), add_comp, {.buffers = 2, .push_bytes = sizeof(Piece)}),
          bound_(kernel_.bind({}, {&sums_, &landed_})) {
        for (std::uint32_t i = 0; i < rings.chunks; ++i)
            commands_.emplace_back(world.gpu(), false);
        const int ranks = static_cast<int>(rings.ranks), rank = static_cast<int>(rings.rank);
        sends_.resize(std::size_t{rings.turns()} * rings.chunks, PIXMPI_REQUEST_NULL);
        receives_.resize(sends_.size(), PIXMPI_REQUEST_NULL);
        for (std::uint32_t at = 0; at < sends_.size(); ++at) {
            const std::uint32_t turn = at / rings.chunks;
            if (chunk(at).count == 0)
                continue;
            if (rings.passes_on(turn))
                vkMPI_Send_init(surface(sums_, chunk(at)), PIXMPI_WHOLE, (rank + 1) % ranks, static_cast<int>(at),
                                MPI_COMM_WORLD, &sends_[at]);
            if (turn > 0) // with the tag of the turn when it was passed on
                vkMPI_Recv_init(surface(rings.adds(turn) ? landed_ : sums_, chunk(at)), PIXMPI_WHOLE,
                                (rank + ranks - 1) % ranks, static_cast<int>(at - rings.chunks), MPI_COMM_WORLD,
                                &receives_[at]);
        }
    }
    ~HostRings() override {
        for (auto *requests : {&sends_, &receives_})
            for (pixMPI_Request &request : *requests)
                if (request != PIXMPI_REQUEST_NULL)
                    pixMPI_Request_free(&request);
    }
    void write(const std::vector<float> &words) override { sums_.write(words.data()); }
    void run() override {
        for (std::uint32_t at = 0; at < sends_.size(); ++at)
            start(receives_[at]);
        for (std::uint32_t at = 0; at < sends_.size(); ++at) {
            wait(receives_[at]);
            if (rings.adds(at / rings.chunks) && chunk(at).count > 0)
                add(commands_[at % rings.chunks], chunk(at));
            start(sends_[at]); // behind what was submitted, without waiting for it
        }
        for (pixMPI_Request &send : sends_)
            wait(send);
        for (const demo::Commands &adding : commands_)
            adding.wait();
    }
    std::vector<float> sums() const override {
        std::vector<float> words(rings.words);
        sums_.read(words.data());
        return words;
    }

  private:
    static void start(pixMPI_Request &request) {
        if (request != PIXMPI_REQUEST_NULL)
            pixMPI_Start(&request);
    }
    static void wait(pixMPI_Request &request) {
        if (request != PIXMPI_REQUEST_NULL)
            pixMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    Piece chunk(std::uint32_t at) const { return rings.chunk(0, at / rings.chunks, at % rings.chunks); }
    static vkMPI_Surface surface(const demo::Buffer &buffer, Piece piece) {
        vkMPI_Surface surface = buffer.surface(PIXMPI_R32F, static_cast<int>(piece.count), 1);
        surface.offset = sizeof(float) * piece.first;
        return surface;
    }
    void add(demo::Commands &commands, Piece piece) {
        constexpr std::uint32_t max_groups = 1024;
        const int groups = static_cast<int>(std::min((piece.count + 63) / 64, max_groups));
        kernel_.run(commands.begin(), bound_, piece, 8 * groups, 8);
        commands.submit();
    }

    demo::Buffer sums_, landed_;
    demo::Kernel kernel_;
    VkDescriptorSet bound_;
    std::deque<demo::Commands> commands_; ///< of the chunks of a turn
    std::vector<pixMPI_Request> sends_, receives_;
};

} // namespace

std::unique_ptr<Way> make_host_rings(const demo::VkWorld &world, const Rings &rings) {
    return std::make_unique<HostRings>(world, rings);
}
