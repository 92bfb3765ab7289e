package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Document 003: agents, with the directories of its examples. */
class ConceptsAgentTest {
    private static final String SETTINGS =
            "{\"permissions\":{\"allow\":[\"Bash\",\"WebSearch\",\"mcp__fetch\"]}}";
    private static final String SKILL =
            "---\nname: search-and-summarize\ndescription: Searches and summarizes.\n---\nSearch.\n";

    /** The tree under "Agent Structure". */
    private static final Map<String, String> MY_AGENT =
            Map.of(
                    "CLAUDE.md",
                    "You are my agent.\n",
                    ".claude/settings.json",
                    SETTINGS,
                    ".claude/skills/search-and-summarize/SKILL.md",
                    SKILL,
                    ".mcp.json",
                    "{\"mcpServers\":{}}");

    /** The tree of the production agent. */
    private static final Map<String, String> RESEARCH_AGENT =
            Map.of(
                    "CLAUDE.md",
                    "You are a research assistant...\n",
                    ".mcp.json",
                    "{\"mcpServers\":{}}",
                    ".claude/settings.json",
                    SETTINGS,
                    ".claude/skills/search-and-summarize/SKILL.md",
                    SKILL,
                    ".claude/skills/write-memo/SKILL.md",
                    SKILL.replace("search-and-summarize", "write-memo"));

    @RegisterExtension static final AshExtension ash = SharedServers.DEMO;

    @BeforeAll
    static void start() {
        ash.deploy("my-agent", MY_AGENT);
        ash.deploy("research-agent", RESEARCH_AGENT);
        ash.deploy("minimal", Map.of("CLAUDE.md", "You help.\n"));
    }

    @Test
    @Statement(
            id = "003-01",
            says = "An agent is a folder containing CLAUDE.md and optional config files")
    void keepsTheFilesOfAnAgent() {
        assertThat(files("my-agent")).containsExactlyInAnyOrderElementsOf(MY_AGENT.keySet());
    }

    @Test
    @Statement(id = "003-02", says = "An agent defines the permissions of an AI agent")
    void appliesPermissionsOfTheAgent() {
        assertThat(ash.session("my-agent").created().path("permissionMode").asString())
                .isEqualTo("permissionsByAgent");
        assertThat(ash.session("minimal").created().path("permissionMode").asString())
                .isEqualTo("bypassPermissions");
    }

    @Test
    @Statement(id = "003-03", says = "An agent is the blueprint, not the running instance")
    void startsNothingWhenAnAgentIsDeployed() throws SQLException {
        ash.deploy("blueprint", Map.of("CLAUDE.md", "You help.\n"));
        var database = new ArchitectureDatabase(ash.data());
        assertThat(database.count("sandboxes", "agent_name", "blueprint")).isZero();

        var first = ash.session("blueprint");
        var second = ash.session("blueprint");

        assertThat(database.count("sandboxes", "agent_name", "blueprint")).isEqualTo(2);

        assertThat(first.bridgePid()).isNotEqualTo(second.bridgePid());
        first.exec("echo changed > CLAUDE.md");
        assertThat(second.exec("cat CLAUDE.md").path("stdout").asString()).isEqualTo("You help.\n");
    }

    @Test
    @Statement(id = "003-32", says = "The only required file is CLAUDE.md")
    void refusesAnAgentWithoutClaudeMd() {
        var file = Map.of("path", ".mcp.json", "content", base64("{\"mcpServers\":{}}"));

        var answer =
                ash.api().post("/api/agents", Map.of("name", "headless", "files", List.of(file)));

        assertThat(answer.status()).as(answer.text()).isIn(400, 422);
        assertThat(answer.at("/error").asString()).contains("CLAUDE.md");
    }

    @Test
    @Statement(
            id = "003-33",
            says =
                    "my-agent/: CLAUDE.md, .claude/settings.json, .claude/skills/…/SKILL.md, .mcp.json")
    void copiesTheDirectoryOfAnAgentIntoTheWorkspace() {
        var found = ash.session("my-agent").exec("find . -type f | sort").path("stdout").asString();

        assertThat(found.lines())
                .containsExactlyInAnyOrder(
                        "./CLAUDE.md",
                        "./.claude/settings.json",
                        "./.claude/skills/search-and-summarize/SKILL.md",
                        "./.mcp.json");
    }

    @Test
    @Statement(id = "003-35", says = "research-agent/: the production agent with two skills")
    void deploysTheProductionAgent() {
        assertThat(files("research-agent"))
                .containsExactlyInAnyOrderElementsOf(RESEARCH_AGENT.keySet());
        var skills = ash.session("research-agent").exec("ls .claude/skills").path("stdout");
        assertThat(skills.asString()).isEqualTo("search-and-summarize\nwrite-memo\n");
    }

    @Test
    @Statement(
            id = "003-14",
            says = "The bridge receives commands from the server over a Unix socket")
    void connectsTheServerToTheSocketOfTheBridge() {
        var session = ash.session("minimal");
        var socket = session.exec("test -S \"$ASH_BRIDGE_SOCKET\" && echo socket").path("stdout");

        assertThat(socket.asString()).isEqualTo("socket\n");
    }

    @Test
    @Statement(id = "003-15", says = "The bridge streams responses back")
    void streamsTheAnswerOfTheAgent() {
        var session = ash.session("minimal");
        try (var turn = session.send("demo: slow 400", Map.of("includePartialMessages", true))) {
            turn.next("text_delta");

            session.post("interrupt").expect(200);
            turn.rest();
        }
    }

    @Test
    @Statement(
            id = "003-17",
            says = "The server is a Fastify HTTP server",
            verdict = Verdict.DIFFERS,
            instead = "it is a Java program on Jetty",
            see = "docs/adr/0037-the-documents-packages-are-maven-modules.md#decision")
    void runsTheServerOnTheJvm() {
        assertThat(ash.server().process().info().command().orElseThrow()).endsWith("/java");
    }

    private static Stream<String> files(String agent) {
        return ash
                .api()
                .get("/api/agents/" + agent + "/files")
                .expect(200)
                .at("/files")
                .findValuesAsString("path")
                .stream();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
