package dev.ash.server.session;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.rest.Isolation;
import dev.ash.protocol.rest.Session;
import dev.ash.server.store.Timestamps;
import org.jspecify.annotations.Nullable;

/** A session as it is stored, with the configuration that a new bridge of it needs. */
record SessionRow(
        SessionId id,
        TenantId tenant,
        String agentId,
        AgentName agentName,
        int agentVersion,
        SandboxId sandbox,
        Standing standing,
        String engine,
        String permissionMode,
        EngineConfig config,
        @Nullable Isolation isolation,
        @Nullable String error,
        long createdAt,
        long lastActiveAt) {

    /** Who put a session to sleep decides who wakes it. */
    enum PausedBy {
        CLIENT,
        SERVER
    }

    /** The state of a session, and who paused it. */
    record Standing(SessionStatus status, @Nullable PausedBy pausedBy) {
        /** Asleep through no wish of a client: the next message wakes it. */
        boolean wakesByItself() {
            return status == SessionStatus.PAUSED && pausedBy == PausedBy.SERVER;
        }
    }

    SessionStatus status() {
        return standing.status();
    }

    @Nullable PausedBy pausedBy() {
        return standing.pausedBy();
    }

    Session shown() {
        return new Session(
                id.value(),
                tenant.value(),
                agentName.value(),
                sandbox.value(),
                status().wire(),
                null,
                null,
                Timestamps.iso(createdAt),
                Timestamps.iso(lastActiveAt),
                agentVersion,
                engine,
                config.model(),
                permissionMode,
                isolation,
                error);
    }
}
