// A function between the library and a graphics API that counts its calls, and can be made to fail.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace interpose {

/// `Error`: what the API says when it fails.
template <class Error> struct Hand {
    const char *name;
    std::atomic<int> passes{-1};  ///< so many calls pass before some fail; -1: none does
    std::atomic<int> times{0};    ///< so many fail
    std::atomic<Error> error{{}}; ///< with this
    std::atomic<int> calls{0};

    /// After the next `after` calls.
    void fail(Error with, int after = 0, int times_ = 1'000'000) {
        error = with;
        times = times_;
        passes = after;
    }
    void heal() { passes = -1; }
    bool strikes() {
        ++calls;
        for (int left = passes.load(); left >= 0;) {
            if (left == 0)
                return times-- > 0;
            if (passes.compare_exchange_weak(left, left - 1))
                return false;
        }
        return false;
    }
};

template <class Hands> auto &hand_named(Hands &hands, const std::string &name) {
    for (auto &one : hands)
        if (name == one.name)
            return one;
    std::fprintf(stderr, "%s is not interposed\n", name.c_str());
    std::abort();
}

} // namespace interpose
