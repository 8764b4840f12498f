// Keys that are sorted over all ranks. Each rank sorts its own by merging; then neighbours merge in rounds. Of two
// neighbours the left one gets the lower half of both. They find by bisection how many keys have to change places; each
// step reads a single key of the other rank. Then these keys change places, and each rank merges what it has with what
// has come. After one round for each rank all is in order.
#include "exchanges.h"
#include "keys.h"

#include "merge_comp.spv.h"

#include <algorithm>
#include <numeric>

namespace {

struct Choice {
    int keys = 1 << 18, steps = 3;
    demo::ExchangeOptions exchange;
};

class Sorter {
  public:
    /// All ranks of the communicator make one.
    Sorter(const demo::Gpu &gpu, int keys, MPI_Comm comm, bool naive)
        : gpu_(gpu), comm_(comm), naive_(naive), rank_(demo::rank_in(comm)), ranks_(demo::ranks_of(comm)), keys_(keys),
          count_((keys + ranks_ - 1) / ranks_), buffers_{{gpu, bytes()}, {gpu, bytes()}}, staging_(gpu, bytes()),
          kernel_(gpu, merge_comp, {.buffers = 2, .push_bytes = 16}),
          bound_{kernel_.bind({}, {&buffers_[0], &buffers_[1]}), kernel_.bind({}, {&buffers_[1], &buffers_[0]})},
          commands_(gpu) {}

    /// Beyond the last key there are largest ones, so that all ranks have as many.
    void fill() {
        std::vector<std::uint32_t> mine(count_, UINT32_MAX);
        for (int i = 0; i < count_ && std::int64_t{rank_} * count_ + i < keys_; ++i)
            mine[i] = key_at(std::uint64_t(rank_) * count_ + i);
        buffers_[now_].write(mine.data());
    }

    void run() {
        pixMPI_Barrier(comm_);
        const double start = demo::now();
        sort_alone();
        for (int round = 0; round < ranks_; ++round) {
            const bool left = (rank_ + round) % 2 == 0;
            const int other = left ? rank_ + 1 : rank_ - 1;
            if (other >= 0 && other < ranks_)
                merge_with(other, left);
        }
        gpu_.finish();
        times_.seconds += demo::now() - start;
        ++times_.steps;
    }
    const demo::StepTimes &times() const { return times_; }
    void forget_times() { times_ = {}; }

    /// All keys on rank 0, those beyond the last one among them; nothing elsewhere.
    std::vector<std::uint32_t> collect() const {
        std::vector<std::uint32_t> all(rank_ == 0 ? std::size_t(count_) * ranks_ : 0);
        pixMPI_Request send = PIXMPI_REQUEST_NULL;
        vkMPI_Isend(surface(), PIXMPI_WHOLE, 0, 1, comm_, &send, nullptr);
        for (int rank = 0; rank_ == 0 && rank < ranks_; ++rank)
            pixMPI_Recv(pixMPI_Memory(all.data() + std::size_t(rank) * count_, PIXMPI_R32UI, count_, 1), PIXMPI_WHOLE,
                        rank, 1, comm_, MPI_STATUS_IGNORE);
        pixMPI_Wait(&send, MPI_STATUS_IGNORE);
        return all;
    }

  private:
    std::size_t bytes() const { return sizeof(std::uint32_t) * std::size_t(count_); }
    vkMPI_Surface surface() const { return buffers_[now_].surface(PIXMPI_R32UI, count_, 1); }

    void pass(std::uint32_t run, std::uint32_t pair) {
        constexpr int width = 1024, at_once = 32;
        const int invocations = (count_ + at_once - 1) / at_once;
        const struct { std::uint32_t count, run, pair, width; } push{std::uint32_t(count_), run, pair, width};
        kernel_.run(commands_.begin(), bound_[now_], push, std::min(invocations, width),
                    (invocations + width - 1) / width);
        commands_.submit();
        commands_.wait();
        times_.computing += commands_.seconds();
        now_ = 1 - now_;
    }

    void sort_alone() {
        pass(0, 32);
        for (std::uint32_t run = 32; run < std::uint32_t(count_); run *= 2)
            pass(run, 2 * run);
    }

