// A TOML table read key by key, with an error for every value that is not what was expected and every key that nobody
// asked for. For one source file only, so that the TOML library is compiled once.
#pragma once

#include "wall_text.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <toml++/toml.h>

namespace pixmpi {

inline int line_of(const toml::node &node) { return static_cast<int>(node.source().begin.line); }

inline std::string describe(const toml::node &node) {
    switch (node.type()) {
    case toml::node_type::table:
        return "a table";
    case toml::node_type::array: {
        std::string list;
        for (const toml::node &entry : *node.as_array()) {
            if (list.size() > 60 || entry.is_array())
                return "a list of " + std::to_string(node.as_array()->size());
            list += (list.empty() ? "[" : ", ") + describe(entry);
        }
        return list.empty() ? "[]" : list + "]";
    }
    case toml::node_type::string:
        return quoted(node.as_string()->get());
    case toml::node_type::integer:
        return std::to_string(node.as_integer()->get());
    case toml::node_type::floating_point:
        return number(node.as_floating_point()->get());
    case toml::node_type::boolean:
        return node.as_boolean()->get() ? "true" : "false";
    default:
        return "a date or time";
    }
}

inline std::optional<double> number_in(const toml::node &node, double low, double high, bool whole) {
    double value = NAN;
    if (const auto *integer = node.as_integer())
        value = static_cast<double>(integer->get());
    else if (const auto *floating = node.as_floating_point())
        value = floating->get();
    if (!(value >= low && value <= high) || (whole && value != std::floor(value)))
        return std::nullopt;
    return value;
}

/// What a length may be; pixels are whole.
struct Limits {
    double low, high;
    bool whole;
    std::string text() const {
        return (whole ? "a whole number from " : "a number from ") + number(low) + " to " + number(high);
    }
};

/// One table: asked key by key, then for what nobody asked for.
class Reader {
  public:
    Reader(const toml::table &table, std::string prefix, Errors &errors)
        : table_(table), prefix_(std::move(prefix)), errors_(errors) {}

    const toml::node *find(std::string_view key) {
        known_.push_back(key);
        return table_.get(key);
    }

    Maybe<int> integer(std::string_view key, int low, int high) {
        const toml::node *node = find(key);
        if (!node)
            return std::nullopt;
        if (node->is_integer())
            if (const auto value = number_in(*node, low, high, true))
                return Given<int>{static_cast<int>(*value), line_of(*node)};
        return refuse(*node, key, Limits{double(low), double(high), true}.text());
    }

    Maybe<bool> boolean(std::string_view key) {
        const toml::node *node = find(key);
        if (!node)
            return std::nullopt;
        if (const auto *value = node->as_boolean())
            return Given<bool>{value->get(), line_of(*node)};
        return refuse(*node, key, "true or false");
    }

    Maybe<std::string> text(std::string_view key) {
        const toml::node *node = find(key);
        if (!node)
            return std::nullopt;
        if (const auto value = plain_text(*node))
            return Given<std::string>{*value, line_of(*node)};
        return refuse(*node, key, text_expected);
    }

    /// One text or a list of them.
    Maybe<std::vector<std::string>> texts(std::string_view key) {
        const toml::node *node = find(key);
        if (!node)
            return std::nullopt;
        Given<std::vector<std::string>> result{{}, line_of(*node)};
        if (const auto *array = node->as_array(); array && !array->empty()) {
            for (const toml::node &entry : *array) {
                const auto value = plain_text(entry);
                if (!value)
                    return refuse(entry, key, text_expected);
                result.value.push_back(*value);
            }
            return result;
        }
        if (const auto value = plain_text(*node)) {
            result.value.push_back(*value);
            return result;
        }
        return refuse(*node, key, std::string(text_expected) + ", or a list of them");
    }

    template <class T> Maybe<T> choice(std::string_view key, const std::vector<std::pair<std::string_view, T>> &words) {
        const toml::node *node = find(key);
        if (!node)
            return std::nullopt;
        std::string expected;
        for (const auto &[word, value] : words) {
            if (const auto *text = node->as_string(); text && text->get() == word)
                return Given<T>{value, line_of(*node)};
            if (const auto *integer = node->as_integer(); integer && std::to_string(integer->get()) == word)
                return Given<T>{value, line_of(*node)};
            expected += (expected.empty()               ? ""
                         : &word == &words.back().first ? " or "
                                                        : ", ") +
                        (is_number<T> ? std::string(word) : quoted(word));
        }
        return refuse(*node, key, expected);
    }

