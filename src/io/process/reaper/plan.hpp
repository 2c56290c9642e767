#pragma once

#include <cstdint>

// Serialized form of a Confinement for the reaper: a sequence of steps in a sealed memory file. Like protocol.hpp
// this is included by a program without a C library, so it has plain values only.
namespace gantry::process::reaper {

enum class StepKind : std::uint32_t {
    // Performed by the first process of the namespaces, with full privileges inside them.
    kShareNoMounts,  ///< mounts made here are not visible outside
    kMount,          ///< first: type, second: where, third: options, a: flags
    kBind,           ///< first: from, second: to
    kMountFlags,     ///< first: where, a: set, b: cleared, c: AT_RECURSIVE or 0
    kMakeFolder,     ///< first: path, a: mode
    kMakeFile,       ///< first: path
    kLink,           ///< first: target, second: path
    kChangeRoot,     ///< first: the new root, a mount
    kLoopback,       ///< brings the loopback interface up
    kListen,         ///< a: port on loopback; the socket is sent to us
    kWriteFile,      ///< first: path, second: text
    kWatchMemory,    ///< a: memory limit in bytes, b: task limit, of all processes together; 0: none
    // Performed by the child before its program runs.
    kLimit,            ///< a: RLIMIT_…, b: value
    kNoPrivileges,     ///< drops all capabilities but a (a mask), and prevents gaining any by exec
    kLandlock,         ///< begins a rule set; a: file accesses, b: network accesses, c: scopes
    kLandlockAllow,    ///< first: path, a: accesses
    kLandlockEnforce,  ///< enforced from here on
    kFilter,           ///< payload: a BPF program for seccomp; a: 1: its notification descriptor is sent to us
};
inline constexpr StepKind kFirstOfChild = StepKind::kLimit;

/// Precedes a step's texts (each with its NUL) or payload.
struct StepHead {
    StepKind kind{};
    std::uint32_t size = 0;      ///< with the head; a multiple of 8
    std::uint32_t payload = 0;   ///< bytes after the head
    std::uint32_t required = 0;  ///< 1: the start fails without it
    std::uint64_t a = 0, b = 0, c = 0;
};

}  // namespace gantry::process::reaper
