package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.rest.ResourceLimits;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which sandbox to start, and for whom. Holds plain values only, so that it can be sent to another
 * machine; its runner resolves what it names by {@link HostPaths}.
 *
 * @param session absent for a warm one, which nobody has claimed yet
 * @param ashEnvironment variables that the server sets in this sandbox, such as {@code ASH_ENGINE}
 * @param limits every one of them decided; what is still absent is the default
 * @param project where it works instead of in a workspace of its own
 * @param readOnly whether it can only read where it works
 * @param nonce names this launch and identifies its bridge: random, kept secret, and never used for
 *     another launch; {@link LaunchIds#random} makes one
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

    /** With a workspace of its own. */
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

    /** Without the nonce, which no log may show. */
    @Override
    public String toString() {
        return "SandboxSpec[id=%s, agent=%s]".formatted(id, agent.name());
    }
}
