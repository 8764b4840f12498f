// Programs that --beside names: they use the screen of an X11 program together with it, once for the whole wall.
#pragma once

#include "agent/last_words.h"
#include "child/descriptor.h"
#include "child/loop.h"
#include "link/messages.h"

#include <functional>
#include <list>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mpiglut::launcher {

class Beside {
  public:
    /// `say` gets a line about each that fails.
    Beside(Loop &loop, std::function<void(const std::string &line)> say) : loop_(loop), say_(std::move(say)) {}
    ~Beside();

    /// Starts `order.beside`, each by the shell. They carry the order's mark, so that the guard ends them.
    void start(const Start &order);
    /// True if it was one of them.
    bool ended(pid_t pid, int status);

  private:
    struct Program {
        std::string command;
        pid_t pid = -1; ///< -1: it has ended
        Descriptor output;
        LastWords last_words;
    };
    void read_output(Program &program);

    Loop &loop_;
    std::function<void(const std::string &line)> say_;
    std::list<Program> programs_;
};

} // namespace mpiglut::launcher
