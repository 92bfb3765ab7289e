package dev.ash.protocol.bridge;

import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The engine configuration of a session; absent values are left to the engine or the agent's files.
 *
 * @param forkAt for a session whose home is a copy of another's: the engine's message after which
 *     the copied conversation is truncated; null to keep all of it
 */
public record EngineConfig(
        @Nullable String engine,
        @Nullable String model,
        @Nullable String systemPrompt,
        @Nullable String systemPromptMode,
        @Nullable String permissionMode,
        @Nullable RawJson mcpServers,
        @Nullable RawJson subagents,
        @Nullable String initialAgent,
        List<String> allowedTools,
        List<String> disallowedTools,
        List<String> betas,
        Map<String, String> env,
        @Nullable String forkAt) {

    public static final EngineConfig NONE =
            new EngineConfig(
                    null, null, null, null, null, null, null, null, List.of(), List.of(), List.of(),
                    Map.of(), null);

    /** Returns a copy that also disallows this tool. */
    public EngineConfig withDisallowedTool(String tool) {
        if (disallowedTools.contains(tool)) {
            return this;
        }
        var disallowed = new ArrayList<>(disallowedTools);
        disallowed.add(tool);
        return new EngineConfig(
                engine,
                model,
                systemPrompt,
                systemPromptMode,
                permissionMode,
                mcpServers,
                subagents,
                initialAgent,
                allowedTools,
                disallowed,
                betas,
                env,
                forkAt);
    }

    /** Returns a copy for a fork of the session. */
    public EngineConfig withForkAt(@Nullable String message) {
        return new EngineConfig(
                engine,
                model,
                systemPrompt,
                systemPromptMode,
                permissionMode,
                mcpServers,
                subagents,
                initialAgent,
                allowedTools,
                disallowedTools,
                betas,
                env,
                message);
    }

    public EngineConfig {
        allowedTools = List.copyOf(allowedTools);
        disallowedTools = List.copyOf(disallowedTools);
        betas = List.copyOf(betas);
        env = Map.copyOf(env);
    }
}
