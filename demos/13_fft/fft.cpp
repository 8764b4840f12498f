// The Fourier transform of one row of complex numbers that is shared by all ranks. The numbers lie as a matrix, of
// which each rank has some rows: transpose, transform the rows, turn the elements, transpose, transform the rows,
// transpose. A transposition is messages alone: what a rank sends as a rectangle of its rows the other one receives as
// columns, and no shader transposes anything.
#include "exchanges.h"
#include "signal.h"

#include "rows_comp.spv.h"

#include <algorithm>
#include <bit>

namespace {

struct Choice {
    int power = 18, steps = 10; ///< 2^power numbers
    demo::ExchangeOptions exchange;
};

/// Rows of a matrix on each rank.
struct Matrix {
    int rows, columns;
    demo::Part part(int rank, int ranks) const { return {rows, rank, ranks}; }
};

class Transform {
  public:
    using Number = std::complex<float>;
    /// All ranks of the communicator make one.
    Transform(const demo::Gpu &gpu, int power, MPI_Comm comm, bool naive)
        : gpu_(gpu), comm_(comm), naive_(naive), rank_(demo::rank_in(comm)),
          ranks_(demo::ranks_of(comm)), tall_{1 << (power + 1) / 2, 1 << power / 2}, wide_{tall_.columns, tall_.rows},
          buffers_{{gpu, bytes()}, {gpu, bytes()}}, staging_(gpu, bytes()),
          kernel_(gpu, rows_comp, {.buffers = 1, .push_bytes = 16}), bound_{kernel_.bind({}, {&buffers_[0]}),
                                                                            kernel_.bind({}, {&buffers_[1]})},
          commands_(gpu) {
        make_requests(there_, 0, tall_);
        make_requests(back_, 1, wide_);
    }
    ~Transform() {
        for (auto *requests : {&there_, &back_})
            for (pixMPI_Request &request : *requests)
                pixMPI_Request_free(&request);
    }
    Transform(const Transform &) = delete;
    Transform &operator=(const Transform &) = delete;

    void fill() {
        const demo::Part mine = tall_.part(rank_, ranks_);
        std::vector<Number> numbers(bytes() / sizeof(Number));
        const auto columns = static_cast<std::uint32_t>(tall_.columns), count = columns * std::uint32_t(tall_.rows);
        for (std::size_t i = 0; i < std::size_t(mine.count) * columns; ++i)
            numbers[i] = signal_at(std::uint32_t(mine.first) * columns + std::uint32_t(i), count);
        buffers_[0].write(numbers.data());
    }

    /// Of what buffer 0 has; the result lies in buffer 1, as a matrix, row after row.
    void run() {
        pixMPI_Barrier(comm_);
        const double start = demo::now();
        transpose(0, tall_, there_);
        rows(1, wide_, true);
        transpose(1, wide_, back_);
        rows(0, tall_, false);
        transpose(0, tall_, there_);
        gpu_.finish();
        times_.seconds += demo::now() - start;
        ++times_.steps;
    }
    const demo::StepTimes &times() const { return times_; }
    void forget_times() { times_ = {}; }

    /// All of the result on rank 0, nothing elsewhere.
    std::vector<Number> collect() const {
        std::vector<Number> all(rank_ == 0 ? std::size_t(wide_.rows) * wide_.columns : 0);
        const demo::Part mine = wide_.part(rank_, ranks_);
        pixMPI_Request send = PIXMPI_REQUEST_NULL;
        vkMPI_Isend(surface(1, wide_), demo::Rectangle(0, 0, wide_.columns, mine.count), 0, 1, comm_, &send, nullptr);
        for (int rank = 0; rank_ == 0 && rank < ranks_; ++rank) {
            const demo::Part theirs = wide_.part(rank, ranks_);
            pixMPI_Recv(pixMPI_Memory(all.data(), PIXMPI_RG32F, wide_.columns, wide_.rows),
                        demo::Rectangle(0, theirs.first, wide_.columns, theirs.count), rank, 1, comm_,
                        MPI_STATUS_IGNORE);
        }
        pixMPI_Wait(&send, MPI_STATUS_IGNORE);
        return all;
    }

  private:
    /// The larger of both shapes' parts.
    std::size_t bytes() const {
        const auto rows = [&](const Matrix &m) { return std::size_t((m.rows + ranks_ - 1) / ranks_) * m.columns; };
        return sizeof(Number) * std::max(rows(tall_), rows(wide_));
    }
    static Matrix turned(const Matrix &matrix) { return {matrix.columns, matrix.rows}; }
    vkMPI_Surface surface(int which, const Matrix &matrix) const {
        return buffers_[which].surface(PIXMPI_RG32F, matrix.columns, matrix.part(rank_, ranks_).count);
    }

    /// From buffer `from`, with rows of `matrix`, to the second buffer, with those of the matrix that is turned.
    void make_requests(std::vector<pixMPI_Request> &requests, int from, const Matrix &matrix) {
        const Matrix after = turned(matrix);
        const demo::Part rows = matrix.part(rank_, ranks_), columns = after.part(rank_, ranks_);
        for (int i = 0; i < ranks_; ++i) {
            const int rank = (rank_ + i) % ranks_;
            const demo::Part their_rows = matrix.part(rank, ranks_), their_columns = after.part(rank, ranks_);
            vkMPI_Send_init(surface(from, matrix),
                            demo::Rectangle(their_columns.first, 0, their_columns.count, rows.count), rank, 0, comm_,
                            &requests.emplace_back());
            pixMPI_Region received = PIXMPI_REGION_NULL;
            pixMPI_Region_columns(0, columns.count, their_rows.first, their_rows.count, 1, &received);
            pixMPI_Region_commit(&received);
            vkMPI_Recv_init(surface(1 - from, after), received, rank, 0, comm_, &requests.emplace_back());
            pixMPI_Region_free(&received);
        }
    }

