// Whether a dispatch can wait for messages while it runs: no specification promises it, so each API tries it once, by
// shaders/running.comp. This is the host's side of that shader.
#pragma once

#include "base/status.h"
#include "endpoint/published.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pixmpi {

class Trial {
  public:
    static constexpr std::uint32_t turns = 3, looks = 20000; ///< of the shader: about 15 ms on a GPU
    static constexpr std::size_t bytes = 256;                ///< of each of its three buffers
    static constexpr double patience = 5;

    /// Where the shader looks for answers, and what it says. Both are zero at first.
    Trial(std::byte *answers, std::byte *said)
        : answer_(*reinterpret_cast<std::uint32_t *>(answers)), said_(reinterpret_cast<std::uint32_t *>(said)) {}

    /// Answers each turn of the shader's, when `pay(turn)` has written the payload. Ends with the last turn, with the
    /// dispatch (`ended(over)`), or when it takes too long.
    template <class Ended, class Pay> Status answer(Ended ended, Pay pay) {
        const auto begin = std::chrono::steady_clock::now();
        for (std::uint32_t turn = 0; turn < turns;) {
            bool over = false;
            if (const Status error = ended(over))
                return error;
            if (look_at(said_[0]) == turn + 1) {
                if (const Status error = pay(++turn))
                    return error;
                publish(answer_, turn);
            } else if (over || std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(patience)) {
                break;
            }
        }
        return PIXMPI_SUCCESS;
    }
    /// After the dispatch: it has seen all answers, and each payload whole.
    bool succeeded() const { return look_at(said_[1]) == 1 && look_at(said_[2]) == 0; }

  private:
    // Words of the caller's buffers.
    std::uint32_t &answer_;
    std::uint32_t *const said_;
};

} // namespace pixmpi
