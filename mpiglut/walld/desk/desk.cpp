#include "desk/desk.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace mpiglut::walld {

namespace {

using nlohmann::json;

constexpr std::size_t lines_for_newcomers = 500;
constexpr std::chrono::milliseconds between_pointers(50);

std::shared_ptr<const std::string> text_of(const json &event) {
    return std::make_shared<const std::string>(event.dump(-1, ' ', false, json::error_handler_t::replace));
}

} // namespace

void Desk::tell(Web::Client client, const json &event) { web_.send(client, text_of(event)); }

void Desk::send_to_all(const json &event) {
    if (clients_.empty())
        return;
    const auto text = text_of(event);
    for (const auto &[client, browser] : clients_)
        web_.send(client, text);
}

void Desk::run(WallRun *run) {
    run_ = run;
    attend();
    changed();
}

/// Tiles make no pictures for browsers that take none.
void Desk::attend() {
    if (run_)
        run_->attend(std::ranges::any_of(
            clients_, [this](const auto &one) { return one.second.looks && !web_.is_stuck(one.first); }));
}

void Desk::keep(const std::function<bool(const std::string &)> &is_open) {
    for (const auto &[client, browser] : clients_)
        if (!browser.visitor.session.empty() && !is_open(browser.visitor.session))
            web_.close(client);
}

void Desk::opened(Web::Client client, const Visitor &visitor) {
    clients_[client].visitor = visitor;
    json hello{{"event", "hello"},
               {"client", client},
               {"role", visitor.role == Role::operate ? "operate" : "look"},
               {"control", holder()},
               {"run", nullptr}};
    if (run_) {
        hello["run"] = run_->status();
        hello["samples"] = json::array();
        for (const Sample &sample : run_->tiles().history())
            hello["samples"].push_back(to_json(sample));
    }
    hello["log"] = json::array();
    const auto lines = log_.after(0);
    for (std::size_t i = lines.size() - std::min(lines.size(), lines_for_newcomers); i < lines.size(); ++i)
        hello["log"].push_back(to_json(lines[i]));
    if (more_)
        hello.update(more_());
    tell(client, hello);
    if (run_)
        for (const auto &[key, picture] : run_->pictures())
            web_.send_picture(client, key, picture);
    attend();
}

void Desk::closed(Web::Client client) {
    clients_.erase(client);
    send_to_all({{"event", "left"}, {"client", client}});
    if (holder_ == client)
        give_control(0);
    attend();
}

void Desk::changed() {
    json event{{"event", "status"}, {"run", run_ ? run_->status() : json(nullptr)}};
    if (more_)
        event.update(more_());
    send_to_all(event);
}

void Desk::printed(const std::vector<LogLine> &lines) {
    json event{{"event", "log"}, {"lines", json::array()}};
    for (const LogLine &line : lines)
        event["lines"].push_back(to_json(line));
    send_to_all(event);
}

void Desk::picture(std::uint64_t key, const WallRun::Picture &picture) {
    for (const auto &[client, browser] : clients_)
        if (browser.looks)
            web_.send_picture(client, key, picture);
}

void Desk::sampled(const Sample &sample) {
    attend();
    if (run_)
        send_to_all({{"event", "figures"}, {"sample", to_json(sample)}, {"run", run_->status()}});
}

void Desk::give_control(Web::Client to) {
    if (holder_ == to)
        return;
    holder_ = to;
    send_to_all({{"event", "control"}, {"control", holder()}});
}

json Desk::holder() const {
    const auto found = clients_.find(holder_);
    return found == clients_.end() ? json(nullptr)
                                   : json{{"client", holder_}, {"address", found->second.visitor.address}};
}

/// The number alone proves nothing: the request has to come from the browser's own session.
Web::Client Desk::browser_of(const Request &request) const {
    const std::string text = query_value(request.query, "client");
    Web::Client client = 0;
    std::from_chars(text.data(), text.data() + text.size(), client);
    const auto found = clients_.find(client);
    return found != clients_.end() && found->second.visitor.role == Role::operate &&
                   found->second.visitor.session == request.visitor.session
               ? client
               : 0;
}

