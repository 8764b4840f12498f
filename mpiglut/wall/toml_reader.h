// A TOML table read key by key, with an error for every value that was not expected and every key that was not asked
// for.
#pragma once

#include "text.h"
#include "toml_library.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

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
        return in_quotes(node.as_string()->get());
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

/// What a number may be; pixels are whole.
struct Limits {
    double low, high;
    bool whole;
    std::string text() const {
        return (whole ? "a whole number from " : "a number from ") + number(low) + " to " + number(high);
    }
};

inline std::optional<double> number_in(const toml::node &node, const Limits &limits) {
    double value = NAN;
    if (const auto *integer = node.as_integer())
        value = static_cast<double>(integer->get());
    else if (const auto *floating = node.as_floating_point())
        value = floating->get();
    if (!(value >= limits.low && value <= limits.high) || (limits.whole && value != std::floor(value)))
        return std::nullopt;
    return value;
}

/// One table: asked key by key, then for keys that were not asked for.
class Reader {
  public:
    Reader(const toml::table &table, std::string prefix, Errors &errors)
        : table_(table), prefix_(std::move(prefix)), errors_(errors) {}

    const toml::node *find(std::string_view key) {
        if (std::find(known_.begin(), known_.end(), key) == known_.end())
            known_.push_back(key);
        return table_.get(key);
    }

    Maybe<int> integer(std::string_view key, int low, int high) {
        const Limits limits{double(low), double(high), true};
        return read<int>(key, limits.text(), [&](const toml::node &node) -> std::optional<int> {
            const auto value = number_in(node, limits);
            return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
        });
    }

    Maybe<bool> boolean(std::string_view key) {
        return read<bool>(key, "true or false", [](const toml::node &node) { return node.value_exact<bool>(); });
    }

    Maybe<std::string> text(std::string_view key) { return read<std::string>(key, text_expected, plain_text); }
    Maybe<std::string> host(std::string_view key) { return read<std::string>(key, host_expected, host_name); }

    /// One text or a list of them.
    Maybe<std::vector<std::string>> texts(std::string_view key) { return list(key, text_expected, plain_text); }
    Maybe<std::vector<std::string>> hosts(std::string_view key) { return list(key, host_expected, host_name); }

    template <class Single>
    Maybe<std::vector<std::string>> list(std::string_view key, const char *single_expected, Single single_text) {
        using Texts = std::vector<std::string>;
        const std::string expected = std::string(single_expected) + ", or a list of them";
        return read<Texts>(key, expected, [&](const toml::node &node) -> std::optional<Texts> {
            if (const auto single = single_text(node))
                return Texts{*single};
            const auto *array = node.as_array();
            if (!array || array->empty())
                return std::nullopt;
            Texts result;
            for (const toml::node &entry : *array) {
                const auto value = single_text(entry);
                if (!value)
                    return std::nullopt;
                result.push_back(*value);
            }
            return result;
        });
    }

    template <class T> Maybe<T> choice(std::string_view key, const std::vector<std::pair<std::string_view, T>> &words) {
        std::string expected;
        for (const auto &entry : words) {
            const bool last = &entry == &words.back();
            expected += expected.empty() ? "" : last ? " or " : ", ";
            expected += std::is_same_v<T, int> ? std::string(entry.first) : in_quotes(entry.first);
        }
        return read<T>(key, expected, [&](const toml::node &node) -> std::optional<T> {
            const std::string found = node.is_number() ? describe(node) : node.value_or(std::string());
            for (const auto &[word, value] : words)
                if (found == word)
                    return value;
            return std::nullopt;
        });
    }

    /// [x, y]; `single`: one number stands for both.
    Maybe<Vec> pair(std::string_view key, const Limits &limits, bool single = false) {
        const std::string expected =
            (single ? "a number or two numbers [x, y], " : "two numbers [x, y], each ") + limits.text();
        return read<Vec>(key, expected, [&](const toml::node &node) -> std::optional<Vec> {
            if (const auto both = single ? number_in(node, limits) : std::nullopt)
                return Vec{*both, *both};
            const auto values = numbers<2>(node, limits);
            return values ? std::optional<Vec>({(*values)[0], (*values)[1]}) : std::nullopt;
        });
    }

