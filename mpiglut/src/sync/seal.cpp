#include "sync/seal.h"

#include <array>
#include <charconv>
#include <dlfcn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <type_traits>
#include <utility>

namespace mpiglut::transport {
namespace {

constexpr std::size_t tag_bytes = 16;
using Key = std::array<unsigned char, 16>;
using Nonce = std::array<unsigned char, 12>;

#define LIBRARY_NAME_OF(version) "libcrypto.so." #version
#define LIBRARY_NAME(version) LIBRARY_NAME_OF(version)
constexpr const char *library_name = LIBRARY_NAME(OPENSSL_SHLIB_VERSION);

bool parse(const std::string &digits, Key &key) {
    if (digits.size() != 2 * key.size())
        return false;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const char *const from = digits.data() + 2 * i;
        if (std::from_chars(from, from + 2, key[i], 16).ptr != from + 2)
            return false;
    }
    return true;
}

/// Never the same twice with one key: which rank is not rank 0, which of the two sends, and its how-manieth message.
Nonce nonce_for(int from, int to, std::uint64_t number) {
    Nonce nonce{};
    const std::uint32_t place = static_cast<std::uint32_t>(from + to) | (from == 0 ? 0x80000000U : 0U);
    for (std::size_t i = 0; i < 4; ++i)
        nonce[i] = static_cast<unsigned char>(place >> 8 * i);
    for (std::size_t i = 0; i < 8; ++i)
        nonce[4 + i] = static_cast<unsigned char>(number >> 8 * i);
    return nonce;
}

} // namespace

/// What is used of the library. By pointers, so that a program's own OpenSSL is not in the way.
struct Seal::Cipher {
    decltype(&::OPENSSL_init_crypto) init_library = nullptr;
    decltype(&::EVP_aes_128_gcm) aes_128_gcm = nullptr;
    decltype(&::EVP_CIPHER_CTX_new) new_context = nullptr;
    decltype(&::EVP_CIPHER_CTX_free) free_context = nullptr;
    decltype(&::EVP_CipherInit_ex) init = nullptr;
    decltype(&::EVP_CipherUpdate) update = nullptr;
    decltype(&::EVP_CipherFinal_ex) finish = nullptr;
    decltype(&::EVP_CIPHER_CTX_ctrl) control = nullptr;
    EVP_CIPHER_CTX *closing = nullptr, *opening = nullptr;

    Cipher() = default;
    ~Cipher() {
        for (EVP_CIPHER_CTX *context : {closing, opening})
            if (context)
                free_context(context);
    }
    Cipher(const Cipher &) = delete;
    Cipher &operator=(const Cipher &) = delete;

    bool load() {
        void *const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
        bool found = library != nullptr;
        const auto find = [&](const char *name, auto &function) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library ? dlsym(library, name)
                                                                                             : nullptr);
            found = found && function;
        };
        find("OPENSSL_init_crypto", init_library);
        find("EVP_aes_128_gcm", aes_128_gcm);
        find("EVP_CIPHER_CTX_new", new_context);
        find("EVP_CIPHER_CTX_free", free_context);
        find("EVP_CipherInit_ex", init);
        find("EVP_CipherUpdate", update);
        find("EVP_CipherFinal_ex", finish);
        find("EVP_CIPHER_CTX_ctrl", control);
        return found;
    }
    bool begin(const Key &key) {
        init_library(OPENSSL_INIT_NO_ATEXIT, nullptr); // the wall ends after the program's exit handlers
        closing = new_context();
        opening = new_context();
        return closing && opening && init(closing, aes_128_gcm(), nullptr, key.data(), nullptr, 1) == 1 &&
               init(opening, aes_128_gcm(), nullptr, key.data(), nullptr, 0) == 1;
    }
    bool convert(EVP_CIPHER_CTX *context, const Nonce &nonce, unsigned char *bytes, std::size_t size, bool closes) const {
        const auto tag = [&](int what) { return control(context, what, tag_bytes, bytes + size) == 1; };
        int length = 0, rest = 0;
        return init(context, nullptr, nullptr, nullptr, nonce.data(), closes) == 1 &&
               update(context, bytes, &length, bytes, static_cast<int>(size)) == 1 &&
               (closes || tag(EVP_CTRL_AEAD_SET_TAG)) && finish(context, bytes + length, &rest) == 1 &&
               (!closes || tag(EVP_CTRL_AEAD_GET_TAG));
    }
};

Seal::Seal(int rank, std::unique_ptr<Cipher> cipher) : rank_(rank), cipher_(std::move(cipher)) {}
Seal::~Seal() = default;

std::unique_ptr<Seal> Seal::make(const std::string &key, int rank, std::string &error) {
    Key bytes;
    auto cipher = std::make_unique<Cipher>();
    if (!parse(key, bytes))
        error = "the key for messages to other hosts has " + std::to_string(key.size()) +
                " characters, expected 32 hexadecimal digits";
    else if (!cipher->load() || !cipher->begin(bytes))
        error = std::string("messages to other hosts cannot be protected: ") + library_name +
                " is not there, or has no AES-128-GCM";
    else
        return std::unique_ptr<Seal>(new Seal(rank, std::move(cipher)));
    return nullptr;
}

bool Seal::close(int to, Bytes &message) {
    const std::size_t size = message.size();
    message.resize(size + tag_bytes);
    if (cipher_->convert(cipher_->closing, nonce_for(rank_, to, sent_[to]++),
                         reinterpret_cast<unsigned char *>(message.data()), size, true))
        return true;
    message.clear();
    return false;
}

bool Seal::open(int from, Bytes &message) {
    if (message.size() < tag_bytes)
        return false;
    const std::size_t size = message.size() - tag_bytes;
    if (!cipher_->convert(cipher_->opening, nonce_for(from, rank_, received_[from]++),
                          reinterpret_cast<unsigned char *>(message.data()), size, false))
        return false;
    message.resize(size);
    return true;
}

} // namespace mpiglut::transport