std::string Desk::refuse_change(const Request &request) {
    const Web::Client client = browser_of(request);
    const bool takes = query_value(request.query, "control") == "take";
    if (takes || (holder_ == 0 && client != 0))
        give_control(client);
    if (holder_ == 0 || holder_ == client)
        return {};
    const Visitor &owner = clients_.at(holder_).visitor;
    if (client == 0 && !owner.session.empty() && owner.session == request.visitor.session)
        return {};
    return "control: browser " + std::to_string(holder_) + " at " + owner.address +
           " has it; ask for it on the page, or take it with ?control=take";
}

void Desk::ask_for_control(Web::Client client) {
    if (holder_ == 0 || holder_ == client)
        return give_control(client);
    tell(holder_, {{"event", "asked"}, {"client", client}, {"address", clients_.at(client).visitor.address}});
}

/// A browser that touches the wall when none has control gets control. Of the others only the pointer is seen.
void Desk::receive_input(Web::Client client, const json &object) {
    auto input = read_input(object);
    if (!input.error.empty())
        return tell(client, {{"event", "error"}, {"error", input.error}});
    const auto acts = [](const Event &event) {
        return event.kind != Event::Kind::motion && event.kind != Event::Kind::entry;
    };
    if (holder_ == 0 && std::ranges::any_of(input.value, acts))
        give_control(client);
    Browser &own = clients_[client];
    for (const Event &event : input.value)
        if (event.kind == Event::Kind::motion || event.kind == Event::Kind::mouse) {
            own.x = event.x;
            own.y = event.y;
            own.pointer_moved = true;
        }
    if (own.pointer_moved && clients_.size() > 1 && !std::exchange(pointers_due_, true))
        web_.after(between_pointers, [this] { send_pointers(); });
    if (run_ && (holder_ == client || holder_ == 0))
        run_->input(input.value);
    else if (run_ && std::ranges::any_of(input.value, acts))
        tell(client, {{"event", "refused"}, {"control", holder()}});
}

/// Where pointers are now, to those that see the wall.
void Desk::send_pointers() {
    pointers_due_ = false;
    for (auto &[client, browser] : clients_) {
        if (!std::exchange(browser.pointer_moved, false))
            continue;
        const auto text = text_of({{"event", "pointer"}, {"client", client}, {"x", browser.x}, {"y", browser.y}});
        for (const auto &[other, seer] : clients_)
            if (other != client && seer.looks)
                web_.send(other, text);
    }
}

void Desk::message(Web::Client client, const std::string &text) {
    const auto found = clients_.find(client);
    if (found == clients_.end())
        return;
    const auto object = read_json(text);
    if (!object.error.empty())
        return tell(client, {{"event", "error"}, {"error", object.error}});
    const json &what = object.value;
    const bool acts = what.contains("events") || what.contains("control") || what.contains("give");
    if (acts && found->second.visitor.role != Role::operate)
        return tell(client, {{"event", "error"}, {"error", only_for_looking}});
    if (what.contains("events"))
        receive_input(client, what);
    if (const auto live = what.find("live"); live != what.end() && live->is_boolean()) {
        found->second.looks = live->get<bool>();
        attend();
    }
    if (const auto ask = what.find("control"); ask != what.end() && ask->is_string()) {
        if (*ask == "ask")
            ask_for_control(client);
        else if (*ask == "take")
            give_control(client);
        else if (*ask == "leave" && holder_ == client)
            give_control(0);
    }
    if (const auto to = what.find("give");
        to != what.end() && to->is_number_unsigned() && holder_ == client && clients_.contains(to->get<Web::Client>()))
        give_control(to->get<Web::Client>());
}

} // namespace mpiglut::walld
