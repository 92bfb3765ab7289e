package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Document 001: the CLI commands, each in its own process. */
class ArchitectureCliTest {
    @RegisterExtension static final AshExtension ash = SharedServers.DEMO;

    private static ArchitectureCommand command;

    @BeforeAll
    static void start() {
        ash.deploy("given");
        ash.directory().write("home/mine", Map.of("CLAUDE.md", "You are mine.\n"));
        command = ArchitectureCommand.of(ash.server());
    }

    @Test
    @Statement(id = "001-73", says = "ash deploy registers an agent")
    void deploysADirectory() throws Exception {
        assertThat(command.run("deploy", "mine").exit()).isZero();

        var file = ash.api().get("/api/agents/mine/files/CLAUDE.md").expect(200);
        assertThat(file.text()).contains("You are mine.");
    }

    @Test
    @Statement(id = "001-74", says = "ash agent list")
    void listsAgents() throws Exception {
        var result = command.run("agent", "list", "--json");

        assertThat(result.exit()).isZero();
        assertThat(result.json().findValuesAsString("name")).contains("given");
    }

    @Test
    @Statement(id = "001-75", says = "ash agent info")
    void showsAnAgent() throws Exception {
        var result = command.run("agent", "info", "given", "--json");

        assertThat(result.exit()).isZero();
        assertThat(result.json().findValue("version").asInt()).isEqualTo(1);
    }

    @Test
    @Statement(id = "001-76", says = "ash agent delete")
    void deletesAnAgent() throws Exception {
        ash.deploy("unwanted");

        assertThat(command.run("agent", "delete", "unwanted").exit()).isZero();

        ash.api().get("/api/agents/unwanted").refused(404, "AGENT_NOT_FOUND");
    }

    @Test
    @Statement(id = "001-77", says = "ash session create")
    void createsASession() throws Exception {
        var result = command.run("session", "create", "given");

        assertThat(result.exit()).as(result.all()).isZero();
        var id = result.out().lines().findFirst().orElseThrow();
        var session = ash.api().get("/api/sessions/" + id).expect(200);
        assertThat(session.at("/session/status").asString()).isEqualTo("active");
    }

    @Test
    @Statement(id = "001-78", says = "ash session send")
    void sendsAMessage() throws Exception {
        var session = ash.session("given");

        var result = command.run("session", "send", session.id(), "hello");

        assertThat(result.exit()).isZero();
        assertThat(result.out()).containsIgnoringCase("demo");
        assertThat(session.messages().toString()).contains("hello");
    }

    @Test
    @Statement(id = "001-79", says = "ash session list")
    void listsSessions() throws Exception {
        var session = ash.session("given");

        var result = command.run("session", "list", "--json");

        assertThat(result.exit()).isZero();
        assertThat(result.json().findValuesAsString("id")).contains(session.id());
    }

    @Test
    @Statement(id = "001-80", says = "ash session end")
    void endsASession() throws Exception {
        var session = ash.session("given");

        assertThat(command.run("session", "end", session.id()).exit()).isZero();

        assertThat(session.status()).isEqualTo("ended");
    }

    @Test
    @Statement(id = "001-85", says = "ash health checks the server's status")
    void checksTheHealthOfTheServer() throws Exception {
        assertThat(command.run("health").exit()).isZero();
    }

    @Test
    @Statement(
            id = "001-61",
            says = "A runner registers itself with the server at ASH_SERVER_URL",
            verdict = Verdict.NOT_YET,
            instead = "ASH_SERVER_URL names the server that `ash` connects to",
            see = "docs/differences.md#coordinator-mode-and-runners")
    void connectsToTheServerAtAshServerUrl() throws Exception {
        var nowhere = command.with(Map.of("ASH_SERVER_URL", "http://127.0.0.1:1"));

        assertThat(nowhere.run("health").exit()).isEqualTo(3);
    }

    @Test
    @Statement(
            id = "001-57",
            says = "ash-runner is a worker node for multiple machines",
            verdict = Verdict.NOT_YET,
            instead = "there is no command that starts one",
            see = "docs/differences.md#coordinator-mode-and-runners")
    void hasNoRunnerCommand() throws Exception {
        var result = command.run("runner");

        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("runner");
    }

    @Test
    @Statement(id = "003-34", says = "Minimal agent: a directory with CLAUDE.md only")
    void deploysTheMinimalAgent() throws Exception {
        ash.directory().write("home/minimal/my-agent", Map.of("CLAUDE.md", "You help.\n"));

        var result = command.run("deploy", "minimal/my-agent", "-n", "smallest");

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(ash.session("smallest").status()).isEqualTo("active");
    }
}
