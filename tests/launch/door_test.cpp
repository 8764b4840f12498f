// Where a rank that comes back reaches rank 0: who knows the run's token comes in, with a connection of its own.
#include "door.h"
#include "net.h"

#include <gtest/gtest.h>

#include <thread>
#include <unistd.h>

namespace {

using namespace mpiglut::launcher;
using namespace std::chrono_literals;

const std::string token = "0123456789abcdef0123456789abcdef";
const Hello hello{"nonce", MPIGLUT_VERSION, 3, 99, "host", "machine", 4, ""};

class DoorOfRankZero : public testing::Test {
  protected:
    DoorOfRankZero()
        : door(loop, token, false, {}, "", [this](int rank, Descriptor socket) {
              admitted.push_back(rank);
              connection = std::move(socket);
          }) {}

    /// Knocks in another thread while the door is served here.
    Descriptor knock_with(const std::string &of_guest, std::string &error) {
        Descriptor socket;
        std::thread guest([&] {
            socket = knock(door.at(), of_guest, hello, error);
            done = true;
        });
        look();
        loop.run();
        guest.join();
        return socket;
    }
    void look() {
        loop.after(5ms, [this] { done ? loop.stop() : look(); });
    }

    Loop loop;
    std::vector<int> admitted;
    Descriptor connection;
    std::atomic<bool> done{false};
    Door door;
};

TEST_F(DoorOfRankZero, OpensToWhoKnowsTheToken) {
    ASSERT_TRUE(door.error().empty()) << door.error();
    std::string error;
    const Descriptor socket = knock_with(token, error);
    ASSERT_TRUE(socket) << error;
    ASSERT_EQ(admitted, std::vector<int>{3});
    ASSERT_EQ(::write(socket.get(), "x", 1), 1);
    char byte = 0;
    while (::read(connection.get(), &byte, 1) < 0 && errno == EAGAIN)
        std::this_thread::sleep_for(1ms);
    EXPECT_EQ(byte, 'x') << "nothing else is on the connection";
}

TEST_F(DoorOfRankZero, StaysShutToAnotherToken) {
    std::string error;
    EXPECT_FALSE(knock_with("another token", error));
    EXPECT_FALSE(error.empty());
    EXPECT_TRUE(admitted.empty());
}

TEST_F(DoorOfRankZero, IsNotBlockedByACrowd) {
    std::vector<Descriptor> crowd;
    for (int i = 0; i < 200; ++i)
        crowd.push_back(connect_to_any(door.at().addresses, static_cast<int>(door.at().port), 1s));
    std::string error;
    EXPECT_TRUE(knock_with(token, error)) << error;
    EXPECT_EQ(admitted.size(), 1U);
}

TEST(Knocking, AtNoDoorIsTold) {
    std::string error;
    DoorAt nowhere;
    nowhere.port = 1;
    nowhere.addresses = {"127.0.0.1"};
    EXPECT_FALSE(knock(nowhere, token, hello, error));
    EXPECT_EQ(error, "cannot reach rank 0");
}

} // namespace