    /// [x, y]; `single`: one number stands for both.
    Maybe<Vec> pair(std::string_view key, const Limits &limits, bool single = false) {
        const toml::node *node = find(key);
        if (!node)
            return std::nullopt;
        const auto values = numbers<2>(*node, limits, single);
        if (values)
            return Given<Vec>{{(*values)[0], (*values)[1]}, line_of(*node)};
        return refuse(*node, key,
                      std::string(single ? "one number or two" : "two numbers") + " [x, y], each " + limits.text());
    }

    Maybe<std::array<double, 4>> rectangle(std::string_view key, const Limits &position, const Limits &size) {
        const toml::node *node = find(key);
        const auto values = numbers<4>(*node, position, false);
        if (values && (*values)[2] >= size.low && (*values)[3] >= size.low)
            return Given<std::array<double, 4>>{*values, line_of(*node)};
        return refuse(*node, key, "[width, height] or [x, y, width, height], with sizes " + size.text());
    }

    /// A number, [x, y], or {left, right, top, bottom}.
    Maybe<Edges> edges(std::string_view key, const Limits &limits) {
        const toml::node *node = find(key);
        if (!node || !node->is_table()) {
            const auto both = node ? pair(key, limits, true) : std::nullopt;
            return both ? Maybe<Edges>({{both->value.x, 0, both->value.y, 0}, both->line}) : std::nullopt;
        }
        Given<Edges> result{{}, line_of(*node)};
        Reader inner(*node->as_table(), prefix_ + std::string(key) + ".", errors_);
        for (const auto &[edge, to] : {std::pair{"left", &result.value.left}, std::pair{"right", &result.value.right},
                                       std::pair{"top", &result.value.top}, std::pair{"bottom", &result.value.bottom}})
            if (const toml::node *length = inner.find(edge)) {
                const auto value = number_in(*length, limits.low, limits.high, limits.whole);
                if (value)
                    *to = *value;
                else
                    inner.refuse(*length, edge, limits.text());
            }
        inner.finish();
        return result;
    }

    std::nullopt_t refuse(const toml::node &node, std::string_view key, std::string_view expected) {
        errors_.add(line_of(node), prefix_ + std::string(key),
                    "expected " + std::string(expected) + ", not " + describe(node));
        return std::nullopt;
    }

    /// Keys that were not asked for are mistakes.
    void finish() {
        for (const auto &[key, node] : table_) {
            if (std::find(known_.begin(), known_.end(), key.str()) != known_.end())
                continue;
            const std::string_view meant = nearest(key.str(), known_);
            std::string text = "unknown key " + quoted(key.str());
            if (!meant.empty())
                text += ", did you mean " + std::string(meant) + "?";
            else {
                text += ", expected one of";
                for (const std::string_view &word : known_)
                    text += (&word == &known_.front() ? " " : ", ") + std::string(word);
            }
            const std::string_view owner =
                prefix_.empty() ? "" : std::string_view(prefix_).substr(0, prefix_.size() - 1);
            errors_.add(static_cast<int>(key.source().begin.line), owner, text);
        }
    }

  private:
    static constexpr std::size_t longest_text = 255;
    static constexpr const char *text_expected = "a text of 1 to 255 bytes without control characters";
    template <class T> static constexpr bool is_number = std::is_arithmetic_v<T>;

    static std::optional<std::string> plain_text(const toml::node &node) {
        const auto *text = node.as_string();
        if (!text || text->get().empty() || text->get().size() > longest_text)
            return std::nullopt;
        for (unsigned char c : text->get())
            if (c < 0x20 || c == 0x7f)
                return std::nullopt;
        return text->get();
    }

    template <std::size_t N>
    static std::optional<std::array<double, N>> numbers(const toml::node &node, const Limits &limits, bool single) {
        std::array<double, N> result{};
        if (const auto value = number_in(node, limits.low, limits.high, limits.whole); value && single) {
            result.fill(*value);
            return result;
        }
        const auto *array = node.as_array();
        if (!array || array->size() != N)
            return std::nullopt;
        for (std::size_t i = 0; i < N; ++i) {
            const auto value = number_in((*array)[i], limits.low, limits.high, limits.whole);
            if (!value)
                return std::nullopt;
            result[i] = *value;
        }
        return result;
    }

    const toml::table &table_;
    std::string prefix_;
    Errors &errors_;
    std::vector<std::string_view> known_;
};

} // namespace pixmpi
