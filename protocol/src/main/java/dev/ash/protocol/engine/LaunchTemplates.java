package dev.ash.protocol.engine;

import dev.ash.protocol.engine.EngineProfile.Launch;
import dev.ash.protocol.engine.EngineProfile.PromptInput;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the built-in engines of the drivers {@link EngineDriver#ACP} and {@link EngineDriver#COMMAND}
 * are started, with each provider whose API they can call. The templates contain only addresses
 * inside the sandbox and its placeholder for the key. Initialized at the start of every bridge,
 * therefore without concatenation at run time.
 */
final class LaunchTemplates {
    /** The default models of engines that do not choose one. */
    private static final String CLAUDE_MODEL = "claude-sonnet-5-5";

    private static final String GPT_MODEL = "gpt-6.1-sol";

    /** Asks before every tool that does more than read; the bridge decides who answers. */
    private static final String OPENCODE_RULES =
            """
            "permission":{"*":"ask","read":"allow","list":"allow","glob":"allow","grep":"allow",\
            "todowrite":"allow","todoread":"allow"},\
            "autoupdate":false,"share":"disabled","instructions":["{workspace}/AGENTS.md"],""";

    /**
     * OpenCode must not connect to other hosts, and not use the configuration of a repository,
     * whose plugins it would run without a question and whose rules could replace ours.
     */
    private static Launch opencode(String model, String config) {
        return new Launch(
                List.of("acp"),
                Map.of(
                        "OPENCODE_CONFIG_CONTENT", config,
                        "OPENCODE_DISABLE_AUTOUPDATE", "1",
                        "OPENCODE_DISABLE_MODELS_FETCH", "1",
                        "OPENCODE_DISABLE_LSP_DOWNLOAD", "1",
                        "OPENCODE_DISABLE_PROJECT_CONFIG", "1",
                        "OPENCODE_DISABLE_CLAUDE_CODE", "1",
                        "OPENCODE_PURE", "1"),
                PromptInput.STDIN,
                model);
    }

    static final Launch OPENCODE_ANTHROPIC =
            opencode(
                    CLAUDE_MODEL,
                    """
                    {"model":"anthropic/{model}","small_model":"anthropic/{model}",\
                    """
                            + OPENCODE_RULES
                            + """
                            "provider":{"anthropic":{\
                            "options":{"baseURL":"{model.url}/v1","apiKey":"{model.key}"},\
                            "models":{"{model}":{}}}}}""");

    static final Launch OPENCODE_OPENAI =
            opencode(
                    GPT_MODEL,
                    """
                    {"model":"ash/{model}","small_model":"ash/{model}",\
                    """
                            + OPENCODE_RULES
                            + """
                            "provider":{"ash":{"npm":"@ai-sdk/openai-compatible","name":"Ash",\
                            "options":{"baseURL":"{model.url}/v1","apiKey":"{model.key}"},\
                            "models":{"{model}":{}}}}}""");

    static final Launch GOOSE_OPENAI =
            new Launch(
                    List.of("acp"),
                    Map.of(
                            "GOOSE_PROVIDER", "openai",
                            "OPENAI_HOST", "{model.url}",
                            "OPENAI_BASE_PATH", "v1/chat/completions",
                            "OPENAI_API_KEY", "{model.key}",
                            "GOOSE_MODEL", "{model}",
                            "GOOSE_MODE", "approve",
                            "GOOSE_DISABLE_KEYRING", "1",
                            "GOOSE_TELEMETRY_ENABLED", "false"),
                    PromptInput.STDIN,
                    GPT_MODEL);

    static final Launch GOOSE_ANTHROPIC =
            new Launch(
                    List.of("acp"),
                    Map.of(
                            "GOOSE_PROVIDER", "anthropic",
                            "ANTHROPIC_HOST", "{model.url}",
                            "ANTHROPIC_API_KEY", "{model.key}",
                            "GOOSE_MODEL", "{model}",
                            "GOOSE_MODE", "approve",
                            "GOOSE_DISABLE_KEYRING", "1",
                            "GOOSE_TELEMETRY_ENABLED", "false"),
                    PromptInput.STDIN,
                    CLAUDE_MODEL);

    /**
     * Runs in one process; by default, the program starts itself again as a child. It uses MCP
     * servers only in a trusted directory, and there also the settings of the repository, which it
     * would follow without a question. So a repository with such settings is not trusted.
     */
    static final Launch GEMINI_GOOGLE =
            new Launch(
                    List.of("--acp"),
                    Map.of(
                            "GOOGLE_GEMINI_BASE_URL", "{model.url}",
                            "GEMINI_API_KEY", "{model.key}",
                            "GEMINI_MODEL", "{model}",
                            "GEMINI_DEFAULT_AUTH_TYPE", "gemini-api-key",
                            "GEMINI_CLI_TRUST_WORKSPACE", "{absent:.gemini}",
                            "GEMINI_CLI_NO_RELAUNCH", "true",
                            "GEMINI_TELEMETRY_ENABLED", "false"),
                    PromptInput.STDIN,
                    "");

    private static final List<String> AIDER =
            List.of(
                    "--yes-always",
                    "--no-pretty",
                    "--no-fancy-input",
                    "--no-check-update",
                    "--no-show-release-notes",
                    "--no-show-model-warnings",
                    "--no-auto-commits",
                    "--no-gitignore",
                    "--message");

    static final Launch AIDER_ANTHROPIC =
            new Launch(
                    AIDER,
                    Map.of(
                            "AIDER_MODEL", "anthropic/{model}",
                            "ANTHROPIC_API_BASE", "{model.url}",
                            "ANTHROPIC_API_KEY", "{model.key}"),
                    PromptInput.ARGUMENT,
                    CLAUDE_MODEL);

    static final Launch AIDER_OPENAI =
            new Launch(
                    AIDER,
                    Map.of(
                            "AIDER_MODEL", "openai/{model}",
                            "OPENAI_API_BASE", "{model.url}/v1",
                            "OPENAI_API_KEY", "{model.key}"),
                    PromptInput.ARGUMENT,
                    GPT_MODEL);

    static final Launch QWEN_OPENAI =
            new Launch(
                    List.of("--acp"),
                    Map.of(
                            "OPENAI_BASE_URL", "{model.url}/v1",
                            "OPENAI_API_KEY", "{model.key}",
                            "OPENAI_MODEL", "{model}",
                            "GEMINI_CLI_NO_RELAUNCH", "true"),
                    PromptInput.STDIN,
                    "qwen3-coder-plus");

    static final Launch COPILOT_ANTHROPIC =
            new Launch(
                    List.of("--acp"),
                    Map.of(
                            "COPILOT_PROVIDER_TYPE", "anthropic",
                            "COPILOT_PROVIDER_BASE_URL", "{model.url}",
                            "COPILOT_PROVIDER_API_KEY", "{model.key}",
                            "COPILOT_MODEL", "{model}",
                            "COPILOT_OFFLINE", "true"),
                    PromptInput.STDIN,
                    CLAUDE_MODEL);

    static final Launch CLINE_ANTHROPIC =
            new Launch(
                    List.of("--acp"),
                    Map.of(
                            "CLINE_PROVIDER", "anthropic",
                            "CLINE_API_KEY", "{model.key}",
                            "CLINE_MODEL", "{model}",
                            "ANTHROPIC_BASE_URL", "{model.url}"),
                    PromptInput.STDIN,
                    CLAUDE_MODEL);

    /** Returns the launch of a built-in engine with a provider; empty if there is none. */
    static Optional<Launch> find(EngineProfile engine, ModelProvider provider) {
        if (engine.provider() == provider) {
            return Optional.of(engine.launch());
        }
        return switch (engine.name().value()) {
            case "opencode" -> only(provider, ModelProvider.OPENAI, OPENCODE_OPENAI);
            case "goose" -> only(provider, ModelProvider.ANTHROPIC, GOOSE_ANTHROPIC);
            case "aider" -> only(provider, ModelProvider.OPENAI, AIDER_OPENAI);
            default -> Optional.empty();
        };
    }

    private static Optional<Launch> only(
            ModelProvider requested, ModelProvider provided, Launch launch) {
        return requested == provided ? Optional.of(launch) : Optional.empty();
    }

    private LaunchTemplates() {}
}
