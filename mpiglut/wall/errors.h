// Errors of a wall description, each with its place.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pixmpi {

class Errors {
  public:
    explicit Errors(std::string_view source);
    /// `line` 0: the whole; `key` may be empty.
    void add(int line, std::string_view key, std::string_view expected);
    bool any() const { return !entries_.empty(); }
    /// In order of lines, the first few and how many more there are.
    std::vector<std::string> list() const;

  private:
    std::string source_;
    std::vector<std::pair<int, std::string>> entries_;
};

/// Text from a user as it may stand in a message: without control characters; quoted, it is shortened too.
std::string printable(std::string_view text);
std::string in_quotes(std::string_view text);

/// The nearest of `known` if it is near enough to be what was meant, else empty.
std::string_view nearest(std::string_view word, const std::vector<std::string_view> &known);

/// "1920" or "12.5": the shortest text that reads back to the same number.
std::string number(double value);

} // namespace pixmpi
