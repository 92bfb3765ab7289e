package dev.ash.server.session.store;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.rest.Isolation;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionUsage;
import dev.ash.sandbox.AgentVersion;
import dev.ash.server.agent.DeployedAgent;
import dev.ash.server.isolation.IsolationPolicy;
import dev.ash.server.store.Timestamps;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A stored session, with the configuration for a new bridge.
 *
 * @param parent the session that it is a fork of
 * @param project the directory of the host that it works in; null for a workspace of its own
 */
public record SessionRow(
        SessionId id,
        TenantId tenant,
        AgentVersion agent,
        SessionSetup setup,
        SandboxId sandbox,
        StatusDetails statusDetails,
        @Nullable SessionId parent,
        @Nullable Isolation isolation,
        Times times,
        SessionUsage usage,
        @Nullable Path project) {

    /** The working directory of an agent that has a workspace of its own, as it sees it. */
    static final Path WORKSPACE = Path.of("/workspace");

    /** In milliseconds since the epoch. */
    record Times(long createdAt, long lastActiveAt) {}

    /** Only a session that was paused by the server wakes on its next message. */
    enum PausedBy {
        CLIENT,
        SERVER;

        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The status of a session.
     *
     * @param error the reason of the status {@code error}
     */
    public record StatusDetails(
            SessionStatus status, @Nullable PausedBy pausedBy, @Nullable String error) {
        static final StatusDetails STARTING = new StatusDetails(SessionStatus.STARTING, null, null);

        /** Whether it is active or paused by the server, so that the next message wakes it. */
        public boolean wakesOnMessage() {
            return status == SessionStatus.ACTIVE
                    || (status == SessionStatus.PAUSED && pausedBy == PausedBy.SERVER);
        }

        /** Whether a message needs no {@code resume} first: a failed session resumes with it. */
        public boolean acceptsMessages() {
            return wakesOnMessage() || status == SessionStatus.ERROR;
        }
    }

    /** Returns a new session that is about to be started. */
    public static SessionRow starting(
            TenantId tenant,
            DeployedAgent agent,
            SessionSetup setup,
            @Nullable Path project,
            long now) {
        return new SessionRow(
                SessionId.random(),
                tenant,
                new AgentVersion(agent.id(), agent.name(), agent.version()),
                setup,
                SandboxId.random(),
                StatusDetails.STARTING,
                null,
                null,
                new Times(now, now),
                SessionUsage.NONE,
                project);
    }

    /** Returns a fork; {@code message} is the last engine message to keep, null for all. */
    public SessionRow fork(
            SessionId copy, SandboxId copySandbox, @Nullable String message, long now) {
        return new SessionRow(
                copy,
                tenant,
                agent,
                setup.withConfig(config().withForkAt(message)),
                copySandbox,
                StatusDetails.STARTING,
                id,
                null,
                new Times(now, now),
                SessionUsage.NONE,
                project);
    }

    public SessionStatus status() {
        return statusDetails.status();
    }

    public @Nullable String error() {
        return statusDetails.error();
    }

    AgentName agentName() {
        return agent.name();
    }

    public String engine() {
        return setup.engine().value();
    }

    public String permissionMode() {
        return setup.permissionMode();
    }

    public EngineConfig config() {
        return setup.config();
    }

    public IsolationPolicy policy() {
        return setup.policy();
    }

    /** The working directory of its agent, as the agent sees it. */
    public Path workingDirectory() {
        return project == null ? WORKSPACE : project;
    }

    public Session toApi() {
        return new Session(
                id.value(),
                tenant.value(),
                agent.name().value(),
                sandbox.value(),
                status().wire(),
                null,
                parent == null ? null : parent.value(),
                Timestamps.iso(times.createdAt()),
                Timestamps.iso(times.lastActiveAt()),
                agent.version(),
                engine(),
                config().model(),
                permissionMode(),
                isolation,
                error(),
                policy().limits(),
                usage,
                workingDirectory().toString(),
                Optional.ofNullable(statusDetails.pausedBy()).map(PausedBy::wire).orElse(null));
    }
}
