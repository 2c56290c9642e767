// Twenty servers of mixed eras and transports under load, while some are killed, hung, slow or come and go.
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <thread>

#include "gateway/watched.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

/// Unlike the names of any other test that runs at the same time.
const std::string kMark = "c" + std::to_string(::getpid());

enum class Program : std::uint8_t { kWatched, kOurs, kOfficial };

/// One of the twenty: how to send it a word, and how it echoes it.
struct Place {
    std::string name;
    Program program = Program::kWatched;

    std::string tool() const { return name + (program == Program::kOurs ? "_greet" : "_echo"); }
    JsonObject arguments(const std::string& word) const {
        const char* argument = program == Program::kWatched ? "value" : program == Program::kOurs ? "name" : "message";
        return {{argument, word}};
    }
    std::string answer(const std::string& word) const {
        if (program == Program::kOurs) return "Hello, " + word + "!";
        return program == Program::kOfficial ? "Echo: " + word : word;
    }
};

class Town {
public:
    Town() {
        for (int i = 0; i < 4; ++i) watched(Reached::kStdioLegacy);
        for (int i = 0; i < 3; ++i) watched(Reached::kStdioModern);
        for (int i = 0; i < 2; ++i) watched(Reached::kHttpLegacy);
        for (int i = 0; i < 2; ++i) watched(Reached::kHttpModern);
        watched(Reached::kSse);
        for (const char* era : {"legacy", "modern"}) {
            config_ += "  - name: " + next(Program::kOurs) +
                       "\n    command: " + gantry::test_support::built_path("examples/everything_server") +
                       "\n    args: [--stdio, --era, " + era + "]\n";
        }
        const int port = free_port();
        official_ = std::make_unique<Child>(
            Child::Options{.command = {node(), everything_js(), "sse"}, .env = {{"PORT", std::to_string(port)}}});
        EXPECT_TRUE(wait_for_port(port)) << official_->err();
        config_ += "  - name: " + next(Program::kOfficial) + "\n    url: http://127.0.0.1:" + std::to_string(port) +
                   "/sse\n    transport: sse\n";
        config_ += Watched(killed, Reached::kStdioLegacy).entry() + Watched(killed_too, Reached::kStdioModern).entry() +
                   Watched(hung, Reached::kStdioLegacy).entry("    timeout: 1s\n") +
                   Watched(slow, Reached::kStdioModern).entry("    timeout: 1s\n");
        comes_and_goes = std::make_unique<Watched>(gone, Reached::kHttpModern, port_);
        config_ += comes_and_goes->entry();
    }

    const std::string& config() const noexcept { return config_; }
    const std::vector<Place>& healthy() const noexcept { return healthy_; }
    std::vector<Place> troubled() const { return {{killed}, {killed_too}, {hung}, {gone}}; }
    void bring_back() { comes_and_goes = std::make_unique<Watched>(gone, Reached::kHttpModern, port_); }

    const std::string killed = kMark + "killed";
    const std::string killed_too = kMark + "killedtoo";
    const std::string hung = kMark + "hung";
    const std::string slow = kMark + "slow";
    const std::string gone = kMark + "gone";
    std::unique_ptr<Watched> comes_and_goes;

private:
    std::string next(Program program) {
        healthy_.push_back({.name = kMark + "s" + std::to_string(healthy_.size()), .program = program});
        return healthy_.back().name;
    }
    void watched(Reached how) {
        servers_.push_back(std::make_unique<Watched>(next(Program::kWatched), how));
        config_ += servers_.back()->entry();
    }

    int port_ = free_port();
    std::string config_ = "servers:\n";
    std::vector<Place> healthy_;
    std::vector<std::unique_ptr<Watched>> servers_;
    std::unique_ptr<Child> official_;
};

/// What all callers together observed.
struct Tally {
    std::mutex mutex;
    std::map<std::string, std::set<std::string>> answered;  // words, by server
    std::vector<std::string> wrong;
    int calls = 0;
    int failures = 0;  // at troubled servers
};

