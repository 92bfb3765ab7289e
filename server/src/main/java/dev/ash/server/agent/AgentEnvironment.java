package dev.ash.server.agent;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxEnvironment;
import dev.ash.protocol.engine.CloudPlatform;
import java.util.Map;

/** Checks environment variables that clients set for agents and sessions. */
public final class AgentEnvironment {
    /** Rejects names and values that a client may not set; {@code field} is for the error. */
    public static Map<String, String> check(String field, Map<String, String> env) {
        CloudPlatform.rejection(env)
                .ifPresent(
                        why -> {
                            throw ApiException.invalid(field, why);
                        });
        env.forEach(
                (name, value) -> {
                    if (SandboxEnvironment.isModelVariable(name)) {
                        throw ApiException.invalid(
                                field,
                                "\"%s\" cannot be set: sandboxes hold no keys. Store it with POST /api/credentials, and set its id as credentialId of the session"
                                        .formatted(name));
                    }
                    if (!SandboxEnvironment.isSettableByClients(name)) {
                        throw ApiException.invalid(
                                field,
                                "\"%s\" cannot be set; ASH_*, LD_*, PATH, HOME, NODE_OPTIONS and"
                                                .formatted(name)
                                        + " JAVA_TOOL_OPTIONS are reserved for the sandbox");
                    }
                    if (value.indexOf('\0') >= 0) {
                        throw ApiException.invalid(
                                field, "the value of \"%s\" contains a zero byte".formatted(name));
                    }
                });
        return Map.copyOf(env);
    }

    private AgentEnvironment() {}
}
