package dev.ash.bridge.codex;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.ModelEndpoint;
import dev.ash.bridge.engine.SystemPrompt;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The command line of the CLI, and the parameters of its threads and turns. */
record CodexLaunch(EngineSetup setup, CodexRules rules) {
    /** The only provider that this engine uses, regardless of the settings of a project. */
    private static final String PROVIDER = "ash";

    /**
     * Features that send telemetry, download programs, start turns without a prompt, or create
     * nested threads, whose questions nobody could answer; and hooks, which could answer questions
     * instead of a person.
     */
    private static final List<String> DISABLED_FEATURES =
            List.of(
                    "plugins",
                    "remote_plugin",
                    "apps",
                    "hooks",
                    "goals",
                    "multi_agent",
                    "image_generation",
                    "browser_use",
                    "computer_use",
                    "skill_mcp_dependency_install",
                    "tool_suggest",
                    "enable_request_compression",
                    "shell_snapshot");

    static CodexLaunch of(EngineSetup setup, CodexRules rules) throws EngineException {
        var config = setup.config();
        rejectUnsupported("subagents", config.subagents() != null);
        rejectUnsupported("initialAgent", config.initialAgent() != null);
        rejectUnsupported("betas", !config.betas().isEmpty());
        return new CodexLaunch(setup, rules);
    }

    private static void rejectUnsupported(String option, boolean given) throws EngineException {
        if (given) {
            throw new EngineException(
                    option + " is only supported by the engine claude; omit it for codex");
        }
    }

    List<String> command(Path program, ModelEndpoint model) {
        var command = new ArrayList<>(List.of(program.toString(), "app-server"));
        DISABLED_FEATURES.forEach(feature -> command.addAll(List.of("--disable", feature)));
        if (rules.reviewsCalls()) {
            // The CLI does not ask before it types into a running terminal.
            command.addAll(List.of("--disable", "unified_exec_tty"));
        }
        if (rules.permissions() == PermissionMode.ASK) {
            command.addAll(List.of("--enable", "default_mode_request_user_input"));
        }
        set(command, "model_provider", quoted(PROVIDER));
        set(
                command,
                "model_providers." + PROVIDER,
                "{name=%s,base_url=%s,env_key=%s,wire_api=\"responses\"}"
                        .formatted(
                                quoted("Ash"),
                                quoted(model.openAiUrl()),
                                quoted(model.keyVariable())));
        // By default the CLI continues after one second without the tools of slower servers.
        set(command, "mcp_optional_startup_grace_ms", "" + Engine.MCP_STARTUP_TIMEOUT.toMillis());
        set(command, "check_for_update_on_startup", "false");
        set(command, "analytics.enabled", "false");
        if (!rules.allowsWebSearch()) {
            set(command, "web_search", quoted("disabled"));
        }
        if (setup.directories().isProject()) {
            // In a copy of the agent, its CLAUDE.md is already the system prompt.
            set(command, "project_doc_fallback_filenames", "[\"CLAUDE.md\"]");
        }
        return command;
    }

    /** Returns the parameters of the {@code initialize} call. */
    static RawJson initialize() {
        var json = JsonWriter.object().name("clientInfo").open('{');
        json.put("name", "ash").put("title", "Ash").put("version", "1").close('}');
        json.name("capabilities").open('{').put("experimentalApi", true);
        return json.put("requestAttestation", false).close('}').end();
    }

    private static void set(List<String> command, String key, String value) {
        command.addAll(List.of("-c", key + "=" + value));
    }

    /** A JSON string is also a valid TOML string. */
    private static String quoted(String text) {
        return RawJson.string(text).toString();
    }

    /**
     * Returns the parameters of a new, resumed or forked thread. The thread starts read-only,
     * because a thread with write access marks its project as trusted, whose rules would then allow
     * commands. {@link #turn} grants full access, because the sandbox of Ash provides the
     * isolation.
     */
    JsonWriter thread(@Nullable String model) throws EngineException {
        var json = JsonWriter.object().put("cwd", setup.directories().workspace().toString());
        json.put("model", model).put("modelProvider", PROVIDER);
        json.put("approvalPolicy", approvalPolicy()).put("approvalsReviewer", "user");
        json.put("sandbox", "read-only");
        json.name("config").open('{');
        json.put("mcp_servers", McpServers.of(setup, rules.reviewsCalls())).close('}');
        var prompt = SystemPrompt.of(setup);
        if (prompt.isPresent()) {
            switch (prompt.get().mode()) {
                case APPEND -> json.put("developerInstructions", prompt.get().text());
                case REPLACE -> json.put("baseInstructions", prompt.get().text());
            }
        }
        return json;
    }

    JsonWriter turn(String threadId) {
        var json = JsonWriter.object().put("threadId", threadId);
        json.put("approvalPolicy", approvalPolicy());
        return json.put("sandboxPolicy", RawJson.of("{\"type\":\"dangerFullAccess\"}"));
    }

    private String approvalPolicy() {
        return rules.reviewsCalls() ? "untrusted" : "never";
    }
}