    /// How many keys change places: so many that the left one's last that stays is not larger than the right one's
    /// first that stays. Both ranks compare the same keys, and come to the same answer.
    int pivot(int other, bool left) {
        int low = 0, high = count_;
        while (low < high) {
            const int middle = (low + high) / 2; // would that many be enough?
            std::uint32_t mine = 0, theirs = 0;
            read_keys(left ? count_ - 1 - middle : middle, other, mine, theirs);
            if (left ? mine <= theirs : theirs <= mine)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    /// A key of this rank, and the other's that it sends in return.
    void read_keys(int place, int other, std::uint32_t &mine, std::uint32_t &theirs) {
        if (naive_) {
            std::memcpy(&mine, staging_.read(buffers_[now_], sizeof mine * std::size_t(place), sizeof mine),
                        sizeof mine);
            MPI_Request requests[2];
            MPI_Irecv(&theirs, 1, MPI_UINT32_T, other, 0, comm_, &requests[0]);
            MPI_Isend(&mine, 1, MPI_UINT32_T, other, 0, comm_, &requests[1]);
            for (MPI_Request &request : requests)
                demo::wait(request);
            return;
        }
        const pixMPI_Surface here = pixMPI_Memory(&mine, PIXMPI_R32UI, 1, 1),
                             there = pixMPI_Memory(&theirs, PIXMPI_R32UI, 1, 1);
        const vkMPI_Surface keys = surface();
        pixMPI_Copy(vkMPI_Any(&keys, nullptr), demo::Rectangle(place, 0, 1, 1), here, PIXMPI_WHOLE);
        pixMPI_Sendrecv(here, PIXMPI_WHOLE, other, 0, there, PIXMPI_WHOLE, other, 0, comm_, MPI_STATUS_IGNORE);
    }

    void merge_with(int other, bool left) {
        const int moved = pivot(other, left);
        if (moved == 0)
            return;
        const int first = left ? count_ - moved : 0;
        exchange(first, moved, other);
        if (moved < count_) // what stays, and what has come
            pass(std::uint32_t(left ? first : moved), 1u << 31);
    }

    void exchange(int first, int count, int other) {
        if (!naive_) {
            vkMPI_Sendrecv_replace(surface(), demo::Rectangle(first, 0, count, 1), other, 2, other, 2, comm_,
                                   MPI_STATUS_IGNORE, nullptr);
            return;
        }
        const std::size_t place = sizeof(std::uint32_t) * std::size_t(first),
                          size = sizeof(std::uint32_t) * std::size_t(count);
        const std::byte *const from = staging_.read(buffers_[now_], place, size);
        const std::vector<std::byte> sent(from, from + size);
        MPI_Request requests[2];
        MPI_Irecv(staging_.data(), count, MPI_UINT32_T, other, 2, comm_, &requests[0]);
        MPI_Isend(sent.data(), count, MPI_UINT32_T, other, 2, comm_, &requests[1]);
        for (MPI_Request &request : requests)
            demo::wait(request);
        staging_.write(buffers_[now_], place, size);
    }

    const demo::Gpu &gpu_;
    const MPI_Comm comm_;
    const bool naive_;
    const int rank_, ranks_, keys_, count_; ///< of all ranks, of each
    demo::Buffer buffers_[2];
    demo::ByHand staging_;
    demo::Kernel kernel_;
    VkDescriptorSet bound_[2];
    demo::Commands commands_;
    int now_ = 0;
    demo::StepTimes times_;
};

void compare(const demo::World &world, int keys, const std::vector<std::uint32_t> &seen) {
    std::vector<std::uint32_t> expected(seen.size(), UINT32_MAX);
    for (int i = 0; i < keys; ++i)
        expected[i] = key_at(std::uint64_t(i));
    std::sort(expected.begin(), expected.end());
    const auto [here, there] = std::mismatch(seen.begin(), seen.end(), expected.begin());
    if (here != seen.end())
        throw demo::Error("--check: key " + std::to_string(here - seen.begin()) + " is " + std::to_string(*here) +
                          ", expected " + std::to_string(*there));
    world.say("the same order as by the CPU");
}

} // namespace

int main(int argc, char **argv) {
    Choice choice;
    return demo::run(argc, argv,
                     {.name = "sort",
                      .text = "Keys that are sorted by merging, some of them on each rank",
                      .check = "compares the order with that of the CPU",
                      .numbers = {{"--keys", "how many keys", &choice.keys, 1, 1 << 28},
                                  {"--steps", "how many times it is measured", &choice.steps, 1, 1'000'000}},
                      .flags = {choice.exchange.flag()},
                      .texts = {choice.exchange.text()},
                      .draws = false},
                     [&](const demo::Start &start) {
                         demo::measure_work<Sorter>(start, choice.exchange, choice.keys, choice.steps,
                                                    std::to_string(choice.keys), compare);
                     });
}
