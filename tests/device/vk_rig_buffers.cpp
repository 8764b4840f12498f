// Pixels in buffers: with gaps, at any byte, with and without the right to be used by shaders.
#include "vk_rig_contexts.h"

#include <algorithm>
#include <map>
#include <set>

using namespace vk_rig;
using namespace device_suite;

namespace {

struct Lie {
    const char *name;
    VkDeviceSize before, between, behind; ///< bytes: the offset, what is left between rows, and after the last
    bool storage, told;                   ///< told: the surface says how large the buffer is
};

constexpr Lie lies[] = {{"buffer", 20, 12, 4, false, true},
                        {"odd_buffer", 7, 3, 1, false, true},
                        {"storage_buffer", 64, 16, 4, true, true},
                        {"odd_storage_buffer", 5, 1, 2, true, true},
                        {"odd_whole_storage_buffer", 5, 3, 7, true, true},
                        {"untold_storage_buffer", 3, 5, 0, true, false}};

constexpr std::byte gap{0x3c};

class BufferRig : public VulkanRig {
  public:
    BufferRig(Path path, const Lie &lie) : VulkanRig(path), lie_(lie) {}
    ~BufferRig() override {
        vkDeviceWaitIdle(vk().info.device);
        for (auto &[surface, object] : objects_)
            destroy(vk(), object.buffer);
    }

    // The validation layers compare each piece of a copy command with all others.
    int largest() const override {
        const bool shaders = path_ == Path::shaders || path_ == Path::shaders_copied;
        const bool whole_words = lie_.storage && lie_.told && lie_.behind >= 4; // what shaders need
        return vk().validated && !(shaders && whole_words) ? 64 : 300;
    }

    // Of a buffer, only the bytes of a pixel make a difference: all formats once, then one of each size.
    std::vector<pixMPI_Format> formats(Direction) const override {
        const bool each = path_ == Path::commands && &lie_ == &lies[0];
        std::vector<pixMPI_Format> all;
        std::set<int> sizes;
        for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
            if (const auto format = static_cast<pixMPI_Format>(i);
                sizes.insert(pixMPI_Format_bytes(format)).second || each)
                all.push_back(format);
        return all;
    }

    std::shared_ptr<pixmpi::Surface> make(pixMPI_Format format, Extent extent, const Bytes &pixels) override {
        Object object;
        vkMPI_Surface named = vkMPI_Buffer(vk().context(), VK_NULL_HANDLE, format, extent.width, extent.height);
        object.row = static_cast<std::size_t>(named.row_bytes);
        object.pitch = object.row + lie_.between;
        object.rows = static_cast<std::size_t>(extent.height);
        Bytes content(lie_.before + object.rows * object.pitch - lie_.between + lie_.behind, gap);
        for (std::size_t y = 0; y < object.rows; ++y)
            std::copy_n(pixels.data() + y * object.row, object.row, content.data() + lie_.before + y * object.pitch);
        VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        if (lie_.storage)
            usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        object.buffer = make_buffer(vk(), content.size(), usage, false);
        write(vk(), object.buffer, content.data());
        named.buffer = object.buffer.name;
        named.buffer_usage = usage;
        named.buffer_bytes = lie_.told ? content.size() : 0;
        named.offset = lie_.before;
        named.row_bytes = static_cast<std::int64_t>(object.pitch);
        const auto surface = resolved(named);
        EXPECT_NE(surface, nullptr);
        objects_[surface.get()] = object;
        return surface;
    }

    Bytes read(pixmpi::Surface &surface) override {
        const Object &object = objects_.at(&surface);
        const Bytes all = content(object);
        Bytes pixels(object.rows * object.row);
        for (std::size_t y = 0; y < object.rows; ++y)
            std::copy_n(all.data() + lie_.before + y * object.pitch, object.row, pixels.data() + y * object.row);
        return pixels;
    }

    void check(pixmpi::Surface &surface) override {
        const Object &object = objects_.at(&surface);
        const Bytes all = content(object);
        const auto untouched = [&](std::size_t first, std::size_t end) {
            return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(first),
                               all.begin() + static_cast<std::ptrdiff_t>(end), [](std::byte b) { return b == gap; });
        };
        EXPECT_TRUE(untouched(0, lie_.before)) << "written before the first row";
        for (std::size_t y = 0; y < object.rows; ++y) {
            const std::size_t end = lie_.before + y * object.pitch + object.row;
            EXPECT_TRUE(untouched(end, std::min(end + lie_.between, all.size()))) << "written behind row " << y;
        }
        EXPECT_TRUE(untouched(all.size() - lie_.behind, all.size())) << "written behind the last row";
        VulkanRig::check(surface);
    }

  private:
    struct Object {
        Buffer buffer;
        std::size_t row = 0, pitch = 0, rows = 0;
    };

    Bytes content(const Object &object) const {
        Bytes all(static_cast<std::size_t>(object.buffer.bytes));
        vk_rig::read(vk(), object.buffer, all.data());
        return all;
    }

    const Lie &lie_;
    std::map<const pixmpi::Surface *, Object> objects_;
};

const bool added = [] {
    const auto add = [](Path path, const Lie &lie) {
        add_rig((std::string(path_name(path)) + "_" + lie.name).c_str(),
                [path, lie] { return std::make_unique<BufferRig>(path, lie); });
    };
    for (const Path path : {Path::commands, Path::shaders})
        for (const Lie &lie : lies)
            if (path == Path::shaders || &lie != &lies[4]) // copy commands see no difference
                add(path, lie);
    add(Path::commands_copied, lies[1]);
    add(Path::shaders_copied, lies[3]);
    add(Path::transfer_queue, lies[1]);
    return true;
}();

} // namespace