void call_on(Ear& ear, const Place& place, const std::string& word, bool may_fail, Tally& tally) {
    const auto result = ear.client().call(place.tool(), place.arguments(word));
    const std::scoped_lock lock(tally.mutex);
    ++tally.calls;
    if (result && !result->is_error && result->text() == place.answer(word)) {
        tally.answered[place.name].insert(word);
    } else if (may_fail && (!result || result->is_error)) {
        ++tally.failures;
    } else {
        tally.wrong.push_back(place.name + " answered " + word + " with " +
                              (result ? result->text() : result.error().to_string()));
    }
}

/// The ids of the answers that one client received on the wire.
struct Answers {
    std::mutex mutex;
    std::multiset<std::string> ids;

    void note(std::string_view text) {
        const auto message = Json::parse(text);
        if (!message || message->find("id") == nullptr || message->find("method") != nullptr) return;
        const std::scoped_lock lock(mutex);
        ids.insert(message->find("id")->dump());
    }
    /// No answer was received twice.
    void expect_once() {
        const std::scoped_lock lock(mutex);
        EXPECT_FALSE(ids.empty());
        EXPECT_EQ(ids.size(), std::set<std::string>(ids.begin(), ids.end()).size());
    }
};

ConnectOptions options_of(const Gateway& gateway, std::size_t caller, const std::shared_ptr<Answers>& answers) {
    ConnectOptions options = caller % 3 == 2   ? over_sse(gateway)
                             : caller % 3 == 1 ? over_http(gateway, Era::kLegacy)
                                               : over_http(gateway, Era::kModern);
    options.on_wire = [answers](const WireEvent& event) {
        if (!event.outgoing) answers->note(event.text);
    };
    return options;
}

/// Open descriptors of a process.
struct Descriptors {
    std::size_t sockets = 0;
    std::size_t others = 0;  // pipes to children, files
};
Descriptors descriptors(int pid) {
    Descriptors out;
    std::error_code gone;  // a descriptor may be closed during the count
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
        const auto target = std::filesystem::read_symlink(entry.path(), gone).string();
        ++(target.starts_with("socket:") ? out.sockets : out.others);
    }
    return out;
}
std::size_t resident_kib(int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
    }
    return 0;
}

void signal_all(const std::string& name, int signal) {
    for (const int pid : processes_with("watched_server.mjs " + name + " stdio")) ::kill(pid, signal);
}

