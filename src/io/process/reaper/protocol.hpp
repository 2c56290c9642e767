#pragma once

#include <cstdint>

// Protocol between the library and the reaper program. The reaper is built without a C
// library, so this header has plain values only.
namespace gantry::process::reaper {

// Descriptors the reaper is started with, besides the child's stdin, stdout and stderr.
inline constexpr int kControl = 3;   ///< a SOCK_SEQPACKET pair: Orders in, Reports out, EOF when our process has ended
inline constexpr int kGuardian = 4;  ///< a pidfd of our process: readable when it has ended; may be missing
inline constexpr int kPlan = 5;      ///< the steps of a Confinement (plan.hpp); with kConfined

// Its arguments; the child's environment is its own.
inline constexpr int kModeArg = 1;     ///< any of the letters below
inline constexpr int kUidMapArg = 2;   ///< "1000 1000 1", used with kNewUser
inline constexpr int kGidMapArg = 3;   ///< the same for groups
inline constexpr int kCwdArg = 4;      ///< empty: ours
inline constexpr int kProgramArg = 5;  ///< a path
inline constexpr int kFirstArg = 6;    ///< the child's argv[0] and on

inline constexpr char kNewPids = 'p';   ///< the reaper is the first process of a PID namespace
inline constexpr char kNewUser = 'u';   ///< and of a user namespace, whose maps it has to write
inline constexpr char kOwnProc = 'm';   ///< a private mount namespace and a /proc that shows its pids, if permitted
inline constexpr char kConfined = 'c';  ///< there is a plan

enum class Order : char {
    kTerminate = 'T',
    kKill = 'K',
    kSocketV4 = '4',  ///< answered by kSocket: a TCP socket in the child's network
    kSocketV6 = '6',
};

enum class Kind : std::uint8_t {
    kPid,       ///< sent by the child itself, so that the kernel translates its pid into our namespace
    kStarted,   ///< the program runs
    kListener,  ///< carries the socket of a kListen step
    kSkipped,   ///< the kernel rejected the optional `step`; `value` is its errno
    kFailed,    ///< the program could not be started; `stage` and `value` (errno) say why. Last report.
    kSocket,    ///< answers kSocketV4 or kSocketV6, in order: carries the socket, or `value` is the errno
    kOutgrew,   ///< all processes are killed for exceeding a limit; `value` is 1 for memory, 2 for tasks
    kExited,    ///< the child and all its descendants have ended; `value` is its wait status. Last report.
};
enum class Stage : std::uint8_t { kNone, kSetUp, kConfine, kFork, kChdir, kExec };

struct Report {
    Kind kind = Kind::kPid;
    Stage stage = Stage::kNone;
    std::uint16_t step = 0;  // of the plan, with Stage::kConfine
    std::int32_t value = 0;
};

}  // namespace gantry::process::reaper
