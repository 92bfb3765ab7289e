package dev.ash.cli.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.cli.command.Host;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentCommandsTest {
    private static final String AGENT =
            "{\"id\":\"i\",\"name\":\"hello\",\"tenantId\":\"default\",\"version\":3,\"path\":\"/p\",\"env\":{\"K\":\"***\"},\"createdAt\":\"t1\",\"updatedAt\":\"t2\"}";

    @TempDir Path root;
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        server.on("POST /api/agents", 201, "{\"agent\":" + AGENT + "}");
        server.on("GET /api/agents", "{\"agents\":[" + AGENT + "]}");
        server.on("GET /api/agents/hello", "{\"agent\":" + AGENT + "}");
        server.on(
                "GET /api/agents/hello/files",
                "{\"files\":[{\"path\":\"CLAUDE.md\",\"size\":3,\"modifiedAt\":\"t\"}]}");
        server.on("DELETE /api/agents/hello", "{\"ok\":true}");
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Result run(String... args) {
        return new Ash(root).server(server).run(args);
    }

    private Path agent(String name) throws IOException {
        var directory = Files.createDirectories(root.resolve(name));
        Files.writeString(directory.resolve("CLAUDE.md"), "be nice");
        return directory;
    }

    @Test
    void reportsFilesSkippedByDeploy() throws IOException {
        var git = Files.createDirectories(agent("repo").resolve("sub/.GIT"));
        Files.writeString(git.resolve("config"), "x");

        var result = run("deploy", "repo");

        assertThat(result.out()).startsWith("Deployed hello, version 3\nSkipped: sub/.GIT\n");
        assertThat(server.lines().getFirst()).doesNotContain("config");
    }

    @Test
    void derivesAgentNameFromDirectory() throws IOException {
        agent("my agent.v2");

        var result = run("deploy", "my agent.v2/");

        assertThat(result.out()).startsWith("Deployed hello, version 3\n");
        assertThat(server.lines())
                .containsExactly(
                        "POST /api/agents {\"name\":\"my-agent-v2\",\"files\":[{\"path\":\"CLAUDE.md\",\"content\":\"YmUgbmljZQ==\"}]}");
        assertThat(run("deploy", "my agent.v2", "--json").out())
                .startsWith("{\"agent\":{\"id\":\"i\"");
        assertThat(run("deploy", "my agent.v2", "--json").out())
                .as("readable by scripts for earlier versions")
                .contains("},\"id\":\"i\",\"name\":\"hello\"");
        assertThat(result.err()).isEqualTo("Chat with it: ash chat hello\n");
    }

    @Test
    void readsVariablesFromEnvFilesAndOptions() throws IOException {
        var directory = agent("a");
        Files.writeString(
                directory.resolve(".env"),
                "# note\nA=1\nexport B=\"two words\"\n\nC='x'\nnonsense\n");
        Files.writeString(directory.resolve(".env.local"), "A=2\n");

        run("deploy", "a", "-n", "other", "-e", "C=z");

        assertThat(server.lines().getFirst())
                .startsWith("POST /api/agents {\"name\":\"other\"")
                .endsWith("\"env\":{\"A\":\"2\",\"B\":\"two words\",\"C\":\"z\"}}")
                .doesNotContain(".env");
    }

    @Test
    void rejectsReservedVariables() throws IOException {
        agent("a");

        var result = run("deploy", "a", "-e", "LD_PRELOAD=x");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("LD_PRELOAD");
    }

    @Test
    void rejectsModelKeysAndNamesTheAlternative() throws IOException {
        Files.writeString(agent("a").resolve(".env"), "OPENAI_API_KEY=sk-1\n");

        var result = run("deploy", "a");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("OPENAI_API_KEY").contains("ash credentials add");
        assertThat(server.lines()).isEmpty();
    }

    @Test
    void reportsMissingClaudeMdAndDirectory() throws IOException {
        Files.createDirectories(root.resolve("empty"));

        assertThat(run("deploy", "empty").err()).contains("has no CLAUDE.md");
        assertThat(run("deploy", "nowhere").err()).contains("does not exist");
        assertThat(run("deploy", "nowhere").exitCode()).isEqualTo(1);
        assertThat(server.lines()).isEmpty();
    }

    @Test
    void listsShowsAndDeletesAgents() {
        assertThat(run("agent", "list").out())
                .isEqualTo("NAME   VERSION  UPDATED\nhello  3        t2\n");
        assertThat(run("agent", "list", "--json").out()).startsWith("{\"agents\":[{");
        assertThat(run("agent", "info", "hello").out())
                .contains("files    CLAUDE.md")
                .contains("K");
        assertThat(run("agent", "info", "hello", "--json").out()).startsWith("{\"agent\":{");
        server.on("GET /api/sessions", "{\"sessions\":[],\"total\":0}");
        assertThat(run("agent", "delete", "hello").out()).isEqualTo("Deleted hello\n");
        assertThat(run("agent", "delete", "hello", "--json").out())
                .isEqualTo("{\"ok\":true,\"sessionsEnded\":0}\n");
        assertThat(run("agent", "info", "other").exitCode()).isEqualTo(4);
    }

    /** Reports three sessions, one of which has ended. */
    private void respondWithThreeSessions() {
        server.on(
                "GET /api/sessions",
                (request, out) ->
                        FakeServer.write(
                                out,
                                FakeServer.json(
                                        200,
                                        "{\"sessions\":[],\"total\":%d}"
                                                .formatted(
                                                        request.line().contains("status=ended")
                                                                ? 1
                                                                : 3))));
    }

    private Result onTerminal(String typed, String... args) {
        return new Ash(root)
                .server(server)
                .input(typed)
                .terminals(new Host.Terminals(true, true, true))
                .run(args);
    }

    @Test
    void reportsNumberOfEndedSessions() {
        respondWithThreeSessions();

        assertThat(run("agent", "delete", "hello"))
                .isEqualTo(new Result(0, "Deleted hello and ended 2 sessions\n", ""));
        assertThat(run("agent", "delete", "hello", "--json").out())
                .isEqualTo("{\"ok\":true,\"sessionsEnded\":2}\n");
    }

    @Test
    void asksForConfirmationOnTerminal() {
        respondWithThreeSessions();

        var declined = onTerminal("n\n", "agent", "delete", "hello");
        assertThat(declined.exitCode()).isEqualTo(1);
        assertThat(declined.err())
                .startsWith("Delete the agent hello and end 2 sessions? [y/N] ")
                .contains("--yes");
        assertThat(onTerminal("", "agent", "delete", "hello").exitCode()).isEqualTo(1);
        assertThat(server.lines()).noneMatch(line -> line.startsWith("DELETE"));

        assertThat(onTerminal("Y\n", "agent", "delete", "hello").out())
                .isEqualTo("Deleted hello and ended 2 sessions\n");
        assertThat(onTerminal("", "agent", "delete", "hello", "--yes").err()).isEmpty();
        assertThat(onTerminal("", "agent", "delete", "nobody").exitCode()).isEqualTo(4);
    }
}
