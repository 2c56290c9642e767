#pragma once

#include <cstdint>

// What the library and the reaper program say to each other. The reaper is built without a C
// library, so this header holds plain values only.
namespace gantry::process::reaper {

// Descriptors the reaper is started with, besides the child's stdin, stdout and stderr.
inline constexpr int kControl = 3;   ///< a SOCK_SEQPACKET pair: Orders in, Reports out, EOF when we are gone
inline constexpr int kGuardian = 4;  ///< a pidfd of ours: readable when we are gone; may be missing

// Its arguments; the child's environment is its own.
inline constexpr int kModeArg = 1;     ///< any of the letters below
inline constexpr int kUidMapArg = 2;   ///< "1000 1000 1", used with kNewUser
inline constexpr int kGidMapArg = 3;   ///< the same for groups
inline constexpr int kCwdArg = 4;      ///< empty: ours
inline constexpr int kProgramArg = 5;  ///< a path
inline constexpr int kFirstArg = 6;    ///< the child's argv[0] and on

inline constexpr char kNewPids = 'p';  ///< the reaper is the first process of a PID namespace
inline constexpr char kNewUser = 'u';  ///< and of a user namespace, whose maps it has to write

enum class Order : char { kTerminate = 'T', kKill = 'K' };

enum class Kind : std::uint8_t {
    kPid,      ///< sent by the child itself, so that the kernel tells us its pid as we see it
    kStarted,  ///< the program runs
    kFailed,   ///< it does not; `stage` and `value` (errno) say why. Nothing follows.
    kExited,   ///< the child and all its descendants are gone; `value` is its wait status. Nothing follows.
};
enum class Stage : std::uint8_t { kNone, kSetUp, kFork, kChdir, kExec };

struct Report {
    Kind kind = Kind::kPid;
    Stage stage = Stage::kNone;
    std::int32_t value = 0;
};

}  // namespace gantry::process::reaper
