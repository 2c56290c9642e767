#include "mcp/transport/stdio.hpp"

#include <algorithm>
#include <climits>
#include <deque>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/transport/line_splitter.hpp"
#include "mcp/transport/line_writer.hpp"
#include "mcp/transport/server_text.hpp"
#include "mcp/transport/stderr_tail.hpp"

namespace gantry::mcp {
namespace {

// How long the end of stdout waits for the exit status, which explains it.
constexpr Duration kExitGrace = seconds(1);
constexpr std::size_t kExcerpt = 40;

constexpr std::string_view kOrderlyExit = "the server ended (exit code 0)";

using ReadResult = Result<std::optional<Incoming>>;

class StdioConnection final : public Connection {
public:
    StdioConnection(std::unique_ptr<process::Process> child, std::shared_ptr<StderrTail> tail,
                    const StdioConfig& config)
        : child_(std::move(child)),
          tail_(std::move(tail)),
          stop_(config.stop),
          tap_(config.tap),
          on_noise_(config.on_noise),
          text_{.limits = {.max_bytes = config.max_line_bytes}, .strict = config.strict_json},
          lines_(config.max_line_bytes),
          writer_(child_->stdio(), {.max_pending_bytes = config.max_pending_bytes, .stall = config.stall_timeout},
                  PIPE_BUF),
          scope_(Context::background()) {
        writer_.start(scope_);
    }

    Task<ReadResult> read(const Context& ctx) override {
        reading_ = true;
        auto got = co_await read_one(ctx);
        reading_ = false;
        if (closing_) co_return ReadResult(std::nullopt);
        if (!got && got.error().fatal()) ended_ = got.error();
        co_return got;
    }

    Task<Result<void>> write(const Context& ctx, Outgoing outgoing) override {
        if (closing_) co_return fail(Error(ErrorCode::kConnection, "the connection is closed").fatal(true));
        std::string line = outgoing.text.empty() ? encode_message(outgoing.message) : std::move(outgoing.text);
        if (tap_) tap_(WireEvent{.direction = WireEvent::Direction::kSent, .text = line});
        auto sent = co_await writer_.write(ctx, std::move(line));
        if (sent || sent.error().code() != ErrorCode::kConnection || closing_) co_return sent;
        co_return fail(co_await explain_broken_pipe(std::move(sent).error()));
    }

    Task<void> abandon(const RequestId&) override { co_return; }
    void set_revision(Revision) override {}

    void prefer_raw(std::size_t hold_bytes) override {
        raw_ = true;
        hold_bytes_ = std::min(hold_bytes, text_.limits.max_bytes);
        // Lines are spooled and checked long before this limit from now on.
        lines_.set_limit(std::max(text_.limits.max_bytes, 2 * hold_bytes_ + (1u << 20)));
    }

    Task<void> close() override {
        if (closing_) {
            (void)co_await closed_.wait(Context::background());
            co_return;
        }
        closing_ = true;
        scope_.cancel();
        co_await scope_.join();
        // Drain stdout: a child blocked on a full pipe would never see the end of its stdin.
        Scope draining(Context::background());
        if (!reading_) draining.spawn(drain(draining.context()));
        (void)co_await child_->stop(stop_);
        child_->stdio().close();
        draining.cancel();
        co_await draining.join();
        closed_.set();
    }

private:
    Task<ReadResult> read_one(const Context& ctx) {
        for (;;) {
            if (!batch_.empty()) {
                Incoming incoming{.message = std::move(batch_.front())};
                batch_.pop_front();
                co_return ReadResult(std::move(incoming));
            }
            if (ended_) co_return fail(*ended_);
            if (closing_) co_return ReadResult(std::nullopt);

            if (spool_) {
                if (auto incoming = spool_on()) co_return *std::move(incoming);
            } else if (raw_ && lines_.rest().size() > hold_bytes_ && !lines_.rest().contains('\n')) {
                auto spool = SpooledMessage::create(text_.limits.max_bytes, text_.strict);
                if (!spool) co_return fail(std::move(spool).error().fatal(true));
                spool_ = *std::move(spool);
                continue;
            }
            auto line = lines_.next();
            if (!line) {
                lines_ = LineSplitter(0);  // frees the memory
                co_return fail(std::move(line).error().fatal(true));
            }
            if (*line) {
                if (auto incoming = accept(**line)) co_return *std::move(incoming);
                continue;
            }
            auto size = co_await child_->stdio().read_some(ctx, lines_.room());
            if (!size) {
                if (ctx.check()) co_return fail(std::move(size).error().fatal(true));
                co_return fail(std::move(size).error());
            }
            if (*size == 0) co_return co_await explain_end();
            lines_.filled(*size);
        }
    }

    /// Handles one line; empty for a blank line and for a batch, whose messages go to batch_.
    std::optional<ReadResult> accept(std::string_view line) {
        const auto first = line.find_first_not_of(" \t\r");
        if (first == std::string_view::npos) return std::nullopt;
        if (tap_) tap_(WireEvent{.direction = WireEvent::Direction::kReceived, .text = line});
        if (raw_ && line.size() > hold_bytes_) return spooled(line);
        if (raw_ && line[first] != '[') {
            std::string text(line);
            auto message = RawMessage::read_from_server(text, text_.limits, text_.strict);
            if (!message) return refuse(line.substr(first), message.error());
            return ReadResult(Incoming{
                .message = {}, .bytes = line.size(), .raw = std::make_unique<RawMessage>(*std::move(message))});
        }
        if (line[first] != '[') {
            auto message = text_.decode(line);
            if (!message) return refuse(line.substr(first), message.error());
            return ReadResult(Incoming{.message = std::move(*message), .bytes = line.size()});
        }
        auto messages = text_.decode_batch(line);
        if (!messages) return refuse(line.substr(first), messages.error());
        for (Message& message : *messages) batch_.push_back(std::move(message));
        return std::nullopt;
    }

