#include "io/process/image.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "io/fd.hpp"

// The linked reaper program, byte for byte (see reaper/CMakeLists.txt).
asm(".pushsection .rodata\n"
    ".balign 16\n"
    "gantry_reaper_image_begin:\n"
    ".incbin \"" GANTRY_REAPER_IMAGE
    "\"\n"
    "gantry_reaper_image_end:\n"
    ".popsection\n");
extern "C" const char gantry_reaper_image_begin[];
extern "C" const char gantry_reaper_image_end[];

namespace gantry::process {
namespace {

Fd in_memory(std::string_view image) {
    constexpr unsigned kExecutable = 0x10;  // MFD_EXEC, newer than the headers
    Fd fd(memfd_create("child-reaper", MFD_CLOEXEC | MFD_ALLOW_SEALING | kExecutable));
    if (!fd && errno == EINVAL) fd = Fd(memfd_create("child-reaper", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd || !write_all(fd, image)) return {};
    fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return fd;
}

/// For systems that forbid executing memory files: an unnamed file, reopened for reading
/// because the kernel does not execute a file that is open for writing.
Fd on_disk(std::string_view image) {
    const char* own = std::getenv("TMPDIR");
    for (const char* folder : {own ? own : "/tmp", "/tmp", "/var/tmp", "/dev/shm"}) {
        const Fd writable(open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0700));
        if (!writable || !write_all(writable, image)) continue;
        Fd fd(open(("/proc/self/fd/" + std::to_string(writable.get())).c_str(), O_RDONLY | O_CLOEXEC));
        if (fd && faccessat(fd.get(), "", X_OK, AT_EMPTY_PATH) == 0) return fd;
    }
    return {};
}

int open_image() {
    const std::string_view image(gantry_reaper_image_begin,
                                 static_cast<std::size_t>(gantry_reaper_image_end - gantry_reaper_image_begin));
    Fd fd = in_memory(image);
    if (!fd) fd = on_disk(image);
    // Above the descriptor numbers a reaper is started with.
    return fd ? fcntl(fd.get(), F_DUPFD_CLOEXEC, 16) : -1;
}

}  // namespace

Result<int> reaper_image() {
    static const int image = open_image();
    if (image < 0)
        return fail(ErrorCode::kUnsupported,
                    "cannot start child processes: neither memory nor a temporary folder may hold a program");
    return image;
}

}  // namespace gantry::process
