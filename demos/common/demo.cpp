#include "demo.h"

#include "headless.h"
#include "host_rank.h"
#include "options.h"
#include "window.h"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <glmpi.h>
#include <unistd.h>

namespace demo {

namespace {

const char *const copy_source = R"(
uniform sampler2D picture;
uniform vec2 corner, size;
out vec4 colour;
void main() { colour = texture(picture, (gl_FragCoord.xy - corner) / size); }
)";

} // namespace

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

World::World(const About &about, const Options &options_, int rank_, int ranks_)
    : options(options_), rank(rank_), ranks(ranks_) {
    const int card = rank_within_host();
    if (rank == 0 && !options.headless) {
        window_ = Window::make(about.name, options.width, options.height);
        shown_ = std::make_unique<Shader>(copy_source);
    } else {
        std::string error;
        context_ = Headless::make({.card = card}, error);
        if (!context_)
            throw Error(error);
    }
}

World::~World() { glMPI_Context_release(); }

bool World::next_frame() {
    int go_on = ++frame_ < options.frames;
    if (!options.headless) {
        if (window_)
            go_on = go_on && window_->open();
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return go_on;
}

void World::show(const Texture &texture) {
    if (!window_)
        return;
    int width = 0, height = 0;
    window_->size(width, height);
    const double scale = std::min(double(width) / texture.width(), double(height) / texture.height());
    const int w = static_cast<int>(texture.width() * scale), h = static_cast<int>(texture.height() * scale);
    const int x = (width - w) / 2, y = (height - h) / 2;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    shown_->set("picture", texture);
    shown_->set("corner", static_cast<float>(x), static_cast<float>(y));
    shown_->set("size", static_cast<float>(w), static_cast<float>(h));
    shown_->draw(0, x, y, w, h);
    window_->swap();
}

void World::say(const char *format, ...) const {
    if (rank != 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    std::vprintf(format, arguments);
    va_end(arguments);
    std::printf("\n");
    std::fflush(stdout);
}

int run(int argc, char **argv, const About &about, void (*body)(World &)) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1, status = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    try {
        std::string help;
        const Options options = read_options(argc, argv, about, help);
        if (!help.empty()) {
            if (rank == 0)
                std::fputs(help.c_str(), stdout);
        } else {
            check(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr));
            World world(about, options, rank, ranks);
            body(world);
        }
    } catch (const UsageError &problem) {
        if (rank == 0)
            std::fprintf(stderr, "%s: %s\n", about.name, problem.what());
        status = 2;
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s: rank %d: %s\n", about.name, rank, problem.what());
        usleep(100000);               // mpiexec passes on what was printed before it hears of the end
        MPI_Abort(MPI_COMM_WORLD, 1); // the others may be waiting for this rank
    }
    MPI_Finalize();
    return status;
}

} // namespace demo
