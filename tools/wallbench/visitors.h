// Visitors of the operator's page that do harm: five hostile clients, each at its own rate.
#pragma once

#include "page.h"

#include <atomic>
#include <cstdint>
#include <thread>

class Visitors {
  public:
    explicit Visitors(Link link);
    ~Visitors();
    Visitors(const Visitors &) = delete;
    Visitors &operator=(const Visitors &) = delete;

    /// Requests and messages that the server was sent.
    std::int64_t sent() const { return sent_; }

  private:
    void act();
    int again(int fd, const std::string &first = {});
    bool send(int fd, const std::string &bytes);
    void read_slowly();
    void open_half();
    void talk_garbage();
    void ask_often();
    void click_often();

    Link link_;
    int slow_ = -1, half_ = -1, garbage_ = -1, clicking_ = -1;
    std::atomic<std::int64_t> sent_{0};
    std::atomic<bool> over_{false};
    std::thread actor_;
};
