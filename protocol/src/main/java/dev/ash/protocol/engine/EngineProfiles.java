package dev.ash.protocol.engine;

import static dev.ash.protocol.engine.EngineCapability.APPROVALS;
import static dev.ash.protocol.engine.EngineCapability.BUDGET;
import static dev.ash.protocol.engine.EngineCapability.DEFER;
import static dev.ash.protocol.engine.EngineCapability.FORK;
import static dev.ash.protocol.engine.EngineCapability.INTERRUPT;
import static dev.ash.protocol.engine.EngineCapability.MCP;
import static dev.ash.protocol.engine.EngineCapability.MODIFIED_INPUT;
import static dev.ash.protocol.engine.EngineCapability.OUTPUT_FORMAT;
import static dev.ash.protocol.engine.EngineCapability.PERMISSION_RULES;
import static dev.ash.protocol.engine.EngineCapability.QUESTIONS;
import static dev.ash.protocol.engine.EngineCapability.RESUME;
import static dev.ash.protocol.engine.EngineCapability.STEER;
import static dev.ash.protocol.engine.EngineCapability.STREAM;
import static dev.ash.protocol.engine.EngineCapability.SYSTEM_PROMPT;
import static dev.ash.protocol.engine.EngineCapability.TOOLS;

import dev.ash.protocol.engine.EngineProfile.Launch;
import dev.ash.protocol.engine.EngineProfile.Launcher;
import dev.ash.protocol.engine.EngineProfile.Program;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The built-in engines. A new ACP engine or command needs only an entry here, or one in the
 * operator's configuration ({@link EngineTable#of}). An engine whose program has no version was not
 * tested with Ash.
 */
public final class EngineProfiles {
    /** What every engine with the driver {@link EngineDriver#ACP} can do. */
    static final Set<EngineCapability> ACP =
            Set.of(
                    STREAM,
                    TOOLS,
                    APPROVALS,
                    INTERRUPT,
                    MCP,
                    BUDGET,
                    PERMISSION_RULES,
                    SYSTEM_PROMPT);

    /** What every engine with the driver {@link EngineDriver#COMMAND} can do. */
    static final Set<EngineCapability> COMMAND = Set.of(INTERRUPT, BUDGET, SYSTEM_PROMPT);

    private static final Set<EngineCapability> RESUMABLE_ACP =
            Set.of(
                    STREAM,
                    TOOLS,
                    APPROVALS,
                    INTERRUPT,
                    RESUME,
                    FORK,
                    MCP,
                    BUDGET,
                    PERMISSION_RULES,
                    SYSTEM_PROMPT);

    public static final EngineProfile CLAUDE =
            new EngineProfile(
                    new EngineName("claude"),
                    "claude-code",
                    List.of(),
                    "Claude Code",
                    EngineDriver.CLAUDE,
                    Optional.of(
                            Program.npm(
                                    "claude",
                                    "CLAUDE_CODE_EXECUTABLE",
                                    "@anthropic-ai/claude-code",
                                    "2.1.197",
                                    "/opt/engine",
                                    Optional.of(
                                            new Launcher(
                                                    "@anthropic-ai/claude-code-*", "claude")))),
                    ModelProvider.ANTHROPIC,
                    Launch.NONE,
                    EnumSet.complementOf(EnumSet.of(STEER)),
                    Map.of(
                            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1",
                            "CLAUDE_CODE_ENTRYPOINT", "sdk-java"));

    public static final EngineProfile CODEX =
            new EngineProfile(
                    new EngineName("codex"),
                    "codex",
                    List.of(),
                    "Codex",
                    EngineDriver.CODEX,
                    Optional.of(
                            Program.npm(
                                    "codex",
                                    "CODEX_EXECUTABLE",
                                    "@openai/codex",
                                    "0.166.0",
                                    "/opt/codex",
                                    Optional.of(
                                            new Launcher(
                                                    "@openai/codex-*", "vendor/*/bin/codex")))),
                    ModelProvider.OPENAI,
                    Launch.NONE,
                    Set.of(
                            STREAM,
                            TOOLS,
                            APPROVALS,
                            QUESTIONS,
                            INTERRUPT,
                            STEER,
                            RESUME,
                            FORK,
                            MCP,
                            BUDGET,
                            PERMISSION_RULES,
                            OUTPUT_FORMAT,
                            SYSTEM_PROMPT),
                    Map.of());

