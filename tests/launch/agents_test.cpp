// Which programs may speak on a control connection: agents that know the run's secret, strangers, and one in
// mpiglutrun's place.
#include "child/spawn.h"
#include "link/secret.h"
#include "session/agents.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace mpiglut::launcher;
using namespace std::chrono_literals;

const std::string secret = "0123456789abcdef0123456789abcdef";
const Hello hello{MPIGLUT_VERSION, 0, 99, "host", "machine", 4, 4, ""};

/// Who connects, and keeps what it hears. Without a key it speaks in clear.
struct Client {
    Client(Loop &loop, const Control &control, const TlsKeyRef &key) {
        link = Link::open(
            loop, connect_to_any(control.addresses, control.port, 5s), key,
            [this](Frame &&frame) { heard.push_back(frame); }, [this] { dropped = true; });
    }
    std::shared_ptr<Link> link;
    std::vector<Frame> heard;
    bool dropped = false;
};

class Listening : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(error, ""); }
    void run_for(std::chrono::milliseconds time) {
        loop.after(time, [this] { loop.stop(); });
        loop.run();
    }
    /// Stops at the first agent that is let in.
    void run_until_joined() {
        joined = -1;
        run_for(20s);
    }
    void run_until(const bool &dropped) {
        for (int looks = 0; looks < 2000 && !dropped; ++looks)
            run_for(10ms);
        EXPECT_TRUE(dropped);
    }
    Loop loop;
    int joined = -1;
    std::string error;
    Placement placement = one_rank_here();
    Agents agents{loop,
                  placement,
                  "",
                  5s,
                  Agents::Listener{[this](int rank) {
                                       joined = rank;
                                       loop.stop();
                                   },
                                   [](int, Frame &&) {}, [](int) {}},
                  error};
    TlsKeyRef key = caller_key(agents.secret());

  private:
    static Placement one_rank_here() {
        Placement one;
        one.ranks = 1;
        one.all_here = true;
        return one;
    }
};

TEST_F(Listening, LetsInWhoKnowsTheSecretAndThenNobodyElse) {
    Client early(loop, agents.control(), key), agent(loop, agents.control(), key);
    agent.link->send(hello);
    run_until_joined();
    EXPECT_EQ(joined, 0);
    run_until(early.dropped);
    ASSERT_EQ(agent.heard.size(), 1u);
    EXPECT_EQ(agent.heard[0].type, Type::welcome);
    EXPECT_FALSE(agent.dropped);
    EXPECT_FALSE(connect_to_any(agents.control().addresses, agents.control().port, 1s)) << "all agents have come";
}

TEST_F(Listening, RefusesAnotherKeyNoKeyAndAnotherRank) {
    Client wrong(loop, agents.control(), caller_key(secret)), plain(loop, agents.control(), nullptr),
        strange(loop, agents.control(), key);
    wrong.link->send(hello);
    plain.link->send(hello);
    Hello other = hello;
    other.rank = 1;
    strange.link->send(other);
    for (const Client *client : {&wrong, &plain, &strange}) {
        run_until(client->dropped);
        EXPECT_TRUE(client->heard.empty());
    }
    EXPECT_TRUE(wrong.link->is_stranger());
    EXPECT_EQ(joined, -1);
}

/// Nothing may be kept of who sends and sends, and does not know the secret.
TEST_F(Listening, RefusesABegunHandshakeWithoutAnEnd) {
    Descriptor socket = connect_to_any(agents.control().addresses, agents.control().port, 5s);
    ASSERT_TRUE(socket);
    std::string record{"\x16\x03\x01\x40\x00\x01\x00\xff\xff", 9}; // a hello of 64 KiB in records of 16
    record.resize(5 + 0x4000, 'x');
    bool gone = false;
    for (int looks = 0; looks < 2000 && !gone; ++looks) {
        gone = ::send(socket.get(), record.data(), record.size(), MSG_NOSIGNAL) < 0 && errno != EAGAIN;
        run_for(5ms);
    }
    EXPECT_TRUE(gone);
}

TEST_F(Listening, IsNotBlockedByACrowd) {
    std::vector<std::unique_ptr<Client>> crowd;
    for (int i = 0; i < 200; ++i) { // some know a key, some say nothing
        crowd.push_back(std::make_unique<Client>(loop, agents.control(), i % 2 ? key : nullptr));
        run_for(1ms);
    }
    const auto inside = [&] { return std::ranges::count_if(crowd, [](const auto &one) { return !one->dropped; }); };
    for (int looks = 0; looks < 2000 && inside() > 130; ++looks) // the last ones may not have been looked at
        run_for(10ms);
    EXPECT_LE(inside(), 130);
    Client agent(loop, agents.control(), key);
    agent.link->send(hello);
    run_until_joined();
    EXPECT_EQ(joined, 0);
}

