// An OpenGL context without a window or a display server, from EGL: on a GPU picked by number, or on the
// software driver where there is no card. Knows nothing of MPI.
#pragma once

#include <array>
#include <memory>
#include <string>

namespace demo {

class Headless;

struct HeadlessOptions {
    bool compatibility = false;      ///< the compatibility profile instead of the core profile
    int major = 0, minor = 0;        ///< at least this version; 0: the newest from 4.6 down to 3.3
    int card = 0;                    ///< which GPU, counted modulo their number: the rank within the host
    int width = 0, height = 0;       ///< of the default framebuffer, in pixels; 0: none
    const Headless *share = nullptr; ///< shares its textures and buffers
    /// Makes a debug context, which calls this for each error of OpenGL's, from within the call that has it.
    void (*on_error)(const char *text) = nullptr;
};

class Headless {
  public:
    /// Makes a context and makes it current; null, and what was tried in `error`, when there is none.
    static std::unique_ptr<Headless> make(const HeadlessOptions &options, std::string &error);
    ~Headless();
    Headless(const Headless &) = delete;
    Headless &operator=(const Headless &) = delete;

    /// On the calling thread.
    bool make_current() const;
    /// No context is current on this thread afterwards.
    void release_current() const;
    /// Where it runs and what it is: "EGL device 0, core profile 4.5, llvmpipe (...)".
    const std::string &text() const { return text_; }
    /// GL_DEVICE_UUID_EXT of the GPU; all zero where the driver does not say.
    std::array<unsigned char, 16> card_uuid() const;

  private:
    struct Parts;
    Headless(std::unique_ptr<Parts> parts, std::string text);
    std::unique_ptr<Parts> parts_;
    std::string text_;
};

} // namespace demo
