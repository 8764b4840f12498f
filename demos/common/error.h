// What goes wrong in a demo.
#pragma once

#include <stdexcept>

namespace demo {

/// On this rank; the others cannot know, so the whole job ends.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What the user typed; all ranks see it alike, and rank 0 says it.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace demo
