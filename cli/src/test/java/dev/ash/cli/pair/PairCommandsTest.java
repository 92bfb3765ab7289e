package dev.ash.cli.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PairCommandsTest {
    @TempDir Path root;
    private FakeServer server;
    private String id = "";

    private String pair(String state, String more) {
        return "{\"id\":\"%s\",\"run\":1,\"repository\":\"/r\",\"task\":\"t\\u001b\",\"mode\":\"pair\",\"state\":\"%s\",\"step\":\"work\",\"reason\":\"\",\"round\":2,\"maxRounds\":9,\"worker\":{\"name\":\"demo\",\"agent\":\"demo\"},\"reviewer\":{\"name\":\"demo-2\",\"agent\":\"demo\"},\"base\":\"b\",\"branch\":\"agentpair/run-1\",\"inputTokens\":1200,\"outputTokens\":7,\"costUsd\":0.5,\"spentMs\":61000,\"findings\":[{\"id\":\"F1\",\"severity\":\"major\",\"file\":\"a/B.java\",\"line\":3,\"title\":\"no test\",\"round\":1,\"fate\":\"fixed\",\"reason\":\"\"}],\"rounds\":[{\"number\":1,\"commit\":\"0123456789abcdef\",\"proof\":1,\"note\":\"the proof failed\"},{\"number\":2,\"commit\":\"0123456789abcdef\",\"proof\":0,\"verdict\":\"PASS\",\"note\":\"fine\"}],\"createdAt\":\"t1\",\"folder\":\"/f\"%s}"
                .formatted(id, state, more);
    }

    private String over(String outcome, int exitCode) {
        return pair("over", ",\"outcome\":\"%s\",\"exitCode\":%d".formatted(outcome, exitCode));
    }

    private static String answer(String pair) {
        return "{\"pair\":" + pair + "}";
    }

    private static String event(long id, String type, String agent, String content) {
        return "event: pair\ndata: {\"type\":\"%s\",\"iteration\":1,\"agent\":\"%s\",\"content\":\"%s\",\"timestamp\":\"t%d\"}\nid: %d"
                .formatted(type, agent, content, id, id);
    }

    @BeforeEach
    void start() throws IOException {
        Files.createDirectories(root.resolve(".git"));
        id = PairRepository.of(new Ash(root).host(System.out, System.err), "").pairId("1");
        server = new FakeServer();
        server.on("GET /health", "{\"status\":\"ok\"}");
        server.on("POST /api/pairs", 201, answer(pair("running", "")));
        server.on("GET /api/pairs", "{\"pairs\":[%s]}".formatted(over("completed", 0)));
        server.on("GET /api/pairs/" + id, answer(over("max_rounds", 12)));
        server.streams(
                stream(),
                event(1, "start", "", "t"),
                event(2, "execute", "demo", "long prompt"),
                event(3, "result", "demo", "I did\\nit \\u001b[2J"),
                event(4, "commit", "", "0123456789abcdef\\n a | 1 +\\n 1 file changed"),
                event(5, "proof", "", "exit code 1\\nboom\\n"),
                event(6, "signal", "demo-2", "FAIL\\nno test"),
                event(7, "execute", "demo", "again"),
                event(8, "end", "", "max_rounds: enough"));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private String stream() {
        return "GET /api/pairs/" + id + "/stream";
    }

    private Ash ash() {
        return new Ash(root).server(server);
    }

    private Result run(String... args) {
        return ash().run(args);
    }

    @Test
    void startsFollowsAndExitsWithCodeOfOutcome() {
        var result =
                run("pair", "do \"it\" $(now) — ü\n", "--max-rounds", "9", "--timeout", "1h30m");

        assertThat(result.exitCode()).isEqualTo(12);
        assertThat(result.err()).startsWith("Run 1 on /r: demo works, demo-2 reviews.");
        assertThat(result.out())
                .startsWith(
                        """
                          1  ash        task: t
                          1  demo       is working
                          1  demo       I did it \uFFFD[2J
                          1  ash        commit 0123456789, 1 file changed
                          1  ash        the proof is red, exit code 1
                              | boom
                          1  demo-2     FAIL  no test
                              F1 major a/B.java:3 no test
                          1  demo       is working
                          1  ash        max_rounds: enough
                        """)
                .contains(
                        "\nRun 1 max_rounds\n",
                        "1      0123456789  red (1)           the proof failed\n",
                        "2      0123456789  green    PASS     fine\n",
                        "F1 major a/B.java:3 no test: fixed\n",
                        "tokens  1,200 in, 7 out\n",
                        "cost    $0.5000\n",
                        "time    1 min 1 s\n",
                        "report  /f/report.md\n");
        assertThat(server.lines())
                .contains(
                        "POST /api/pairs {\"repository\":\"%s\",\"task\":\"do \\\"it\\\" $(now) — ü\\n\",\"maxRounds\":9,\"timeout\":5400000,\"asksPerson\":false}"
                                .formatted(root));
    }

    @Test
    void sendsAllOptionsToTheServer() {
        run(
                "pair --worker w --reviewer r --worker-model wm --reviewer-model rm --proof make --plan --base B --turn-timeout 90s --max-tokens 5 --max-cost 0.5 --stalemate-rounds 3 --done OK --ask --detach task"
                        .split(" ", -1));
        run("pair", "--single", "--detach", "--no-ask", "--", "list");
        run("pair", "--review-only", "--detach");

        assertThat(server.lines())
                .contains(
                        "POST /api/pairs {\"repository\":\"%s\",\"task\":\"task\",\"plan\":true,\"worker\":\"w\",\"reviewer\":\"r\",\"workerModel\":\"wm\",\"reviewerModel\":\"rm\",\"proof\":\"make\",\"doneSignal\":\"OK\",\"base\":\"B\",\"turnTimeout\":90000,\"maxTokens\":5,\"maxCostUsd\":0.5,\"stalemateRounds\":3,\"asksPerson\":true}"
                                .formatted(root),
                        "POST /api/pairs {\"repository\":\"%s\",\"task\":\"list\",\"mode\":\"single\",\"asksPerson\":false}"
                                .formatted(root),
                        "POST /api/pairs {\"repository\":\"%s\",\"task\":\"Review what was changed.\",\"mode\":\"review-only\",\"asksPerson\":false}"
                                .formatted(root));
    }

    @Test
    void readsTaskFromFileOrStandardInput() throws IOException {
        Files.writeString(root.resolve("task.md"), "from a file");
        run("pair", "--detach", "--task-file", "task.md");
        ash().input("from a pipe\n").run("pair", "--detach", "-");

        assertThat(server.lines())
                .anyMatch(line -> line.contains("\"from a file\""))
                .anyMatch(line -> line.contains("\"from a pipe\""));
    }

    @Test
    void rejectsInvalidTaskWithoutRequest() {
        assertUsage("The task is missing", "pair");
        assertUsage("Quote the task", "pair", "stopp", "3");
        assertUsage("The task is empty", "pair", "  ");
        assertUsage("ash pair -- list", "pair", "--json", "list");
        assertUsage("Cannot read the task", "pair", "--task-file", "none");
        assertUsage("mutually exclusive", "pair", "--single", "--review-only", "x");
        assertUsage("invalid duration", "pair", "--timeout", "soon", "x");
        assertUsage("not in a git repository", "pair", "--repo", "/", "x");
        assertThat(server.requests()).isEmpty();
    }

    private void assertUsage(String message, String... args) {
        var result = run(args);
        assertThat(result.err()).contains(message);
        assertThat(result.exitCode()).isEqualTo(2);
    }

    @Test
    void printsErrorMessageOfTheServer() {
        server.on(
                "POST /api/pairs",
                400,
                "{\"error\":\"repository: not open, see ASH_PROJECT_ROOTS\",\"code\":\"VALIDATION_FAILED\"}");

        var result = run("pair", "x");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("repository: not open, see ASH_PROJECT_ROOTS");
    }

    @Test
    void printsRunAndEventsAsJsonLines() {
        var lines = run("pair", "x", "--json").out().lines().toList();

        assertThat(lines).hasSize(10);
        assertThat(lines.getFirst()).startsWith("{\"pair\":{\"id\":");
        assertThat(lines.get(1)).startsWith("{\"event\":\"pair\",\"data\":{\"type\":\"start\"");
        assertThat(lines.getLast()).contains("\"exitCode\":12");
        assertThat(run("pair", "watch", "1", "--json").out().lines()).hasSize(8);
        assertThat(run("--json", "pair", "x").out().lines()).hasSize(10);
    }

    @Test
    void findsRunByIdOrLocalNumber() {
        var shown = run("pair", "show", "1");
        assertThat(shown.out()).contains("task        t\uFFFD\n", "\nRun 1 max_rounds\n");
        assertThat(run("pair", "show", id).out()).isEqualTo(shown.out());
        assertThat(run("pair", "show", id, "--json").out()).startsWith("{\"pair\":{");

        server.on("GET /api/pairs/x-7", 404, "{\"error\":\"no\",\"code\":\"PAIR_NOT_FOUND\"}");
        var missing = run("pair", "show", "x-7");
        assertThat(missing.exitCode()).isEqualTo(4);
        assertThat(missing.err()).contains("No run x-7.");
    }

    @Test
    void listsRuns() {
        assertThat(run("pair", "list").out())
                .contains("completed  2      t1       t\uFFFD\n")
                .contains(id);
        assertThat(run("pair", "list", "--repo", "/").out()).isEqualTo("No runs.\n");
        assertThat(run("pair", "list", "--json").out()).startsWith("{\"pairs\":[{");
    }

    @Test
    void managesRuns() {
        var base = "POST /api/pairs/" + id;
        for (var verb : new String[] {"pause", "stop", "resume", "answer"}) {
            server.on(base + "/" + verb, answer(pair("running", "")));
        }
        server.on(base + "/messages", 201, "{\"seq\":1,\"to\":\"\"}");

        assertThat(run("pair", "pause", "1").out()).contains("ash pair resume 1");
        assertThat(run("pair", "stop", "1").exitCode()).isZero();
        run("pair", "resume", "1", "--max-rounds", "20", "--timeout", "2h");
        run("pair", "answer", "1", "accept", "good", "enough");
        server.on("GET /api/pairs/" + id, answer(pair("running", "")));
        assertThat(run("pair", "say", "1", "be", "quick").out())
                .isEqualTo("Sent to both peers, delivered with the next turn.\n");
        assertThat(run("pair", "answer", "1", "perhaps").exitCode()).isEqualTo(2);

        assertThat(server.lines())
                .contains(
                        base + "/pause",
                        base + "/stop",
                        base + "/resume {\"maxRounds\":20,\"timeout\":7200000}",
                        base + "/answer {\"decision\":\"accept\",\"message\":\"good enough\"}",
                        base + "/messages {\"content\":\"be quick\"}");
    }

    @Test
    void suggestsResumeOfEndedRuns() {
        server.on("POST /api/pairs/" + id + "/messages", 201, "{\"seq\":1,\"to\":\"\"}");

        assertThat(run("pair", "say", "1", "try it").out())
                .isEqualTo(
                        "Sent to both peers, delivered when the run is resumed: ash pair resume 1\n");
        assertThat(run("pair", "show", "1").out())
                .contains("resume  ash pair resume " + id + " --max-rounds N\n");

        server.on("GET /api/pairs/" + id, answer(over("completed", 0)));
        assertThat(run("pair", "show", "1").out()).doesNotContain("ash pair resume");
    }

    @Test
    void namesTheOnlyPeerOfSingleRun() {
        var alone = pair("running", "").replaceFirst("\"reviewer\":\\{[^}]*},", "");
        server.on("GET /api/pairs/" + id, answer(alone));
        server.on("POST /api/pairs/" + id + "/messages", 201, "{\"seq\":1,\"to\":\"\"}");

        assertThat(run("pair", "say", "1", "hi").out())
                .isEqualTo("Sent to demo, delivered with the next turn.\n");
    }

    @Test
    void warnsAboutUncommittedChanges() throws Exception {
        new ProcessBuilder("git", "init", "-q", root.toString()).start().waitFor();
        Files.writeString(root.resolve("mine.txt"), "mine");

        assertThat(run("pair", "x", "--detach").err())
                .contains(
                        "1 uncommitted change is not part of this run, which uses the last commit; commit first to include it.\n");
    }

    @Test
    void printsCompleteLogAndReport() {
        server.on("GET /api/pairs/" + id + "/report", "{\"text\":\"# Run 1\\n\"}");

        assertThat(run("pair", "log", "1").out())
                .contains("── 2 · round 1 · demo · execute · t2\nlong prompt\n");
        assertThat(run("pair", "log", "1", "--json").out().lines()).hasSize(8);
        assertThat(server.lines()).contains(stream() + "?follow=false");
        assertThat(run("pair", "report", "1").out()).isEqualTo("# Run 1\n");
    }

    @Test
    void reportsClonesThatAreKept() {
        server.on(
                "POST /api/pairs/" + id + "/clean",
                "{\"removed\":false,\"sentence\":\"It stays: session x\"}");

        var kept = run("pair", "clean", "1");

        assertThat(kept.out()).isEqualTo("It stays: session x\n");
        assertThat(kept.exitCode()).isEqualTo(1);
    }

    @Test
    void doesNotFollowInterruptedRun() {
        server.on("GET /api/pairs/" + id, answer(pair("interrupted", "")));

        var result = run("pair", "watch", "1");

        assertThat(result.exitCode()).isEqualTo(6);
        assertThat(result.err()).contains("ash pair resume 1");
    }

    @Test
    void decidesDisagreementOnTerminal() {
        var answered = new CountDownLatch(1);
        askUntil(answered);
        server.on(
                "POST /api/pairs/" + id + "/answer",
                (_, out) -> {
                    FakeServer.write(out, FakeServer.json(202, answer(pair("running", ""))));
                    answered.countDown();
                });

        var result = ash().typing("what", "g keep it").run("pair", "x");

        assertThat(result.err()).contains("A or B?", "[g]o on / [a]ccept / [r]eject");
        assertThat(server.lines())
                .contains(
                        "POST /api/pairs/%s/answer {\"decision\":\"go_on\",\"message\":\"keep it\"}"
                                .formatted(id));
        assertThat(server.lines()).anyMatch(line -> line.contains("\"asksPerson\":true"));
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void stopsAskingWhenDecidedElsewhere() {
        askUntil(new CountDownLatch(0));

        var result =
                ash().typing().terminals(new Host.Terminals(true, false, false)).run("pair", "x");

        assertThat(result.exitCode()).isZero();
        assertThat(run("pair", "watch", "1").err()).contains("ash pair answer " + id);
    }

    private void askUntil(CountDownLatch answered) {
        server.on(
                "GET /api/pairs/" + id,
                (_, out) ->
                        FakeServer.write(
                                out,
                                FakeServer.json(
                                        200,
                                        answer(
                                                pair(
                                                        "over",
                                                        ",\"question\":\"A or B?\",\"outcome\":\"completed\",\"exitCode\":0")))));
        server.on(
                stream(),
                (_, out) -> {
                    FakeServer.stream(out, event(1, "question", "", "A or B?"));
                    try {
                        answered.await(20, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    FakeServer.write(out, event(2, "answer", "", "GO_ON") + "\n\n");
                    FakeServer.write(out, event(3, "end", "", "completed: x") + "\n\n");
                });
    }

    @Test
    void allowsRepositoryOnce() throws IOException {
        var data = new DataDirectory(root.resolve("data"));
        data.create();

        assertThat(data.allowPairs(Path.of("/a b"))).isTrue();
        assertThat(data.allowPairs(Path.of("/a b"))).isFalse();
        assertThat(data.allowPairs(Path.of("/ü"))).isTrue();
        assertThat(data.allowPairs(Path.of("/two\nlines"))).isFalse();

        assertThat(data.path().resolve("pair-repositories")).hasContent("/a b\n/ü\n");
    }

    @Test
    void sendsSessionOptions() {
        run("pair", "x", "--disk-mb", "4096", "--allow", "repo.example", "--mode", "ask");

        assertThat(server.lines().toString())
                .contains(
                        "\"permissionMode\":\"ask\"",
                        "\"limits\":{\"diskMb\":4096}",
                        "\"network\":{\"allow\":[\"repo.example\"]}");
        assertUsage("--pids", "pair", "x", "--pids", "many");
    }

    @Test
    void doesNotAllowRepositoryForServerOfAnotherUser() {
        run("pair", "x");

        assertThat(root.resolve("data/pair-repositories")).doesNotExist();
    }

    @Test
    void helpListsCommandsAndExitCodes() {
        assertThat(run("pair", "--help").out())
                .contains("ash pair [OPTIONS] TASK", "list, show, watch", "12 max_rounds");
        assertThat(run("help", "pair", "watch").out()).contains("RUN", "--after");
        assertThat(run("--help").out()).contains("pair ");
    }
}
