// Ping-pong: a picture goes back and forth between two ranks, which draw on it alternately. Each trip is made twice, by
// glMPI and the naive way, and both are timed. Further pairs of ranks do the same at the same time; a rank without
// partner plays with itself.
#include "gl_world.h"

#include <algorithm>
#include <cmath>
#include <glmpi.h>
#include <vector>

namespace {

// Everything moves outwards, turns a little and fades; new is a stroke from where the ball was to where it is.
const char *const stroke = R"(
uniform sampler2D before;
uniform vec2 size, from, to;
uniform float hue;
out vec4 colour;
void main() {
    vec2 p = (gl_FragCoord.xy - 0.5 * size) / size.y, along = to - from;
    vec2 away = p - from - along * clamp(dot(p - from, along) / dot(along, along), 0.0, 1.0);
    vec2 source = 0.9965 * mat2(0.99999, 0.0035, -0.0035, 0.99999) * p;
    vec3 old = texture(before, source * size.y / size + 0.5).rgb;
    old = max(old * vec3(0.998, 0.997, 0.999) - 0.0021, 0.0);
    vec3 paint = 0.55 + 0.45 * cos(6.2832 * (hue + vec3(0.0, 0.33, 0.67)));
    float far = dot(away, away), glow = exp(-2200.0 * far), core = exp(-40000.0 * far);
    colour = vec4(max(old, glow * paint) + 0.8 * core, 1.0);
}
)";

struct Player {
    demo::Shader shader{stroke};
    demo::Texture spare; // a copy, because nothing can be drawn from where it is drawn to

    void draw(demo::Texture &picture, int number) {
        const auto ball = [](float t, const auto &put) {
            put(0.60f * std::sin(1.30f * t), 0.36f * std::sin(2.10f * t + 0.6f));
        };
        const float t = 0.09f * static_cast<float>(number);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, picture.framebuffer());
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, spare.framebuffer());
        const int w = picture.width(), h = picture.height();
        glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        shader.set("before", spare).set("size", static_cast<float>(w), static_cast<float>(h)).set("hue", 0.06f * t);
        ball(t - 0.09f, [&](float x, float y) { shader.set("from", x, y); });
        ball(t, [&](float x, float y) { shader.set("to", x, y); });
        shader.draw(picture);
        glFinish(); // so that the trips, and not the drawing, are timed
    }
};

/// The naive way: glReadPixels, MPI_Send, MPI_Recv, glTexSubImage2D. Either texture may be missing.
void naive_trip(const demo::Texture *from, const demo::Texture *to, int partner) {
    static std::vector<unsigned char> out, in;
    std::vector<MPI_Request> requests;
    if (from) {
        const int bytes = 4 * from->width() * from->height();
        out.resize(static_cast<std::size_t>(bytes));
        glBindFramebuffer(GL_READ_FRAMEBUFFER, from->framebuffer());
        glReadPixels(0, 0, from->width(), from->height(), GL_RGBA, GL_UNSIGNED_BYTE, out.data());
        MPI_Isend(out.data(), bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests.emplace_back());
    }
    if (to) {
        const int bytes = 4 * to->width() * to->height();
        in.resize(static_cast<std::size_t>(bytes));
        MPI_Irecv(in.data(), bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    if (to) {
        glBindTexture(GL_TEXTURE_2D, to->name());
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, to->width(), to->height(), GL_RGBA, GL_UNSIGNED_BYTE, in.data());
        glFinish();
    }
}

void pingpong(demo::GlWorld &world) {
    const int width = world.options.width, height = world.options.height;
    const int partner = (world.rank ^ 1) < world.ranks ? world.rank ^ 1 : world.rank;
    const bool first = partner >= world.rank, second = partner <= world.rank; // a rank alone is both
    demo::Texture here(width, height, GL_RGBA8), there(width, height, GL_RGBA8);
    Player player{.spare = demo::Texture(width, height, GL_RGBA8)};

    // The glMPI way: requests that are made once. trips[0] goes from `here` of the first player to `there` of the
    // second, trips[1] back.
    std::vector<pixMPI_Request> trips[2];
    for (int back : {0, 1}) {
        const pixMPI_Surface mine = glMPI_Texture2D(here.name()), theirs = glMPI_Texture2D(there.name());
        const auto send = [&](pixMPI_Surface from) {
            glMPI_Send_init(from, PIXMPI_WHOLE, partner, 0, MPI_COMM_WORLD, &trips[back].emplace_back());
        };
        const auto receive = [&](pixMPI_Surface to) {
            glMPI_Recv_init(to, PIXMPI_WHOLE, partner, 0, MPI_COMM_WORLD, &trips[back].emplace_back());
        };
        if (first)
            back ? receive(mine) : send(mine);
        if (second)
            back ? send(theirs) : receive(theirs);
    }
    const auto glmpi_trip = [&](int back) {
        pixMPI_Startall(static_cast<int>(trips[back].size()), trips[back].data());
        pixMPI_Waitall(static_cast<int>(trips[back].size()), trips[back].data(), MPI_STATUSES_IGNORE);
    };

    double naive = 0, glmpi = 0;
    while (world.next_frame()) {
        if (first)
            player.draw(here, 2 * world.frame());
        for (const int turn : {0, 1}) { // which way comes first changes, so that neither profits from the other
            const bool by_hand = (turn + world.frame()) % 2 == 0;
            const double start = demo::now();
            if (by_hand) {
                naive_trip(first ? &here : nullptr, second ? &there : nullptr, partner);
                naive_trip(second ? &there : nullptr, first ? &here : nullptr, partner);
            } else {
                glmpi_trip(0);
                glmpi_trip(1);
            }
            if (world.frame() > 0 || world.options.frames == 1) // the first one finds its way
                (by_hand ? naive : glmpi) += demo::now() - start;
        }
        if (second)
            player.draw(there, 2 * world.frame() + 1);
        glmpi_trip(1);
        world.show(here);
    }
    for (auto &trip : trips)
        for (auto &request : trip)
            pixMPI_Request_free(&request);

    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    pixMPI_Comm_route(MPI_COMM_WORLD, partner, &route);
    const double trips_made = 2.0 * std::max(world.frame() - 1, 1);
    const double bytes = 4.0 * width * height, t0 = naive / trips_made, t1 = glmpi / trips_made;
    world.say("%dx%d RGBA8, %.0f bytes a message, rank %d with rank %d, route %s", width, height, bytes, world.rank,
              partner, pixMPI_Route_name(route));
    world.say("naive  %10.1f us a message  %7.2f GB/s", t0 * 1e6, bytes / t0 / 1e9);
    world.say("glMPI  %10.1f us a message  %7.2f GB/s  %.1f times as fast", t1 * 1e6, bytes / t1 / 1e9, t0 / t1);
    if (world.rank == 0 && !world.options.output.empty())
        demo::save_png(here.picture(), world.options.output);
}

} // namespace

int main(int argc, char **argv) {
    return demo::run(argc, argv,
                     {.name = "pingpong",
                      .text = "A picture goes back and forth between two ranks, by glMPI and the naive way",
                      .defaults = {.width = 1280, .height = 720, .frames = 200, .output = "pingpong.png"}},
                     pingpong);
}
