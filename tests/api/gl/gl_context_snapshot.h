// All of a context's state that calls of ours could change: hundreds of queries, by name.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gl_state {

using Snapshot = std::map<std::string, std::vector<double>>;

Snapshot take(bool compatibility);

/// While it lives, the debug callback is told nothing: around errors that a test provokes.
struct Silence {
    Silence();
    ~Silence();
    Silence(const Silence &) = delete;
    Silence &operator=(const Silence &) = delete;
    const bool was_on;
};

/// What differs, a line each; empty when nothing does.
std::string difference(const Snapshot &before, const Snapshot &after);

/// Gives state values that no program starts with, and binds its own objects wherever something can be bound.
class Disorder {
  public:
    /// `counts`: a query counts what is drawn.
    explicit Disorder(bool compatibility, bool counts = true);
    ~Disorder();
    Disorder(const Disorder &) = delete;
    Disorder &operator=(const Disorder &) = delete;

  private:
    void pixels();
    void objects();
    void drawing();

    const bool compatibility_, counts_;
    unsigned buffers_[16] = {}, textures_[12] = {}, framebuffers_[2] = {}, renderbuffer_ = 0, vertex_array_ = 0;
    unsigned program_ = 0, sampler_ = 0, feedback_ = 0, query_ = 0;
};

} // namespace gl_state
