#include "proof.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <random>

namespace mpiglut::launcher {

namespace {

/// HMAC-SHA-256 (RFC 2104). The purpose keeps one side's proof from serving as the other's.
std::string sign(const std::string &token, const char *purpose, const Challenge &challenge, Hello hello) {
    hello.proof.clear();
    Writer text;
    text.text(purpose).text(challenge.nonce).text(pack(hello));
    const std::string bytes = text.take();
    std::string digest(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    if (!HMAC(EVP_sha256(), token.data(), static_cast<int>(token.size()),
              reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size(),
              reinterpret_cast<unsigned char *>(digest.data()), &size))
        size = 0;
    digest.resize(size);
    return digest;
}

} // namespace

std::string random_token() {
    std::random_device device; // getrandom(2) or the processor's own, not seeded by us
    std::string token;
    for (int i = 0; i < 4; ++i)
        for (unsigned bits = device(), digit = 0; digit < 8; ++digit, bits >>= 4)
            token += "0123456789abcdef"[bits & 15];
    return token;
}

bool same_text(const std::string &a, const std::string &b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Hello signed_hello(const std::string &token, const Challenge &challenge, Hello hello) {
    hello.proof = sign(token, "agent", challenge, hello);
    return hello;
}

bool is_genuine(const std::string &token, const Challenge &challenge, const Hello &hello) {
    return !hello.proof.empty() && same_text(hello.proof, sign(token, "agent", challenge, hello));
}

Welcome signed_welcome(const std::string &token, const Challenge &challenge, const Hello &hello) {
    return {sign(token, "mpiglutrun", challenge, hello)};
}

bool is_genuine(const std::string &token, const Challenge &challenge, const Hello &hello, const Welcome &welcome) {
    return !welcome.proof.empty() && same_text(welcome.proof, sign(token, "mpiglutrun", challenge, hello));
}

} // namespace mpiglut::launcher
