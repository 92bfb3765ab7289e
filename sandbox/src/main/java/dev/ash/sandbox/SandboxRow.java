package dev.ash.sandbox;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The stored properties of a sandbox, except its state.
 *
 * @param session absent for an unclaimed warm sandbox
 * @param nonce nonce of the launch that is about to begin
 */
public record SandboxRow(
        SandboxId id,
        TenantId tenant,
        @Nullable SessionId session,
        AgentName agent,
        Path workspaceDir,
        String nonce) {}
