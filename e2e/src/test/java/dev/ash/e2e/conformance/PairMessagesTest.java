package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 002: the messages of a run, and the effects of signals on the loop. */
class PairMessagesTest {
    private static final String TASK = "Add email validation to LoginForm";
    private static final String WORKER = "demo";
    private static final String REVIEWER = "demo-2";

    @RegisterExtension static final AshExtension ash = AshExtension.demo().projectRoots();

    private static JsonNode run;
    private static MailboxFile file;

    /** The demo's reviewer rejects the first round and approves the second. */
    @BeforeAll
    static void start() {
        var project = DeviceProject.make(ash.projects().resolve("shop"));
        var id =
                ash.api()
                        .post(
                                "/api/pairs",
                                Map.of(
                                        "repository",
                                        project.path().toString(),
                                        "task",
                                        TASK,
                                        "worker",
                                        "demo",
                                        "reviewer",
                                        "demo"))
                        .expect(201)
                        .at("/pair/id")
                        .asString();
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> show(id).path("state").asString().equals("over"));
        run = show(id);
        file = new MailboxFile(Path.of(run.path("folder").asString()).resolve("bridge.jsonl"));
    }

    private static JsonNode show(String id) {
        return ash.api().get("/api/pairs/" + id).expect(200).at("/pair");
    }

    private static List<JsonNode> of(String type) {
        return file.messages().stream()
                .filter(message -> message.path("type").asString().equals(type))
                .toList();
    }

    private static List<String> signals() {
        return of("signal").stream()
                .map(each -> each.path("from").asString() + " " + each.path("signal").asString())
                .toList();
    }

    @Statement(
            id = "002-70",
            says = "The task is a message from the other agent",
            verdict = Verdict.DIFFERS,
            instead = "the loop assigns it: from is system",
            see = "docs/mailbox.md#differences-from-the-published-format")
    @Test
    void assignsTheTask() {
        assertThat(of("task")).hasSize(1);
        var task = of("task").getFirst();
        assertThat(task.path("from").asString()).isEqualTo("system");
        assertThat(task.path("to").asString()).isEqualTo(WORKER);
        assertThat(task.path("content").asString()).isEqualTo(TASK);
    }

    @Statement(id = "002-71", says = "result is the work output of the worker")
    @Test
    void storesTheResults() {
        assertThat(of("result"))
                .hasSize(2)
                .allMatch(each -> each.path("from").asString().equals(WORKER))
                .allMatch(each -> each.path("to").asString().equals(REVIEWER));
    }

    @Statement(id = "002-72", says = "review is the feedback of the reviewer")
    @Test
    void storesTheReviews() {
        assertThat(of("review"))
                .hasSize(2)
                .allMatch(each -> each.path("from").asString().equals(REVIEWER))
                .allMatch(each -> each.path("to").asString().equals(WORKER));
    }

    @Statement(
            id = "002-73",
            says = "DONE: the agent has completed its work, which is then reviewed")
    @Test
    void reviewsAfterDone() {
        assertThat(signals()).startsWith(WORKER + " DONE", REVIEWER + " FAIL");
    }

    @Statement(id = "002-74", says = "FAIL: the reviewer rejects the work, and the loop continues")
    @Test
    void continuesAfterFail() {
        assertThat(signals())
                .containsSubsequence(REVIEWER + " FAIL", WORKER + " DONE", REVIEWER + " PASS");
    }

    @Statement(id = "002-75", says = "PASS: the reviewer approves the work, and the loop ends")
    @Test
    void endsAfterPass() {
        assertThat(signals()).endsWith(REVIEWER + " PASS");
        assertThat(run.path("outcome").asString()).isEqualTo("completed");
    }

    @Statement(id = "002-76", says = "A signal is a broadcast")
    @Test
    void broadcastsSignals() {
        assertThat(of("signal"))
                .hasSize(4)
                .allMatch(each -> each.path("to").asString("").isEmpty());
    }

    @Statement(id = "002-77", says = "run_id of all messages of a run is the same")
    @Test
    void storesTheRunInEveryMessage() {
        assertThat(file.messages()).allMatch(each -> each.path("run_id").asInt() == 1);
        assertThat(file.path().getParent().getFileName()).hasToString("1");
    }

    @Statement(id = "002-78", says = "The id of each message of a run is unique")
    @Test
    void storesUniqueIds() {
        assertThat(file.messages().stream().map(each -> each.path("id").asString()).toList())
                .doesNotHaveDuplicates();
    }

    @Statement(id = "002-79", says = "The id of each message of a run is its content hash")
    @Test
    void storesContentHashes() {
        for (var message : file.messages()) {
            assertThat(message.path("id").asString()).isEqualTo(MailboxFile.generateId(message));
        }
    }

    @Statement(id = "002-80", says = "The flow is task, result, review, result, DONE, PASS")
    @Test
    void storesTheFlowInOrder() {
        var flow =
                file.messages().stream()
                        .map(
                                each ->
                                        each.path("type").asString().equals("signal")
                                                ? each.path("signal").asString()
                                                : each.path("type").asString())
                        .toList();
        assertThat(flow).containsSubsequence("task", "result", "review", "result", "DONE", "PASS");
    }
}
