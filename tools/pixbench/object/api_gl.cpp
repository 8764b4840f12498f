#include "object/api_gl.h"

#include "measure/job.h"
#include "object/gl_object.h"

#include <headless.h>
#include <mpi_facts.h>

namespace {

class GlApi final : public Api {
  public:
    const char *name() const override { return "gl"; }
    std::vector<std::string> objects() const override { return {"texture", "framebuffer", "buffer"}; }
    std::string open(std::optional<int> card) override {
        demo::HeadlessOptions options;
        options.card = card ? *card : demo::rank_within_host();
        std::string error;
        context_ = demo::Headless::make(options, error);
        return context_ ? "" : error;
    }
    void close() override { check(glMPI_Context_release()); }
    std::string driver() const override { return context_->text(); }
    bool software() const override {
        for (const char *name : {"llvmpipe", "softpipe", "swrast", "Software Rasterizer"})
            if (driver().find(name) != std::string::npos)
                return true;
        return false;
    }
    GpuUuid gpu() const override { return context_->card_uuid(); }
    std::unique_ptr<Object> make(const std::string &kind, const Shape2D &shape, std::string &problem) override {
        auto object = std::make_unique<GlObject>(kind, shape);
        problem = object->make();
        return object;
    }
    std::unique_ptr<CardMemory> card_memory(Object &object, const RegionCase &what, std::string &) override {
        return make_gl_card_memory(object, what, software());
    }

  private:
    std::unique_ptr<demo::Headless> context_;
};

} // namespace

std::unique_ptr<Api> make_gl_api() { return std::make_unique<GlApi>(); }
