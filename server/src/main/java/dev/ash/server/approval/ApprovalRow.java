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
 * A question and its answer.
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

    /** Whose question it is. */
    record Owner(TenantId tenant, SessionId session, @Nullable TurnId turn) {}

    /**
     * The tool call that is asked about.
     *
     * @param riskLevel as the asker states it
     */
    record Call(
            Kind kind,
            String tool,
            @Nullable String toolUseId,
            @Nullable String description,
            RawJson input,
            @Nullable String riskLevel) {}

    /** The asker that asks now, or asked last, and its id of the question. */
    record Question(AskerKind asker, BridgePosition place, String id) {}

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

    BridgePosition place() {
        return question.place();
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

    /** By a person or a rule, not by the clock or an end. */
    boolean isAnswered() {
        return status() == ApprovalStatus.APPROVED
                || status() == ApprovalStatus.MODIFIED
                || status() == ApprovalStatus.REJECTED;
    }

    /** Its state in words: a question is answered by changing what it was asked with. */
    String outcome() {
        return kind() == Kind.QUESTION && status() == ApprovalStatus.MODIFIED
                ? "answered"
                : status().wire();
    }

    Approval shown() {
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

    NewEvent required(BridgePosition from) {
        return event(EventType.APPROVAL_REQUIRED, from);
    }

    /** {@code from}: where a bridge said so, null where a person or the server did. */
    NewEvent resolved(@Nullable BridgePosition from) {
        return event(EventType.APPROVAL_RESOLVED, from);
    }

    private NewEvent event(EventType type, @Nullable BridgePosition from) {
        return NewEvent.of(session(), turn(), type, new RawJson(Json.write(shown())), from);
    }

    /** The decision as the bridge is told it. */
    BridgeCommand.Approve answer() {
        var message = message();
        return switch (status()) {
            case APPROVED -> new BridgeCommand.Approve(question.id(), true, null, message);
            case MODIFIED ->
                    new BridgeCommand.Approve(question.id(), true, decidedInput(), message);
            case REJECTED -> refusal(message == null ? "A person rejected this." : message);
            case EXPIRED -> refusal("Nobody answered in time, so this was not done.");
            case CANCELLED -> refusal("The turn was interrupted before anybody answered.");
            case PENDING -> throw new IllegalStateException(id + " is not decided");
        };
    }

    private BridgeCommand.Approve refusal(String why) {
        return new BridgeCommand.Approve(question.id(), false, null, why);
    }
}
