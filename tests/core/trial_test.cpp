// The host's side of a dispatch that waits, against a thread that plays the shader (shaders/running.comp).
#include "endpoint/trial.h"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace pixmpi;

namespace {

struct Shader {
    std::array<std::uint32_t, Trial::bytes / 4> answers{}, said{}, payload{};
    std::atomic<bool> over{false};
    Trial trial{reinterpret_cast<std::byte *>(answers.data()), reinterpret_cast<std::byte *>(said.data())};

    /// As the shader does; `last`: the turn after which it ends.
    void run(std::uint32_t last) {
        for (std::uint32_t turn = 1; turn <= last; ++turn) {
            publish(said[0], turn);
            while (look_at(answers[0]) != turn)
                std::this_thread::yield();
            for (const std::uint32_t word : payload)
                said[2] += word != turn;
        }
        if (last == Trial::turns)
            publish(said[1], 1);
        over = true;
    }
    /// The host's part; each payload is `pay(turn)`.
    template <class Pay> Status answer(std::uint32_t last, Pay pay) {
        std::thread dispatch([&] { run(last); });
        const Status status = trial.answer(
            [&](bool &yes) {
                yes = over;
                return PIXMPI_SUCCESS;
            },
            [&](std::uint32_t turn) {
                payload.fill(pay(turn));
                return PIXMPI_SUCCESS;
            });
        dispatch.join();
        return status;
    }
};

std::uint32_t right(std::uint32_t turn) { return turn; }

} // namespace

TEST(trial, a_dispatch_that_sees_all_succeeds) {
    Shader shader;
    EXPECT_EQ(shader.answer(Trial::turns, right), PIXMPI_SUCCESS);
    EXPECT_TRUE(shader.trial.succeeded());
}

TEST(trial, one_that_ends_early_does_not) {
    Shader shader;
    EXPECT_EQ(shader.answer(Trial::turns - 1, right), PIXMPI_SUCCESS);
    EXPECT_FALSE(shader.trial.succeeded());
}

TEST(trial, one_that_sees_an_old_payload_does_not) {
    Shader shader;
    EXPECT_EQ(shader.answer(Trial::turns, [](std::uint32_t turn) { return turn == 2 ? 1u : turn; }), PIXMPI_SUCCESS);
    EXPECT_FALSE(shader.trial.succeeded());
}

TEST(trial, errors_end_it) {
    Shader shader;
    const auto good = [](std::uint32_t) { return PIXMPI_SUCCESS; };
    EXPECT_EQ(shader.trial.answer([](bool &) { return PIXMPI_ERR_DEVICE; }, good), PIXMPI_ERR_DEVICE);
    publish(shader.said[0], 1);
    const auto no = [](bool &over) {
        over = false;
        return PIXMPI_SUCCESS;
    };
    EXPECT_EQ(shader.trial.answer(no, [](std::uint32_t) { return PIXMPI_ERR_MEMORY; }), PIXMPI_ERR_MEMORY);
    EXPECT_EQ(shader.answers[0], 0u); // nothing was published
}