    Maybe<double> real(std::string_view key, const Limits &limits) {
        return read<double>(key, limits.text(), [&](const toml::node &node) { return number_in(node, limits); });
    }

    /// [red, green, blue]
    Maybe<std::array<double, 3>> colour(std::string_view key, const Limits &limits) {
        return read<std::array<double, 3>>(key, "[red, green, blue], each " + limits.text(),
                                           [&](const toml::node &node) { return numbers<3>(node, limits); });
    }

    /// [x, y, width, height]
    Maybe<std::array<double, 4>> rectangle(std::string_view key, const Limits &position, const Limits &size) {
        const std::string expected = "[x, y, width, height], with width and height " + size.text();
        return read<std::array<double, 4>>(key, expected, [&](const toml::node &node) {
            auto values = numbers<4>(node, position);
            if (values && ((*values)[2] < size.low || (*values)[3] < size.low))
                values.reset();
            return values;
        });
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
                const auto value = number_in(*length, limits);
                if (value)
                    *to = *value;
                else
                    inner.refuse(*length, edge, limits.text());
            }
        inner.finish();
        return result;
    }

    std::nullopt_t refuse(const toml::node &node, std::string_view key, std::string_view expected) {
        unreadable_.emplace(key);
        errors_.add(line_of(node), prefix_ + std::string(key),
                    "expected " + std::string(expected) + ", not " + describe(node));
        return std::nullopt;
    }

    /// Keys that were not asked for are mistakes. Returns the unknown ones.
    Unreadable finish() {
        for (const auto &[key, node] : table_) {
            if (std::find(known_.begin(), known_.end(), key.str()) != known_.end())
                continue;
            const std::string_view meant = nearest(key.str(), known_);
            unreadable_.emplace(meant);
            std::string text = "unknown key " + in_quotes(key.str());
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
        return unreadable_;
    }

  private:
    static constexpr std::size_t longest_text = 255;
    static constexpr const char *text_expected = "a text of 1 to 255 bytes without control characters";
    static constexpr const char *host_expected = "a host's name or address";

    static std::optional<std::string> plain_text(const toml::node &node) {
        const auto *text = node.as_string();
        if (!text || text->get().empty() || text->get().size() > longest_text)
            return std::nullopt;
        for (unsigned char c : text->get())
            if (c < 0x20 || c == 0x7f)
                return std::nullopt;
        return text->get();
    }

    static std::optional<std::string> host_name(const toml::node &node) {
        auto text = plain_text(node);
        return text && is_host_name(*text) ? text : std::nullopt;
    }

    template <std::size_t N>
    static std::optional<std::array<double, N>> numbers(const toml::node &node, const Limits &limits) {
        const auto *array = node.as_array();
        if (!array || array->size() != N)
            return std::nullopt;
        std::array<double, N> result{};
        for (std::size_t i = 0; i < N; ++i) {
            const auto value = number_in((*array)[i], limits);
            if (!value)
                return std::nullopt;
            result[i] = *value;
        }
        return result;
    }

    /// The value of `key`, if it is there; an error if `convert` can do nothing with it.
    template <class T, class Convert> Maybe<T> read(std::string_view key, std::string_view expected, Convert convert) {
        const toml::node *node = find(key);
        if (!node)
            return std::nullopt;
        if (std::optional<T> value = convert(*node))
            return Given<T>{std::move(*value), line_of(*node)};
        return refuse(*node, key, expected);
    }

    const toml::table &table_;
    std::string prefix_;
    Errors &errors_;
    std::vector<std::string_view> known_;
    Unreadable unreadable_;
};

} // namespace pixmpi
