#include "facts.h"

#include "glmpi.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace {

constexpr int side = 512;

/// GB/s of a message to ourselves between two places in host memory, for pixels of so many bytes.
double host_rate(pixMPI_Format format, MPI_Comm self) {
    const auto bytes = static_cast<std::size_t>(side) * side * static_cast<std::size_t>(pixMPI_Format_bytes(format));
    const std::vector<char> from(bytes, 1);
    std::vector<char> to(bytes, 2);
    double best = 0;
    for (int i = 0; i < 6; ++i) {
        const double before = MPI_Wtime();
        check(pixMPI_Sendrecv(pixMPI_Memory(from.data(), format, side, side), PIXMPI_WHOLE, 0, 0,
                              pixMPI_Memory(to.data(), format, side, side), PIXMPI_WHOLE, 0, 0, self,
                              MPI_STATUS_IGNORE));
        if (i > 0) // the first one touches memory for the first time
            best = std::max(best, static_cast<double>(bytes) / std::max(MPI_Wtime() - before, 1e-9));
    }
    return best * 1e-9;
}

Json gigabytes(double bytes_per_second) {
    return std::isfinite(bytes_per_second) ? Json(bytes_per_second * 1e-9) : Json();
}

} // namespace

Json measure_rates(const Job &job) {
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    check(pixMPI_Comm_attach(self, nullptr));
    std::map<int, double> host; // of pixels of so many bytes: memory does not care what they mean
    Json all = Json::array();
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        const int bytes = pixMPI_Format_bytes(format);
        if (!host.contains(bytes))
            host[bytes] = host_rate(format, self);
        Json row = {{"format", pixMPI_Format_name(format)}, {"bytes", bytes}};
        double pack = 0, unpack = 0;
        const bool has = job.context && glMPI_Context_rates(format, &pack, &unpack) == PIXMPI_SUCCESS;
        row["gl_pack_gbps"] = has ? gigabytes(pack) : Json();
        row["gl_unpack_gbps"] = has ? gigabytes(unpack) : Json();
        row["host_gbps"] = host[bytes];
        all.push_back(row);
    }
    check(pixMPI_Comm_detach(self));
    MPI_Comm_free(&self);
    return all;
}
