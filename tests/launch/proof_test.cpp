// Who may speak on a control connection: proofs, strangers, and somebody in mpiglutrun's place.
#include "agents.h"
#include "proof.h"
#include "spawn.h"

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

const std::string token = "0123456789abcdef0123456789abcdef";
const Challenge challenge{"fedcba9876543210"};
const Hello hello{"nonce", MPIGLUT_VERSION, 0, 99, "host", "machine", 4, "/tmp/own", ""};

TEST(Proof, HoldsForItsTokenChallengeAndContentAlone) {
    const Hello good = signed_hello(token, challenge, hello);
    EXPECT_TRUE(is_genuine(token, challenge, good));
    EXPECT_FALSE(is_genuine(token, challenge, hello));
    EXPECT_FALSE(is_genuine(token + "0", challenge, good));
    EXPECT_FALSE(is_genuine(token, Challenge{"another"}, good));
    Hello changed = good;
    changed.rank = 1;
    EXPECT_FALSE(is_genuine(token, challenge, changed));
    changed = good;
    changed.proof.pop_back();
    EXPECT_FALSE(is_genuine(token, challenge, changed));
}

TEST(Proof, OfOneSideDoesNotServeTheOther) {
    const Hello good = signed_hello(token, challenge, hello);
    EXPECT_TRUE(is_genuine(token, challenge, good, signed_welcome(token, challenge, good)));
    EXPECT_FALSE(is_genuine(token, challenge, good, Welcome{good.proof}));
    EXPECT_FALSE(is_genuine(token, challenge, good, Welcome{}));
    EXPECT_FALSE(is_genuine(token, challenge, good, signed_welcome("another", challenge, good)));
}

/// A client that knows what it is told, and keeps what it hears.
struct Client {
    Client(Loop &loop, const Control &control) {
        link = Link::open(
            loop, connect_to_any(control.addresses, control.port, 5s),
            [this](Frame &&frame) {
                heard.push_back(frame);
                if (then)
                    then(frame);
            },
            [this] { dropped = true; });
    }
    std::shared_ptr<Link> link;
    std::vector<Frame> heard;
    std::function<void(const Frame &)> then;
    bool dropped = false;
};

class Door : public testing::Test {
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
    Loop loop;
    int joined = -1;
    std::string error;
    Placement placement = one_rank_here();
    Agents agents{loop, placement, "", 5s,
                  Agents::Listener{[this](int rank) {
                                       joined = rank;
                                       loop.stop();
                                   },
                                   [](int, Frame &&) {}, [](int) {}},
                  error};

  private:
    static Placement one_rank_here() {
        Placement one;
        one.ranks = 1;
        one.all_here = true;
        return one;
    }
};

/// What an agent says that knows `token`.
void answer(Client &client, const std::string &known) {
    client.then = [&client, known](const Frame &frame) {
        if (auto asked = frame.type == Type::challenge ? unpack<Challenge>(frame.payload) : std::nullopt)
            client.link->send(signed_hello(known, *asked, hello));
    };
}

TEST_F(Door, OpensToWhoKnowsTheTokenWhichIsNeverSent) {
    Client agent(loop, agents.control());
    answer(agent, agents.control().token);
    run_until_joined();
    EXPECT_EQ(joined, 0);
    run_for(50ms);
    ASSERT_EQ(agent.heard.size(), 2u);
    const auto asked = unpack<Challenge>(agent.heard[0].payload);
    const auto welcome = unpack<Welcome>(agent.heard[1].payload);
    ASSERT_TRUE(asked && welcome);
    EXPECT_TRUE(is_genuine(agents.control().token, *asked, signed_hello(agents.control().token, *asked, hello), *welcome));
    for (const Frame &frame : agent.heard)
        EXPECT_EQ(frame.payload.find(agents.control().token), std::string::npos);
}

TEST_F(Door, StaysShutToAWrongTokenAndToAnothersAnswer) {
    Client wrong(loop, agents.control()), replays(loop, agents.control());
    answer(wrong, "another token");
    replays.then = [&](const Frame &frame) {
        if (frame.type == Type::challenge) // as it was heard on another connection
            replays.link->send(signed_hello(agents.control().token, Challenge{"of another connection"}, hello));
    };
    run_for(300ms);
    EXPECT_EQ(joined, -1);
    EXPECT_TRUE(wrong.dropped);
    EXPECT_TRUE(replays.dropped);
}

