package dev.ash.sandbox;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What is kept about a sandbox, beside its state.
 *
 * @param session absent for a warm one, which nobody has claimed yet
 * @param nonce of the launch that is about to begin
 */
public record SandboxRow(
        SandboxId id,
        TenantId tenant,
        @Nullable SessionId session,
        AgentName agent,
        Path workspaceDir,
        String nonce) {}
