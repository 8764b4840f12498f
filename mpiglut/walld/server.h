// The server as a whole: what is behind the page, for one run that has started it, or for the programs of apps.toml.
#pragma once

#include "access/link_file.h"
#include "calls/api.h"
#include "child/descriptor.h"
#include "worker.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mpiglut::walld {

struct ServerOptions {
    WebOptions web;
    std::string captures = ".";
    std::uint64_t captures_limit = Captures::default_limit;
    int attached = -1;     ///< the connection to the mpiglutrun that has started us
    std::string presets;   ///< the file of presets; empty: next to the wall file
    std::string wall;      ///< else the wall
    std::vector<App> apps; ///< and its programs
    bool headless = false, forget_sessions = false;
};

class Server {
  public:
    explicit Server(ServerOptions options);
    /// The exit status.
    int run();

  private:
    /// `name`: of the program of apps.toml. `errors`: mpiglutrun's standard error; -1: not for us.
    void begin_run(int fd, const std::string &name = {}, int errors = -1);
    bool read_errors();
    void run_over();
    void say(const std::string &line);
    void stop_run(bool at_once);
    void end();
    void look();
    void sample();
    /// To operate, or to look only.
    std::string link(Role role) const;

    ServerOptions options_;
    LinkFile link_file_;
    Web web_;
    Worker worker_;
    Worker gallery_worker_; ///< for thumbnails, which films do not wait for
    Captures captures_;
    Thumbnails thumbnails_;
    Stills stills_;
    Log log_;
    Desk desk_;
    std::unique_ptr<Access> access_;
    std::unique_ptr<Programs> programs_;
    std::unique_ptr<Shows> shows_;
    std::unique_ptr<Api> api_;
    std::unique_ptr<WallRun> run_;
    launcher::Descriptor errors_; ///< of the mpiglutrun that runs
    unsigned runs_ = 0;           ///< that have had such
    bool ending_ = false;
};

} // namespace mpiglut::walld
