#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gateway/approvals/approval_store.hpp"
#include "gateway/model/source_spec.hpp"
#include "gateway/ports/approver.hpp"
#include "gateway/ports/observer.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::gateway {

/// What somebody says to a question.
struct ApprovalAnswer {
    bool approved = false;
    AnswerChannel channel = AnswerChannel::kOperator;
    std::string who = "operator";
    std::string reason = {};
};

/// What it needs from the rest; everything must outlive it.
struct ApprovalParts {
    ApprovalStore& store;
    Observer* observer = nullptr;
    std::vector<GroupSpec> groups = {};
    /// One line that somebody should read.
    std::function<void(std::string_view)> note = {};
};

/// Questions waiting for a person.
///
/// An approval is for one call of one principal: this tool as it is described now, with these arguments. It is used up
/// by that call. A question outlives the process and the caller's connection: when the same call comes again it finds
/// the question, or its answer, as it is.
///
/// The store decides, and several instances may share one: each sees the questions of all and may answer them, and an
/// answer frees the call wherever it waits. What is in memory here is the store as it was a moment ago. Belongs to one
/// loop.
class Approvals final : public Approver {
public:
    Approvals(ApprovalOptions options, ApprovalParts parts);
    ~Approvals() override;

    /// Takes up what was asked before.
    Result<void> open();
    /// From now on hears what other instances ask and answer, and lets questions expire nobody waits for. On the loop.
    void follow();
    /// Ends that; required before destruction. Who waits must be gone.
    Task<void> stop();

    /// Other rules and limits for the calls that come from now on; questions that wait stay as they are.
    void configure(ApprovalOptions options, std::vector<GroupSpec> groups) {
        options_ = std::move(options);
        parts_.groups = std::move(groups);
    }

    /// What nobody has answered, at any instance, oldest first; as of the last refresh().
    std::vector<PendingApproval> list() const;
    /// Looks at the store.
    Task<Result<void>> refresh(const Context& ctx);
    /// On disk when it returns, whichever instance asked. kNotFound: no such question, or it is answered; kDenied: not
    /// by this channel.
    Task<Result<void>> answer(std::string id, ApprovalAnswer answer);

    bool needed(const ResolvedCall& call) const noexcept override;
    Task<Result<std::optional<Output>>> obtain(const Context& ctx, const ApprovalQuestion& question,
                                               ReplyLine& line) override;

private:
    struct Record;
    using RecordPtr = std::shared_ptr<Record>;
    /// What a question came to for one call; kLost: somebody else has used it.
    enum class End : std::uint8_t { kGoAhead, kLost };

    Result<PendingApproval> describe(const ApprovalQuestion& question) const;
    Task<Result<void>> hear_caller(const ApprovalQuestion& question);
    bool may_ask_caller(const ResolvedCall& call) const noexcept;
    /// One the call may use, or a new one.
    Task<Result<RecordPtr>> find_or_ask(const ApprovalQuestion& question);
    RecordPtr find_same(const PendingApproval& asked) const;
    Result<RecordPtr> add(PendingApproval asked);
    Task<Result<void>> wait(const Context& ctx, RecordPtr record, const ResolvedCall& call, ReplyLine& line);
    Task<Result<void>> run_out(Record& record);
    Task<void> ask_on_line(Context ctx, RecordPtr record, ReplyLine& line);
    static Task<void> keep_informed(Context ctx, std::string id, ReplyLine& line);
    Task<Result<End>> conclude(RecordPtr record);
    Task<Result<void>> settle(std::string id, ApprovalAnswer answer);
    void tell_expired(const PendingApproval& approval);
    Task<void> follow_store(Context ctx);
    Task<void> drop_expired();
    Duration until_next_expiry() const;
    void take(KeptApprovals kept);
    void take(StoredApproval stored);
    void note(const std::string& text) const;

    ApprovalOptions options_;
    ApprovalParts parts_;
    std::map<std::string, RecordPtr> records_;  // by id
    Scope scope_;
};

}  // namespace gantry::gateway
