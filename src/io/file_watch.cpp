#include "io/file_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>

#include "base/try.hpp"
#include "io/descriptor.hpp"
#include "io/loop.hpp"

namespace gantry {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kNews = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR;

/// The folders on the path: that of the name, and those of all links followed. Keyed by real name, with the path
/// to use for each: a descriptor's path in /proc leads to the open folder, whatever its name leads to.
std::map<fs::path, fs::path> folders_of(const fs::path& file) {
    std::map<fs::path, fs::path> folders;
    constexpr int kMostLinks = 16;
    fs::path at = fs::absolute(file);
    for (int i = 0; i < kMostLinks; ++i) {
        std::error_code failed;
        const fs::path folder = fs::canonical(at.parent_path(), failed);
        if (failed) break;
        folders.emplace(folder, at.parent_path());
        const fs::path target = fs::read_symlink(at, failed);
        if (failed) break;
        at = target.is_absolute() ? target : at.parent_path() / target;
    }
    return folders;
}

}  // namespace

class FileWatch::Impl {
public:
    Impl(fs::path wanted, Fd inotify) : file(std::move(wanted)), queue(Loop::current(), std::move(inotify)) {}

    /// Updates the watched folders, which change with the links.
    Result<void> follow() {
        const std::map<fs::path, fs::path> wanted = folders_of(file);
        if (wanted.empty()) return fail(ErrorCode::kConnection, "there is no folder " + file.parent_path().string());
        for (const auto& [folder, way] : wanted) {
            if (watched.contains(folder)) continue;
            const int watch = ::inotify_add_watch(queue.get(), way.c_str(), kNews);
            if (watch < 0) {
                return fail(ErrorCode::kConnection,
                            "cannot watch " + folder.string() + ": " + std::generic_category().message(errno));
            }
            watched.emplace(folder, watch);
        }
        std::erase_if(watched, [&](const auto& entry) {
            if (wanted.contains(entry.first)) return false;
            ::inotify_rm_watch(queue.get(), entry.second);
            return true;
        });
        return {};
    }

    /// Drains the kernel's events. Any event in those folders counts: sorting out which names matter is not worth it.
    bool drain() {
        alignas(inotify_event) std::array<char, 16u << 10> events;
        bool any = false;
        for (;;) {
            const ssize_t size = ::read(queue.get(), events.data(), events.size());
            if (size <= 0) break;
            any = true;
            forget_gone({events.data(), static_cast<std::size_t>(size)});
        }
        queue.read_dry();
        return any;
    }

    /// A removed folder is no longer watched, even if another of its name appears.
    void forget_gone(std::string_view events) {
        while (events.size() >= sizeof(inotify_event)) {
            inotify_event event;
            std::memcpy(&event, events.data(), sizeof event);
            if ((event.mask & IN_IGNORED) != 0) {
                std::erase_if(watched, [gone = event.wd](const auto& entry) { return entry.second == gone; });
            }
            events.remove_prefix(std::min(events.size(), sizeof event + event.len));
        }
    }

    fs::path file;
    Descriptor queue;
    std::map<fs::path, int> watched;
};

FileWatch::FileWatch(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
FileWatch::FileWatch(FileWatch&&) noexcept = default;
FileWatch::~FileWatch() = default;

Result<FileWatch> FileWatch::open(const fs::path& file) {
    Fd inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!inotify) {
        return fail(ErrorCode::kConnection, "cannot watch files: " + std::generic_category().message(errno));
    }
    auto impl = std::make_unique<Impl>(file, std::move(inotify));
    GANTRY_CHECK(impl->follow());
    return FileWatch(std::move(impl));
}

Task<Result<void>> FileWatch::changed(const Context& ctx) {
    while (!impl_->drain()) {
        GANTRY_CO_CHECK(co_await impl_->queue.readable(ctx));
    }
    co_return impl_->follow();
}

}  // namespace gantry
