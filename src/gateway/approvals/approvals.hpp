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
/// the question, or its answer, as it is. Belongs to one loop.
class Approvals final : public Approver {
public:
    Approvals(ApprovalOptions options, ApprovalParts parts);
    ~Approvals() override;

    /// Takes up what was asked before. Before the loop runs.
    Result<void> open();
    /// Ends what is being written; required before destruction. Who waits must be gone.
    Task<void> stop();

    /// Other rules and limits for the calls that come from now on; questions that wait stay as they are. The webhook is
    /// not among it.
    void configure(ApprovalOptions options, std::vector<GroupSpec> groups) {
        options_ = std::move(options);
        parts_.groups = std::move(groups);
    }

    /// What nobody has answered, oldest first.
    std::vector<PendingApproval> list();
    /// kNotFound: no such question, or it is answered; kDenied: not by this channel.
    Result<void> answer(const std::string& id, const ApprovalAnswer& answer);

    bool needed(const ResolvedCall& call) const noexcept override;
    Task<Result<std::optional<Output>>> obtain(const Context& ctx, const ApprovalQuestion& question,
                                               ReplyLine& line) override;

private:
    struct Record;
    using RecordPtr = std::shared_ptr<Record>;

    Result<PendingApproval> describe(const ApprovalQuestion& question) const;
    void hear_caller(const ApprovalQuestion& question, const PendingApproval& asked);
    bool may_ask_caller(const ResolvedCall& call) const noexcept;
    /// One the call may use: answered and not used, or pending and nobody waits. Null: none.
    RecordPtr find_same(const PendingApproval& asked) const;
    Result<RecordPtr> add(PendingApproval asked);
    Task<Result<void>> wait(const Context& ctx, RecordPtr record, const ResolvedCall& call, ReplyLine& line);
    Task<void> ask_on_line(Context ctx, RecordPtr record, ReplyLine& line);
    static Task<void> keep_informed(Context ctx, ReplyLine& line);
    Task<Result<std::optional<Output>>> conclude(const Context& ctx, RecordPtr record);
    void settle(Record& record, const ApprovalAnswer& answer);
    void forget_expired();
    Task<Result<void>> save(const Context& ctx);
    Task<void> save_later();

    ApprovalOptions options_;
    ApprovalParts parts_;
    std::map<std::string, RecordPtr> records_;  // by id
    Scope scope_;
};

}  // namespace gantry::gateway
