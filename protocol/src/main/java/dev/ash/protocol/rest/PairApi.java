package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and responses of {@code /api/pairs}. */
public interface PairApi {
    /** The default worker, if the server has that engine. */
    String DEFAULT_WORKER = "codex";

    /** The default reviewer, if the server has that engine. */
    String DEFAULT_REVIEWER = "claude";

    /**
     * Starts a pair. {@code repository} is a directory on the server's host; {@code worker} and
     * {@code reviewer} are engines or deployed agents; {@code mode} is {@code pair}, {@code single}
     * or {@code review-only}; {@code base} is the commit to start from, or to compare with in a
     * {@code review-only} run; {@code proof} is a shell command; times are in milliseconds; the
     * last four are as for a session and apply to both peers.
     */
    record CreatePair(
            String repository,
            String task,
            @FieldSchema(values = {"pair", "single", "review-only"}) @Nullable String mode,
            @Nullable Boolean plan,
            @Nullable String worker,
            @Nullable String reviewer,
            @Nullable String workerModel,
            @Nullable String reviewerModel,
            @Nullable String proof,
            @Nullable String doneSignal,
            @Nullable String base,
            @Nullable Integer maxRounds,
            @Nullable Long timeout,
            @Nullable Long turnTimeout,
            @Nullable Long maxTokens,
            @Nullable Double maxCostUsd,
            @Nullable Integer stalemateRounds,
            @Nullable Boolean asksPerson,
            @FieldSchema(values = {"bypassPermissions", "permissionsByAgent", "ask", "default"})
                    @Nullable String permissionMode,
            @Nullable String credentialId,
            @Nullable ResourceLimits limits,
            @FieldSchema(ref = "Network") @Nullable RawJson network) {
        public static CreatePairBuilder builder(String repository, String task) {
            return new CreatePairBuilder(repository, task);
        }
    }

    /** A peer of a run; {@code session} is its session. */
    record Peer(String name, String agent, @Nullable String session) {}

    record Finding(
            String id,
            @FieldSchema(values = {"blocker", "major", "minor", "nit"}) String severity,
            @Nullable String file,
            @Nullable Integer line,
            String title,
            @Nullable String detail,
            int round,
            @FieldSchema(values = {"open", "fixed", "rejected", "deferred"}) String fate,
            String reason) {}

    record Round(
            int number,
            @Nullable String commit,
            @Nullable Integer proof,
            @Nullable String verdict,
            String note) {}

    /**
     * A pair. {@code state} is {@code running}, {@code paused}, {@code input-required}, {@code
     * interrupted} (stopped until it is resumed) or {@code over}; {@code outcome} is present once
     * it is over.
     */
    record Pair(
            String id,
            int run,
            String repository,
            String task,
            @FieldSchema(values = {"pair", "single", "review-only"}) String mode,
            @FieldSchema(values = {"running", "paused", "input-required", "interrupted", "over"})
                    String state,
            String step,
            @FieldSchema(
                            values = {
                                "completed",
                                "rejected",
                                "stalemate",
                                "max_rounds",
                                "budget_exhausted",
                                "timeout",
                                "cancelled",
                                "agent_failed",
                                "failed"
                            })
                    @Nullable String outcome,
            @Nullable Integer exitCode,
            String reason,
            @Nullable String question,
            int round,
            int maxRounds,
            @Nullable Peer worker,
            @Nullable Peer reviewer,
            @Nullable String proof,
            String base,
            @Nullable String head,
            String branch,
            long inputTokens,
            long outputTokens,
            double costUsd,
            long spentMs,
            List<Finding> findings,
            List<Round> rounds,
            String createdAt,
            String folder) {}

    record PairResponse(Pair pair) {}

    record Pairs(List<Pair> pairs) {}

    /** A message to the peers; {@code to} is the name of a peer, or absent for both. */
    record SendPeerMessage(String content, @Nullable String to) {}

    /**
     * Answers a question of the run; {@code decision} is {@code go_on}, {@code accept} or {@code
     * reject}.
     */
    record PairDecision(
            @FieldSchema(values = {"go_on", "accept", "reject"}) String decision,
            @Nullable String message) {}

    /** Resumes a pair with new limits; absent limits stay unchanged. */
    record Resume(
            @Nullable Integer maxRounds,
            @Nullable Long timeout,
            @Nullable Long maxTokens,
            @Nullable Double maxCostUsd) {}

    /** A message of the mailbox. */
    record Message(
            long seq,
            String id,
            String type,
            String from,
            String to,
            String content,
            String signal,
            String timestamp,
            int iteration) {}

    record Messages(List<Message> messages) {}

    record Text(String text) {}

    /** {@code sentence} states what was removed, or what was kept, why and where. */
    record CleanupResult(boolean removed, String sentence) {}
}
