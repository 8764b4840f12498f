#include "facts.h"

#include "base/wait.h"
#include "glmpi.h"
#include "route/mpi_gpu_aware.h"

#include <cstdio>
#include <cstdlib>
#include <gl_api.h>
#include <sched.h>
#include <unistd.h>

namespace {

std::string gl_text(GLenum name) {
    const auto *text = reinterpret_cast<const char *>(glGetString(name));
    return text ? text : "?";
}

Json gl_facts(const Job &job) {
    if (!job.context)
        return {{"error", job.no_context}};
    Json gl = {{"context", job.context->text()},
               {"vendor", gl_text(GL_VENDOR)},
               {"renderer", gl_text(GL_RENDERER)},
               {"version", gl_text(GL_VERSION)}};
    const char *name = nullptr;
    if (glMPI_Context_name(&name) == PIXMPI_SUCCESS)
        gl["device"] = name;
    else
        gl["error"] = pixMPI_Error_text();
    return gl;
}

/// As the library reads them: the environment has the last word. And what it makes of MPI's answer.
Json options_in_force() {
    pixmpi::Options options;
    check(pixmpi::read_options(nullptr, options));
    std::string routes = "self,";
    routes += std::string(options.peer ? "peer," : "") + (options.shm ? "shm," : "") + "mpi";
    constexpr const char *levels[] = {"none", "error", "info", "debug"};
    const pixmpi::mpi::GpuAware gpu_aware = pixmpi::mpi::ask_gpu_aware(options.gpu_aware);
    Json environment = Json::object();
    for (char **variable = environ; *variable; ++variable)
        if (const std::string_view text = *variable; text.starts_with("PIXMPI_"))
            environment[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
    return {{"routes", routes},
            {"band_bytes", options.band_bytes},
            {"stage_bytes", options.stage_bytes},
            {"eager_bytes", options.eager_bytes},
            {"gpu_aware", gpu_aware.yes},
            {"gpu_aware_by", gpu_aware.why},
            {"log", levels[options.log_level]},
            {"environment", environment}};
}

} // namespace

Json facts_of_this_rank(const Job &job) {
    char host[256] = "?";
    gethostname(host, sizeof host - 1);
    cpu_set_t set;
    const int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    Json routes = Json::array();
    for (int rank = 0; rank < job.ranks; ++rank) {
        pixMPI_Route route = PIXMPI_ROUTE_NONE;
        check(pixMPI_Comm_route(MPI_COMM_WORLD, rank, &route));
        routes.push_back(pixMPI_Route_name(route));
    }
    return {{"rank", job.rank},
            {"host", host},
            {"pid", getpid()},
            {"cores", cores},
            {"gl", gl_facts(job)},
            {"cards", list_cards()},
            {"options", options_in_force()},
            {"routes", routes}};
}

std::vector<Json> gather(const Json &mine, const Job &job) {
    const std::string text = mine.dump();
    const int length = static_cast<int>(text.size());
    std::vector<int> lengths(static_cast<std::size_t>(job.ranks)), places(lengths);
    MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    int sum = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        places[i] = sum;
        sum += lengths[i];
    }
    std::string all(static_cast<std::size_t>(job.rank == 0 ? sum : 0), '\0');
    MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), places.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
    std::vector<Json> result;
    for (std::size_t i = 0; i < lengths.size() && job.rank == 0; ++i)
        result.push_back(
            Json::parse(all.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i]))));
    return result;
}

void idle_barrier() {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    pixmpi::Wait wait{std::chrono::microseconds(2000)};
    for (int done = 0;; wait.pause()) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
    }
}

void give_up(const std::string &why) {
    std::fprintf(stderr, "pixmpi_info: %s\n", why.c_str());
    usleep(100000); // mpiexec passes on what was printed before it notices the end
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
}

void check(int code) {
    if (code != PIXMPI_SUCCESS)
        give_up(std::string(pixMPI_Error_string(code)) + ": " + pixMPI_Error_text());
}
