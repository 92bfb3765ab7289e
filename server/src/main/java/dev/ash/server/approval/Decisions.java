package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.event.Commit;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Timestamps;
import dev.ash.server.store.Transaction;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/** Stores decisions by clients and by expiry. The first decision counts. */
final class Decisions {
    private final ApprovalStore store;
    private final SessionEvents events;
    private final Consumer<ApprovalRow> onDecided;

    /** {@code onDecided} receives each decision after its commit. */
    Decisions(ApprovalStore store, SessionEvents events, Consumer<ApprovalRow> onDecided) {
        this.store = store;
        this.events = events;
        this.onDecided = onDecided;
    }

    ApprovalRow require(TenantId tenant, ApprovalId id) {
        return store.find(tenant, id)
                .orElseThrow(
                        () ->
                                new ApiException(
                                        ErrorCode.APPROVAL_NOT_FOUND,
                                        "Approval " + id + " not found"));
    }

    ApprovalRow decide(TenantId tenant, ApprovalId id, ApprovalApi.Decide answer, String by) {
        var row = require(tenant, id);
        if (!row.isPending()) {
            throw alreadyResolved(row);
        }
        var decision = Decision.of(answer, row.kind());
        return decide(
                        row,
                        (transaction, now) -> {
                            boolean isFirst = store.decide(transaction, id, decision, by, now);
                            if (isFirst && decision.isForSession()) {
                                store.rules().allow(transaction, row.session(), row.tool(), now);
                            }
                            return isFirst;
                        })
                .orElseThrow(() -> alreadyResolved(require(tenant, id)));
    }

    void expire(ApprovalRow row) {
        decide(
                row,
                (transaction, now) ->
                        Objects.requireNonNullElse(row.expiresAt(), Long.MAX_VALUE) <= now
                                && store.decide(
                                        transaction,
                                        row.id(),
                                        Decision.EXPIRED,
                                        DecidedBy.EXPIRY,
                                        now));
    }

    /** Stores a decision; returns false if there is one already. */
    private interface Write {
        boolean write(Transaction transaction, long now);
    }

    private Optional<ApprovalRow> decide(ApprovalRow row, Write decision) {
        var after =
                events.commit(
                                row.session(),
                                (transaction, now) ->
                                        decision.write(transaction, now)
                                                ? decided(transaction, row)
                                                : new Commit<>(
                                                        List.of(), Optional.<ApprovalRow>empty()))
                        .value();
        after.ifPresent(onDecided);
        return after;
    }

    private Commit<Optional<ApprovalRow>> decided(Transaction transaction, ApprovalRow row) {
        var after = store.require(transaction, row.id());
        return new Commit<>(List.of(after.resolvedEvent(null)), Optional.of(after));
    }

    private static ApiException alreadyResolved(ApprovalRow row) {
        return new ApiException(
                ErrorCode.APPROVAL_RESOLVED,
                "This approval was already %s by %s at %s; the first answer counts"
                        .formatted(
                                row.outcome(),
                                row.decidedBy(),
                                Timestamps.iso(Objects.requireNonNullElse(row.decidedAt(), 0L))));
    }
}
