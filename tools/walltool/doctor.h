// walltool doctor: what each host of a wall answers, and what that means.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace walltool {

struct Question {
    std::string host;              ///< as the wall file names it; this host's own name for this host
    bool here = false;             ///< no ssh is needed
    std::vector<std::string> argv; ///< the command that answers
};

/// What a command has answered, line by line: the first word of a line, and what follows it.
struct HostAnswer {
    bool reached = false, in_time = true;
    std::string said;                                        ///< on standard error: the last line
    std::map<std::string, std::vector<std::string>> answers; ///< by first word
    double ahead = 0, unsure = 0;                            ///< seconds that its clock is ahead of this host's

    std::vector<std::string> of(const std::string &word) const {
        const auto found = answers.find(word);
        return found == answers.end() ? std::vector<std::string>() : found->second;
    }
};

/// Asks all hosts at once. Each has `seconds` for its first line, and as long again for the others.
std::vector<HostAnswer> ask(const std::vector<Question> &questions, int seconds);

struct DoctorOptions {
    std::string spec, program, ssh = "ssh";
    bool headless = false;
    int seconds = 5;
    int port = 0; ///< of the operators' page; 0: not looked at
};

struct Finding {
    enum class Level { well, note, failed };
    std::string host, check;
    Level level = Level::well;
    std::string found, remedy;
};

/// Compares the host's answers with those of this host.
void judge(const Question &question, const HostAnswer &answer, const HostAnswer &here, const DoctorOptions &options,
           std::vector<Finding> &findings);

/// The wall's hosts are asked, and the table is printed. The exit status: 0, 1 if a check failed.
int doctor(const DoctorOptions &options);

/// On a host that is asked: its version, whether `back` ("PORT ADDRESS...") can be connected to, and what OpenGL each
/// display has.
int probe(const std::string &back, const std::vector<std::string> &displays, int seconds);

} // namespace walltool
