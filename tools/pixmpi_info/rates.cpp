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

pixMPI_Format format_of(const Json &row) { return pixMPI_Format_named(row["format"].get<std::string>().c_str()); }

} // namespace

Json rows_of_formats() {
    Json rows = Json::array();
    for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i) {
        const auto format = static_cast<pixMPI_Format>(i);
        Json row = {{"format", pixMPI_Format_name(format)}, {"bytes", pixMPI_Format_bytes(format)}};
        for (const char *rate : {"gl_pack_gbps", "gl_unpack_gbps", "vk_pack_gbps", "vk_unpack_gbps", "host_gbps"})
            row[rate] = nullptr;
        rows.push_back(row);
    }
    return rows;
}

void measure_gl_and_host(const Job &job, Json &rows) {
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    check(pixMPI_Comm_attach(self, nullptr));
    std::map<int, double> host; // of pixels of so many bytes: memory does not care what they mean
    for (Json &row : rows) {
        const int bytes = row["bytes"];
        if (!host.contains(bytes))
            host[bytes] = host_rate(format_of(row), self);
        row["host_gbps"] = host[bytes];
        double pack = 0, unpack = 0;
        if (!job.context || glMPI_Context_rates(format_of(row), &pack, &unpack) != PIXMPI_SUCCESS)
            continue;
        row["gl_pack_gbps"] = gigabytes(pack);
        row["gl_unpack_gbps"] = gigabytes(unpack);
    }
    check(pixMPI_Comm_detach(self));
    MPI_Comm_free(&self);
}

void measure_vulkan(const Job &job, Json &rows) {
    for (Json &row : rows) {
        double pack = 0, unpack = 0;
        if (!job.gpu || vkMPI_Context_rates(job.gpu->context, format_of(row), &pack, &unpack) != PIXMPI_SUCCESS)
            continue;
        row["vk_pack_gbps"] = gigabytes(pack);
        row["vk_unpack_gbps"] = gigabytes(unpack);
    }
}
