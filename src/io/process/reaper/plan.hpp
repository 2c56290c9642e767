#pragma once

#include <cstdint>

// How a Confinement travels to the reaper: steps one behind the other in a sealed file in memory. Like protocol.hpp
// this is seen by a program without a C library, so it holds plain values only.
namespace gantry::process::reaper {

enum class StepKind : std::uint32_t {
    // Taken by the first process of the namespaces, with every right inside them.
    kShareNoMounts,  ///< what is mounted here is not seen outside
    kMount,          ///< first: type, second: where, third: options, a: flags
    kBind,           ///< first: from, second: to
    kMountFlags,     ///< first: where, a: set, b: cleared, c: AT_RECURSIVE or 0
    kMakeFolder,     ///< first: path, a: mode
    kMakeFile,       ///< first: path
    kLink,           ///< first: what it says, second: path
    kChangeRoot,     ///< first: the new root, a mount
    kLoopback,       ///< brings the loopback interface up
    kListen,         ///< a: port on loopback; the socket is sent to us
    kWriteFile,      ///< first: path, second: text
    kWatchMemory,    ///< a: bytes the family may hold, b: tasks it may have; 0: any
    // Taken by the child before its program runs.
    kLimit,            ///< a: RLIMIT_…, b: value
    kNoPrivileges,     ///< no capability but a (a mask), and none to be won by running another program
    kLandlock,         ///< begins a rule set; a: file accesses, b: network accesses, c: scopes
    kLandlockAllow,    ///< first: path, a: accesses
    kLandlockEnforce,  ///< from here on
    kFilter,           ///< payload: a BPF program for seccomp; a: 1: what answers its calls is sent to us
};
inline constexpr StepKind kFirstOfChild = StepKind::kLimit;

/// What precedes a step's texts (each with its NUL) or payload.
struct StepHead {
    StepKind kind{};
    std::uint32_t size = 0;      ///< with the head; a multiple of 8
    std::uint32_t payload = 0;   ///< bytes behind the head
    std::uint32_t required = 0;  ///< 1: without it the program does not run
    std::uint64_t a = 0, b = 0, c = 0;
};

}  // namespace gantry::process::reaper
