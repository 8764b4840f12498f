// What the ranks of a dying job exchange: in memory, or in Vulkan. Messages of 30 MB with the tag 1.
#pragma once

#include <memory>

namespace dying {

constexpr int width = 3000, height = 10'000;

class Ends {
  public:
    virtual ~Ends() = default;
    virtual int send(int dest) = 0;
    virtual int recv(int source) = 0;
    virtual int replace(int dest, int source) = 0;
};
/// Null where there is no such device.
std::unique_ptr<Ends> make_ends(int rank);

} // namespace dying
