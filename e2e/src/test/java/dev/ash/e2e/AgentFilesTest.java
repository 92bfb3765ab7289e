package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.model.ModelRequest;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks how the files of an agent (CLAUDE.md, settings, skills, MCP servers) reach the model. */
@NeedsClaude
class AgentFilesTest {
    private static final String SETTINGS =
            """
            {"permissions": {
              "allow": ["Bash(echo:*)", "Read", "mcp__notes__remember"],
              "deny": ["Bash(rm:*)", "Write"]
            }}
            """;

    private static final String SKILL =
            """
            ---
            name: juggle-pears
            description: Juggles seven pears with one hand.
            ---
            Throw one, then the next.
            """;

    private static final String MCP =
            """
            {"mcpServers": {"notes": {"command": "python3", "args": ["notes_mcp.py"]}}}
            """;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.claude()
                    .agent(
                            "production",
                            Map.of(
                                    "CLAUDE.md", "You answer to the name Quince-7301.\n",
                                    ".claude/settings.json", SETTINGS,
                                    ".claude/skills/juggle-pears/SKILL.md", SKILL,
                                    ".mcp.json", MCP,
                                    "notes_mcp.py", Resources.text("agents/notes_mcp.py")));

    @Test
    void sendsClaudeMdOnceAsSystemPrompt() {
        ash.session("production").ask("SAY:who am I");

        var request = ash.model().awaitTurn("SAY:who am I");
        assertThat(request.system()).contains("Quince-7301");
        assertThat(count("Quince-7301", request.body().toString())).isEqualTo(1);
    }

    @Test
    void sendsClaudeMdOnceAfterResume() {
        var session = ash.session("production");
        session.ask("SAY:first");
        session.post("stop").expect(200);
        session.post("resume").expect(200);
        session.ask("SAY:resumed");

        var request = ash.model().awaitTurn("SAY:resumed");
        assertThat(request.system()).contains("Quince-7301");
        assertThat(count("Quince-7301", request.body().toString())).isEqualTo(1);
    }

    @Test
    void keepsEnginePromptUnlessAgentReplacesIt() {
        ash.deploy(
                "replacing",
                Map.of(
                        "CLAUDE.md", "Only this: Medlar-88.\n",
                        ".ash/agent.json", "{\"systemPrompt\":\"replace\"}"));

        ash.session("production").ask("SAY:appended");
        ash.session("replacing").ask("SAY:replaced");

        var appended = ash.model().awaitTurn("SAY:appended").system();
        var replaced = ash.model().awaitTurn("SAY:replaced").system();
        assertThat(appended.length()).isGreaterThan(5_000);
        assertThat(replaced).contains("Medlar-88");
        assertThat(replaced.length()).isLessThan(2_000);
    }

    @Test
    void listsSkills() {
        ash.session("production").ask("SAY:skills");

        var request = ash.model().awaitTurn("SAY:skills");
        assertThat(request.body().toString())
                .contains("juggle-pears", "Juggles seven pears with one hand.");
    }

    @Test
    void callsMcpTool() {
        var frames =
                ash.session("production")
                        .ask("TOOL:mcp__notes__remember {\"note\":\"stressed\"}\nSAY:noted");

        var request = afterTool("stressed");
        assertThat(request.toolNames()).contains("mcp__notes__remember");
        assertThat(request.toolResults().getLast().text()).contains("remembered desserts");
        assertThat(Frame.names(frames)).contains("tool_use", "tool_result");
    }

    @Test
    void runsAllowedTool() {
        ash.session("production").ask("TOOL:Bash {\"command\":\"echo al-lowed\"}\nSAY:1");

        var result = afterTool("al-lowed").toolResults().getLast();
        assertThat(result.isError()).isFalse();
        assertThat(result.text()).contains("al-lowed");
    }

    @Test
    void doesNotRunDeniedTool() {
        var session = ash.session("production");
        session.exec("touch precious");

        session.ask("TOOL:Bash {\"command\":\"rm precious\"}\nSAY:2");

        assertThat(afterTool("rm precious").toolResults().getLast().isError()).isTrue();
        assertThat(session.exec("ls precious").path("exitCode").asInt()).isZero();
    }

    @Test
    void rejectsUnlistedToolAndNamesSettingsFile() {
        var session = ash.session("production");

        session.ask("TOOL:Bash {\"command\":\"touch unlisted\"}\nSAY:3");

        var result = afterTool("touch unlisted").toolResults().getLast();
        assertThat(result.isError()).isTrue();
        assertThat(result.text()).contains(".claude/settings.json");
        assertThat(session.exec("ls unlisted").path("exitCode").asInt()).isNotZero();
    }

    @Test
    void runsAllToolsWithoutSettings() {
        ash.deploy("free");
        var session = ash.session("free");

        session.ask("TOOL:Bash {\"command\":\"touch made\"}\nSAY:4");

        assertThat(session.exec("ls made").path("exitCode").asInt()).isZero();
    }

    @Test
    void passesAgentAndSessionEnvironmentToTools() {
        ash.deploy("env");
        ash.api()
                .patch("/api/agents/env", Map.of("env", Map.of("PLUM", "a", "SLOE", "b")))
                .expect(200);
        var session =
                ash.session(Map.of("agent", "env", "extraEnv", Map.of("SLOE", "c", "DAMSON", "d")));

        session.ask("TOOL:Bash {\"command\":\"echo env-is $PLUM$SLOE$DAMSON\"}\nSAY:5");

        assertThat(afterTool("env-is").toolResults().getLast().text()).contains("env-is acd");
    }

    @Test
    void usesModelAndPromptOfSession() {
        var session =
                ash.session(
                        Map.of(
                                "agent", "production",
                                "model", "claude-sonnet-4-6",
                                "systemPrompt", "Today you are Bullace-5."));

        session.ask("SAY:model");

        var request = ash.model().awaitTurn("SAY:model");
        assertThat(request.body().path("model").asString()).isEqualTo("claude-sonnet-4-6");
        assertThat(request.system()).contains("Bullace-5").doesNotContain("Quince-7301");
    }

    /** Returns the model request that carries the result of the tool called by this prompt. */
    private static ModelRequest afterTool(String prompt) {
        return ash.model()
                .await(
                        request ->
                                request.isTurn()
                                        && !request.toolResults().isEmpty()
                                        && request.everything().contains(prompt));
    }

    private static long count(String word, String text) {
        return Pattern.compile(Pattern.quote(word)).matcher(text).results().count();
    }
}
