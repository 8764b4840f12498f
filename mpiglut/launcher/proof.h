// How mpiglutrun and an agent show each other that they know the run's token, which never travels on the connection:
// each signs the other's challenge. Who listens in learns nothing that lets it in; who answers in mpiglutrun's place
// cannot give an agent orders. What follows on the connection is neither secret nor signed.
#pragma once

#include "messages.h"

namespace mpiglut::launcher {

/// 128 random bits in hexadecimal.
std::string random_token();
/// Takes equally long wherever the two differ.
bool same_text(const std::string &a, const std::string &b);

/// The agent's answer: `hello` with its proof filled in.
Hello signed_hello(const std::string &token, const Challenge &challenge, Hello hello);
bool is_genuine(const std::string &token, const Challenge &challenge, const Hello &hello);
/// mpiglutrun's answer to a genuine hello.
Welcome signed_welcome(const std::string &token, const Challenge &challenge, const Hello &hello);
bool is_genuine(const std::string &token, const Challenge &challenge, const Hello &hello, const Welcome &welcome);

} // namespace mpiglut::launcher
