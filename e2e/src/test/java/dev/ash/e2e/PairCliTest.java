package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests {@code ash pair} with an empty home, no running server and a small repository. */
class PairCliTest {
    private final String marker = "/nowhere/ash-e2e-" + UUID.randomUUID();
    private final TestDirectory directory = TestDirectory.create();
    private final Path home = directory.write("home", Map.of("empty", "")).toAbsolutePath();
    private final Path repository = directory.write("project", Map.of("README.md", "small\n"));
    private String first = "";

    @BeforeEach
    void prepare() throws Exception {
        StartupData.get().copyTo(directory.data());
        git("init", "-q", "-b", "main");
        git("add", "README.md");
        git("commit", "-q", "-m", "first");
        first = git("rev-parse", "HEAD");
        Files.writeString(repository.resolve("mine.txt"), "not committed\n");
    }

    @AfterEach
    void stop() throws Exception {
        ash("stop");
        assertThat(Processes.matching(process -> process.mentions(marker))).isEmpty();
        directory.close();
    }

    @Test
    void commitsReviewedWorkToSeparateBranch() throws Exception {
        var run = ash("pair", "write it", "--worker", "demo", "--reviewer", "demo");

        assertThat(run.exit()).as(run.all()).isZero();
        assertThat(run.err()).contains("No server is running; starting one");
        assertThat(run.out())
                .containsSubsequence("demo-2     FAIL", "demo-2     PASS", "Run 1 completed")
                .contains("git merge agentpair/run-1", "1 file changed", "report.md")
                .contains("ash        1 uncommitted change is not part of this run");
        assertThat(git("log", "--format=%s", "main..agentpair/run-1").lines())
                .containsExactly("Round 2: write it", "Round 1: write it");
        assertThat(git("show", "agentpair/run-1:PAIR_DEMO.md"))
                .isEqualTo("# Written by the demo of a pair\nReviewed by its twin.");
        assertThat(git("rev-parse", "HEAD")).isEqualTo(first);
        assertThat(git("status", "--porcelain")).isEqualTo("?? mine.txt");
        assertThat(git("rev-parse", "agentpair/run-1"))
                .isEqualTo(git("rev-parse", "refs/heads/agentpair/run-1"));

        assertThat(ash("pair", "list").out()).contains("completed", "write it");
        assertThat(ash("pair", "show", "1").out()).contains("Run 1 completed");
        assertThat(ash("pair", "diff", "1").out()).contains("+Reviewed by its twin.");
        assertThat(ash("pair", "log", "1").out()).contains("You are the worker of a pair");
        assertThat(ash("pair", "report", "1").out()).startsWith("# Run 1: completed");
        var again = ash("pair", "resume", "1");
        assertThat(again.exit()).as(again.all()).isEqualTo(6);
        assertThat(again.err()).contains("Run 1 is completed, so there is nothing to resume");
        assertThat(ash("pair", "say", "1", "more").err())
                .contains("Run 1 is completed, so its peers no longer read messages");
        assertThat(Files.readString(manifest("1"))).doesNotContain("\"error\"");
        assertThat(ash("mailbox", "list").out()).contains("pair");
        var watched = ash("pair", "watch", "1", "--json");
        assertThat(watched.exit()).isZero();
        var types = watched.out().lines().map(PairCliTest::json).map(PairCliTest::type).toList();
        assertThat(types).startsWith("start", "state", "execute", "result").endsWith("end");
    }

