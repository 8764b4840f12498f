// Who stays connected when there are too many. A connection has proved itself when it has sent the token; of the others
// the oldest gives way, and first that of the address that has most of them. Those who may only look have three
// quarters of everything at most, so that they keep no operator out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mpiglut::walld {

class Seats {
  public:
    using Guest = std::uint64_t; ///< a number for each connection, ascending
    struct Limits {
        std::size_t all = 256, of_address = 128;                ///< connections
        std::size_t all_sockets = 128, sockets_of_address = 64; ///< WebSockets among them
    };
    Seats() = default;
    explicit Seats(const Limits &limits) : limits_(limits) {}

    /// False where those that have proved themselves hold all seats, or all of this address.
    bool come(Guest guest, const std::string &address);
    /// It has sent the token, and keeps its seat from now on. Who only looks does not where such have their share.
    void prove(Guest guest, bool operates);
    /// It has got what it wanted: its seat is for another, as soon as one needs it.
    void release(Guest guest);
    /// It becomes a WebSocket; false where there are too many.
    bool become_socket(Guest guest, bool operates);
    void leave(Guest guest);
    /// Those that are too many, of the guests below this number: they leave.
    std::vector<Guest> give_way(Guest below);

  private:
    struct Seat {
        std::string address;
        bool proved = false, socket = false, looks = false;
    };
    struct Count {
        std::size_t all = 0, proved = 0, sockets = 0, looking = 0, looking_sockets = 0;
    };
    void count(const Seat &seat, int by);
    void change(Guest guest, bool proved, bool socket, bool looks);

    Limits limits_;
    std::map<Guest, Seat> seats_;
    std::map<std::string, Count> of_address_;
    Count total_;
};

} // namespace mpiglut::walld