TEST_F(Door, IsNotBlockedByACrowd) {
    std::vector<std::unique_ptr<Client>> crowd;
    for (int i = 0; i < 200; ++i) {
        crowd.push_back(std::make_unique<Client>(loop, agents.control()));
        run_for(1ms);
    }
    Client agent(loop, agents.control());
    answer(agent, agents.control().token);
    run_until_joined();
    EXPECT_EQ(joined, 0);
    run_for(50ms);
    EXPECT_LE(std::ranges::count_if(crowd, [](const auto &one) { return !one->dropped; }), 130);
}

/// A flood of strangers may push an agent out before it could prove itself.
TEST(Agent, ComesAgainWhenItHadToGo) {
    Loop loop;
    Listener here = listen_for_agents(false, {}, "");
    ASSERT_TRUE(here.socket) << here.error;
    const std::string control = to_text({token, here.port, 20, here.addresses});
    const Spawned agent = spawn({.argv = {AGENT},
                                 .environment = {std::string(control_variable) + "=" + control, "PMI_RANK=0",
                                                 "PATH=/usr/bin:/bin"}});
    ASSERT_GT(agent.pid, 0);
    std::shared_ptr<Link> link;
    int connections = 0;
    bool genuine = false;
    loop.watch(here.socket.get(), POLLIN, [&](short) {
        Descriptor socket(::accept4(here.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket || ++connections < 4)
            return;
        link = Link::open(
            loop, std::move(socket),
            [&](Frame &&frame) {
                const auto said = unpack<Hello>(frame.payload);
                genuine = said && is_genuine(token, challenge, *said);
                loop.stop();
            },
            [] {});
        link->send(challenge);
    });
    loop.after(20s, [&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(connections, 4);
    EXPECT_TRUE(genuine);
    ::kill(agent.pid, SIGKILL);
    ::waitpid(agent.pid, nullptr, 0);
}

/// On a shared computer anybody could connect to a port, and take all the seats. Nobody else can enter the folder.
TEST(AgentsOfThisHost, ConnectInAFolderOfThisUser) {
    std::string folder = testing::TempDir() + "agents-XXXXXX";
    ASSERT_TRUE(::mkdtemp(folder.data()));
    const Listener here = listen_for_agents(false, {}, folder);
    ASSERT_TRUE(here.socket) << here.error;
    EXPECT_EQ(here.addresses, std::vector{folder + "/agents"});
    EXPECT_EQ(here.port, 0) << "there is no port";
    const auto control = control_from(to_text({token, here.port, 5, here.addresses}));
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

/// Somebody who answers at mpiglutrun's port, and would like the agent to run a program.
TEST(Agent, TakesNoOrdersFromWhoDoesNotKnowTheToken) {
    Loop loop;
    Listener here = listen_for_agents(false, {}, "");
    ASSERT_TRUE(here.socket) << here.error;
    const std::string file = testing::TempDir() + "/proof-test-" + std::to_string(::getpid());
    const std::string control = to_text({token, here.port, 5, here.addresses});
    const Spawned agent = spawn({.argv = {AGENT}, .environment = {std::string(control_variable) + "=" + control, "PMI_RANK=0", "PATH=/usr/bin:/bin"}});
    ASSERT_GT(agent.pid, 0);
    std::shared_ptr<Link> link;
    bool gone = false;
    loop.watch(here.socket.get(), POLLIN, [&](short) {
        Descriptor socket(::accept4(here.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket || link)
            return;
        link = Link::open(
            loop, std::move(socket),
            [&](Frame &&frame) {
                const auto said = unpack<Hello>(frame.payload);
                ASSERT_TRUE(said);
                EXPECT_TRUE(is_genuine(token, challenge, *said));
                link->send(Welcome{said->proof});
                link->send(Start{.argv = {"/bin/sh", "-c", "touch " + file}, .directory = "/", .run = "{}"});
            },
            [&] {
                gone = true;
                loop.stop();
            });
        link->send(challenge);
    });
    loop.after(20s, [&] { loop.stop(); });
    loop.run();
    EXPECT_TRUE(gone);
    int status = -1;
    ASSERT_EQ(::waitpid(agent.pid, &status, 0), agent.pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    EXPECT_NE(::access(file.c_str(), F_OK), 0);
}

} // namespace
