#include "composed_frames.h"

#include <glmpi.h>
#include <utility>

namespace demo {

Target::Target(int width, int height, GLenum color_format, bool with_depth)
    : color_(width, height, color_format), colors_(glMPI_Texture2D(color_.name())), depths_(pixMPI_No_surface()) {
    if (!with_depth)
        return;
    glGenTextures(1, &depth_);
    depths_ = glMPI_Texture2D(depth_);
    glBindTexture(GL_TEXTURE_2D, depth_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, width, height, 0, GL_DEPTH_COMPONENT, GL_FLOAT, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, color_.framebuffer());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth_, 0);
    check_gl("making a depth texture");
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        throw Error("a depth texture that cannot be drawn to");
}

Target::~Target() { glDeleteTextures(1, &depth_); }

void Target::clear() const {
    glBindFramebuffer(GL_FRAMEBUFFER, color_.framebuffer());
    glViewport(0, 0, color_.width(), color_.height());
    glClearColor(0, 0, 0, 0);
    glClearDepth(1);
    glClear(GL_COLOR_BUFFER_BIT | (depth_ ? GL_DEPTH_BUFFER_BIT : 0));
}

namespace {

/// RGBA values of a rectangle.
std::vector<float> part_of(const Texture &texture, const pixMPI_Rect &rect) {
    const std::vector<float> all = texture.floats();
    std::vector<float> part;
    for (int y = rect.y; y < rect.y + rect.height; ++y) {
        const auto first = all.begin() + std::ptrdiff_t{4} * (std::ptrdiff_t{y} * texture.width() + rect.x);
        part.insert(part.end(), first, first + std::ptrdiff_t{4} * rect.width);
    }
    return part;
}

} // namespace

ComposedFrames::Set::Set(const World &world, const View &view, const How &how)
    : drawn(world.options.width, world.options.height, how.color_format, how.with_depth) {
    if (view.shows())
        picture.emplace(view.mine().width, view.mine().height, how.color_format);
}

ComposedFrames::ComposedFrames(GlWorld &world, const TeamOptions &options, const View &view, const How &how)
    : world_(world), options_(options), view_(view), comparison_(how.tolerance) {
    for (std::optional<Set> &set : sets_)
        set.emplace(world, view, how);
    if (view.shows())
        shown_.emplace(view.mine().width, view.mine().height, GL_RGBA8);
    if ((world.rank == 0 && options.alone) || (view.shows() && options.compare))
        whole_.emplace(world.options.width, world.options.height, how.color_format, how.with_depth);
    pixMPI_Compositor_create(how.op, 0, MPI_COMM_WORLD, &compositor_);
    if (!options.trace.empty())
        pixMPI_Compositor_set_trace(compositor_, view.file_of_rank(options.trace).c_str());
    pixMPI_Compositor_set_tiles(compositor_, static_cast<int>(view.tiles().size()), view.tiles().data());
}

ComposedFrames::~ComposedFrames() { pixMPI_Compositor_free(&compositor_); }

void ComposedFrames::run(Scene &scene) {
    double alone = 0;
    if (world_.rank == 0 && options_.alone)
        alone = seconds_alone([&](int frame) {
            scene.draw_whole(frame, *whole_);
            glFinish();
        });
    meet();
    while (world_.next_frame()) {
        times_.begin_frame(world_.frame());
        const Set &set = *sets_[world_.frame() % 2];
        pixMPI_Rect active;
        {
            const Stopwatch watch(times_.draw);
            active = scene.draw_part(world_.frame(), set.drawn);
            const GLsync drawn = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
            while (glClientWaitSync(drawn, GL_SYNC_FLUSH_COMMANDS_BIT, 0) == GL_TIMEOUT_EXPIRED) {
                poll();
                pause();
            }
            glDeleteSync(drawn);
        }
        complete(scene);
        compose(set, active);
    }
    complete(scene);
    if (options_.compare)
        comparison_.say(world_);
    else // a comparison takes rank 0's time
        times_.say(world_, alone);
    if (shown_ && !world_.options.output.empty())
        save_png(shown_->picture(), view_.file(world_.options.output));
}

void ComposedFrames::poll() {
    const double begin = now();
    int complete = 0;
    if (request_ != PIXMPI_REQUEST_NULL)
        pixMPI_Test(&request_, &complete, MPI_STATUS_IGNORE);
    const double seconds = now() - begin; // of the time that the drawing counts
    times_.draw -= seconds;
    times_.compose += seconds;
}

void ComposedFrames::compose(const Set &set, const pixMPI_Rect &active) {
    const Stopwatch watch(times_.compose);
    pixMPI_Region region = PIXMPI_REGION_NULL;
    pixMPI_Region_rect(active.x, active.y, active.width, active.height, &region);
    pixMPI_Region_commit(&region);
    pixMPI_Icomposite(set.drawn.surface(), region,
                      set.picture ? glMPI_Texture2D(set.picture->name()) : pixMPI_No_surface(), compositor_, &request_);
    pixMPI_Region_free(&region);
    under_way_ = world_.frame();
}

void ComposedFrames::complete(Scene &scene) {
    if (under_way_ < 0)
        return;
    {
        const Stopwatch watch(times_.wait);
        pixMPI_Wait(&request_, MPI_STATUS_IGNORE);
    }
    const int frame = std::exchange(under_way_, -1);
    const std::optional<Texture> &picture = sets_[frame % 2]->picture;
    if (!picture)
        return;
    if (options_.compare) {
        scene.draw_whole(frame, *whole_);
        comparison_.add(frame, picture->floats(), part_of(whole_->color(), view_.mine()));
    }
    scene.finish(frame, *picture, view_.mine().x, view_.mine().y, *shown_);
    present(world_, *shown_, view_.file(options_.file_of(frame)));
}

} // namespace demo
