// glGetError around our own calls: errors of the program from before stay where they were, ours become codes.
#pragma once

#include "base/status.h"
#include "gl.h"

namespace glmpi {

class GlErrors {
  public:
    /// Takes the program's pending errors out.
    explicit GlErrors(const Gl &gl);
    /// Drops ours and puts the program's back.
    ~GlErrors();
    GlErrors(const GlErrors &) = delete;
    GlErrors &operator=(const GlErrors &) = delete;

    /// PIXMPI_SUCCESS, or what OpenGL says about the calls since. `doing`: "reading the surface".
    pixmpi::Status check(const char *doing);
    /// Whether there was one since; forgets it.
    bool any();
    /// Whether any() has ever seen that memory had run out: what failed then may succeed later.
    bool ran_out() const { return ran_out_; }

  private:
    static constexpr int most = 8; ///< there are this many flags, and a lost context answers for ever

    void put_back(GLenum error) const;

    const Gl &gl_;
    GLenum pending_[most] = {};
    int count_ = 0;
    bool ran_out_ = false;
};

const char *error_name(GLenum error);

} // namespace glmpi
