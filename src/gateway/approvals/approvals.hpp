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

/// An approver's answer to a question.
struct ApprovalAnswer {
    bool approved = false;
    AnswerChannel channel = AnswerChannel::kOperator;
    std::string who = "operator";
    std::string reason = {};
};

/// Its collaborators; everything must outlive it.
struct ApprovalParts {
    ApprovalStore& store;
    Observer* observer = nullptr;
    /// Reports one line to the operator.
    std::function<void(std::string_view)> note = {};
};

/// Questions waiting for a person's approval.
///
/// An approval covers one call of one principal: this tool as currently defined, with these arguments. That call
/// consumes it. A question outlives the process and the caller's connection: an identical call that arrives later finds
/// the question, or its answer.
///
/// The store is authoritative and several instances may share one: each sees the questions of all and may answer them,
/// and an answer releases the call at whichever instance it waits. The records in memory are a recent snapshot of the
/// store. Belongs to one loop.
class Approvals final : public Approver {
public:
    Approvals(ApprovalOptions options, ApprovalParts parts);
    ~Approvals() override;

    /// Loads the questions of earlier runs.
    Result<void> open();
    /// Starts following changes made by other instances, and expiring questions no call waits for. On the loop.
    void follow();
    /// Stops following; required before destruction. No call may still be waiting.
    Task<void> stop();

    /// Replaces time limits and bounds for questions from now on; pending questions keep theirs.
    void configure(ApprovalOptions options) { options_ = std::move(options); }

    /// Unanswered questions of all instances, oldest first; as of the last refresh().
    std::vector<PendingApproval> list() const;
    /// Reads the store.
    Task<Result<void>> refresh(const Context& ctx);
    /// The answer is durable on return, whichever instance asked. kNotFound: no such question, or already answered;
    /// kDenied: not allowed by this channel.
    Task<Result<void>> answer(std::string id, ApprovalAnswer answer);

    bool resumes_approval(std::string_view state) const noexcept override;
    Task<Result<std::optional<Output>>> obtain(const Context& ctx, const ApprovalQuestion& question,
                                               ReplyLine& line) override;

private:
    struct Record;
    using RecordPtr = std::shared_ptr<Record>;
    /// The outcome of a question for one call; kLost: another call consumed the approval.
    enum class End : std::uint8_t { kGoAhead, kLost };

    Result<PendingApproval> describe(const ApprovalQuestion& question) const;
    Task<Result<void>> hear_caller(const ApprovalQuestion& question);
    bool may_ask_caller(const ResolvedCall& call) const noexcept;
    /// A record the call may use, or a new one.
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
