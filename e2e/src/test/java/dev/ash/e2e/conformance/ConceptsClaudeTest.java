package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Resources;
import dev.ash.e2e.Script;
import dev.ash.e2e.TestSession;
import dev.ash.e2e.model.ModelRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Documents 000, 001 and 003: Claude Code, with the real program and a scripted model. */
@NeedsClaude
class ConceptsClaudeTest {
    private static final String CLI = "docs/differences.md#claude-code";
    private static final String INSTEAD =
            "the bridge runs the Claude Code program, which the SDK wraps, and keeps it between turns";

    private static final Map<String, String> RESEARCH_AGENT =
            Map.of(
                    "CLAUDE.md", "You are a research assistant named Quince-7301.\n",
                    ".mcp.json",
                            "{\"mcpServers\":{\"fetch\":{\"command\":\"python3\",\"args\":[\"notes_mcp.py\"]}}}",
                    "notes_mcp.py", Resources.text("agents/notes_mcp.py"),
                    ".claude/settings.json",
                            "{\"permissions\":{\"allow\":[\"Bash\",\"WebSearch\",\"mcp__fetch\"]}}",
                    ".claude/skills/search-and-summarize/SKILL.md",
                            "---\nname: search-and-summarize\ndescription: Reads seven pages.\n---\nRead.\n",
                    ".claude/skills/write-memo/SKILL.md",
                            "---\nname: write-memo\ndescription: Writes one page.\n---\nWrite.\n");

    @RegisterExtension static final AshExtension ash = AshExtension.claude();
    private static TestSession session;
    private static List<Frame> frames;
    private static ModelRequest request;

    @BeforeAll
    static void start() {

        ash.deploy("research-agent", RESEARCH_AGENT);
        session = ash.session("research-agent");
        frames = session.ask("SAY:first words");
        request = ash.model().awaitTurn("SAY:first words");
    }

    @Test
    @Statement(
            id = "000-24",
            says = "query: the bridge calls the Claude Code SDK",
            verdict = Verdict.DIFFERS,
            instead = INSTEAD,
            see = CLI)
    void runsClaudeCodeForAQuery() {
        assertThat(session.enginePid()).isPositive();
    }

    @Test
    @Statement(
            id = "000-62",
            says = "resume: resumes a conversation with the SDK's session resume capability")
    void continuesTheConversationAfterAResume() {
        var resumed = ash.session("research-agent");
        resumed.ask("SAY:remember 4711");
        resumed.post("stop").expect(200);
        resumed.post("resume").expect(200);

        resumed.ask("SAY:what was it");

        assertThat(ash.model().awaitTurn("SAY:what was it").everything()).contains("remember 4711");
    }

    @Test
    @Statement(id = "000-63", says = "The message data is the message of @anthropic-ai/claude-code")
    void showsTheMessagesOfClaudeCode() {
        assertThat(Frame.only("message", frames))
                .extracting(Frame::type)
                .startsWith("system")
                .contains("assistant")
                .endsWith("result");
        assertThat(Frame.said(frames)).isEqualTo("first words");
    }

    @Test
    @Statement(
            id = "001-63",
            says = "The bridge reads CLAUDE.md from the agent directory (system prompt)")
    void sendsClaudeMdAsSystemPrompt() {
        assertThat(request.system()).contains("Quince-7301");
    }

    @Test
    @Statement(
            id = "001-64",
            says = "The bridge calls the Claude Code SDK",
            verdict = Verdict.DIFFERS,
            instead = INSTEAD,
            see = CLI)
    void keepsOneProcessBetweenTurns() {
        var engine = session.enginePid();
        session.ask("SAY:another turn");

        assertThat(session.enginePid()).isEqualTo(engine);
    }

    @Test
    @Statement(id = "001-65", says = "The bridge streams messages back")
    void streamsPiecesOfTheAnswer() {
        try (var turn =
                session.send("SAY:in some pieces", Map.of("includePartialMessages", true))) {
            assertThat(Frame.names(turn.rest())).contains("text_delta", "message");
        }
    }

