#pragma once

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

// System calls without a C library: results are values, errors are -errno.
namespace gantry::process::reaper {

inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
    long result;
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    register long r9 asm("r9") = f;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 asm("x8") = number;
    register long x0 asm("x0") = a;
    register long x1 asm("x1") = b;
    register long x2 asm("x2") = c;
    register long x3 asm("x3") = d;
    register long x4 asm("x4") = e;
    register long x5 asm("x5") = f;
    asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#else
#error "the reaper knows how to call the kernel on x86_64 and aarch64 only"
#endif
}

template <class T>
long as_word(T value) {
    if constexpr (__is_pointer(T))
        return reinterpret_cast<long>(value);
    else
        return static_cast<long>(value);
}

template <class A = long, class B = long, class C = long, class D = long, class E = long, class F = long>
long call(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0) {
    return raw_syscall(number, as_word(a), as_word(b), as_word(c), as_word(d), as_word(e), as_word(f));
}

[[noreturn]] inline void leave(int code) {
    for (;;) call(SYS_exit_group, code);
}

}  // namespace gantry::process::reaper
