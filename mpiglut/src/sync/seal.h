// Seals messages between rank 0 and ranks on other hosts, which MPI sends as they are: AES-128-GCM, with a key of the
// run. The agents have brought the key over their own connections. A message that is changed, repeated or left out on
// its way does not open. Only such runs load OpenSSL's libcrypto.
#pragma once

#include "sync/message.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace mpiglut::transport {

class Seal {
  public:
    /// `key`: 32 hexadecimal digits, and of one run only. `rank`: this one. Null, with `error` set, where libcrypto
    /// cannot do this.
    static std::unique_ptr<Seal> make(const std::string &key, int rank, std::string &error);
    ~Seal();
    Seal(const Seal &) = delete;
    Seal &operator=(const Seal &) = delete;

    /// In place, before it is sent to that rank. One of the two ranks is rank 0. False: libcrypto has failed, and the
    /// message is empty.
    [[nodiscard]] bool close(int to, Bytes &message);
    /// In place. False: that rank has not sent this as its next message.
    bool open(int from, Bytes &message);

  private:
    struct Cipher;
    Seal(int rank, std::unique_ptr<Cipher> cipher);

    int rank_;
    std::unique_ptr<Cipher> cipher_;
    std::map<int, std::uint64_t> sent_, received_; ///< messages, by the other rank
};

} // namespace mpiglut::transport
