package dev.ash.protocol.rest;

import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.SessionStatus;
import org.jspecify.annotations.Nullable;

/**
 * A session as clients see it.
 *
 * @param workingDirectory the working directory of the agent, as a path in the sandbox
 * @param pausedBy {@code client} if it needs a resume, {@code server} if its next message wakes it;
 *     absent unless it is paused or stopped
 */
public record Session(
        String id,
        String tenantId,
        String agentName,
        String sandboxId,
        @FieldSchema(of = SessionStatus.class) String status,
        @Nullable String runnerId,
        @Nullable String parentSessionId,
        String createdAt,
        String lastActiveAt,
        int agentVersion,
        @Nullable String engine,
        @Nullable String model,
        @FieldSchema(of = PermissionMode.class) String permissionMode,
        @Nullable Isolation isolation,
        @Nullable String error,
        @Nullable ResourceLimits limits,
        @Nullable SessionUsage usage,
        @Nullable String workingDirectory,
        @FieldSchema(values = {"client", "server"}) @Nullable String pausedBy) {}
