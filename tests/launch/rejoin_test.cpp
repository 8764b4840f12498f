// Where a rank that comes back reaches rank 0: with the right secret it comes in, and the two programs talk.
#include "agent/rejoin.h"
#include "link/net.h"

#include <gtest/gtest.h>

#include <csignal>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace mpiglut::launcher;
using namespace std::chrono_literals;

const Hello hello{MPIGLUT_VERSION, 3, 99, "host", "machine", 4, 4, ""};

class DoorOfRankZero : public testing::Test {
  protected:
    DoorOfRankZero()
        : server(loop, 4, false, {}, "", [this](int rank, Descriptor socket) {
              admitted.push_back(rank);
              connection = std::move(socket);
          }) {}
    void SetUp() override { ASSERT_TRUE(server.error().empty()) << server.error(); }

    /// Both agents, in one loop.
    void rejoin_with(const std::string &secret, const Hello &who = hello) {
        RejoinAddress at = server.at();
        at.secret = secret;
        client = std::make_unique<RejoinClient>(loop, at, who, [this](Descriptor socket, const std::string &why) {
            guest = std::move(socket);
            error = why;
        });
        run_until([this] { return client->is_over(); });
    }
    template <class Done> void run_until(Done done) {
        for (int looks = 0; looks < 4000 && !done(); ++looks) {
            loop.after(5ms, [this] { loop.stop(); });
            loop.run();
        }
        EXPECT_TRUE(done());
    }
    /// What has come at a program's end, of so many bytes.
    std::string heard_by(const Descriptor &socket, std::size_t size) {
        std::string text;
        run_until([&] {
            char bytes[65536];
            const ssize_t n = ::recv(socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
            text.append(bytes, static_cast<std::size_t>(n > 0 ? n : 0));
            return text.size() >= size || n == 0;
        });
        return text;
    }

    Loop loop;
    std::vector<int> admitted;
    std::unique_ptr<RejoinClient> client;
    Descriptor connection, guest;
    std::string error;
    RejoinServer server;
};

TEST_F(DoorOfRankZero, OpensToWhoKnowsItsSecretAndProgramsTalk) {
    rejoin_with(server.at().secret);
    ASSERT_TRUE(guest) << error;
    ASSERT_EQ(admitted, std::vector<int>{3});
    ASSERT_EQ(::write(guest.get(), "up", 2), 2);
    ASSERT_EQ(::write(connection.get(), "down", 4), 4);
    EXPECT_EQ(heard_by(connection, 2), "up");
    EXPECT_EQ(heard_by(guest, 4), "down");
}

TEST_F(DoorOfRankZero, PassesOnWhatCameBeforeTheEnd) {
    rejoin_with(server.at().secret);
    ASSERT_TRUE(guest) << error;
    const std::string much(32 << 20, 'x'); // more than sockets and queues hold
    std::size_t sent = 0;
    const auto send_some = [&] {
        const ssize_t n = ::send(connection.get(), much.data() + sent, much.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        sent += static_cast<std::size_t>(n > 0 ? n : 0);
        return n > 0;
    };
    int stalled = 0; // nothing is taken, and then all is full
    run_until([&] {
        stalled = send_some() ? 0 : stalled + 1;
        return stalled > 20 || sent == much.size();
    });
    EXPECT_LT(sent, much.size()) << "queues without bounds";
    std::string text;
    run_until([&] {
        send_some();
        text += heard_by(guest, 1);
        return sent == much.size();
    });
    connection.reset();
    text += heard_by(guest, much.size() + 1); // until the end
    EXPECT_EQ(text.size(), much.size());
}

TEST_F(DoorOfRankZero, StaysShutToAnotherSecretAndToRankZero) {
    rejoin_with("another secret");
    EXPECT_FALSE(guest);
    EXPECT_EQ(error, "what answers in the place of rank 0's agent does not know its secret");
    for (const int rank : {0, 4, -1}) {
        Hello other = hello;
        other.rank = rank;
        rejoin_with(server.at().secret, other);
        EXPECT_FALSE(guest);
        EXPECT_EQ(error, "rank 0's agent does not open");
    }
    EXPECT_TRUE(admitted.empty());
}

TEST_F(DoorOfRankZero, IsNotBlockedByACrowd) {
    std::vector<Descriptor> crowd;
    for (int i = 0; i < 200; ++i)
        crowd.push_back(connect_to_any(server.at().addresses, static_cast<int>(server.at().port), 1s));
    rejoin_with(server.at().secret);
    EXPECT_TRUE(guest) << error;
    EXPECT_EQ(admitted.size(), 1U);
}

TEST_F(DoorOfRankZero, IsNotWhereNobodyListens) {
    RejoinAddress nowhere;
    nowhere.port = 1;
    nowhere.addresses = {"127.0.0.1"};
    RejoinClient lost(loop, nowhere, hello, [this](const Descriptor &, const std::string &why) { error = why; });
    run_until([&] { return lost.is_over(); });
    EXPECT_EQ(error, "cannot reach rank 0");
}

} // namespace
