// Small pictures of the captures, for a page that shows many of them. They are made in a thread, and kept while there is
// room.
#pragma once

#include "capture/captures.h"
#include "capture/stills.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mpiglut::walld {

class Thumbnails {
  public:
    using Jpeg = std::shared_ptr<const std::string>;
    using Answer = std::function<void(const Jpeg &)>; ///< null: there is none
    /// `elsewhere` is not where films are coded, which would have to wait.
    Thumbnails(const Captures &captures, std::function<void(Stills::Work)> elsewhere)
        : captures_(captures), elsewhere_(std::move(elsewhere)) {}

    /// Of a screenshot of at most 64 Mi pixels. False: too many are being waited for.
    bool get(const std::string &name, Answer answer);
    /// The capture is gone.
    void forget(const std::string &name);

    /// At most `longest` pixels wide and high, as JPEG. Empty for what is no PNG, and for one that is too large.
    static std::string make(const std::string &png, int longest);

  private:
    void made(const std::string &name, const Jpeg &jpeg);

    const Captures &captures_;
    std::function<void(Stills::Work)> elsewhere_;
    std::map<std::string, Jpeg> known_;
    std::deque<std::string> order_; ///< of these pictures, the oldest first
    std::map<std::string, std::vector<Answer>> waiting_;
};

} // namespace mpiglut::walld