    void transpose(int from, const Matrix &matrix, std::vector<pixMPI_Request> &requests) {
        if (naive_)
            return transpose_by_hand(from, matrix);
        pixMPI_Startall(static_cast<int>(requests.size()), requests.data());
        pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

    void transpose_by_hand(int from, const Matrix &matrix) {
        const Matrix after = turned(matrix);
        const demo::Part rows = matrix.part(rank_, ranks_), columns = after.part(rank_, ranks_);
        const auto *const mine = reinterpret_cast<const Number *>(
            staging_.read(buffers_[from], 0, sizeof(Number) * std::size_t(rows.count) * matrix.columns));
        std::vector<Number> sent, received(std::size_t(columns.count) * after.columns);
        std::vector<int> send_counts, send_places, counts, places;
        for (int rank = 0; rank < ranks_; ++rank) { // already turned
            const demo::Part theirs = after.part(rank, ranks_), their_rows = matrix.part(rank, ranks_);
            send_places.push_back(static_cast<int>(2 * sent.size()));
            send_counts.push_back(2 * theirs.count * rows.count);
            for (int x = 0; x < theirs.count; ++x)
                for (int y = 0; y < rows.count; ++y)
                    sent.push_back(mine[std::size_t(y) * matrix.columns + theirs.first + x]);
            places.push_back(2 * their_rows.first * columns.count);
            counts.push_back(2 * their_rows.count * columns.count);
        }
        MPI_Request all;
        MPI_Ialltoallv(sent.data(), send_counts.data(), send_places.data(), MPI_FLOAT, received.data(), counts.data(),
                       places.data(), MPI_FLOAT, comm_, &all);
        demo::wait(all);
        auto *const result = reinterpret_cast<Number *>(staging_.data());
        for (int rank = 0; rank < ranks_; ++rank) {
            const demo::Part theirs = matrix.part(rank, ranks_);
            for (int y = 0; y < columns.count; ++y)
                std::copy_n(received.begin() + places[rank] / 2 + std::ptrdiff_t(y) * theirs.count, theirs.count,
                            result + std::size_t(y) * after.columns + theirs.first);
        }
        staging_.write(buffers_[1 - from], 0, sizeof(Number) * received.size());
    }

    void rows(int which, const Matrix &matrix, bool turn) {
        const demo::Part mine = matrix.part(rank_, ranks_);
        if (mine.count == 0)
            return;
        const struct {
            std::uint32_t length, bits, first, all;
        } push{std::uint32_t(matrix.columns), std::uint32_t(std::bit_width(std::uint32_t(matrix.columns)) - 1),
               std::uint32_t(mine.first), turn ? std::uint32_t(matrix.rows) * std::uint32_t(matrix.columns) : 0};
        kernel_.run(commands_.begin(), bound_[which], push, 8 * mine.count, 8);
        commands_.submit();
        commands_.wait();
        times_.computing += commands_.seconds();
    }

    const demo::Gpu &gpu_;
    const MPI_Comm comm_;
    const bool naive_;
    const int rank_, ranks_;
    const Matrix tall_, wide_; ///< square, or with twice the rows; and turned
    demo::Buffer buffers_[2];
    demo::ByHand staging_;
    demo::Kernel kernel_;
    VkDescriptorSet bound_[2];
    demo::Commands commands_;
    std::vector<pixMPI_Request> there_, back_; ///< from buffer 0 to 1, and from 1 to 0
    demo::StepTimes times_;
};

void compare(const demo::World &world, int power, const std::vector<std::complex<float>> &seen) {
    std::vector<Complex> expected(std::size_t{1} << power);
    for (std::size_t n = 0; n < expected.size(); ++n)
        expected[n] = signal_at(std::uint32_t(n), std::uint32_t(expected.size()));
    transform_on_cpu(expected);
    double wrong = 0, all = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
        wrong += std::norm(expected[k] - Complex(seen[k]));
        all += std::norm(expected[k]);
    }
    const double error = std::sqrt(wrong / all);
    if (!(error < 1e-5)) // single precision, and sines that drivers know to about 1e-6
        throw demo::Error("--check: not the transform that the CPU finds: the difference has " + std::to_string(error) +
                          " of its size");
    world.say("the same transform as by the CPU, to %.0e of its size", error);
}

} // namespace

int main(int argc, char **argv) {
    Choice choice;
    return demo::run(argc, argv,
                     {.name = "fft",
                      .text = "The Fourier transform of one row of complex numbers, some of them on each rank",
                      .check = "compares the transform with that of the CPU",
                      .numbers = {{"--power", "2^N numbers are transformed", &choice.power, 2, 24},
                                  {"--steps", "how many transforms are measured", &choice.steps, 1, 1'000'000}},
                      .flags = {choice.exchange.flag()},
                      .texts = {choice.exchange.text()},
                      .draws = false},
                     [&](const demo::Start &start) {
                         demo::measure_work<Transform>(start, choice.exchange, choice.power, choice.steps,
                                                       "2^" + std::to_string(choice.power), compare);
                     });
}
