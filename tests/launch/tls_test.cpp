// The protected connection by itself, in memory: what it carries, and what it refuses.
#include "link/tls.h"

#include <gtest/gtest.h>

#include <functional>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <vector>

namespace {

using namespace mpiglut::launcher;

const std::string key = "0123456789abcdef0123456789abcdef";

struct Pair {
    explicit Pair(const std::string &of_caller = key) : caller(caller_key(of_caller)), listener(listener_key(key)) {}
    /// Until neither has anything more to send. All that goes over the wire is kept.
    void run(std::size_t piece = std::string::npos) {
        for (bool moved = true; moved;) {
            moved = pass(caller, listener, up, heard_above, piece);
            moved = pass(listener, caller, down, heard_below, piece) || moved;
        }
    }
    static bool pass(Tls &from, Tls &to, std::string &wire, std::string &heard, std::size_t piece) {
        const std::size_t before = wire.size();
        from.move_outgoing(wire);
        for (std::size_t at = before; at < wire.size(); at += std::min(piece, wire.size() - at))
            to.decrypt(std::string_view(wire).substr(at, piece), heard);
        return wire.size() > before;
    }
    Tls caller, listener;
    std::string up, down;                 ///< as on the wire
    std::string heard_above, heard_below; ///< as said
};

TEST(Tls, CarriesWhatIsSaidAndShowsNothingOfIt) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}, std::string::npos}) {
        Pair pair;
        pair.caller.send("who I am");
        EXPECT_FALSE(pair.caller.is_secured());
        pair.run(piece);
        EXPECT_TRUE(pair.caller.is_secured() && pair.listener.is_secured());
        const std::string order = "run this program " + std::string(100'000, 'x');
        pair.listener.send(order);
        pair.run(piece);
        EXPECT_EQ(pair.heard_above, "who I am");
        EXPECT_TRUE(pair.heard_below == order);
        for (const std::string &wire : {pair.up, pair.down})
            for (const char *word : {"who I am", "program", "xxxxxxxx"})
                EXPECT_EQ(wire.find(word), std::string::npos) << word;
    }
}

TEST(Tls, GoesOnBeyondTheRecordsOfOneKey) {
    Pair pair;
    pair.run();
    for (int i = 0; i < 150'000; ++i) {
        pair.caller.send("x");
        if (i % 1000 == 0)
            pair.run();
    }
    pair.run();
    EXPECT_EQ(pair.heard_above.size(), 150'000u);
    EXPECT_FALSE(pair.listener.has_failed());
}

TEST(Tls, RefusesAnotherKey) {
    for (const std::string &other : {std::string("another"), key + "0", std::string()}) {
        Pair pair(other);
        pair.caller.send("who I am");
        pair.listener.send("run this program");
        pair.run();
        EXPECT_FALSE(pair.caller.is_secured() || pair.listener.is_secured());
        EXPECT_EQ(pair.heard_above + pair.heard_below, "");
    }
}

TEST(Tls, RefusesWhatIsChangedRepeatedOrLeftOut) {
    const std::function<std::string(std::string)> attacks[] = {
        [](std::string bytes) { return bytes[bytes.size() / 2] ^= 1, bytes; },
        [](std::string bytes) { return bytes[0] ^= 1, bytes; },
        [](std::string bytes) { return bytes.substr(0, 26) + bytes; }, // a record has 22 bytes more than it says
        [](const std::string &bytes) { return bytes.substr(26); },
    };
    for (const auto &attack : attacks) {
        Pair pair;
        pair.run();
        std::string wire, heard;
        for (const char *word : {"one.", "two."})
            pair.listener.send(word);
        pair.listener.move_outgoing(wire);
        ASSERT_EQ(wire.size(), 52u);
        EXPECT_FALSE(pair.caller.decrypt(attack(wire), heard));
        EXPECT_TRUE(heard.empty() || heard == "one.") << heard;
        EXPECT_FALSE(pair.caller.decrypt(wire, heard)) << "for good";
    }
}

TEST(Tls, RefusesAConnectionThatIsPlayedBack) {
    Pair pair;
    pair.caller.send("who I am");
    pair.run();
    Tls again(listener_key(key));
    std::string heard, answer;
    again.decrypt(pair.up, heard);
    EXPECT_FALSE(again.is_secured());
    EXPECT_EQ(heard, "");
    Tls caller(caller_key(key));
    EXPECT_FALSE(caller.decrypt(pair.down, heard)) << "nor does an agent take orders that it has heard before";
    EXPECT_EQ(heard, "");
}

TEST(Tls, KeepsLittleOfStrangers) {
    Tls listener(listener_key(key));
    std::string heard, record{"\x16\x03\x01\x40\x00\x01\x00\xff\xff", 9};
    record.resize(5 + 0x4000, 'x');
    EXPECT_FALSE(listener.decrypt(record, heard));
    Tls other(listener_key(key));
    EXPECT_FALSE(other.decrypt("GET / HTTP/1.1\r\nHost: wall\r\n\r\n", heard));
    EXPECT_EQ(heard, "");
}

/// Any server of TLS, with a certificate that it has signed itself and a caller that would like to believe it.
class Server {
  public:
    explicit Server(int version) {
        EVP_PKEY *const pair = EVP_EC_gen("P-256");
        X509 *const certificate = X509_new();
        X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
        X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
        X509_set_pubkey(certificate, pair);
        X509_sign(certificate, pair, EVP_sha256());
        SSL_CTX_set_max_proto_version(context_, version);
        EXPECT_EQ(SSL_CTX_use_certificate(context_, certificate), 1);
        EXPECT_EQ(SSL_CTX_use_PrivateKey(context_, pair), 1);
        X509_free(certificate);
        EVP_PKEY_free(pair);
        ssl_ = SSL_new(context_);
        SSL_set_bio(ssl_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        SSL_set_accept_state(ssl_);
    }
    ~Server() {
        SSL_free(ssl_);
        SSL_CTX_free(context_);
    }
    std::string answer(const std::string &wire) {
        BIO_write(SSL_get_rbio(ssl_), wire.data(), static_cast<int>(wire.size()));
        SSL_do_handshake(ssl_);
        std::string bytes(1 << 16, '\0');
        const int n = BIO_read(SSL_get_wbio(ssl_), bytes.data(), static_cast<int>(bytes.size()));
        bytes.resize(static_cast<std::size_t>(std::max(n, 0)));
        return bytes;
    }

  private:
    SSL_CTX *context_ = SSL_CTX_new(TLS_server_method());
    SSL *ssl_ = nullptr;
};

TEST(Tls, RefusesCertificatesAndOlderVersions) {
    for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
        Server server(version);
        Tls caller(caller_key(key));
        caller.send("who I am");
        std::string wire, heard;
        caller.move_outgoing(wire);
        const std::string answer = server.answer(wire);
        ASSERT_FALSE(answer.empty());
        if (version == TLS1_3_VERSION) {
            EXPECT_GT(answer.size(), 300u) << "it shows its certificate";
        }
        EXPECT_FALSE(caller.decrypt(answer, heard));
        EXPECT_FALSE(caller.is_secured());
        wire.clear();
        caller.move_outgoing(wire);
        EXPECT_LT(wire.size(), 50u) << "an alert, and nothing that was to be said";
    }
}

} // namespace
