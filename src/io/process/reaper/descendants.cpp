#include "io/process/reaper/descendants.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#include "io/process/reaper/system.hpp"

namespace gantry::process::reaper {
namespace {

struct Entry {
    int pid;
    int parent;
    bool ours;
};

// Only touched pages cost memory. Processes beyond this are found in later rounds.
constexpr std::size_t kMaxEntries = 1u << 20;

struct Table {
    Entry* entries = nullptr;
    std::size_t size = 0;
};

/// The pid in a name of /proc; 0 if it is not one.
int parse_pid(const char* name) {
    int pid = 0;
    for (; *name; ++name) {
        if (*name < '0' || *name > '9') return 0;
        pid = pid * 10 + (*name - '0');
    }
    return pid;
}

/// Reads the start of /proc/<pid>/<name>, with the name spelt backwards; returns the size, 0 if the process is gone.
long read_about(int proc, int pid, const char* name_backwards, char* text, std::size_t room) {
    char path[32];
    char* end = path + sizeof path;
    *--end = '\0';
    for (const char* tail = name_backwards; *tail; ++tail) *--end = *tail;
    *--end = '/';
    for (int rest = pid; rest > 0; rest /= 10) *--end = static_cast<char>('0' + rest % 10);

    const long fd = call(SYS_openat, proc, end, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const long size = call(SYS_read, fd, text, room);
    call(SYS_close, fd);
    return size < 0 ? 0 : size;
}

/// The parent's pid from /proc/<pid>/stat; 0 if the process is gone or a zombie.
int parent_of(int proc, int pid) {
    char text[512];
    const long size = read_about(proc, pid, "tats", text, sizeof text);
    // "pid (name) state ppid …", where the name may itself contain parentheses.
    long at = size - 1;
    while (at >= 0 && text[at] != ')') --at;
    if (at < 0 || at + 4 >= size || text[at + 2] == 'Z' || text[at + 2] == 'X') return 0;
    int parent = 0;
    for (at += 4; at < size && text[at] >= '0' && text[at] <= '9'; ++at) parent = parent * 10 + (text[at] - '0');
    return parent;
}

void read_table(int proc, Table& table) {
    struct Dirent {
        std::uint64_t inode;
        std::int64_t offset;
        unsigned short length;
        unsigned char type;
        char name[1];
    };
    alignas(Dirent) static char buffer[32768];
    for (;;) {
        const long size = call(SYS_getdents64, proc, buffer, sizeof buffer);
        if (size <= 0) return;
        for (long at = 0; at < size;) {
            const auto* entry = reinterpret_cast<const Dirent*>(buffer + at);
            at += entry->length;
            const int pid = parse_pid(entry->name);
            if (pid == 0 || table.size == kMaxEntries) continue;
            if (const int parent = parent_of(proc, pid)) table.entries[table.size++] = {pid, parent, false};
        }
    }
}

const Entry* find(const Table& table, int pid) {
    // The kernel lists /proc in ascending order.
    std::size_t low = 0, high = table.size;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (table.entries[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table.size && table.entries[low].pid == pid ? &table.entries[low] : nullptr;
}

void mark_ours(Table& table, int self) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < table.size; ++i) {
            Entry& entry = table.entries[i];
            if (entry.ours) continue;
            const Entry* parent = find(table, entry.parent);
            if (entry.parent == self || (parent && parent->ours)) entry.ours = changed = true;
        }
    }
}

void kill_one(int proc, const Entry& entry) {
    const long fd = call(SYS_pidfd_open, entry.pid, 0);
    if (fd == -ENOSYS) call(SYS_kill, entry.pid, SIGKILL);
    if (fd < 0) return;
    // The pidfd cannot refer to another process from now on; check that the pid was not reused before.
    if (parent_of(proc, entry.pid) == entry.parent) call(SYS_pidfd_send_signal, fd, SIGKILL, 0, 0);
    call(SYS_close, fd);
}

/// The number after `label` at the start of a line of /proc/<pid>/status; 0 if there is none.
std::uint64_t number_after(const char* text, const char* label) {
    for (const char* line = text; *line;) {
        const char* at = line;
        const char* wanted = label;
        while (*wanted && *at == *wanted) ++at, ++wanted;
        if (!*wanted) {
            while (*at == ' ' || *at == '\t') ++at;
            std::uint64_t number = 0;
            for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<std::uint64_t>(*at - '0');
            return number;
        }
        while (*line && *line != '\n') ++line;
        if (*line) ++line;
    }
    return 0;
}

void add_size(int proc, const Entry& entry, FamilySize& size) {
    char text[2048];
    text[read_about(proc, entry.pid, "sutats", text, sizeof text - 1)] = '\0';
    size.memory += (number_after(text, "RssAnon:") + number_after(text, "RssShmem:")) * 1024;
    size.tasks += number_after(text, "Threads:");
}

/// Calls `visit` with /proc and each descendant.
template <class Visit>
void each_descendant(int self, const Visit& visit) {
    const long proc = call(SYS_openat, AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0) return;
    const std::size_t bytes = kMaxEntries * sizeof(Entry);
    const long memory =
        call(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory > 0) {
        Table table{reinterpret_cast<Entry*>(memory)};
        read_table(static_cast<int>(proc), table);
        mark_ours(table, self);
        for (std::size_t i = 0; i < table.size; ++i)
            if (table.entries[i].ours) visit(static_cast<int>(proc), table.entries[i]);
        call(SYS_munmap, memory, bytes);
    }
    call(SYS_close, proc);
}

}  // namespace

void kill_descendants(int self) {
    each_descendant(self, [](int proc, const Entry& entry) { kill_one(proc, entry); });
}

FamilySize family_size(int self) {
    FamilySize size;
    each_descendant(self, [&size](int proc, const Entry& entry) { add_size(proc, entry, size); });
    return size;
}

}  // namespace gantry::process::reaper
