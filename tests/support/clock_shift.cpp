// Preloaded into a program under test (LD_PRELOAD): its wall clock is the machine's plus the number of seconds in the
// file named by GANTRY_TEST_CLOCK, which is read at every call. The monotonic clock is unchanged, as when an operator
// or NTP sets the time.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

long shift() noexcept {
    static const char* const file = std::getenv("GANTRY_TEST_CLOCK");
    if (file == nullptr) return 0;
    const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    char text[32] = {};
    const ssize_t got = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    return got > 0 ? std::strtol(text, nullptr, 10) : 0;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* out) noexcept {
    using Real = int (*)(clockid_t, timespec*);
    static const auto real = reinterpret_cast<Real>(::dlsym(RTLD_NEXT, "clock_gettime"));
    const int result = real(clock, out);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) out->tv_sec += shift();
    return result;
}

extern "C" time_t time(time_t* out) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != nullptr) *out = now.tv_sec;
    return now.tv_sec;
}
