// Pixels in buffer objects: of any storage, with gaps, mapped.
#define GL_GLEXT_PROTOTYPES
#include "gl_rig_contexts.h"
#include "rig.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace gl_rig;
using namespace device_suite;
using pixmpi::Direction;
using pixmpi::Extent;

namespace {

enum class Storage {
    plain,
    fixed,
    mapped,
    tight ///< it ends with the last pixel, where shaders may find no whole word
};

constexpr std::byte gap{0x3c};

class BufferRig : public DeviceRig {
  public:
    BufferRig(Path path, Storage storage) : path_(path), storage_(storage), device_(use(path)) {}
    ~BufferRig() override {
        for (auto &[surface, object] : objects_)
            glDeleteBuffers(1, &object.name);
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }

    pixmpi::Device &device() override { return *device_; }
    bool has_passes() const override { return gl_rig::has_passes(path_); }

    std::vector<pixMPI_Format> formats(Direction) const override {
        std::vector<pixMPI_Format> all;
        for (int i = PIXMPI_FORMAT_NONE + 1; i < PIXMPI_FORMAT_END; ++i)
            all.push_back(static_cast<pixMPI_Format>(i));
        return all;
    }

    std::shared_ptr<pixmpi::Surface> make(pixMPI_Format format, Extent extent, const Bytes &pixels) override {
        Object object;
        pixMPI_Surface named = glMPI_Buffer(0, format, extent.width, extent.height);
        object.row = static_cast<std::size_t>(named.row_bytes);
        object.pitch = object.row + 12;
        object.rows = static_cast<std::size_t>(extent.height);
        const std::size_t last_gap = object.pitch - object.row;
        object.bytes = before + object.rows * object.pitch + 1 - (storage_ == Storage::tight ? last_gap + 1 : 0);
        named.offset = before;
        named.row_bytes = static_cast<std::int64_t>(object.pitch);
        Bytes content(object.bytes, gap);
        for (std::size_t y = 0; y < object.rows; ++y)
            std::copy_n(pixels.data() + y * object.row, object.row, content.data() + before + y * object.pitch);
        glGenBuffers(1, &object.name);
        glBindBuffer(GL_ARRAY_BUFFER, object.name);
        const auto size = static_cast<GLsizeiptr>(content.size());
        constexpr GLbitfield mapping = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT;
        if (storage_ == Storage::plain || storage_ == Storage::tight)
            glBufferData(GL_ARRAY_BUFFER, size, content.data(), GL_STATIC_DRAW);
        else
            glBufferStorage(GL_ARRAY_BUFFER, size, content.data(), storage_ == Storage::mapped ? mapping : 0);
        if (storage_ == Storage::mapped) {
            EXPECT_NE(glMapBufferRange(GL_ARRAY_BUFFER, 0, size, mapping), nullptr);
        }
        glBindBuffer(GL_ARRAY_BUFFER, 0);
        named.name = object.name;
        const auto surface = resolved(*device_, named);
        if (surface)
            objects_[surface.get()] = object;
        return surface;
    }

    Bytes read(pixmpi::Surface &surface) override {
        const Object &object = objects_.at(&surface);
        const Bytes all = content(object);
        Bytes pixels(object.rows * object.row);
        for (std::size_t y = 0; y < object.rows; ++y)
            std::copy_n(all.data() + before + y * object.pitch, object.row, pixels.data() + y * object.row);
        return pixels;
    }

    void check(pixmpi::Surface &surface) override {
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
        const Object &object = objects_.at(&surface);
        Bytes all = content(object);
        const auto untouched = [&](std::size_t first, std::size_t count) {
            return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(first),
                               all.begin() + static_cast<std::ptrdiff_t>(std::min(first + count, all.size())),
                               [](std::byte b) { return b == gap; });
        };
        EXPECT_TRUE(untouched(0, before));
        for (std::size_t y = 0; y < object.rows; ++y)
            EXPECT_TRUE(untouched(before + y * object.pitch + object.row, object.pitch - object.row)) << "row " << y;
    }

  private:
    struct Object {
        GLuint name = 0;
        std::size_t row = 0, pitch = 0, rows = 0, bytes = 0;
    };
    static constexpr std::size_t before = 20;

    static Bytes content(const Object &object) {
        Bytes all(object.bytes);
        glBindBuffer(GL_ARRAY_BUFFER, object.name);
        glGetBufferSubData(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(all.size()), all.data());
        glBindBuffer(GL_ARRAY_BUFFER, 0);
        return all;
    }

    const Path path_;
    const Storage storage_;
    const std::shared_ptr<glmpi::GlDevice> device_;
    std::map<const pixmpi::Surface *, Object> objects_;
};

void add(Path path, Storage storage, const char *name) {
    add_rig((std::string(path_name(path)) + "_" + name).c_str(),
            [path, storage] { return std::make_unique<BufferRig>(path, storage); });
}

const bool added = [] {
    for (const Path path : paths)
        add(path, Storage::plain, "buffer");
    for (const Path path : {Path::direct, Path::pixel_buffers}) {
        add(path, Storage::fixed, "fixed_buffer");
        add(path, Storage::mapped, "mapped_buffer");
    }
    add(Path::shaders, Storage::tight, "tight_buffer");
    return true;
}();

} // namespace
