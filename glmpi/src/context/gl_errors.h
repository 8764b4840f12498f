// glGetError around our own calls: errors of the program from before stay where they were, ours become codes. And
// silence around those of our calls that may fail on purpose.
#pragma once

#include "base/status.h"
#include "context/gl.h"

namespace glmpi {

class GlErrors {
  public:
    /// Removes the program's pending errors.
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
    static constexpr int most = 8; ///< there are this many flags, and a lost context answers forever

    void put_back(GLenum error) const;

    const Gl &gl_;
    GLenum pending_[most] = {};
    int count_ = 0;
    bool ran_out_ = false;
};

/// While it lives, OpenGL tells the program's debug callback (KHR_debug) nothing of our calls.
class Quiet {
  public:
    explicit Quiet(const Gl &gl);
    ~Quiet();
    Quiet(const Quiet &) = delete;
    Quiet &operator=(const Quiet &) = delete;

  private:
    const Gl &gl_;
    const bool on_; ///< what was switched off
};

/// The errors of calls that may fail, since there is another way then, or no other way to ask.
class GlAttempt : private Quiet, public GlErrors {
  public:
    explicit GlAttempt(const Gl &gl) : Quiet(gl), GlErrors(gl) {}
};

const char *error_name(GLenum error);

} // namespace glmpi
