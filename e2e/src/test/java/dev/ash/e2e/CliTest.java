package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Runs the CLI as a separate process with an empty home directory, as a new user does. */
class CliTest {
    private final String marker = "/nowhere/ash-e2e-" + UUID.randomUUID();
    private final TestDirectory directory = TestDirectory.create();
    private final Path home = directory.write("home", Map.of("empty", "")).toAbsolutePath();
    private final Path agent = directory.write("my-agent", Map.of("CLAUDE.md", "You are mine.\n"));

    /** Provides the class data archive so that no server has to record it. */
    @BeforeEach
    void prepare() {
        StartupData.get().copyTo(directory.data());
    }

    @AfterEach
    void stop() throws Exception {
        ash("stop");
        assertThat(Processes.matching(process -> process.mentions(marker))).isEmpty();
        directory.close();
    }

    @Test
    void startsChatsAndStops() throws Exception {
        var started = ash("start", "--env", "ASH_PROT=4999");
        assertThat(started.exit()).as(started.all()).isZero();
        assertThat(started.err())
                .contains(
                        "ash: ASH_PROT is not a setting and has no effect; did you mean ASH_PORT?");

        var answer = ash("chat", agent.toString(), "hello");
        assertThat(answer.exit()).as(answer.all()).isZero();
        assertThat(answer.out()).containsIgnoringCase("demo");

        assertThat(ash("status").exit()).isZero();
        assertThat(ash("health").exit()).isZero();
        assertThat(ash("agent", "list").out()).contains("my-agent");
        assertDocumented(directory.data());
        var stopped = ash("stop");
        assertThat(stopped.exit()).as(stopped.all()).isZero();
        assertThat(ash("health").exit()).isEqualTo(3);
    }

    @Test
    void chatStartsServerIfNoneRuns() throws Exception {
        var answer = ash("chat", agent.toString(), "hello");

        assertThat(answer.exit()).as(answer.all()).isZero();
        assertThat(answer.out()).containsIgnoringCase("demo");
    }

    @Test
    void printsJsonAndReturnsExitCodes() throws Exception {
        ash("start");
        ash("deploy", agent.toString());

        var mapper = new JsonMapper();
        var session = mapper.readTree(ash("session", "create", "my-agent", "--json").out());
        var id = session.findValue("id").asString();
        var listed = ash("session", "list", "--json");
        assertThat(listed.out()).contains(id);
        mapper.readTree(listed.out());
        var other = ash("session", "create", "my-agent");
        assertThat(other.out()).matches("[0-9a-f-]{36}\n");
        assertThat(ash("session", "show", other.out().substring(0, 13)).out())
                .contains(other.out().strip());
        assertThat(ash("session", "exec", id, "exit 3").exit()).isEqualTo(3);
        var unknown = UUID.randomUUID().toString();
        assertThat(ash("session", "show", unknown).exit()).isEqualTo(4);
        assertThat(ash("session", "show", unknown).err())
                .endsWith("ash: Session not found: " + unknown + "\n");
        assertThat(ash("session", "send", id, "hello").exit()).isZero();
        assertThat(ash("session", "end", id).exit()).isZero();
        assertThat(ash("session", "send", id, "hello").exit()).isEqualTo(6);
        assertThat(ash("no-such-command").exit()).isEqualTo(2);
        assertThat(ash("agent", "delete", "my-agent").out())
                .isEqualTo("Deleted my-agent and ended 1 session\n");
    }

    @Test
    void protectsApiKey() throws Exception {
        ash("start");

        assertThat(Files.getPosixFilePermissions(home.resolve(".ash/config.json")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(ash("status").all()).doesNotContain("ash_");
    }

    private static void assertDocumented(Path dataDirectory) throws IOException {
        var page = Files.readString(Path.of("../docs/configuration.md"));
        int begin = page.indexOf("```", page.indexOf("The data directory:"));
        var tree = page.substring(begin, page.indexOf("```", begin + 3));
        try (var files = Files.list(dataDirectory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .isNotEmpty()
                    .allSatisfy(
                            name ->
                                    assertThat(tree)
                                            .containsPattern(
                                                    "(?m)(^|, )"
                                                            + Pattern.quote(
                                                                    name.replace("ash.db-", "-"))
                                                            + "[/, ]"));
        }
    }

    private record Result(int exit, String out, String err) {
        String all() {
            return out + err;
        }
    }

    private Result ash(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(ServerLaunch.cli());
        command.addAll(List.of(words));
        var out = Files.createTempFile(directory.path(), "out", "");
        var err = Files.createTempFile(directory.path(), "err", "");
        var builder = new ProcessBuilder(command).redirectOutput(out.toFile());
        var env = builder.environment();
        env.keySet().retainAll(List.of("PATH", "LANG"));
        env.put("HOME", home.toString());
        env.put("ASH_PORT", "0");
        env.put("ASH_DATA_DIR", directory.data().toString());
        env.put("ASH_ENGINE", "demo");
        env.put(AshServer.MARKER_VARIABLE, marker);
        env.put("JDK_JAVA_OPTIONS", String.join(" ", StartupData.get().flags())); // for the server
        var process = builder.redirectError(err.toFile()).start();
        process.getOutputStream().close();
        if (!process.waitFor(90, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("still running: " + List.of(words));
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
