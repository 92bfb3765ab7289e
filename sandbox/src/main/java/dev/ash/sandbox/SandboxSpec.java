package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.rest.ResourceLimits;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Describes a sandbox to start. Holds plain values only, so that it can be sent to another machine;
 * the runner there resolves the names with {@link HostPaths}.
 *
 * @param session absent for an unclaimed warm sandbox
 * @param ashEnvironment variables that the server sets in this sandbox, such as {@code ASH_ENGINE}
 * @param limits resource limits; absent ones get the default
 * @param project directory of the host to use in place of a workspace
 * @param readOnly whether the working directory is read-only
 * @param nonce identifies this launch and authenticates its bridge: random, secret, and used once;
 *     created by {@link LaunchIds#random}
 */
public record SandboxSpec(
        SandboxId id,
        @Nullable SessionId session,
        AgentVersion agent,
        Map<String, String> ashEnvironment,
        ResourceLimits limits,
        Network network,
        @Nullable ProjectRef project,
        boolean readOnly,
        String nonce) {
    private static final Pattern NONCE = Pattern.compile("[A-Za-z0-9_-]{16,128}");

    /** Describes a sandbox with its own workspace. */
    public SandboxSpec(
            SandboxId id,
            @Nullable SessionId session,
            AgentVersion agent,
            Map<String, String> ashEnvironment,
            ResourceLimits limits,
            Network network,
            String nonce) {
        this(id, session, agent, ashEnvironment, limits, network, null, false, nonce);
    }

    public SandboxSpec {
        if (!NONCE.matcher(nonce).matches()) {
            throw ApiException.invalid(
                    "nonce", "must have 16 to 128 characters: letters, digits, '-' and '_'");
        }
        ashEnvironment = Map.copyOf(ashEnvironment);
        limits = limits.or(ResourceLimits.DEFAULT);
    }

    /** Omits the nonce, which must not appear in logs. */
    @Override
    public String toString() {
        return "SandboxSpec[id=%s, agent=%s]".formatted(id, agent.name());
    }
}
