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
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.http.Json;
import dev.ash.server.store.Timestamps;
import org.jspecify.annotations.Nullable;

/**
 * A stored question and its resolution.
 *
 * @param resolution null while the question is pending
 */
record ApprovalRow(
        ApprovalId id,
        Owner owner,
        Call call,
        Question question,
        @Nullable Resolution resolution,
        long createdAt,
        @Nullable Long expiresAt) {

    /** The tenant, session and turn that the question belongs to. */
    record Owner(TenantId tenant, SessionId session, @Nullable TurnId turn) {}

    /**
     * The tool call that needs approval.
     *
     * @param riskLevel as stated by the asker
     */
    record Call(
            Kind kind,
            String tool,
            @Nullable String toolUseId,
            @Nullable String description,
            RawJson input,
            @Nullable String riskLevel) {}

    /** The current or last asker, and its id of the question. */
    record Question(AskerKind asker, BridgePosition position, String id) {}

    /** The decision, its author and its time. */
    record Resolution(Decision decision, @Nullable String by, @Nullable Long at) {}

    TenantId tenant() {
        return owner.tenant();
    }

    SessionId session() {
        return owner.session();
    }

    @Nullable TurnId turn() {
        return owner.turn();
    }

    Kind kind() {
        return call.kind();
    }

    String tool() {
        return call.tool();
    }

    RawJson input() {
        return call.input();
    }

    BridgePosition position() {
        return question.position();
    }

    ApprovalStatus status() {
        return resolution == null ? ApprovalStatus.PENDING : resolution.decision().status();
    }

    @Nullable RawJson decidedInput() {
        return resolution == null ? null : resolution.decision().input();
    }

    @Nullable String message() {
        return resolution == null ? null : resolution.decision().message();
    }

    @Nullable String decidedBy() {
        return resolution == null ? null : resolution.by();
    }

    @Nullable Long decidedAt() {
        return resolution == null ? null : resolution.at();
    }

    boolean isPending() {
        return resolution == null;
    }

    /** Whether a person or a rule decided, as opposed to expiry or cancellation. */
    boolean isAnswered() {
        return status() == ApprovalStatus.APPROVED
                || status() == ApprovalStatus.MODIFIED
                || status() == ApprovalStatus.REJECTED;
    }

    /** Returns the status for messages: a question with modified input is answered. */
    String outcome() {
        return kind() == Kind.QUESTION && status() == ApprovalStatus.MODIFIED
                ? "answered"
                : status().wire();
    }

    Approval toApi() {
        var turn = turn();
        var decidedAt = decidedAt();
        return new Approval(
                id.value(),
                session().value(),
                turn == null ? null : turn.value(),
                kind().wire(),
                tool(),
                call.toolUseId(),
                call.description(),
                input(),
                status().wire(),
                decidedInput(),
                message(),
                resolution == null ? null : resolution.decision().scope(),
                decidedBy(),
                Timestamps.iso(createdAt),
                decidedAt == null ? null : Timestamps.iso(decidedAt),
                expiresAt == null ? null : Timestamps.iso(expiresAt),
                question.asker().source(),
                call.riskLevel());
    }

    NewEvent requiredEvent(BridgePosition from) {
        return event(EventType.APPROVAL_REQUIRED, from);
    }

    /** {@code from} is the event of the bridge; null if a person or the server resolved it. */
    NewEvent resolvedEvent(@Nullable BridgePosition from) {
        return event(EventType.APPROVAL_RESOLVED, from);
    }

    private NewEvent event(EventType type, @Nullable BridgePosition from) {
        return NewEvent.of(session(), turn(), type, new RawJson(Json.write(toApi())), from);
    }

    /** Returns the decision as a command to the bridge. */
    BridgeCommand.Approve toCommand() {
        var message = message();
        return switch (status()) {
            case APPROVED -> new BridgeCommand.Approve(question.id(), true, null, message);
            case MODIFIED ->
                    new BridgeCommand.Approve(question.id(), true, decidedInput(), message);
            case REJECTED -> rejection(message == null ? "The user rejected this." : message);
            case EXPIRED -> rejection("This was not executed: no answer was given in time.");
            case CANCELLED -> rejection("The turn was interrupted before an answer was given.");
            case PENDING -> throw new IllegalStateException(id + " is not decided");
        };
    }

    private BridgeCommand.Approve rejection(String reason) {
        return new BridgeCommand.Approve(question.id(), false, null, reason);
    }
}
