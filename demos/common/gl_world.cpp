#include "gl_world.h"

#include "fit.h"
#include "window.h"

#include <glmpi.h>

namespace demo {

namespace {

const char *const copy_source = R"(
uniform sampler2D picture;
uniform vec2 corner, size;
out vec4 colour;
void main() { colour = texture(picture, (gl_FragCoord.xy - corner) / size); }
)";

} // namespace

GlWorld::GlWorld(const Start &start, bool window, int width, int height) : World(start) {
    if (window && !options.headless) {
        window_ = Window::make(start.about.name, width, height, Window::For::gl);
        shown_ = std::make_unique<Shader>(copy_source);
    } else {
        glMPI_Context_create(nullptr, &context_);
    }
}

GlWorld::~GlWorld() {
    if (context_)
        glMPI_Context_free(&context_);
    else
        glMPI_Context_release();
}

bool GlWorld::open() { return !window_ || window_->open(); }

void GlWorld::show(const Texture &texture) {
    if (!window_)
        return;
    int width = 0, height = 0;
    window_->size(width, height);
    const Fit at = fit(texture.width(), texture.height(), width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    shown_->set("picture", texture);
    shown_->set("corner", static_cast<float>(at.x), static_cast<float>(at.y));
    shown_->set("size", static_cast<float>(at.width), static_cast<float>(at.height));
    shown_->draw(0, at.x, at.y, at.width, at.height);
    window_->swap();
}

} // namespace demo
