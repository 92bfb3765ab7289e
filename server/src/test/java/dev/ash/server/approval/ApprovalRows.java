package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.NewEvent.BridgePosition;
import org.jspecify.annotations.Nullable;

/** Creates pending approvals of one session, each at a different position. */
final class ApprovalRows {
    private static final TenantId TENANT = new TenantId("tenant-a");

    final SessionId session = SessionId.random();
    private long n;

    ApprovalRow row() {
        return row("bridge", ++n);
    }

    /** Creates a row of the same call at this position. */
    ApprovalRow row(String bridge, long position) {
        return row(
                AskerKind.ENGINE,
                TurnId.random(),
                new BridgePosition(bridge, position),
                "question",
                1);
    }

    ApprovalRow row(AskerKind asker, @Nullable TurnId turn, long createdAt) {
        return row(asker, turn, new BridgePosition(asker.id("bridge"), ++n), "question", createdAt);
    }

    ApprovalRow withOtherIds(String bridge) {
        return row(AskerKind.ENGINE, null, new BridgePosition(bridge, ++n), "other", 1);
    }

    ApprovalRow expiring(@Nullable Long expiresAt) {
        var row = row();
        return new ApprovalRow(
                row.id(),
                row.owner(),
                row.call(),
                row.question(),
                null,
                row.createdAt(),
                expiresAt);
    }

    ApprovalRow call(Kind kind, String tool, String input) {
        var row = row();
        return new ApprovalRow(
                row.id(),
                row.owner(),
                new ApprovalRow.Call(kind, tool, "use", null, RawJson.of(input), null),
                row.question(),
                null,
                row.createdAt(),
                null);
    }

    ApprovalRow row(
            AskerKind asker,
            @Nullable TurnId turn,
            BridgePosition position,
            String question,
            long createdAt) {
        return new ApprovalRow(
                ApprovalId.random(),
                new ApprovalRow.Owner(TENANT, session, turn),
                new ApprovalRow.Call(
                        Kind.TOOL, "Bash", "use of " + question, null, RawJson.of("{}"), null),
                new ApprovalRow.Question(asker, position, question),
                null,
                createdAt,
                null);
    }
}
