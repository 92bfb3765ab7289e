package dev.ash.server.session;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.rest.Isolation;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionUsage;
import dev.ash.server.agent.DeployedAgent;
import dev.ash.server.isolation.IsolationPolicy;
import dev.ash.server.store.Timestamps;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A session as it is stored, with the configuration that a new bridge of it needs.
 *
 * @param project the folder of the host that it works in; absent for a workspace of its own
 */
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
        @Nullable SessionId parent,
        @Nullable Isolation isolation,
        @Nullable String error,
        long createdAt,
        long lastActiveAt,
        IsolationPolicy wall,
        SessionUsage usage,
        @Nullable Path project) {

    /** Where an agent works that has a workspace of its own, as it sees it. */
    static final Path WORKSPACE = Path.of("/workspace");

    /** Who put a session to sleep decides who wakes it. */
    enum PausedBy {
        CLIENT,
        SERVER;

        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The state of a session, and who paused it. */
    record Standing(SessionStatus status, @Nullable PausedBy pausedBy) {
        /** Asleep through no wish of a client: the next message wakes it. */
        boolean wakesByItself() {
            return status == SessionStatus.PAUSED && pausedBy == PausedBy.SERVER;
        }

        /** Ready for a message, be it asleep or not. */
        boolean isUp() {
            return status == SessionStatus.ACTIVE || wakesByItself();
        }

        /** Whether a message needs no {@code resume} first: a failed session resumes with it. */
        boolean acceptsMessages() {
            return isUp() || status == SessionStatus.ERROR;
        }
    }

    /** A session that is about to be started. */
    static SessionRow starting(
            TenantId tenant,
            DeployedAgent agent,
            SessionSetup setup,
            @Nullable Path project,
            long now) {
        return new SessionRow(
                SessionId.random(),
                tenant,
                agent.id(),
                agent.name(),
                agent.version(),
                SandboxId.random(),
                new Standing(SessionStatus.STARTING, null),
                setup.engine().value(),
                setup.permissionMode(),
                setup.config(),
                null,
                null,
                null,
                now,
                now,
                setup.wall(),
                SessionUsage.NONE,
                project);
    }

    /** Its copy; {@code message} is the engine's last that the copy remembers, null for all. */
    SessionRow copied(SessionId copy, SandboxId folders, @Nullable String message, long now) {
        return new SessionRow(
                copy,
                tenant,
                agentId,
                agentName,
                agentVersion,
                folders,
                new Standing(SessionStatus.STARTING, null),
                engine,
                permissionMode,
                config.forkedAt(message),
                id,
                null,
                null,
                now,
                now,
                wall,
                SessionUsage.NONE,
                project);
    }

    SessionStatus status() {
        return standing.status();
    }

    @Nullable PausedBy pausedBy() {
        return standing.pausedBy();
    }

    /** Where its agent works, as it sees it. */
    Path workingDirectory() {
        return project == null ? WORKSPACE : project;
    }

    Session shown() {
        return new Session(
                id.value(),
                tenant.value(),
                agentName.value(),
                sandbox.value(),
                status().wire(),
                null,
                parent == null ? null : parent.value(),
                Timestamps.iso(createdAt),
                Timestamps.iso(lastActiveAt),
                agentVersion,
                engine,
                config.model(),
                permissionMode,
                isolation,
                error,
                wall.limits(),
                usage,
                workingDirectory().toString(),
                Optional.ofNullable(pausedBy()).map(PausedBy::wire).orElse(null));
    }
}
