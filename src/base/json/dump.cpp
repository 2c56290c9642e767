#include <utility>
#include <variant>
#include <vector>

#include "base/json/text.hpp"
#include "gantry/json.hpp"

namespace gantry {
namespace {

/// Writes without recursion: one stack entry per open object or array.
class Writer {
public:
    Writer(std::string& out, bool indent) : out_(out), indent_(indent) {}

    void write(const Json& root) {
        value(root);
        while (!open_.empty()) {
            Open& top = open_.back();
            if (top.next == top.size) {
                close();
                continue;
            }
            if (top.next != 0) out_ += ',';
            line();
            const std::size_t i = top.next++;
            if (top.array != nullptr) {
                value((*top.array)[i]);
                continue;
            }
            const auto& [key, member] = top.object->begin()[static_cast<std::ptrdiff_t>(i)];
            json::quote_to(key, out_);
            out_ += indent_ ? ": " : ":";
            value(member);
        }
    }

private:
    struct Open {
        const JsonArray* array;
        const JsonObject* object;
        std::size_t size;
        std::size_t next = 0;
    };

    void value(const Json& json) {
        switch (json.kind()) {
            case Json::Kind::kNull: out_ += "null"; return;
            case Json::Kind::kBool: out_ += *json.if_bool() ? "true" : "false"; return;
            case Json::Kind::kNumber: out_ += json.number_text(); return;
            case Json::Kind::kString: json::quote_to(*json.if_string(), out_); return;
            case Json::Kind::kArray:
                out_ += '[';
                open_.push_back({json.if_array(), nullptr, json.if_array()->size()});
                return;
            case Json::Kind::kObject:
                out_ += '{';
                open_.push_back({nullptr, json.if_object(), json.if_object()->size()});
                return;
        }
    }

    void close() {
        const Open top = open_.back();
        open_.pop_back();
        if (top.size != 0) line();
        out_ += top.array != nullptr ? ']' : '}';
    }

    void line() {
        if (!indent_) return;
        out_ += '\n';
        out_.append(2 * open_.size(), ' ');
    }

    std::string& out_;
    bool indent_;
    std::vector<Open> open_;
};

}  // namespace

void Json::dump_to(std::string& out) const {
    Writer(out, false).write(*this);
}

std::string Json::dump() const {
    std::string out;
    dump_to(out);
    return out;
}

std::string Json::pretty() const {
    std::string out;
    Writer(out, true).write(*this);
    return out;
}

}  // namespace gantry
