#include "gateway/sandbox/landlock.hpp"

namespace gantry::gateway::sandbox {

namespace {

using Access = std::uint64_t;

constexpr Access bit(int number) {
    return Access{1} << number;
}

// The kernel's constants; older headers define only the first ones.
constexpr Access kExecute = bit(0), kWriteFile = bit(1), kReadFile = bit(2), kReadFolder = bit(3);
constexpr Access kFirstVersion = bit(13) - 1;
constexpr Access kMoveAcross = bit(13);      // since ABI version 2
constexpr Access kTruncate = bit(14);        // 3
constexpr Access kDeviceControl = bit(15);   // 5
constexpr Access kScopes = bit(0) | bit(1);  // 6: confines abstract sockets and signals
constexpr Access kRead = kExecute | kReadFile | kReadFolder;
// No server may create device nodes.
constexpr Access kDeviceNodes = bit(6) | bit(11);

Access known_to(int version) {
    Access known = kFirstVersion;
    if (version >= 2) known |= kMoveAcross;
    if (version >= 3) known |= kTruncate;
    if (version >= 5) known |= kDeviceControl;
    return known;
}

}  // namespace

bool add_landlock(process::Confinement& confinement, const Rules& rules, int version) {
    // ABI version 1 forbids moving a file between folders, whatever the rules say.
    if (version < (rules.strict ? 1 : 2)) return false;
    const Access known = known_to(version);
    const Access write = known & ~kDeviceNodes;
    confinement.landlock(known, 0, version >= 6 ? kScopes : 0);
    if (rules.strict) {
        for (const std::string& path : rules.read) confinement.landlock_allow(path, kRead & known);
        confinement.landlock_allow("/proc", (kRead | kWriteFile) & known);
        confinement.landlock_allow("/dev", (kRead | kWriteFile | kTruncate | kDeviceControl) & known);
        for (const char* path : {"/tmp", "/dev/shm"}) confinement.landlock_allow(path, write);
        confinement.landlock_allow("/run", kRead & known);
        // The names in the root, which is private to the server.
        confinement.landlock_allow("/", kReadFolder);
    } else {
        confinement.landlock_allow("/", (kRead | kDeviceControl) & known);
    }
    for (const std::string& path : rules.write) confinement.landlock_allow(path, write);
    confinement.landlock_enforce();
    return true;
}

}  // namespace gantry::gateway::sandbox
