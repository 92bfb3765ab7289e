package dev.ash.bridge.codex;

import dev.ash.bridge.engine.Engine;
import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.SystemPrompt;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the CLI is started with, and what each of its threads is. */
record CodexLaunch(EngineSetup setup, CodexRules rules) {
    /** How this engine calls the model; no other provider is used whatever a project says. */
    private static final String PROVIDER = "ash";

    /**
     * Off: what calls home or fetches programs, what begins turns by itself, threads within threads
     * (nobody would answer for them), and hooks, which may answer in a person's place.
     */
    private static final List<String> OFF =
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
        refuse("subagents", config.subagents() != null);
        refuse("initialAgent", config.initialAgent() != null);
        refuse("betas", !config.betas().isEmpty());
        return new CodexLaunch(setup, rules);
    }

    private static void refuse(String option, boolean given) throws EngineException {
        if (given) {
            throw new EngineException(
                    option + " is known to the engine claude only; leave it out for codex");
        }
    }

    List<String> command(Path program, ModelEndpoint model) {
        var command = new ArrayList<>(List.of(program.toString(), "app-server"));
        OFF.forEach(feature -> command.addAll(List.of("--disable", feature)));
        if (rules.sees()) {
            // What is typed into a terminal that runs is asked of nobody.
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
                                quoted(model.baseUrl()),
                                quoted(model.keyVariable())));
        // By itself it goes ahead after one second, without the tools of servers that are slower.
        set(command, "mcp_optional_startup_grace_ms", "" + Engine.MCP_PATIENCE.toMillis());
        set(command, "check_for_update_on_startup", "false");
        set(command, "analytics.enabled", "false");
        if (!rules.mayBrowse()) {
            set(command, "web_search", quoted("disabled"));
        }
        if (setup.folders().isProject()) {
            // A copy of the agent has its CLAUDE.md as system prompt already.
            set(command, "project_doc_fallback_filenames", "[\"CLAUDE.md\"]");
        }
        return command;
    }

    /** The parameters of the first call. */
    static RawJson initialize() {
        var json = JsonWriter.object().name("clientInfo").open('{');
        json.put("name", "ash").put("title", "Ash").put("version", "1").close('}');
        json.name("capabilities").open('{').put("experimentalApi", true);
        return json.put("requestAttestation", false).close('}').end();
    }

    private static void set(List<String> command, String key, String value) {
        command.addAll(List.of("-c", key + "=" + value));
    }

    /** A JSON string is one of TOML too. */
    private static String quoted(String text) {
        return RawJson.string(text).toString();
    }

    /**
     * For a new thread, one to go on with, or a fork. It begins with reading only, because a thread
     * that may write marks its project as trusted, whose rules would then let commands pass; {@link
     * #turn} opens what our own wall has already closed.
     */
    JsonWriter thread(@Nullable String model) throws EngineException {
        var json = JsonWriter.object().put("cwd", setup.folders().workspace().toString());
        json.put("model", model).put("modelProvider", PROVIDER);
        json.put("approvalPolicy", approvalPolicy()).put("approvalsReviewer", "user");
        json.put("sandbox", "read-only");
        json.name("config").open('{');
        json.put("mcp_servers", McpServers.of(setup, rules.sees())).close('}');
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
        return rules.sees() ? "untrusted" : "never";
    }
}
