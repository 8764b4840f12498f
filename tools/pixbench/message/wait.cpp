// What it costs that every rank waits for all others, when there may be more ranks than cores.
//
// The ways take turns within each repetition, so that what else the machine does hits them alike. How many times each
// is done in a row is found first: enough to fill its share of the repetition.

#include "modes.h"

#include "base/wait.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <mpi.h>
#include <sched.h>

namespace {

void block() { MPI_Barrier(MPI_COMM_WORLD); }

template <class Pause> void test_until_done(Pause pause) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0;; pause()) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
    }
}

void yield() { test_until_done(sched_yield); }

void wait() {
    pixmpi::Wait waiting;
    test_until_done([&] { waiting.pause(); });
}

struct Way {
    const char *name;
    void (*synchronise)();
    int times = 1;
    std::vector<double> us, cpu_us;
};

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Seconds for `times` in a row on rank 0; `cpu`: of all ranks together, on rank 0.
double measure(const Way &way, double &cpu) {
    way.synchronise();
    const double before = MPI_Wtime(), cpu_before = processor_seconds();
    for (int i = 0; i < way.times; ++i)
        way.synchronise();
    const double seconds = MPI_Wtime() - before, own_cpu = processor_seconds() - cpu_before;
    MPI_Reduce(&own_cpu, &cpu, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return seconds;
}

/// Doubles until it takes a tenth of the share, then goes by proportion. Rank 0 decides for all.
void find_times(Way &way, double share) {
    for (int enough = 0; !enough;) {
        double cpu = 0;
        const double seconds = measure(way, cpu);
        enough = seconds >= share / 10 || way.times >= 1 << 20;
        const double fitting = enough ? way.times * share / std::max(seconds, 1e-9) : way.times * 2.0;
        way.times = static_cast<int>(std::clamp(fitting, 3.0, double{1 << 21}));
        MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(&way.times, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

int ranks_of_this_host() {
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int ranks = 1;
    MPI_Comm_size(host, &ranks);
    MPI_Comm_free(&host);
    return ranks;
}

} // namespace

std::vector<WaitRow> measure_wait(const WaitSettings &settings) {
    pixmpi::set_local_ranks(ranks_of_this_host());
    Way ways[] = {{"MPI_Barrier", block}, {"MPI_Ibarrier, sched_yield", yield}, {"MPI_Ibarrier, pixmpi::Wait", wait}};
    for (Way &way : ways)
        find_times(way, settings.seconds);
    for (int i = 0; i < settings.repetitions; ++i)
        for (Way &way : ways) {
            double cpu = 0;
            way.us.push_back(measure(way, cpu) / way.times * 1e6);
            way.cpu_us.push_back(cpu / way.times * 1e6);
        }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<WaitRow> rows;
    for (const Way &way : ways) {
        if (rank != 0)
            break;
        const auto [least, most] = std::minmax_element(way.us.begin(), way.us.end());
        WaitRow &row = rows.emplace_back(WaitRow{way.name, median(way.us), *least, *most, median(way.cpu_us), 1});
        row.speedup = rows.front().us / row.us;
    }
    return rows;
}
