#include "io/process/confinement.hpp"

#include <fcntl.h>
#include <linux/mount.h>

#include <cstring>

namespace gantry::process {

namespace {

std::string texts(std::string_view first, std::string_view second = {}, std::string_view third = {}) {
    std::string all;
    for (const std::string_view text : {first, second, third}) all.append(text).push_back('\0');
    return all;
}

std::string about(std::string_view what, std::string_view path) {
    return std::string(what).append(" ").append(path);
}

}  // namespace

Confinement& Confinement::add(Kind kind, std::string name, std::string_view payload, std::uint64_t a, std::uint64_t b,
                              std::uint64_t c) {
    reaper::StepHead head{.kind = kind, .payload = static_cast<std::uint32_t>(payload.size()), .required = required_};
    head.size = static_cast<std::uint32_t>((sizeof head + payload.size() + 7) / 8 * 8);
    head.a = a, head.b = b, head.c = c;
    const std::size_t at = plan_.size();
    plan_.resize(at + head.size);
    std::memcpy(plan_.data() + at, &head, sizeof head);
    if (!payload.empty()) std::memcpy(plan_.data() + at + sizeof head, payload.data(), payload.size());
    names_.push_back(std::move(name));
    return *this;
}

std::string_view Confinement::name_of(std::size_t step) const noexcept {
    return step < names_.size() ? std::string_view(names_[step]) : "namespaces";
}

Confinement& Confinement::share_no_mounts() {
    return add(Kind::kShareNoMounts, "mounts of its own", {});
}
Confinement& Confinement::mount(std::string_view type, std::string_view where, unsigned long flags,
                                std::string_view options) {
    return add(Kind::kMount, std::string(type).append(" at ").append(where), texts(type, where, options), flags);
}
Confinement& Confinement::bind(std::string_view from, std::string_view to) {
    return add(Kind::kBind, about("mount", from), texts(from, to));
}
Confinement& Confinement::read_only(std::string_view where) {
    return add(Kind::kMountFlags, about("make read-only", where), texts(where), MOUNT_ATTR_RDONLY, 0, AT_RECURSIVE);
}
Confinement& Confinement::read_only_alone(std::string_view where) {
    return add(Kind::kMountFlags, about("make read-only", where), texts(where), MOUNT_ATTR_RDONLY);
}
Confinement& Confinement::writable(std::string_view where) {
    return add(Kind::kMountFlags, about("make writable", where), texts(where), 0, MOUNT_ATTR_RDONLY, 0);
}
Confinement& Confinement::make_folder(std::string_view path, unsigned mode) {
    return add(Kind::kMakeFolder, about("make folder", path), texts(path), mode);
}
Confinement& Confinement::make_file(std::string_view path) {
    return add(Kind::kMakeFile, about("make file", path), texts(path));
}
Confinement& Confinement::link(std::string_view says, std::string_view path) {
    return add(Kind::kLink, about("make link", path), texts(says, path));
}
Confinement& Confinement::change_root(std::string_view folder) {
    return add(Kind::kChangeRoot, "a root of its own", texts(folder));
}
Confinement& Confinement::loopback() {
    return add(Kind::kLoopback, "a loopback interface of its own", {});
}
Confinement& Confinement::listen(std::uint16_t port) {
    return add(Kind::kListen, "the socket of its proxy", {}, port);
}
Confinement& Confinement::write_file(std::string_view path, std::string_view text) {
    return add(Kind::kWriteFile, about("write", path), texts(path, text));
}
Confinement& Confinement::watch(std::uint64_t memory, std::uint64_t tasks) {
    return add(Kind::kWatchMemory, "a watch on memory", {}, memory, tasks);
}
Confinement& Confinement::limit(int resource, std::uint64_t value, std::string_view name) {
    return add(Kind::kLimit, about("limit", name), {}, static_cast<std::uint64_t>(resource), value);
}
Confinement& Confinement::no_privileges(std::uint64_t kept) {
    return add(Kind::kNoPrivileges, "no privileges", {}, kept);
}
Confinement& Confinement::landlock(std::uint64_t files, std::uint64_t network, std::uint64_t scopes) {
    return add(Kind::kLandlock, "Landlock", {}, files, network, scopes);
}
Confinement& Confinement::landlock_allow(std::string_view path, std::uint64_t accesses) {
    return add(Kind::kLandlockAllow, about("Landlock rule for", path), texts(path), accesses);
}
Confinement& Confinement::landlock_enforce() {
    return add(Kind::kLandlockEnforce, "Landlock", {});
}
Confinement& Confinement::filter(std::string_view program, bool answered) {
    return add(Kind::kFilter, "a filter on system calls", program, answered ? 1 : 0);
}

}  // namespace gantry::process
