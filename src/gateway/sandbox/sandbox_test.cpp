// What a malicious server can achieve. Every case also runs as an ordinary user: see the end of the file.

#include "gateway/sandbox/sandbox.hpp"

#include <grp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <memory>

#include "gateway/sandbox/test_box.hpp"
#include "io/net/tcp.hpp"

namespace gantry::gateway::sandbox {
namespace {

namespace fs = std::filesystem;
using testing::Box;
using ::testing::TestWithParam;
using ::testing::Values;

#define SKIP_UNLESS(offer) \
    if (!kernel().offer.available) GTEST_SKIP() << kernel().offer.name << ": " << kernel().offer.why

bool refused(const std::string& answer) {
    return answer.starts_with("refused: ");
}

class Strict : public ::testing::Test {
protected:
    void SetUp() override {
        SKIP_UNLESS(namespaces);
        SKIP_UNLESS(network);
        SKIP_UNLESS(landlock);
        SKIP_UNLESS(filter);
        box.wish().level = IsolationLevel::kStrict;
    }
    Box box;
};

class Standard : public ::testing::Test {
protected:
    void SetUp() override { SKIP_UNLESS(namespaces); }
    Box box;
};

TEST_F(Strict, ReadsNothingThatIsNotListed) {
    for (const char* path :
         {"/home/.ssh/id", "/home/.netrc", "/home/project/notes", "/elsewhere/file", "/state/sealing.key"})
        EXPECT_TRUE(refused(box.say({"read", box.base + path}))) << path << ": " << box.say({"read", box.base + path});
    EXPECT_TRUE(refused(box.say({"read", "/etc/shadow"})));
    EXPECT_TRUE(refused(box.say({"list", "/root"})));
    EXPECT_EQ(box.notes, std::vector<std::string>{});
}

TEST_F(Strict, ReadsWhatIsListedAndWhatTheCommandLineNamesWithoutWritingIt) {
    EXPECT_EQ(box.say({"read", "path:" + box.base + "/elsewhere/file", box.base + "/elsewhere"}), "read the file");
    box.wish().read = {box.base + "/elsewhere"};
    EXPECT_EQ(box.say({"read", box.base + "/elsewhere/file"}), "read the file");
    EXPECT_TRUE(refused(box.say({"write", box.base + "/elsewhere/file"})));
    EXPECT_TRUE(refused(box.say({"write", box.base + "/elsewhere/new"})));
}

TEST_F(Strict, HidesSecretsAlsoInsideWhatIsListed) {
    box.wish().read = {"~"};
    EXPECT_EQ(box.say({"read", box.base + "/home/project/notes"}), "read the notes");
    EXPECT_TRUE(refused(box.say({"read", box.base + "/home/.ssh/id"})));
    EXPECT_EQ(box.say({"read", box.base + "/home/.netrc"}), "read ");
}

TEST_F(Strict, HidesSecretsAndTheGatewaysFolderAlsoInsideWhatIsWritable) {
    box.wish().write = {box.base};
    EXPECT_EQ(box.say({"write", box.base + "/home/project/new"}), "done");
    EXPECT_TRUE(refused(box.say({"read", box.base + "/home/.ssh/id"})));
    EXPECT_TRUE(refused(box.say({"read", box.base + "/state/sealing.key"})));
    EXPECT_EQ(box.say({"write", box.base + "/state/homes/evil/new"}), "done");
    EXPECT_TRUE(fs::exists(box.base + "/state/homes/evil/new"));
    box.wish() = {.level = IsolationLevel::kStrict, .home = HomeFolder::kHost};
    EXPECT_EQ(box.say({"write", box.base + "/home/project/newer"}), "done");
    EXPECT_TRUE(refused(box.say({"read", box.base + "/home/.ssh/id"})));
}

TEST_F(Strict, WritesItsHomeAndWhatIsListedAndNothingElse) {
    box.wish().write = {"~/project"};
    EXPECT_EQ(box.say({"write", box.base + "/home/project/new"}), "done");
    EXPECT_EQ(box.say({"write", box.base + "/state/homes/evil/new"}), "done");
    EXPECT_TRUE(fs::exists(box.base + "/state/homes/evil/new"));
    EXPECT_EQ(box.say({"write", "/tmp/gantry-sandbox-private"}), "done");
    EXPECT_FALSE(fs::exists("/tmp/gantry-sandbox-private"));
    for (const char* path : {"/new", "/etc/new", "/usr/new", "/dev/new", "/proc/sys/kernel/core_pattern"})
        EXPECT_TRUE(refused(box.say({"write", path}))) << path;
}

TEST_F(Strict, ReachesNobody) {
    auto listener = net::TcpListener::listen(box.loop, {}).value();
    EXPECT_TRUE(refused(box.say({"connect", "127.0.0.1", std::to_string(listener->port())})));
    EXPECT_EQ(box.say({"connect", "192.0.2.1", "80"}), "refused: ENETUNREACH");
}

TEST_F(Strict, ReachesNoSocketInAFolderEither) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = box.base + "/elsewhere/socket";
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const Fd listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(listening.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(listening.get(), 1), 0);
    EXPECT_TRUE(refused(box.say({"connect-local", path})));
    box.wish() = {.level = IsolationLevel::kOff};
    EXPECT_EQ(box.say({"connect-local", path}), "done");
}

TEST_F(Strict, SeesNoOtherProcess) {
    EXPECT_EQ(box.say({"strangers"}), "0 strangers");
    EXPECT_NE(box.say({"parent"}), "1");  // some programs take pid 1 for a dead parent
}

TEST_F(Strict, IsRefusedWhatNoServerNeedsOfTheKernel) {
    for (const char* what :
         {"keyctl", "bpf", "io_uring", "unshare", "mount", "ptrace", "vsock", "packet", "memfd", "privileges"})
        EXPECT_TRUE(refused(box.say({"kernel", what}))) << what;
    EXPECT_EQ(box.say({"kernel", "netlink"}), "done");
}

TEST_F(Strict, AForkBombEndsAtItsLimit) {
    box.wish().processes = 20;
    const auto told = box.run({"fork", "400"});
    if (told.status.outgrew.empty())
        EXPECT_TRUE(told.text.starts_with("stopped at ")) << told.text;
    else
        EXPECT_EQ(told.status.outgrew, "processes");
}

TEST_F(Strict, MemoryEndsAtItsLimit) {
    box.wish().memory = std::size_t{64} << 20;
    const auto told = box.run({"memory", "4096"});
    EXPECT_EQ(told.text, "");
    EXPECT_EQ(told.status.outgrew, "memory");
    EXPECT_EQ(told.status.to_string(), "killed: more memory than its isolation allows");
    EXPECT_EQ(box.say({"memory", "16"}), "ate 16 MB");
}

TEST_F(Strict, GetsACleanEnvironment) {
    ASSERT_EQ(setenv("AWS_SECRET_ACCESS_KEY", "canary", 1), 0);
    ASSERT_EQ(setenv("GANTRY_TEST_HANDED_ON", "kept", 1), 0);
    box.wish().env = {"GANTRY_TEST_HANDED_ON", "AWS_SECRET_ACCESS_KEY"};
    box.server.env = {{"GIVEN", "yes"}};
    const std::string environment = box.say({"environment"});
    EXPECT_EQ(environment.find("canary"), std::string::npos);
    EXPECT_NE(environment.find("GANTRY_TEST_HANDED_ON=kept"), std::string::npos);
    EXPECT_NE(environment.find("GIVEN=yes"), std::string::npos);
    EXPECT_NE(environment.find("HOME=" + box.base + "/state/homes/evil"), std::string::npos) << environment;
    unsetenv("AWS_SECRET_ACCESS_KEY");
    unsetenv("GANTRY_TEST_HANDED_ON");
}

TEST_F(Standard, HidesAFileInAHiddenFolderWithoutATroubleToReport) {
    // With the configuration at its default location.
    fs::create_directories(box.base + "/home/.config/gantry");
    fs::create_directories(box.base + "/home/.config/gantry-beside");
    box.put("/home/.config/gantry/gantry.yaml", "servers:");
    box.options.places.secrets = {box.base + "/home/.config/gantry/gantry.yaml",
                                  box.base + "/home/.config/gantry-beside"};
    EXPECT_TRUE(refused(box.say({"read", box.base + "/home/.config/gantry/gantry.yaml"})));
    EXPECT_EQ(box.notes, std::vector<std::string>{});
}

TEST_F(Standard, HidesSecretsAndTheGatewaysOwnFolder) {
    EXPECT_TRUE(refused(box.say({"read", box.base + "/home/.ssh/id"})));
    EXPECT_EQ(box.say({"list", box.base + "/home/.ssh"}), "0 entries");
    EXPECT_EQ(box.say({"read", box.base + "/home/.netrc"}), "read ");
    EXPECT_TRUE(refused(box.say({"read", box.base + "/state/sealing.key"})));
    fs::create_directories(box.base + "/state/homes/other");
    EXPECT_EQ(box.say({"list", box.base + "/state/homes"}), "1 entries");
    EXPECT_EQ(box.notes, std::vector<std::string>{});
}

TEST_F(Standard, EvenRootSeesNoDisk) {
    const std::string devices = box.say({"list", "/dev"});
    EXPECT_EQ(box.say({"read", "/dev/null"}), "read ");
    if (geteuid() != 0) GTEST_SKIP() << "an ordinary user may open no disk anyway";
    EXPECT_LT(std::stoi(devices), 15) << devices;
    EXPECT_TRUE(refused(box.say({"write", "/sys/kernel/mm/ksm/run"})));
}

TEST_F(Standard, RootKeepsOnlyWhatFilesNeed) {
    // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, NET_BIND_SERVICE
    const std::string kept = geteuid() == 0 ? "000000000000041b" : "0000000000000000";
    const std::string all = box.say({"capabilities"});
    EXPECT_TRUE(all.starts_with("CapEff:\t" + kept)) << all;
}

TEST_F(Strict, HasNoCapabilityWhoeverStartsIt) {
    EXPECT_EQ(box.say({"capabilities"}), "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000");
}

TEST_F(Standard, HidesTheSocketsOfAgents) {
    box.options.places.secrets = {box.base + "/elsewhere/file"};
    EXPECT_EQ(box.say({"read", box.base + "/elsewhere/file"}), "read ");
}

TEST_F(Standard, KeepsItsHomeHoweverManyHiddenFoldersAreAroundIt) {
    fs::create_directories(box.base + "/home/.local/share/gantry/deep");
    box.put("/home/.local/share/gantry/key", "another key");
    box.options.places.state = box.base + "/home/.local/share/gantry/deep";
    box.options.places.homes = box.options.places.state + "/homes";
    EXPECT_EQ(box.say({"write", box.options.places.homes + "/evil/new"}), "done");
    EXPECT_TRUE(fs::exists(box.options.places.homes + "/evil/new"));
    EXPECT_TRUE(refused(box.say({"read", box.base + "/home/.local/share/gantry/key"})));
}

TEST_F(Standard, ShowsASecretThatIsListed) {
    box.wish().read = {"~/.ssh"};
    EXPECT_EQ(box.say({"read", box.base + "/home/.ssh/id"}), "read the key");
}

TEST_F(Standard, WorksWithTheUsersFilesAndItsOwnHome) {
    EXPECT_EQ(box.say({"read", box.base + "/home/project/notes"}), "read the notes");
    EXPECT_EQ(box.say({"write", box.base + "/home/project/new"}), "done");
    EXPECT_EQ(box.say({"write", box.base + "/state/homes/evil/new"}), "done");
    EXPECT_TRUE(fs::exists(box.base + "/state/homes/evil/new"));
}

TEST_F(Standard, WritesNothingOfTheSystem) {
    SKIP_UNLESS(landlock);
    for (const char* path : {"/etc/gantry-new", "/usr/gantry-new", "/proc/sys/kernel/core_pattern"})
        EXPECT_TRUE(refused(box.say({"write", path}))) << path;
}

TEST_F(Standard, HasAnOpenNetworkUnlessToldOtherwise) {
    auto listener = net::TcpListener::listen(box.loop, {}).value();
    const std::string port = std::to_string(listener->port());
    EXPECT_EQ(box.say({"connect", "127.0.0.1", port}), "done");
    SKIP_UNLESS(network);
    box.wish().network = NetworkAccess::kNone;
    EXPECT_TRUE(refused(box.say({"connect", "127.0.0.1", port})));
}

TEST_F(Standard, SeesNoOtherProcessAndWinsNoPrivileges) {
    EXPECT_EQ(box.say({"strangers"}), "0 strangers");
    EXPECT_NE(box.say({"parent"}), "1");
    EXPECT_TRUE(refused(box.say({"kernel", "privileges"})));
    SKIP_UNLESS(filter);
    for (const char* what :
         {"keyctl", "bpf", "io_uring", "packet", "vsock", "raw", "raw-six", "unshare", "clone", "clone3"})
        EXPECT_TRUE(refused(box.say({"kernel", what}))) << what;
    for (const char* what : {"ptrace", "plain", "netlink"}) EXPECT_EQ(box.say({"kernel", what}), "done") << what;
    box.wish().level = IsolationLevel::kOff;
    EXPECT_EQ(box.say({"kernel", "unshare"}), "done") << "the attack itself works";
}

TEST_F(Standard, LeavesStartUpFilesAndDotFilesAsTheyAre) {
    for (const char* file : {"/home/.bashrc", "/home/.profile", "/home/.gitconfig"}) box.put(file, "the user's");
    fs::create_directories(box.base + "/home/.config/autostart");
    const std::vector<std::string> written = {"/home/.bashrc", "/home/.profile", "/home/.gitconfig",
                                              "/home/.config/autostart/new.desktop"};
    const auto expect_refused = [&] {
        for (const std::string& file : written) {
            EXPECT_TRUE(refused(box.say({"write", box.base + file}))) << file;
            EXPECT_TRUE(refused(box.say({"swap", "rename", "path:" + box.base + file, "path:" + box.base + "/x"})));
        }
    };
    expect_refused();
    EXPECT_EQ(box.say({"read", box.base + "/home/.bashrc"}), "read the user's");
    box.wish().write = {"~"};
    expect_refused();
    box.wish() = {.home = HomeFolder::kHost};
    expect_refused();
    box.wish() = {.write = {"~/.gitconfig"}};
    EXPECT_EQ(box.say({"write", box.base + "/home/.gitconfig"}), "done") << "named";
    box.wish() = {.level = IsolationLevel::kOff};
    EXPECT_EQ(box.say({"write", box.base + "/home/.bashrc"}), "done") << "the attack itself works";
}

TEST_F(Standard, MakesNoNewDotFile) {
    SKIP_UNLESS(landlock);
    Box elsewhere(testing::kOutsideTmp);
    if (elsewhere.base.empty() || is_in(elsewhere.base, "/tmp")) GTEST_SKIP() << "no folder outside /tmp";
    for (const char* file : {"/home/.bash_profile", "/home/.config/autostart/new.desktop", "/home/.ssh/new"})
        EXPECT_TRUE(refused(elsewhere.say({"write", elsewhere.base + file}))) << file;
    EXPECT_EQ(elsewhere.say({"write", elsewhere.base + "/home/project/new"}), "done");
    EXPECT_EQ(elsewhere.say({"write", "/tmp/gantry-sandbox-new"}), "done");
    EXPECT_EQ(elsewhere.say({"write", elsewhere.base + "/state/homes/evil/.bash_profile"}), "done");
    fs::remove("/tmp/gantry-sandbox-new");
    elsewhere.wish().level = IsolationLevel::kOff;
    EXPECT_EQ(elsewhere.say({"write", elsewhere.base + "/home/.bash_profile"}), "done") << "the attack itself works";
}

TEST_F(Standard, HidesWhatWasTypedAndVariablesWithSecrets) {
    fs::create_directories(box.base + "/home/.local/share/fish");
    const std::vector<std::string> hidden = {"/home/.local/share/fish/fish_history", "/home/.sqlite_history",
                                             "/home/.lesshst", "/home/.viminfo", "/home/.env"};
    for (const std::string& file : hidden) box.put(file, "a password");
    for (const std::string& file : hidden) EXPECT_EQ(box.say({"read", box.base + file}), "read ") << file;
}

TEST_F(Standard, WritesNothingInRun) {
    SKIP_UNLESS(landlock);
    EXPECT_TRUE(refused(box.say({"write", "/run/gantry-new"})));
    EXPECT_FALSE(fs::exists("/run/gantry-new"));
}

TEST_F(Standard, WorksInTheFolderItsArgumentsName) {
    Box elsewhere(testing::kOutsideTmp);
    if (elsewhere.base.empty()) GTEST_SKIP() << "no folder outside /tmp";
    const std::string dot = elsewhere.base + "/home/.notes";
    fs::create_directories(dot);
    const std::string target = "path:" + dot + "/new";
    if (kernel().landlock.available && !is_in(elsewhere.base, "/tmp"))
        EXPECT_TRUE(refused(elsewhere.say({"write", target, "nothing"})));
    for (const std::string& argument : {dot, "--root=" + dot, std::string("home/.notes")})
        EXPECT_EQ(elsewhere.say({"write", target, argument}), "done") << argument;
}

TEST_F(Standard, AGatewayStartedAtTheRootOpensNothing) {
    SKIP_UNLESS(landlock);
    box.options.places.cwd = "/";
    EXPECT_TRUE(refused(box.say({"write", "/etc/gantry-new"})));
    EXPECT_TRUE(refused(box.say({"write", "/usr/gantry-new"})));
}

TEST_F(Standard, TwoServersHaveDifferentPids) {
    if (access("/proc/sys/kernel/ns_last_pid", F_OK) != 0) GTEST_SKIP() << "the kernel cannot choose pids";
    EXPECT_NE(box.say({"parent"}), box.say({"parent"}));
}

TEST_F(Standard, HoldsTheLimitsItIsGiven) {
    box.wish().memory = std::size_t{64} << 20;
    EXPECT_EQ(box.run({"memory", "4096"}).status.outgrew, "memory");
    box.wish() = {.processes = 30};
    const auto told = box.run({"fork", "400"});
    EXPECT_TRUE(told.text.starts_with("stopped at ") || told.status.outgrew == "processes") << told.text;
}

TEST(Off, LeavesTheServerAsItIs) {
    Box box;
    box.wish().level = IsolationLevel::kOff;
    EXPECT_EQ(box.say({"read", box.base + "/home/.ssh/id"}), "read the key");
    EXPECT_NE(box.say({"strangers"}), "0 strangers");
}

/// Reads a named pipe whose end means that its holder is dead.
int next_of(int fifo) {
    pollfd ready{fifo, POLLIN, 0};
    if (poll(&ready, 1, 60'000) != 1) return -1;
    char byte = 0;
    return read(fifo, &byte, 1) == 1 ? byte : 0;
}

class EveryLevel : public TestWithParam<IsolationLevel> {};
INSTANTIATE_TEST_SUITE_P(Isolation, EveryLevel,
                         Values(IsolationLevel::kOff, IsolationLevel::kStandard, IsolationLevel::kStrict),
                         testing::level_name);

TEST_P(EveryLevel, KeepsNoGrandchildInASessionOfItsOwn) {
    Box box;
    SKIP_UNLESS(namespaces);
    box.wish().level = GetParam();
    box.wish().write = {"~/project"};
    const std::string path = box.base + "/home/project/fifo";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const Fd fifo(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    EXPECT_EQ(box.say({"grandchild", path}), "left");
    EXPECT_EQ(next_of(fifo.get()), 'r');
    EXPECT_EQ(next_of(fifo.get()), 0) << "it is still there";
}

Kernel without(Offer Kernel::* part) {
    Kernel kernel = sandbox::kernel();
    (kernel.*part).available = false;
    (kernel.*part).why = "taken away by a test";
    if (part == &Kernel::landlock) kernel.landlock_version = 0;
    return kernel;
}

TEST(MissingParts, StrictRefusesAndNamesWhatIsMissing) {
    for (const auto part : {&Kernel::namespaces, &Kernel::network, &Kernel::landlock, &Kernel::filter}) {
        const Kernel kernel = without(part);
        Box box;
        box.options.kernel = &kernel;
        box.wish().level = IsolationLevel::kStrict;
        const auto started = box.start({"stay"});
        ASSERT_FALSE(started);
        EXPECT_EQ(started.error().code(), ErrorCode::kUnsupported);
        EXPECT_NE(started.error().message().find((kernel.*part).name), std::string::npos)
            << started.error().to_string();
        EXPECT_NE(started.error().message().find("taken away by a test"), std::string::npos);
    }
}

TEST(MissingParts, StandardSaysSoOnceAndGoesOn) {
    for (const auto part : {&Kernel::namespaces, &Kernel::landlock, &Kernel::filter}) {
        const Kernel kernel = without(part);
        Box box;
        box.options.kernel = &kernel;
        EXPECT_EQ(box.say({"write", box.base + "/home/project/new"}), "done");
        EXPECT_EQ(box.say({"write", box.base + "/home/project/new"}), "done");
        EXPECT_TRUE(refused(box.say({"kernel", "privileges"})));
        ASSERT_EQ(box.notes.size(), 1u);
        EXPECT_EQ(box.notes.front(), "isolation lacks " + (kernel.*part).name + ": taken away by a test");
    }
}

TEST(MissingParts, ANetworkThatWasToBeClosedIsNeverLeftOpen) {
    const Kernel kernel = without(&Kernel::network);
    Box box;
    box.options.kernel = &kernel;
    for (const NetworkAccess access : {NetworkAccess::kNone, NetworkAccess::kListed}) {
        box.wish().network = access;
        EXPECT_FALSE(box.start({"stay"}));
    }
}

TEST(Capabilities, NameEveryPartAndSayWhyOneIsMissing) {
    EXPECT_EQ(capabilities().size(), 5u);
    for (const Offer& offer : capabilities()) {
        EXPECT_FALSE(offer.name.empty());
        EXPECT_TRUE(offer.available || !offer.why.empty()) << offer.name;
    }
}

/// The output without gtest's mark for a skipped test: because of one inner case that was skipped, ctest would count
/// the whole test as skipped and hide a failure beside it.
std::string without_marks(std::string output) {
    constexpr std::string_view kMark = "[  SKIPPED ]";
    for (auto at = output.find(kMark); at != std::string::npos; at = output.find(kMark, at)) {
        output.replace(at, kMark.size(), "[  skipped ]");
    }
    return output;
}

std::string all_of(FILE* file) {
    std::rewind(file);
    std::string text;
    std::array<char, 4096> piece;
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), file)) text.append(piece.data(), size);
    return text;
}

/// Everything above once more, without root's rights. `nobody` exists on every system.
TEST(AsAnOrdinaryUser, TheSameHolds) {
    if (geteuid() != 0) GTEST_SKIP() << "this is an ordinary user already";
    constexpr uid_t kNobody = 65534;
    char self[PATH_MAX] = {};
    ASSERT_GT(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    const std::unique_ptr<FILE, int (*)(FILE*)> output(std::tmpfile(), &std::fclose);
    ASSERT_TRUE(output);
    fs::create_directories(testing::kOutsideTmp);
    fs::permissions(testing::kOutsideTmp, fs::perms::all | fs::perms::sticky_bit);
    const pid_t child = fork();
    if (child == 0) {
        if (dup2(fileno(output.get()), STDOUT_FILENO) < 0 || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) _exit(119);
        if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(120);
        setenv("HOME", "/nonexistent", 1);
        if (access(self, X_OK) != 0) _exit(121);
        execl(self, self, "--gtest_filter=-AsAnOrdinaryUser.*", "--gtest_brief=1", nullptr);
        _exit(122);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 121) GTEST_SKIP() << "the build folder is closed to other users";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status << "\n"
                                                               << without_marks(all_of(output.get()));
}

}  // namespace
}  // namespace gantry::gateway::sandbox
