package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds the request that creates a session; agent and server have defaults for unset values. */
public final class CreateSessionBuilder {
    private String agent;
    private @Nullable Map<String, String> extraEnv;
    private @Nullable String engine;
    private @Nullable String model;
    private @Nullable String systemPrompt;
    private @Nullable String permissionMode;
    private @Nullable RawJson mcpServers;
    private @Nullable List<String> allowedTools;
    private @Nullable List<String> disallowedTools;
    private @Nullable List<String> betas;
    private @Nullable RawJson subagents;
    private @Nullable String initialAgent;
    private @Nullable String credentialId;
    private @Nullable ResourceLimits limits;
    private @Nullable RawJson network;
    private @Nullable Double maxBudgetUsd;
    private @Nullable Long maxTokens;
    private @Nullable String workingDirectory;

    CreateSessionBuilder(String agent) {
        this.agent = agent;
    }

    CreateSessionBuilder(SessionApi.CreateSession request) {
        this.agent = request.agent();
        this.extraEnv = request.extraEnv();
        this.engine = request.engine();
        this.model = request.model();
        this.systemPrompt = request.systemPrompt();
        this.permissionMode = request.permissionMode();
        this.mcpServers = request.mcpServers();
        this.allowedTools = request.allowedTools();
        this.disallowedTools = request.disallowedTools();
        this.betas = request.betas();
        this.subagents = request.subagents();
        this.initialAgent = request.initialAgent();
        this.credentialId = request.credentialId();
        this.limits = request.limits();
        this.network = request.network();
        this.maxBudgetUsd = request.maxBudgetUsd();
        this.maxTokens = request.maxTokens();
        this.workingDirectory = request.workingDirectory();
    }

    public CreateSessionBuilder agent(String value) {
        this.agent = value;
        return this;
    }

    public CreateSessionBuilder extraEnv(@Nullable Map<String, String> value) {
        this.extraEnv = value;
        return this;
    }

    public CreateSessionBuilder engine(@Nullable String value) {
        this.engine = value;
        return this;
    }

    public CreateSessionBuilder model(@Nullable String value) {
        this.model = value;
        return this;
    }

    public CreateSessionBuilder systemPrompt(@Nullable String value) {
        this.systemPrompt = value;
        return this;
    }

    public CreateSessionBuilder permissionMode(@Nullable String value) {
        this.permissionMode = value;
        return this;
    }

    public CreateSessionBuilder mcpServers(@Nullable RawJson value) {
        this.mcpServers = value;
        return this;
    }

    public CreateSessionBuilder allowedTools(@Nullable List<String> value) {
        this.allowedTools = value;
        return this;
    }

    public CreateSessionBuilder disallowedTools(@Nullable List<String> value) {
        this.disallowedTools = value;
        return this;
    }

    public CreateSessionBuilder betas(@Nullable List<String> value) {
        this.betas = value;
        return this;
    }

    public CreateSessionBuilder subagents(@Nullable RawJson value) {
        this.subagents = value;
        return this;
    }

    public CreateSessionBuilder initialAgent(@Nullable String value) {
        this.initialAgent = value;
        return this;
    }

    public CreateSessionBuilder credentialId(@Nullable String value) {
        this.credentialId = value;
        return this;
    }

    public CreateSessionBuilder limits(@Nullable ResourceLimits value) {
        this.limits = value;
        return this;
    }

    public CreateSessionBuilder network(@Nullable RawJson value) {
        this.network = value;
        return this;
    }

    public CreateSessionBuilder maxBudgetUsd(@Nullable Double value) {
        this.maxBudgetUsd = value;
        return this;
    }

    public CreateSessionBuilder maxTokens(@Nullable Long value) {
        this.maxTokens = value;
        return this;
    }

    public CreateSessionBuilder workingDirectory(@Nullable String value) {
        this.workingDirectory = value;
        return this;
    }

    public SessionApi.CreateSession build() {
        return new SessionApi.CreateSession(
                agent,
                extraEnv,
                engine,
                model,
                systemPrompt,
                permissionMode,
                mcpServers,
                allowedTools,
                disallowedTools,
                betas,
                subagents,
                initialAgent,
                credentialId,
                limits,
                network,
                maxBudgetUsd,
                maxTokens,
                workingDirectory);
    }
}
