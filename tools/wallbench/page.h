// Browsers without a screen: they open the operator's page, and read what the server sends.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

struct Link {
    int port = 0;
    std::string token;
};
/// From a line that mpiglutrun prints; port 0 when the line has no link.
Link link_in(const std::string &line);

/// A connection to the server, -1 when there is none. It does not block.
int connect_to(const Link &link);
/// The head of a request with the token, an empty line behind it.
std::string request_head(const Link &link, const std::string &method, const std::string &path);
/// What makes a WebSocket of a connection; the server's answer comes in front of its first message.
std::string upgrade_head(const Link &link);
/// One message of a WebSocket as browsers send them: masked.
std::string text_message(const std::string &text);

/// Several of them, read by one thread.
class Pages {
  public:
    /// `look`: as a page does that is seen, they ask for the live picture. Throws std::runtime_error.
    Pages(const Link &link, int count, bool look);
    ~Pages();
    Pages(const Pages &) = delete;
    Pages &operator=(const Pages &) = delete;

    /// By the first one.
    void send(const std::string &text);
    /// Pieces of live pictures that have come so far, one for each tile and picture.
    std::int64_t pictures() const { return pictures_; }
    /// How many the server has hung up on.
    int lost() const { return lost_; }

  private:
    struct Page {
        int fd = -1;
        bool upgraded = false;
        std::string bytes;
    };
    void read_all();
    bool read_some(Page &page);
    void receive_messages(Page &page);
    std::vector<Page> pages_;
    std::atomic<std::int64_t> pictures_{0};
    std::atomic<int> lost_{0};
    std::atomic<bool> over_{false};
    std::thread reader_;
};
