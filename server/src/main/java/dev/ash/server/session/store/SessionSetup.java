package dev.ash.server.session.store;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.agent.AgentEnvironment;
import dev.ash.server.agent.AgentSettings;
import dev.ash.server.agent.DeployedAgent;
import dev.ash.server.isolation.IsolationPolicy;
import dev.ash.server.isolation.IsolationRequest;
import dev.ash.server.isolation.IsolationRules;
import dev.ash.server.isolation.NetworkRequest;
import dev.ash.server.session.engine.Engines;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The settings of a new session: from the request, or else the agent, or else the server. */
public record SessionSetup(
        EngineName engine, String permissionMode, EngineConfig config, IsolationPolicy policy) {
    private static final int MAX_NAME = 255;
    private static final int MAX_TOOLS = 1000;

    public static SessionSetup of(
            SessionApi.CreateSession request,
            DeployedAgent agent,
            Engines engines,
            IsolationRules rules) {
        var settings = AgentSettings.of(agent);
        var policy = rules.decide(isolationRequest(request), settings.isolation());
        var engine =
                engines.choose(
                        Optional.ofNullable(request.engine()),
                        settings.engine(),
                        policy.credentialId() != null);
        var permissionMode =
                permissionMode(
                        Optional.ofNullable(request.permissionMode())
                                .or(settings::permissionMode)
                                .orElse(
                                        settings.hasPermissionRules()
                                                ? PermissionMode.PERMISSIONS_BY_AGENT.wire()
                                                : PermissionMode.BYPASS_PERMISSIONS.wire()));
        var env = new HashMap<>(agent.env());
        if (request.extraEnv() != null) {
            env.putAll(AgentEnvironment.check("extraEnv", request.extraEnv()));
        }
        var config =
                new EngineConfig(
                        engine.value(),
                        Optional.ofNullable(checkModel(request.model()))
                                .or(settings::model)
                                .orElse(null),
                        checkLength(
                                "systemPrompt",
                                request.systemPrompt(),
                                Limits.MAX_SYSTEM_PROMPT_CHARS),
                        settings.systemPromptMode().orElse(null),
                        permissionMode,
                        checkObject("mcpServers", request.mcpServers()),
                        checkObject("subagents", request.subagents()),
                        checkLength("initialAgent", request.initialAgent(), MAX_NAME),
                        checkNames("allowedTools", request.allowedTools()),
                        checkNames("disallowedTools", request.disallowedTools()),
                        checkNames("betas", request.betas()),
                        env,
                        null);
        return new SessionSetup(engine, permissionMode, config, policy);
    }

    public SessionSetup withReadOnly(boolean readOnly) {
        return new SessionSetup(engine, permissionMode, config, policy.withReadOnly(readOnly));
    }

    SessionSetup withConfig(EngineConfig other) {
        return new SessionSetup(engine, permissionMode, other, policy);
    }

    private static IsolationRequest isolationRequest(SessionApi.CreateSession request) {
        return new IsolationRequest(
                request.limits() == null ? ResourceLimits.UNSET : request.limits(),
                request.network() == null
                        ? null
                        : NetworkRequest.parse("network", request.network()),
                checkLength("credentialId", request.credentialId(), MAX_NAME),
                request.maxBudgetUsd(),
                request.maxTokens(),
                request.network() == null
                        ? null
                        : NetworkRequest.providerTools("network", request.network()));
    }

    /** Returns the configuration with the values of the request. */
    public static EngineConfig update(EngineConfig config, SessionApi.UpdateConfig change) {
        return new EngineConfig(
                config.engine(),
                change.model() == null ? config.model() : checkModel(change.model()),
                config.systemPrompt(),
                config.systemPromptMode(),
                change.permissionMode() == null
                        ? config.permissionMode()
                        : permissionMode(change.permissionMode()),
                config.mcpServers(),
                change.subagents() == null
                        ? config.subagents()
                        : checkObject("subagents", change.subagents()),
                change.initialAgent() == null
                        ? config.initialAgent()
                        : checkLength("initialAgent", change.initialAgent(), MAX_NAME),
                change.allowedTools() == null
                        ? config.allowedTools()
                        : checkNames("allowedTools", change.allowedTools()),
                change.disallowedTools() == null
                        ? config.disallowedTools()
                        : checkNames("disallowedTools", change.disallowedTools()),
                change.betas() == null ? config.betas() : checkNames("betas", change.betas()),
                config.env(),
                config.forkAt());
    }

    /** Returns the isolation policy with the budget of the request. */
    public static IsolationPolicy update(SessionRow row, SessionApi.UpdateConfig change) {
        return row.policy()
                .withBudget(
                        IsolationRules.positive("maxBudgetUsd", change.maxBudgetUsd()),
                        IsolationRules.positive("maxTokens", change.maxTokens()));
    }

    public static @Nullable String checkModel(@Nullable String model) {
        return checkLength("model", model, 100);
    }

    private static String permissionMode(String mode) {
        return PermissionMode.ofWire(mode).wire();
    }

    private static @Nullable String checkLength(String field, @Nullable String value, int max) {
        if (value != null && value.length() > max) {
            throw ApiException.invalid(field, "must have at most %,d characters".formatted(max));
        }
        return value;
    }

    private static List<String> checkNames(String field, @Nullable List<String> names) {
        if (names == null) {
            return List.of();
        }
        if (names.size() > MAX_TOOLS) {
            throw ApiException.invalid(field, "must have at most %,d entries".formatted(MAX_TOOLS));
        }
        names.forEach(name -> checkLength(field, name, MAX_NAME));
        return names;
    }

    private static @Nullable RawJson checkObject(String field, @Nullable RawJson value) {
        if (value == null) {
            return null;
        }
        try {
            JsonObject.parse(value);
            return value;
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(field, "must be a JSON object");
        }
    }
}
