#include "object/api_host.h"

#include <algorithm>

namespace {

class MemoryObject final : public Object {
  public:
    explicit MemoryObject(const Shape2D &shape) : Object(shape), memory_(bytes()) {}

    void read(pixMPI_Rect rect, void *to) override {
        for_each_row(rect, [&](std::size_t at, std::size_t packed, std::size_t length) {
            copy_bytes(static_cast<std::byte *>(to) + packed, memory_.data() + at, length);
        });
    }
    void write(pixMPI_Rect rect, const void *from) override {
        for_each_row(rect, [&](std::size_t at, std::size_t packed, std::size_t length) {
            copy_bytes(memory_.data() + at, static_cast<const std::byte *>(from) + packed, length);
        });
    }
    bool straight() const override { return true; }
    bool by_pointer() const override { return true; }
    std::byte *in_place(pixMPI_Rect rect) override {
        return rect.width == width ? memory_.data() + row_bytes() * static_cast<std::size_t>(rect.y) : nullptr;
    }
    void touch(int frame) override {
        std::fill_n(memory_.begin(), std::min<std::size_t>(bytes(), 64), static_cast<std::byte>(frame & 0x3f));
    }
    End end() override { return End(pixMPI_Memory(memory_.data(), format, width, height)); }
    std::unique_ptr<Fill> make_fill(int steps, std::string &problem) override {
        return make_memory_fill(*this, memory_.data(), steps, problem);
    }

  private:
    HostMemory memory_;
};

class HostApi final : public Api {
  public:
    const char *name() const override { return "host"; }
    std::vector<std::string> objects() const override { return {"memory"}; }
    std::string open(std::optional<int>) override { return ""; }
    std::string driver() const override { return "host memory"; }
    bool software() const override { return true; }
    std::unique_ptr<Object> make(const std::string &, const Shape2D &shape, std::string &) override {
        return std::make_unique<MemoryObject>(shape);
    }
};

} // namespace

std::unique_ptr<Api> make_host_api() { return std::make_unique<HostApi>(); }