    public static final EngineProfile OPENCODE =
            new EngineProfile(
                    new EngineName("opencode"),
                    "opencode",
                    List.of(),
                    "OpenCode",
                    EngineDriver.ACP,
                    Optional.of(
                            Program.npm(
                                    "opencode",
                                    "OPENCODE_EXECUTABLE",
                                    "opencode-ai",
                                    "1.18.33",
                                    "/opt/opencode",
                                    Optional.of(new Launcher("opencode-*-*", "bin/opencode")))),
                    ModelProvider.ANTHROPIC,
                    LaunchTemplates.OPENCODE_ANTHROPIC,
                    RESUMABLE_ACP,
                    Map.of());

    public static final EngineProfile GOOSE =
            new EngineProfile(
                    new EngineName("goose"),
                    "goose",
                    List.of(),
                    "goose",
                    EngineDriver.ACP,
                    Optional.of(
                            Program.npm(
                                    "goose",
                                    "GOOSE_EXECUTABLE",
                                    "@aaif/goose",
                                    "0.20.1",
                                    "/opt/goose",
                                    Optional.of(
                                            new Launcher("@aaif/goose-binary-*", "bin/goose")))),
                    ModelProvider.OPENAI,
                    LaunchTemplates.GOOSE_OPENAI,
                    RESUMABLE_ACP,
                    Map.of());

    public static final EngineProfile GEMINI =
            new EngineProfile(
                    new EngineName("gemini"),
                    "gemini",
                    List.of("gemini-cli"),
                    "Gemini CLI",
                    EngineDriver.ACP,
                    Optional.of(
                            Program.npm(
                                    "gemini",
                                    "GEMINI_EXECUTABLE",
                                    "@google/gemini-cli",
                                    "0.61.0",
                                    "/opt/gemini",
                                    Optional.empty())),
                    ModelProvider.GOOGLE,
                    LaunchTemplates.GEMINI_GOOGLE,
                    RESUMABLE_ACP,
                    Map.of());

    public static final EngineProfile AIDER =
            new EngineProfile(
                    new EngineName("aider"),
                    "aider",
                    List.of(),
                    "aider",
                    EngineDriver.COMMAND,
                    Optional.of(
                            new Program(
                                    "aider",
                                    "AIDER_EXECUTABLE",
                                    "pipx install aider-chat",
                                    "",
                                    "",
                                    "/opt/aider",
                                    Optional.empty())),
                    ModelProvider.ANTHROPIC,
                    LaunchTemplates.AIDER_ANTHROPIC,
                    COMMAND,
                    Map.of());

    public static final EngineProfile QWEN =
            untested(
                    "qwen",
                    "Qwen Code",
                    ModelProvider.OPENAI,
                    Program.npm(
                            "qwen",
                            "QWEN_EXECUTABLE",
                            "@qwen-code/qwen-code",
                            "",
                            "/opt/qwen",
                            Optional.empty()),
                    LaunchTemplates.QWEN_OPENAI);

    public static final EngineProfile COPILOT =
            untested(
                    "copilot",
                    "GitHub Copilot",
                    ModelProvider.ANTHROPIC,
                    Program.npm(
                            "copilot",
                            "COPILOT_EXECUTABLE",
                            "@github/copilot",
                            "",
                            "/opt/copilot",
                            Optional.empty()),
                    LaunchTemplates.COPILOT_ANTHROPIC);

    public static final EngineProfile CLINE =
            untested(
                    "cline",
                    "Cline",
                    ModelProvider.ANTHROPIC,
                    Program.npm(
                            "cline",
                            "CLINE_EXECUTABLE",
                            "cline",
                            "",
                            "/opt/cline",
                            Optional.empty()),
                    LaunchTemplates.CLINE_ANTHROPIC);

    public static final EngineProfile DEMO =
            new EngineProfile(
                    new EngineName("demo"),
                    "demo",
                    List.of(),
                    "the demo",
                    EngineDriver.DEMO,
                    Optional.empty(),
                    ModelProvider.ANTHROPIC,
                    Launch.NONE,
                    Set.of(
                            STREAM,
                            TOOLS,
                            APPROVALS,
                            MODIFIED_INPUT,
                            DEFER,
                            INTERRUPT,
                            RESUME,
                            FORK),
                    Map.of());

    /** Selects the first engine of the table that can run. */
    public static final String AUTO = "auto";

    /** Returns an engine with the driver {@link EngineDriver#ACP}. */
    private static EngineProfile untested(
            String name, String product, ModelProvider provider, Program program, Launch launch) {
        return new EngineProfile(
                new EngineName(name),
                name,
                List.of(),
                product,
                EngineDriver.ACP,
                Optional.of(program),
                provider,
                launch,
                ACP,
                Map.of());
    }

    private EngineProfiles() {}
}
