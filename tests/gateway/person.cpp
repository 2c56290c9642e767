#include "gateway/person.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gateway/rig.hpp"

namespace gantry::testing {

namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;
constexpr const char* kSetpriv = "/usr/bin/setpriv";

/// A new folder in the first of `places` where one can be created; empty: in none.
std::string fresh_folder(const std::vector<std::string>& places) {
    for (const std::string& place : places) {
        std::error_code ignored;
        fs::create_directories(place, ignored);
        std::string name = place + "/gantry-test-XXXXXX";
        if (mkdtemp(name.data()) != nullptr) return fs::canonical(name).string();
    }
    return {};
}

std::string address_in(const std::string& text) {
    const auto at = text.find("http://");
    return at == std::string::npos ? std::string() : text.substr(at, text.find('\n', at) - at);
}

std::vector<std::string> serve(const Person& person, const std::string& servers) {
    const std::string file = person.home() + "/.config/gantry/gantry.yaml";
    person.put(file, "servers:\n" + servers);
    return {gantry_program(), "serve", "--config", file, "--listen", "127.0.0.1:0"};
}

}  // namespace

Person::Person(bool ordinary) : ordinary_(ordinary) {
    if (ordinary && ::geteuid() != 0) {
        missing_ = "the user of the tests is an ordinary one already";
        return;
    }
    if (ordinary && ::access(kSetpriv, X_OK) != 0) {
        missing_ = std::string("no ") + kSetpriv + " to become another user with";
        return;
    }
    const std::string built = gantry::test_support::built_path("tests/boxes");
    const bool root = ::geteuid() == 0;
    home_ = fresh_folder(root ? std::vector<std::string>{"/home", built} : std::vector{built});
    elsewhere_ = fresh_folder(root ? std::vector<std::string>{"/var/lib", built} : std::vector{built});
    if (home_.empty() || elsewhere_.empty()) {
        missing_ = "no folder outside /tmp for a home";
        return;
    }
    give(home_);
    give(elsewhere_);
    if (!can_run({gantry_program(), "--version"})) missing_ = "this user cannot run " + gantry_program();
}

Person::~Person() {
    std::error_code ignored;
    for (const std::string& folder : {home_, elsewhere_})
        if (!folder.empty()) fs::remove_all(folder, ignored);
}

void Person::give(const std::string& path) const {
    if (!ordinary_) return;
    EXPECT_EQ(::lchown(path.c_str(), kNobody, kNobody), 0) << path;
}

void Person::put(const std::string& file, const std::string& text) const {
    std::vector<fs::path> made;
    for (fs::path folder = fs::path(file).parent_path(); !fs::exists(folder); folder = folder.parent_path())
        made.push_back(folder);
    fs::create_directories(fs::path(file).parent_path());
    for (const fs::path& folder : made) give(folder.string());
    std::ofstream(file) << text;
    give(file);
}

Child::Options Person::as(std::vector<std::string> command) const {
    const char* const path = std::getenv("PATH");
    std::vector<std::string> words{"/usr/bin/env", "-C", home_};
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR"})
        words.insert(words.end(), {"-u", name});
    words.push_back("HOME=" + home_);
    words.push_back("PATH=" + home_ + "/.local/bin:" + (path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path));
    if (ordinary_) {
        const std::string id = std::to_string(kNobody);
        words.insert(words.end(), {"USER=nobody", "LOGNAME=nobody", kSetpriv, "--reuid=" + id, "--regid=" + id});
        words.push_back(group_ == 0 ? "--clear-groups" : "--groups=" + std::to_string(group_));
        // setpriv keeps root's rights until it has found the program, so it runs a shell first.
        words.insert(words.end(), {"/bin/sh", "-c", R"(exec "$0" "$@")"});
    }
    words.insert(words.end(), std::make_move_iterator(command.begin()), std::make_move_iterator(command.end()));
    return {.command = std::move(words), .env = {}};
}

bool Person::can_run(std::vector<std::string> command) const {
    Child child(as(std::move(command)));
    return child.wait() == 0;
}

std::string Person::run(std::vector<std::string> command) const {
    const std::string name = command.front();
    Child child(as(std::move(command)));
    EXPECT_EQ(child.wait(std::chrono::seconds(200)), 0) << name << ": " << child.err() << child.out();
    return child.out();
}

PersonsGateway::PersonsGateway(const Person& person, const std::string& servers, std::chrono::seconds startup_limit)
    : person_(person), startup_limit_(startup_limit), gateway_(person.as(serve(person, servers))) {
    if (!gateway_.wait_for_output("http://") || !gateway_.wait_for_output("/mcp")) {
        ADD_FAILURE() << "the gateway did not start: " << said();
        return;
    }
    auto client = connect(options_for(HttpServer{.url = address_in(gateway_.out())}));
    if (client)
        client_.emplace(*std::move(client));
    else
        ADD_FAILURE() << client.error().to_string();
}

std::string PersonsGateway::call(const std::string& tool, const JsonObject& arguments) {
    if (!client_) return "no gateway";
    const auto offered = [&] {
        const auto tools = client_->list_tools({.refresh = true});
        return tools && has_tool(*tools, tool);
    };
    if (!eventually(offered, startup_limit_)) {
        (void)gateway_.wait_for_output("nothing more", std::chrono::seconds(1));
        return "there is no tool " + tool + ": " + said();
    }
    const auto result = client_->call(tool, arguments);
    if (!result) return "no answer: " + result.error().to_string() + said();
    return (result->is_error ? "failed: " : "") + result->text();
}

std::string PersonsGateway::home_of(const std::string& server) const {
    return person_.home() + "/.local/share/gantry/homes/" + server;
}

std::string plain_server(const std::string& name, const std::vector<std::string>& command) {
    std::string text = "  - name: " + name + "\n    command: " + command.front() + "\n";
    if (command.size() == 1) return text;
    text += "    args: [";
    for (std::size_t i = 1; i < command.size(); ++i) text += (i > 1 ? ", \"" : "\"") + command[i] + "\"";
    return text + "]\n";
}

}  // namespace gantry::testing
