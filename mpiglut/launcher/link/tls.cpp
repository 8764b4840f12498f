#include "link/tls.h"

#include <algorithm>
#include <cstring>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <utility>

namespace mpiglut::launcher {

namespace {

constexpr const char *identity = "mpiglut";
/// A hello and its answer have about 300 bytes each. Strangers cannot make us keep more.
constexpr std::size_t most_before_secured = 16u << 10;
/// AES-GCM may seal 2^24 records with one key (RFC 8446, 5.5).
constexpr std::uint32_t records_of_key = 1u << 16;
constexpr std::size_t longest_record = 16u << 10;

const std::string &key_of(SSL *ssl) {
    return *static_cast<const std::string *>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

unsigned copy_key(SSL *ssl, unsigned char *to, unsigned room) {
    const std::string &key = key_of(ssl);
    if (key.empty() || key.size() > room)
        return 0;
    std::memcpy(to, key.data(), key.size());
    return static_cast<unsigned>(key.size());
}

unsigned key_of_caller(SSL *ssl, const char *, char *name, unsigned room_for_name, unsigned char *key, unsigned room) {
    if (std::strlen(identity) >= room_for_name)
        return 0;
    std::strcpy(name, identity);
    return copy_key(ssl, key, room);
}

unsigned key_of_listener(SSL *ssl, const char *name, unsigned char *key, unsigned room) {
    return name && std::strcmp(name, identity) == 0 ? copy_key(ssl, key, room) : 0;
}

/// No end is known by a certificate: one that a listener shows instead of the key is refused, by whatever authority it
/// is signed.
int no_certificate(int, X509_STORE_CTX *) { return 0; }

} // namespace

TlsKey::TlsKey(End end, std::string key)
    : end_(end), key_(std::move(key)), context_(SSL_CTX_new(TLS_method()), SSL_CTX_free) {
    SSL_CTX *const context = context_.get();
    if (!context)
        return;
    SSL_CTX_set_app_data(context, &key_);
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256"); // a key of this kind goes with SHA-256
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    if (end == End::listener) {
        SSL_CTX_set_psk_server_callback(context, key_of_listener);
    } else {
        SSL_CTX_set_psk_client_callback(context, key_of_caller);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, no_certificate);
    }
}

TlsKey::~TlsKey() { OPENSSL_cleanse(key_.data(), key_.size()); }

TlsKeyRef listener_key(std::string key) { return std::make_shared<TlsKey>(TlsKey::End::listener, std::move(key)); }
TlsKeyRef caller_key(std::string key) { return std::make_shared<TlsKey>(TlsKey::End::caller, std::move(key)); }

Tls::Tls(TlsKeyRef key)
    : key_(std::move(key)), ssl_(key_->context_ ? SSL_new(key_->context_.get()) : nullptr, SSL_free) {
    BIO *const in = BIO_new(BIO_s_mem()), *const out = BIO_new(BIO_s_mem());
    if (!ssl_ || !in || !out) {
        BIO_free(in);
        BIO_free(out);
        failed_ = true;
        return;
    }
    SSL_set_bio(ssl_.get(), in, out);
    if (key_->end_ == TlsKey::End::listener) {
        SSL_set_accept_state(ssl_.get());
    } else {
        SSL_set_connect_state(ssl_.get());
        failed_ = !shake_hands();
    }
}

Tls::~Tls() { OPENSSL_cleanse(kept_.data(), kept_.size()); }

/// False when it has failed.
bool Tls::shake_hands() {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result != 1)
        return SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
    if (!SSL_session_reused(ssl_.get())) // as OpenSSL calls it when a key, and no certificate, began the session
        return false;
    secured_ = true;
    seal(std::exchange(kept_, {}));
    return !failed_;
}

bool Tls::decrypt(std::string_view arrived, std::string &plain) {
    if (failed_)
        return false;
    if (!secured_ && (before_ += arrived.size()) > most_before_secured) {
        failed_ = true;
        return false;
    }
    failed_ = BIO_write(SSL_get_rbio(ssl_.get()), arrived.data(), static_cast<int>(arrived.size())) !=
              static_cast<int>(arrived.size());
    failed_ = failed_ || (!secured_ && !shake_hands());
    char bytes[longest_record];
    while (secured_ && !failed_) {
        ERR_clear_error();
        const int n = SSL_read(ssl_.get(), bytes, sizeof bytes);
        if (n <= 0) {
            failed_ = SSL_get_error(ssl_.get(), n) != SSL_ERROR_WANT_READ;
            break;
        }
        plain.append(bytes, static_cast<std::size_t>(n));
    }
    return !failed_;
}

void Tls::send(std::string_view plain) {
    if (secured_)
        seal(plain);
    else if (!failed_)
        kept_.append(plain);
}

void Tls::seal(std::string_view plain) {
    while (!plain.empty() && !failed_) {
        if (sealed_++ == records_of_key) {
            sealed_ = 0;
            failed_ = SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) != 1;
        }
        ERR_clear_error();
        const std::size_t size = std::min(plain.size(), longest_record);
        failed_ = failed_ || SSL_write(ssl_.get(), plain.data(), static_cast<int>(size)) != static_cast<int>(size);
        plain.remove_prefix(size);
    }
}

void Tls::move_outgoing(std::string &wire) {
    BIO *const out = ssl_ ? SSL_get_wbio(ssl_.get()) : nullptr;
    const std::size_t size = out ? BIO_ctrl_pending(out) : 0, before = wire.size();
    wire.resize(before + size);
    const int n = size ? BIO_read(out, wire.data() + before, static_cast<int>(size)) : 0;
    wire.resize(before + static_cast<std::size_t>(std::max(n, 0)));
}

} // namespace mpiglut::launcher