/// What answers in mpiglutrun's place.
class Answer {
  public:
    Answer() : here(listen_for_agents(false, {}, "")) {
        EXPECT_TRUE(here.socket) << here.error;
        const std::string control = to_text({here.port, 20, here.addresses});
        agent =
            spawn({.argv = {AGENT},
                   .environment = {std::string(control_variable) + "=" + control,
                                   std::string(secret_variable) + "=" + secret, "PMI_RANK=0", "PATH=/usr/bin:/bin"}});
        EXPECT_GT(agent.pid, 0);
    }
    ~Answer() {
        ::kill(agent.pid, SIGKILL);
        if (!ended)
            ::waitpid(agent.pid, nullptr, 0);
    }
    int status() {
        int how = -1;
        ended = ::waitpid(agent.pid, &how, 0) == agent.pid;
        return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    }
    Loop loop;
    Listener here;
    Spawned agent;
    std::shared_ptr<Link> link;
    bool ended = false;
};

/// A flood of strangers may push an agent out before it could say who it is.
TEST(Agent, ComesAgainWhenItHadToGo) {
    Answer answer;
    int connections = 0;
    std::optional<Hello> said;
    answer.loop.watch(answer.here.socket.get(), POLLIN, [&](short) {
        Descriptor socket(::accept4(answer.here.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket || ++connections < 4)
            return;
        answer.link = Link::open(
            answer.loop, std::move(socket), listener_key(secret),
            [&](Frame &&frame) {
                said = unpack<Hello>(frame.payload);
                answer.loop.stop();
            },
            [] {});
    });
    answer.loop.after(20s, [&] { answer.loop.stop(); });
    answer.loop.run();
    EXPECT_EQ(connections, 4);
    ASSERT_TRUE(said);
    EXPECT_EQ(said->version, MPIGLUT_VERSION);
}

/// On a shared computer any user could connect to a port, and take all the seats. No other user can enter the folder.
TEST(AgentsOfThisHost, ConnectInAFolderOfThisUser) {
    std::string folder = testing::TempDir() + "agents-XXXXXX";
    ASSERT_TRUE(::mkdtemp(folder.data()));
    const Listener here = listen_for_agents(false, {}, folder);
    ASSERT_TRUE(here.socket) << here.error;
    EXPECT_EQ(here.addresses, std::vector{folder + "/agents"});
    EXPECT_EQ(here.port, 0) << "there is no port";
    const auto control = control_from(to_text({here.port, 5, here.addresses}));
    ASSERT_TRUE(control);
    EXPECT_TRUE(connect_to_any(control->addresses, control->port, 1s));
    EXPECT_FALSE(connect_to_any({folder + "/none"}, 0, 1s));
    std::filesystem::remove_all(folder);
    for (const std::string &path : {std::string(200, 'x'), std::string("with a space")}) {
        const Listener elsewhere = listen_for_agents(false, {}, "/tmp/" + path);
        EXPECT_GT(elsewhere.port, 0) << "the path is none for a socket, or would come apart on its way";
    }
    EXPECT_GT(listen_for_agents(true, {}, folder).port, 0);
}

/// A stranger that answers at mpiglutrun's port, and would like the agent to run a program: with its own key, in
/// clear, or by sending back what the agent itself says.
class AgentAndStranger : public testing::TestWithParam<const char *> {};

TEST_P(AgentAndStranger, TakesNoOrders) {
    Answer answer;
    const std::string file = testing::TempDir() + "/agents-test-" + std::to_string(::getpid());
    const std::string kind = GetParam();
    Descriptor mirror;
    bool gone = false;
    answer.loop.watch(answer.here.socket.get(), POLLIN, [&](short) {
        Descriptor socket(::accept4(answer.here.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket || answer.link || mirror)
            return;
        if (kind == "mirror") {
            mirror = std::move(socket);
            return answer.loop.watch(mirror.get(), POLLIN, [&](short) {
                char bytes[4096];
                const ssize_t n = ::recv(mirror.get(), bytes, sizeof bytes, 0);
                if (n > 0)
                    ::send(mirror.get(), bytes, static_cast<std::size_t>(n), MSG_NOSIGNAL);
                else
                    answer.loop.stop();
                gone = n <= 0;
            });
        }
        answer.link = Link::open(
            answer.loop, std::move(socket), kind == "plain" ? nullptr : listener_key("another secret"), [](Frame &&) {},
            [&] {
                gone = true;
                answer.loop.stop();
            });
        answer.link->send(Type::welcome);
        answer.link->send(Start{.argv = {"/bin/sh", "-c", "touch " + file}, .directory = "/", .run = "{}"});
    });
    answer.loop.after(20s, [&] { answer.loop.stop(); });
    answer.loop.run();
    EXPECT_TRUE(gone);
    EXPECT_EQ(answer.status(), 1);
    EXPECT_NE(::access(file.c_str(), F_OK), 0);
}
INSTANTIATE_TEST_SUITE_P(Kinds, AgentAndStranger, testing::Values("key", "plain", "mirror"),
                         [](const auto &one) { return std::string(one.param); });

} // namespace
