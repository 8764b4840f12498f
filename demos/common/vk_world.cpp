#include "vk_world.h"

#include "vk_swapchain.h"
#include "vk_window.h"

namespace demo {

VkWorld::VkWorld(const Start &start) : World(start) {
    if (rank == 0 && !options.headless) {
        window_ = std::make_unique<VkWindow>(start.about.name, options.width, options.height);
        gpu_.emplace(window_->context());
        swapchain_ = std::make_unique<Swapchain>(*gpu_, window_->surface());
    } else {
        vkMPI_Context_create(nullptr, &context_);
        gpu_.emplace(context_);
        nothing_ = std::make_unique<Commands>(*gpu_);
    }
}

VkWorld::~VkWorld() {
    swapchain_.reset();
    nothing_.reset();
    gpu_.reset();
    if (context_)
        vkMPI_Context_free(&context_);
}

bool VkWorld::open() { return !window_ || window_->window().open(); }

void VkWorld::show(const Image &image, const vkMPI_Sync *sync) {
    if (!window_) {
        nothing_->begin();
        nothing_->submit(sync);
        return;
    }
    int width = 0, height = 0;
    window_->window().size(width, height);
    swapchain_->show(image, width, height, sync);
}

} // namespace demo
