package dev.ash.sandbox;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.nio.file.Path;

/** What is kept about a sandbox, beside its state. */
public record SandboxRow(
        SandboxId id, TenantId tenant, SessionId session, AgentName agent, Path workspaceDir) {}