    /// A whole line that is too long to hold.
    ReadResult spooled(std::string_view line) {
        GANTRY_TRY(auto whole, SpooledMessage::create(text_.limits.max_bytes, text_.strict));
        whole->append(line);
        whole->finish();
        return Incoming{.message = {}, .spooled = std::move(whole)};
    }

    /// Appends what has arrived of a long line to its file; returns the message once complete.
    std::optional<ReadResult> spool_on() {
        bool ended = false;
        spool_->append(lines_.take_part(ended));
        if (!ended) return std::nullopt;
        spool_->finish();
        return ReadResult(Incoming{.message = {}, .spooled = std::move(spool_)});
    }

    ReadResult refuse(std::string_view line, const Error& reason) {
        ++noise_;
        // An unreadable answer is reported to the caller waiting for it.
        if (auto answer = line.front() == '{' ? unreadable_answer(line, reason) : std::nullopt)
            return *std::move(answer);
        if (on_noise_) on_noise_(line);
        std::string text = "a line of " + std::to_string(line.size()) +
                           " bytes on the server's stdout is no message (" + std::to_string(noise_) + " so far)";
        // Text that looks like JSON may contain user data; a log line is a useful hint for the server's author.
        if (line.front() != '{' && line.front() != '[') text += ": \"" + one_line(line, kExcerpt) + "\"";
        return fail(Error(ErrorCode::kParse, std::move(text)).caused_by(reason));
    }

    /// A server that exits before reading anything breaks the pipe; its exit status is the better explanation.
    Task<Error> explain_broken_pipe(Error broken) {
        const auto status = co_await child_->wait(Context::background().within(kExitGrace));
        if (!status) co_return broken;
        co_return Error(ErrorCode::kConnection, with_last_words("the server ended (" + status->to_string() + ")"))
            .fatal(true)
            .caused_by(std::move(broken));
    }

    std::string with_last_words(std::string text) const {
        if (const std::string words = tail_->text(); !words.empty()) text += "; stderr: " + words;
        return text;
    }

    Task<ReadResult> explain_end() {
        std::size_t half = spool_ ? spool_->size() : 0;
        if (const auto rest = lines_.rest(); rest.find_first_not_of(" \t\r") != std::string_view::npos) {
            if (auto message = text_.decode(rest)) {
                if (tap_) tap_(WireEvent{.direction = WireEvent::Direction::kReceived, .text = rest});
                lines_ = LineSplitter(text_.limits.max_bytes);
                co_return ReadResult(Incoming{.message = std::move(*message)});
            }
            half = rest.size();
        }
        auto status = co_await child_->wait(Context::background().within(kExitGrace));
        std::string text = status ? "the server ended (" + status->to_string() + ")" : "the server closed its stdout";
        if (half > 0) text += " in the middle of a message, after " + std::to_string(half) + " bytes of it";
        co_return fail(Error(ErrorCode::kConnection, with_last_words(std::move(text))).fatal(true));
    }

    Task<void> drain(Context ctx) {
        std::vector<char> sink(64u << 10);
        for (;;) {
            auto size = co_await child_->stdio().read_some(ctx, sink);
            if (!size || *size == 0) co_return;
        }
    }

    std::unique_ptr<process::Process> child_;
    std::shared_ptr<StderrTail> tail_;
    process::Process::StopTimes stop_;
    WireTap tap_;
    std::function<void(std::string_view)> on_noise_;
    ServerText text_;
    LineSplitter lines_;
    LineWriter writer_;
    std::deque<Message> batch_;
    bool raw_ = false;  // see prefer_raw()
    std::size_t hold_bytes_ = 0;
    std::unique_ptr<SpooledMessage> spool_;  // a long line being received
    std::size_t noise_ = 0;
    std::optional<Error> ended_;
    bool reading_ = false;
    bool closing_ = false;
    Event closed_;
    Scope scope_;
};

}  // namespace

bool is_orderly_exit(const Error& error) {
    for (const Error* at = &error; at != nullptr; at = at->cause()) {
        // Followed by stderr at most, never by "in the middle of a message".
        const std::string& text = at->message();
        const auto found = text.find(kOrderlyExit);
        if (found == std::string::npos) continue;
        const std::string_view rest = std::string_view(text).substr(found + kOrderlyExit.size());
        return rest.empty() || rest.starts_with(';');
    }
    return false;
}

StdioTransport::StdioTransport(StdioConfig config) : config_(std::move(config)) {}

Task<Result<std::unique_ptr<Connection>>> StdioTransport::connect(const Context& ctx) {
    process::Command command{.program = config_.command,
                             .args = config_.args,
                             .env = process::default_environment(),
                             .cwd = config_.cwd,
                             .on_stderr = nullptr};
    for (const auto& [name, value] : config_.env) process::set_variable(command.env, name, value);
    auto tail = std::make_shared<StderrTail>();
    command.on_stderr = [tail, on_stderr = config_.on_stderr](std::string_view line) {
        tail->add(line);
        if (on_stderr) on_stderr(line);
    };
    if (config_.prepare) GANTRY_CO_CHECK(config_.prepare(command));
    GANTRY_CO_TRY(auto child, co_await process::Process::start(ctx, std::move(command)));
    co_return Result<std::unique_ptr<Connection>>(
        std::make_unique<StdioConnection>(std::move(child), std::move(tail), config_));
}

std::string StdioTransport::describe() const {
    return "stdio " + masked_command(config_.command, config_.args);
}

}  // namespace gantry::mcp
