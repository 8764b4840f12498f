#include "facts.h"

#include "glmpi.h"

#include <gl_api.h>

namespace {

constexpr int sides[] = {64, 512, 2048}; // in the envelope, a few bands, many
constexpr int each = 4;

int next(const Job &job) { return (job.rank + 1) % job.ranks; }
int previous(const Job &job) { return (job.rank + job.ranks - 1) % job.ranks; }

} // namespace

void send_host(const Job &job, int side) {
    std::vector<unsigned> from(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 1), to(from.size());
    check(pixMPI_Sendrecv(pixMPI_Memory(from.data(), PIXMPI_RGBA8, side, side), PIXMPI_WHOLE, next(job), 0,
                          pixMPI_Memory(to.data(), PIXMPI_RGBA8, side, side), PIXMPI_WHOLE, previous(job), 0,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

void send_gl(const Job &job, int side) {
    GLuint textures[2];
    glGenTextures(2, textures);
    for (GLuint texture : textures) {
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    }
    check(glMPI_Sendrecv(glMPI_Texture2D(textures[0]), PIXMPI_WHOLE, next(job), 0, glMPI_Texture2D(textures[1]),
                         PIXMPI_WHOLE, previous(job), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    glDeleteTextures(2, textures);
}

void send_vulkan(const Job &job, int side) {
    const demo::Image from(*job.gpu, side, side), to(*job.gpu, side, side);
    check(vkMPI_Sendrecv(from.surface(), PIXMPI_WHOLE, next(job), 0, to.surface(), PIXMPI_WHOLE, previous(job), 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE, nullptr, nullptr));
}

namespace {

pixMPI_Stats stats() {
    pixMPI_Stats s = PIXMPI_STATS_INIT;
    check(pixMPI_Get_stats(&s));
    return s;
}

/// What has been counted since; the stage's memory as it is.
Json since(const pixMPI_Stats &before) {
    const pixMPI_Stats s = stats();
    Json routes = Json::object();
    for (int route = PIXMPI_ROUTE_SELF; route <= PIXMPI_ROUTE_MPI; ++route)
        routes[pixMPI_Route_name(static_cast<pixMPI_Route>(route))] =
            s.bytes_by_route[route] - before.bytes_by_route[route];
    return {{"messages_sent", s.messages_sent - before.messages_sent},
            {"messages_received", s.messages_received - before.messages_received},
            {"bytes_sent", s.bytes_sent - before.bytes_sent},
            {"bytes_received", s.bytes_received - before.bytes_received},
            {"bytes_copied", s.bytes_copied - before.bytes_copied},
            {"bytes_by_route", routes},
            {"stage_bytes", s.stage_bytes},
            {"stage_bytes_most", s.stage_bytes_max}};
}

} // namespace

std::optional<Json> count_messages(const Job &job, bool able, Send send) {
    const int mine = able;
    int everywhere = 0;
    MPI_Allreduce(&mine, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!everywhere)
        return std::nullopt;
    const pixMPI_Stats before = stats();
    for (int side : sides)
        for (int i = 0; i < each; ++i)
            send(job, side);
    return since(before);
}