/// Causes every kind of trouble, one after the other; returns when each server has recovered.
void make_trouble(const Gateway& gateway, Town& town) {
    Ear ear(over_http(gateway, Era::kModern));
    const auto echoes = [&ear](const std::string& name) {
        return ear.say(name + "_echo", {{"value", "trouble"}}) == "trouble";
    };
    signal_all(town.hung, SIGSTOP);
    for (int i = 0; i < 3; ++i) {
        for (const std::string& name : {town.killed, town.killed_too}) {
            signal_all(name, SIGKILL);
            EXPECT_TRUE(eventually([&] { return echoes(name); })) << name << " did not come back";
        }
    }
    EXPECT_TRUE(eventually([&] { return !echoes(town.hung); }));
    town.comes_and_goes.reset();
    EXPECT_TRUE(eventually([&] { return !echoes(town.gone); }));
    EXPECT_THAT(ear.say(town.slow + "_work", {{"value", "slow"}, {"ms", 60'000}}), ::testing::HasSubstr("failed"));
    signal_all(town.hung, SIGCONT);
    town.bring_back();
    for (const std::string& name : {town.hung, town.gone, town.slow}) {
        EXPECT_TRUE(eventually([&] { return echoes(name); })) << name << " did not come back";
    }
}

/// Every answered call ran exactly once, and no call ran twice.
void expect_once_each(Ear& ear, const std::string& server, const std::set<std::string>& answered, bool remembers) {
    const auto executed = Json::parse(ear.say(server + "_executed"));
    ASSERT_TRUE(executed && executed->is_object()) << server;
    for (const auto& [word, times] : *executed->if_object()) {
        if (word != "trouble" && word != "warm") EXPECT_EQ(times.as_int(), 1) << word << " at " << server;
    }
    if (!remembers) return;
    for (const std::string& word : answered) EXPECT_NE(executed->find(word), nullptr) << word << " at " << server;
}

TEST(ChaosTest, TwentyServersUnderLoadWhileSomeAreKilledHungSlowAndGone) {
    SKIP_WITHOUT(watched_js());
    SKIP_WITHOUT(everything_js());
    Town town;
    ASSERT_EQ(town.healthy().size() + 5, 20u);
    Tally tally;
    Descriptors after;
    {
        Gateway gateway(town.config());
        const int pid = gateway.child().pid();
        constexpr std::size_t kCallers = 6;
        const auto all_call = [&](const std::function<void(std::size_t, Ear&)>& body) {
            std::vector<std::thread> callers;
            for (std::size_t c = 0; c < kCallers; ++c) {
                callers.emplace_back([&gateway, body, c] {
                    const auto answers = std::make_shared<Answers>();
                    Ear ear(options_of(gateway, c, answers));
                    body(c, ear);
                    answers->expect_once();
                });
            }
            return callers;
        };
        const auto finish = [](std::vector<std::thread> callers) {
            for (std::thread& caller : callers) caller.join();
        };
        {
            Ear ear(over_http(gateway, Era::kModern));
            // A server that is still starting could not be troubled yet.
            std::vector<Place> places = town.troubled();
            places.push_back({town.slow});
            places.insert(places.end(), town.healthy().begin(), town.healthy().end());
            for (const Place& place : places)
                EXPECT_TRUE(eventually([&] { return ear.lists(place.tool()); })) << place.name;
        }
        finish(all_call([&](std::size_t, Ear& ear) {
            for (const Place& place : town.healthy()) ear.say(place.tool(), place.arguments("warm"));
        }));
        const Descriptors before = descriptors(pid);
        const std::size_t resident = resident_kib(pid);

        std::atomic<bool> stop = false;
        auto callers = all_call([&](std::size_t c, Ear& ear) {
            for (int i = 0; !stop; ++i) {
                const std::string word = std::to_string(c) + "-" + std::to_string(i);
                for (const Place& place : town.healthy()) call_on(ear, place, word, false, tally);
                const auto troubled = town.troubled();
                call_on(ear, troubled[static_cast<std::size_t>(i) % troubled.size()], word, true, tally);
            }
        });
        make_trouble(gateway, town);
        stop = true;
        finish(std::move(callers));

        EXPECT_THAT(tally.wrong, ::testing::IsEmpty());
        EXPECT_GT(tally.failures, 0) << "nobody noticed any trouble, so nothing was proved";
        Ear ear(over_http(gateway, Era::kModern));
        for (const Place& place : town.healthy()) {
            if (place.program != Program::kWatched) continue;
            expect_once_each(ear, place.name, tally.answered[place.name], true);
        }
        expect_once_each(ear, town.hung, tally.answered[town.hung], true);
        for (const std::string& name : {town.killed, town.killed_too, town.gone}) {
            expect_once_each(ear, name, {}, false);
        }
        ear.client().close();
        // Connections to servers are kept for reuse for a while: at most one per caller.
        constexpr std::size_t kOverHttp = 7;
        EXPECT_TRUE(eventually([&] {
            after = descriptors(pid);
            return after.others <= before.others && after.sockets <= before.sockets + kCallers * kOverHttp;
        })) << before.sockets
            << " sockets and " << before.others << " others before, " << after.sockets << " and " << after.others
            << " after " << tally.calls << " calls";
        EXPECT_LT(resident_kib(pid), resident + 64 * 1024);
        RecordProperty("calls", tally.calls);

        ASSERT_FALSE(processes_with("watched_server.mjs " + kMark).empty());
        ::kill(pid, SIGKILL);
        EXPECT_TRUE(eventually([&] {
            return std::ranges::none_of(processes_with("watched_server.mjs " + kMark), [](int child) {
                // A process that ends meanwhile reads as empty text, not as an exception.
                std::ostringstream text;
                text << std::ifstream("/proc/" + std::to_string(child) + "/cmdline").rdbuf();
                return text.str().contains("stdio");
            });
        })) << "children outlived a gateway that was killed";
    }
}

}  // namespace
}  // namespace gantry::testing
