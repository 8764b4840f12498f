// TLS 1.3 between two ends that know one key, apart from any socket: bytes go in and bytes come out, and nothing here
// waits. There are no certificates. An end that does not know the key gets no further than its first message. A
// recording cannot be read later with the key, since each connection has its own keys (RFC 8446, PSK with (EC)DHE).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;

namespace mpiglut::launcher {

/// What all connections of a listener, or one caller, have in common.
class TlsKey {
  public:
    enum class End { listener, caller };
    TlsKey(End end, std::string key);
    ~TlsKey();
    TlsKey(const TlsKey &) = delete;
    TlsKey &operator=(const TlsKey &) = delete;

  private:
    friend class Tls;
    End end_;
    std::string key_;
    std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st *)> context_;
};
using TlsKeyRef = std::shared_ptr<const TlsKey>;
TlsKeyRef listener_key(std::string key);
TlsKeyRef caller_key(std::string key);

class Tls {
  public:
    explicit Tls(TlsKeyRef key);
    ~Tls();
    Tls(const Tls &) = delete;
    Tls &operator=(const Tls &) = delete;

    /// Decrypts what has arrived, and appends what the other end says to `plain`. False, from then on: the other end
    /// does not know the key, or what arrived is not what it sent.
    bool decrypt(std::string_view arrived, std::string &plain);
    /// Kept until the other end has proved itself.
    void send(std::string_view plain);
    /// Moves what is to be sent now to the end of `wire`.
    void move_outgoing(std::string &wire);
    /// The other end has proved that it knows the key.
    bool is_secured() const { return secured_; }
    bool has_failed() const { return failed_; }
    /// Bytes of send() that wait for that.
    std::size_t kept() const { return kept_.size(); }

  private:
    bool shake_hands();
    void seal(std::string_view plain);

    TlsKeyRef key_;
    std::unique_ptr<ssl_st, void (*)(ssl_st *)> ssl_;
    std::string kept_;
    std::size_t before_ = 0;   ///< bytes that have come before it was secured
    std::uint32_t sealed_ = 0; ///< records since the sending key was last changed
    bool secured_ = false, failed_ = false;
};

} // namespace mpiglut::launcher