    @Test
    @Statement(
            id = "001-89",
            says = "The bridge calls SDK query()",
            verdict = Verdict.DIFFERS,
            instead = INSTEAD,
            see = CLI)
    void writesAPromptToClaudeCode() {
        assertThat(request.body().path("messages").toString()).contains("SAY:first words");
    }

    @Test
    @Statement(
            id = "003-12",
            says = "A bridge connects to the Claude Agent SDK",
            verdict = Verdict.DIFFERS,
            instead = INSTEAD,
            see = CLI)
    void runsClaudeCodeInsideTheSandbox() {
        assertThat(session.processes())
                .anyMatch(process -> process.command().contains("--output-format stream-json"));
    }

    @Test
    @Statement(id = "003-13", says = "The bridge reads the agent's CLAUDE.md")
    void readsTheDeployedClaudeMdAndNotTheOneInTheWorkspace() {
        var changed = ash.session("research-agent");
        changed.exec("echo 'You are Medlar-88.' > CLAUDE.md");
        changed.ask("SAY:who are you");

        var system = ash.model().awaitTurn("SAY:who are you").body().toString();
        assertThat(system).contains("Quince-7301").doesNotContain("Medlar-88");
    }

    @Test
    @Statement(
            id = "003-27",
            says = "4. The bridge calls the Claude Agent SDK's query() function",
            verdict = Verdict.DIFFERS,
            instead = INSTEAD,
            see = CLI)
    void asksTheModelThroughClaudeCode() {
        assertThat(request.headers().getOrDefault("user-agent", "")).contains("claude");
    }

    @Test
    @Statement(id = "003-28", says = "5. The SDK streams response messages back to the bridge")
    void getsSystemAssistantAndResultMessages() {
        assertThat(Frame.only("message", frames)).hasSizeGreaterThanOrEqualTo(3);
        assertThat(frames.getLast().event()).isEqualTo("done");
    }

    @Test
    @Statement(id = "003-36", says = ".claude/settings.json: tool permissions: Bash is allowed")
    void runsAnAllowedTool() {
        session.ask(Script.bash("echo al-lowed") + "\nSAY:ran");

        assertThat(answerOfTool("al-lowed").isError()).isFalse();
    }

    @Test
    @Statement(
            id = "003-72",
            says =
                    ".claude/settings.json: scoped permissions: a tool that is not allowed does not run")
    void refusesAToolThatIsNotAllowed() {
        session.ask(
                Script.tool("Write", Map.of("file_path", "/workspace/w.txt", "content", "w"))
                        + "\nSAY:not written");

        assertThat(session.workspaceFile("w.txt")).isEmpty();
    }

    @Test
    @Statement(id = "003-37", says = ".claude/skills/<name>/SKILL.md: reusable skill definition")
    void offersTheSkillsToTheModel() {
        assertThat(request.body().toString())
                .contains("search-and-summarize", "Reads seven pages.", "write-memo");
    }

    @Test
    @Statement(id = "003-38", says = ".mcp.json: MCP server connections")
    void callsAToolOfAnMcpServer() {
        session.ask("TOOL:mcp__fetch__remember {\"note\":\"stressed\"}\nSAY:noted");

        assertThat(answerOfTool("remembered desserts").isError()).isFalse();
    }

    @Test
    @Statement(id = "003-39", says = "CLAUDE.md: the system prompt")
    void sendsClaudeMdOnce() {
        assertThat(request.body().toString()).containsOnlyOnce("Quince-7301");
    }

    @Test
    @Statement(
            id = "003-61",
            says =
                    "Cold path: the .claude session state is there, so that the conversation continues")
    void keepsTheStateOfClaudeInTheHomeOfTheSandbox() throws IOException {
        try (var files = Files.walk(session.sandbox().resolve("home/.claude/projects"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".jsonl"))).isNotEmpty();
        }
    }

    /** Waits for a tool result that contains this text. */
    private static ModelRequest.ToolResult answerOfTool(String text) {
        var request = ash.model().await(r -> r.isTurn() && answers(r, text).findAny().isPresent());
        return answers(request, text).findFirst().orElseThrow();
    }

    private static Stream<ModelRequest.ToolResult> answers(ModelRequest request, String text) {
        return request.toolResults().stream().filter(result -> result.text().contains(text));
    }
}
