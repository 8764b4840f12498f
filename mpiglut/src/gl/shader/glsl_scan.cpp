#include "gl/shader/glsl_scan.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace mpiglut::gl {

namespace {

bool starts_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Scanner {
  public:
    explicit Scanner(std::string_view source) : source_(source) {}

    std::vector<Token> run() {
        while (at_ < source_.size()) {
            if (skip_blank())
                continue;
            if (source_[at_] == '#' && line_empty_ && !in_directive_)
                directive();
            else if (starts_word(source_[at_]))
                word();
            else
                sign();
        }
        return std::move(tokens_);
    }

  private:
    char peek(std::size_t ahead) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

    /// A line's end, of whatever kind, counts once; returns its length, 0 when there is none here.
    std::size_t newline(std::size_t ahead = 0) const {
        if (peek(ahead) == '\r')
            return peek(ahead + 1) == '\n' ? 2 : 1;
        return peek(ahead) == '\n' ? 1 : 0;
    }

    bool skip_blank() {
        if (const std::size_t length = newline()) {
            at_ += length;
            ++line_;
            line_empty_ = true;
            in_directive_ = false;
            words_ = Words::none;
        } else if (peek(0) == '\\' && newline(1)) { // the line goes on
            at_ += 1 + newline(1);
            ++line_;
        } else if (std::isspace(static_cast<unsigned char>(peek(0)))) {
            ++at_;
        } else if (peek(0) == '/' && peek(1) == '/') {
            line_comment();
        } else if (peek(0) == '/' && peek(1) == '*') {
            block_comment();
        } else {
            return false;
        }
        return true;
    }

    void line_comment() {
        while (at_ < source_.size() && !newline()) {
            if (peek(0) == '\\' && newline(1)) {
                at_ += newline(1);
                ++line_;
            }
            ++at_;
        }
    }

    void block_comment() {
        at_ += 2;
        while (at_ < source_.size() && !(peek(0) == '*' && peek(1) == '/')) {
            const std::size_t length = newline();
            line_ += length ? 1 : 0;
            at_ += length ? length : 1;
        }
        at_ = std::min(at_ + 2, source_.size());
    }

    void directive() {
        const std::size_t start = at_++;
        while (peek(0) == ' ' || peek(0) == '\t')
            ++at_;
        const std::size_t name = at_;
        while (starts_word(peek(0)))
            ++at_;
        const std::string_view text = source_.substr(name, at_ - name);
        in_directive_ = true;
        words_ = text == "define"                                                        ? Words::name
                 : text == "undef"                                                       ? Words::only_name
                 : text == "if" || text == "ifdef" || text == "ifndef" || text == "elif" ? Words::condition
                                                                                         : Words::none;
        add(Token::Kind::directive, start, text);
    }

    void word() {
        const std::size_t start = at_;
        while (starts_word(peek(0)))
            ++at_;
        const std::string_view text = source_.substr(start, at_ - start);
        if (!in_directive_)
            add(Token::Kind::word, start, text);
        else if (words_ == Words::body)
            add(Token::Kind::define_word, start, text);
        else if (words_ == Words::condition)
            add(Token::Kind::condition, start, text);
        else if (words_ == Words::name || words_ == Words::only_name)
            add(Token::Kind::macro, start, text);
        if (words_ == Words::name)
            words_ = Words::body;
        else if (words_ == Words::only_name)
            words_ = Words::none;
        if (peek(0) == '\\' && newline(1) && starts_word(peek(1 + newline(1))))
            add(Token::Kind::join, at_, source_.substr(at_, 1));
    }

    void sign() {
        if (!in_directive_)
            add(Token::Kind::sign, at_, source_.substr(at_, 1));
        else if (words_ == Words::body && peek(0) == '#' && peek(1) == '#')
            add(Token::Kind::join, at_, source_.substr(at_, 2));
        ++at_;
    }

    void add(Token::Kind kind, std::size_t start, std::string_view text) {
        tokens_.push_back({kind, start, at_ > start ? at_ - start : 1, text, line_});
        line_empty_ = false;
    }

    std::string_view source_;
    std::size_t at_ = 0;
    int line_ = 1;
    bool line_empty_ = true, in_directive_ = false;
    enum class Words { none, name, only_name, body, condition } words_ = Words::none; ///< in this directive
    std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> scan(std::string_view source) { return Scanner(source).run(); }

void Edits::replace(std::size_t at, std::size_t length, std::string text) {
    edits_.push_back({at, length, std::move(text)});
}

std::vector<std::string> Edits::apply(const std::vector<std::string_view> &strings) const {
    std::vector<Edit> edits = edits_;
    std::stable_sort(edits.begin(), edits.end(), [](const Edit &a, const Edit &b) {
        return a.at != b.at ? a.at < b.at : a.length == 0 && b.length > 0;
    });
    std::vector<std::string> result;
    std::size_t begin = 0, next = 0, skip_to = 0; // positions in the whole text
    for (std::size_t i = 0; i < strings.size(); ++i) {
        const std::string_view source = strings[i];
        const std::size_t end = begin + source.size();
        const bool last = i + 1 == strings.size();
        std::string out;
        std::size_t at = std::max(begin, std::min(skip_to, end));
        for (; next < edits.size() && (edits[next].at < end || last); ++next) {
            const Edit &edit = edits[next];
            if (edit.at > at)
                out += source.substr(at - begin, edit.at - at);
            out += edit.text;
            skip_to = std::max(skip_to, edit.at + edit.length);
            at = std::max(at, std::min(skip_to, end));
        }
        out += source.substr(at - begin);
        result.push_back(std::move(out));
        begin = end;
    }
    return result;
}

} // namespace mpiglut::gl
