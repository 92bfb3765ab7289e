package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.event.EventType;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePlace;
import dev.ash.server.http.Json;
import dev.ash.server.store.Timestamps;
import org.jspecify.annotations.Nullable;

/**
 * A question and its answer. {@code place} and {@code question} say which bridge asks it now, or
 * asked it last; {@code spentAt} is when the answer was given to one; {@code riskLevel} is what the
 * asker says of the risk.
 */
record ApprovalRow(
        ApprovalId id,
        TenantId tenant,
        SessionId session,
        @Nullable TurnId turn,
        Kind kind,
        String tool,
        @Nullable String toolUseId,
        @Nullable String description,
        RawJson input,
        ApprovalStatus status,
        @Nullable RawJson decidedInput,
        @Nullable String message,
        @Nullable String scope,
        @Nullable String decidedBy,
        long createdAt,
        @Nullable Long decidedAt,
        @Nullable Long expiresAt,
        BridgePlace place,
        String question,
        @Nullable Long spentAt,
        @Nullable String riskLevel) {

    boolean isPending() {
        return status == ApprovalStatus.PENDING;
    }

    /** By a person or a rule, not by the clock or an end. */
    boolean isAnswered() {
        return status == ApprovalStatus.APPROVED
                || status == ApprovalStatus.MODIFIED
                || status == ApprovalStatus.REJECTED;
    }

    /** Its state in words: a question is answered by changing what it was asked with. */
    String outcome() {
        return kind == Kind.QUESTION && status == ApprovalStatus.MODIFIED
                ? "answered"
                : status.wire();
    }

    /** What asks: {@code hooks} for a terminal, {@code pair} for a run, else an engine. */
    @Nullable String source() {
        if (place.bridgeId().startsWith(Approvals.PAIRS)) {
            return "pair";
        }
        return place.bridgeId().startsWith(Approvals.HOOKS) ? "hooks" : null;
    }

    Approval shown() {
        return new Approval(
                id.value(),
                session.value(),
                turn == null ? null : turn.value(),
                kind.wire(),
                tool,
                toolUseId,
                description,
                input,
                status.wire(),
                decidedInput,
                message,
                scope,
                decidedBy,
                Timestamps.iso(createdAt),
                decidedAt == null ? null : Timestamps.iso(decidedAt),
                expiresAt == null ? null : Timestamps.iso(expiresAt),
                source(),
                riskLevel);
    }

    NewEvent required(BridgePlace from) {
        return event(EventType.APPROVAL_REQUIRED, from);
    }

    /** {@code from}: where a bridge said so, null where a person or the server did. */
    NewEvent resolved(@Nullable BridgePlace from) {
        return event(EventType.APPROVAL_RESOLVED, from);
    }

    private NewEvent event(EventType type, @Nullable BridgePlace from) {
        return NewEvent.of(session, turn, type, new RawJson(Json.write(shown())), from);
    }

    /** The decision as the bridge is told it. */
    BridgeCommand.Approve answer() {
        return switch (status) {
            case APPROVED -> new BridgeCommand.Approve(question, true, null, message);
            case MODIFIED -> new BridgeCommand.Approve(question, true, decidedInput, message);
            case REJECTED -> refusal(message == null ? "A person rejected this." : message);
            case EXPIRED -> refusal("Nobody answered in time, so this was not done.");
            case CANCELLED -> refusal("The turn was interrupted before anybody answered.");
            case PENDING -> throw new IllegalStateException(id + " is not decided");
        };
    }

    private BridgeCommand.Approve refusal(String why) {
        return new BridgeCommand.Approve(question, false, null, why);
    }
}