    @Test
    void everyOutcomeHasExitCode() throws Exception {
        ash("start");

        var few = ash("pair", "x", "--max-rounds", "1");
        assertThat(few.exit()).as(few.all()).isEqualTo(12);
        assertThat(few.err()).contains("Pairs of this server may now use " + repository);
        var red = ash("pair", "x", "--proof", "echo nope; false", "--max-rounds", "2");
        assertThat(red.exit()).as(red.all()).isEqualTo(12);
        assertThat(red.err()).doesNotContain("may now use");
        assertThat(red.out()).contains("the proof is red, exit code 1", "| nope");
        assertThat(red.out()).doesNotContain("PASS", "completed");
        var alone = ash("pair", "x", "--single", "--json");
        assertThat(alone.exit()).as(alone.all()).isZero();
        assertThat(json(alone.out().lines().toList().getLast()).at("/pair/outcome").asString())
                .isEqualTo("completed");
        var more = ash("pair", "resume", "1", "--max-rounds", "5");
        assertThat(more.exit()).as(more.all()).isZero();
        assertThat(ash("pair", "watch", "1").exit()).isZero();
        var stopped = ash("pair", "stop", "1");
        assertThat(stopped.exit()).isEqualTo(6);
        assertThat(stopped.err())
                .contains("Run 1 is already completed, so there is nothing to stop");
        var idle = ash("pair", "pause", "2");
        assertThat(idle.err()).contains("Run 2 is not running (max_rounds)", "it can be resumed");
        assertThat(ash("pair", "say", "2", "hi").out()).contains("ash pair resume 2");

        ash("pair", "x", "--proof", "sleep 100", "--detach");
        assertThat(ash("pair", "say", "4", "be quick").exit()).isZero();
        assertThat(ash("pair", "log", "4").exit()).isZero(); // does not wait for the end of the run
        assertThat(ash("pair", "stop", "4").exit()).isZero();
        assertThat(ash("pair", "watch", "4").exit()).isEqualTo(15);
    }

    @Test
    void d12_preservesCharactersOfTaskArgument() throws Exception {
        var task =
                "  -x \"quoted\" 'it' $(touch /tmp/x) `b` %s \\n ünï 日本 🙂 | & ; <a>\nsecond line";
        ash("start");

        var run = ash("pair", "--detach", "--json", "--", task);

        assertThat(run.exit()).as(run.all()).isZero();
        assertThat(json(run.out()).at("/pair/task").asString()).isEqualTo(task);
        assertThat(ash("pair", "watch", "1").exit()).isZero();
    }

    @Test
    void reportsWhyPairCannotStart() throws Exception {
        var nothing = ash("pair");
        assertThat(nothing.exit()).isEqualTo(2);
        assertThat(nothing.err()).contains("The task is missing");
        var none = ash("pair", "x", "--repo", home.toString());
        assertThat(none.exit()).isEqualTo(2);
        assertThat(none.err()).contains("not in a git repository");

        ash("start");
        assertThat(ash("pair", "show", "7").exit()).isEqualTo(4);
        var review = ash("pair", "--review-only");
        assertThat(review.exit()).isEqualTo(1);
        assertThat(review.err()).contains("HEAD has no parent", "--base COMMIT");
    }

    private Path manifest(String run) throws IOException {
        try (var files = Files.walk(home.resolve(".agentpair"))) {
            return files.filter(file -> file.endsWith(run + "/manifest.json"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static JsonNode json(String text) {
        return new JsonMapper().readTree(text);
    }

    private static String type(JsonNode line) {
        return line.at("/data/type").asString();
    }

    private String git(String... arguments) throws IOException, InterruptedException {
        var command =
                new ArrayList<>(
                        List.of(
                                "git",
                                "-c",
                                "user.name=Tester",
                                "-c",
                                "user.email=tester@example.com"));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(repository.toFile());
        var result = run(builder);
        assertThat(result.exit()).as(result.all()).isZero();
        return result.out().strip();
    }

    private record Result(int exit, String out, String err) {
        String all() {
            return out + err;
        }
    }

    private Result ash(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(ServerLaunch.cli());
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(repository.toFile());
        var env = builder.environment();
        env.keySet().retainAll(List.of("PATH"));
        env.put("LANG", "C.UTF-8");
        env.put("HOME", home.toString());
        env.put("ASH_PORT", "0");
        env.put("ASH_DATA_DIR", directory.data().toString());
        env.put("ASH_ENGINE", "demo");
        env.put(AshServer.MARKER_VARIABLE, marker);
        env.put("JDK_JAVA_OPTIONS", String.join(" ", StartupData.get().flags())); // for the server
        return run(builder);
    }

    private Result run(ProcessBuilder builder) throws IOException, InterruptedException {
        var out = Files.createTempFile(directory.path(), "out", "");
        var err = Files.createTempFile(directory.path(), "err", "");
        var process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        process.getOutputStream().close();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(
                    "still running: %s\n%s%s"
                            .formatted(
                                    builder.command(),
                                    Files.readString(out),
                                    Files.readString(err)));
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
