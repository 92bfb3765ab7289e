package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.TestDirectory;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Document 002: fields, types, signals and ids of messages that peers send. */
class MailboxMessagesTest {
    private static TestDirectory directory;
    private static MailboxPeer claude;
    private static MailboxPeer codex;
    private static MailboxFile file;

    @BeforeAll
    static void start() {
        directory = TestDirectory.create();
        claude = MailboxPeer.start(directory, "claude");
        codex = MailboxPeer.start(directory, "codex");
        claude.send(chat("codex", "The first message"));
        file = MailboxFile.below(directory.path());
    }

    @AfterAll
    static void stop() {
        claude.close();
        codex.close();
        directory.close();
    }

    private static String chat(String to, String content) {
        return MailboxPeer.json("{ \"type\": \"chat\" }")
                .put("to", to)
                .put("content", content)
                .toString();
    }

    /** Sends a message and returns its line. */
    private static JsonNode stored(MailboxPeer from, String message) {
        var answer = from.send(message);
        assertThat(answer.path("isError").asBoolean(false)).as("%s", answer).isFalse();
        return file.last(MailboxPeer.json(message).path("content").asString());
    }

    @Statement(id = "002-01", says = "Each message is a JSON object in the bridge JSONL file")
    @Test
    void storesEachMessageAsAnObject() {
        stored(claude, chat("codex", "An object"));
        assertThat(file.messages()).isNotEmpty().allMatch(JsonNode::isObject);
    }

    @Statement(
            id = "002-02",
            says = "A message has id, run_id, type, from, to, content, signal, timestamp")
    @Test
    void storesEveryField() {
        var names = new TreeSet<>(stored(claude, chat("codex", "All fields")).propertyNames());
        assertThat(names)
                .containsAll(
                        Set.of(
                                "id",
                                "run_id",
                                "type",
                                "from",
                                "to",
                                "content",
                                "signal",
                                "timestamp"));
    }

    @Statement(id = "002-03", says = "id is a SHA-256 hex string")
    @Test
    void storesAHashAsId() {
        var id = stored(claude, chat("codex", "A hash")).path("id");
        assertThat(id.isString()).isTrue();
        assertThat(id.asString()).matches("[0-9a-f]{64}");
    }

    @Statement(id = "002-04", says = "id is generated from the content hash")
    @Test
    void generatesTheIdFromTheContent() {
        var message = stored(claude, chat("codex", "Hash me"));
        assertThat(message.path("id").asString())
                .isEqualTo(MailboxFile.generateId("chat", "claude", "codex", "Hash me"));
    }

    @Statement(id = "002-05", says = "id is used for deduplication: a retry is stored once")
    @Test
    void storesARetryOnce() {
        stored(claude, chat("codex", "A retry"));
        var again = claude.send(chat("codex", "A retry"));
        assertThat(again.at("/structuredContent/duplicate").asBoolean(false)).isTrue();
        assertThat(again.at("/content/0/text").asString())
                .startsWith("Message duplicate (already sent): id=");
        assertThat(count("A retry")).isEqualTo(1);
    }

    private static long count(String content) {
        return file.messages().stream()
                .filter(message -> message.path("content").asString().equals(content))
                .count();
    }

    @Statement(
            id = "002-06",
            says = "id is used for deduplication: the same content is stored only once",
            verdict = Verdict.DIFFERS,
            instead = "a repeat after another message is stored again, with the same id",
            see = "docs/mailbox.md#duplicates")
    @Test
    void keepsIntendedRepeats() {
        stored(claude, chat("codex", "Run the tests again"));
        stored(claude, chat("codex", "Something else"));
        var again = claude.send(chat("codex", "Run the tests again"));
        assertThat(again.at("/structuredContent/duplicate").asBoolean(true)).isFalse();
        assertThat(count("Run the tests again")).isEqualTo(2);
    }

    @Statement(id = "002-07", says = "run_id is an integer")
    @Test
    void storesAnIntegerAsRunId() {
        var message = stored(claude, chat("codex", "A run"));
        assertThat(message.path("run_id").isIntegralNumber()).isTrue();
    }

    @Statement(id = "002-08", says = "run_id is the associated run")
    @Test
    void storesTheIdOfTheRun() {
        assertThat(stored(claude, chat("codex", "The run")).path("run_id").asInt()).isEqualTo(7);
    }

    @Statement(id = "002-09", says = "type is one of task, result, review, signal, chat")
    @Test
    void rejectsAnotherType() {
        var answer = claude.send(chat("codex", "Another type").replace("chat", "note"));
        assertThat(answer.path("isError").asBoolean(false)).isTrue();
        assertThat(answer.at("/content/0/text").asString())
                .contains("task, result, review, signal, chat");
        assertThat(count("Another type")).isZero();
    }

    @Statement(id = "002-10", says = "from is the sender agent name")
    @Test
    void storesTheSender() {
        assertThat(stored(claude, chat("codex", "By Claude")).path("from").asString())
                .isEqualTo("claude");
        assertThat(stored(codex, chat("claude", "By Codex")).path("from").asString())
                .isEqualTo("codex");
    }

    @Statement(id = "002-11", says = "to is the target agent name")
    @Test
    void deliversOnlyToTheTarget() {
        assertThat(stored(claude, chat("codex", "For Codex")).path("to").asString())
                .isEqualTo("codex");
        assertThat(codex.received("For Codex")).hasSize(1);
        assertThat(claude.received("For Codex")).isEmpty();
    }

    @Statement(id = "002-12", says = "to is empty for broadcast messages")
    @Test
    void deliversABroadcast() {
        assertThat(stored(claude, chat("", "For everybody")).path("to").asString("none")).isEmpty();
        assertThat(codex.received("For everybody")).hasSize(1);
    }

    @Statement(id = "002-13", says = "content is any text, including markdown")
    @Test
    void keepsAnyText() {
        var text = "# Title\n\n- *item*\t\"quoted\" \\ `code` <a> & ä 日本 🙂\r\n```go\nfunc\n```\n";
        stored(claude, chat("codex", text));
        assertThat(codex.received(text)).hasSize(1);
    }

    private static JsonNode signal(MailboxPeer from, String signal) {
        return stored(
                from,
                "{ \"type\": \"signal\", \"to\": \"\", \"content\": \"says %s\", \"signal\": \"%s\" }"
                        .formatted(signal, signal));
    }

    @Statement(id = "002-14", says = "signal: DONE")
    @Test
    void storesDone() {
        assertThat(signal(codex, "DONE").path("signal").asString()).isEqualTo("DONE");
    }

    @Statement(id = "002-15", says = "signal: PASS")
    @Test
    void storesPass() {
        assertThat(signal(claude, "PASS").path("signal").asString()).isEqualTo("PASS");
    }

    @Statement(id = "002-16", says = "signal: FAIL")
    @Test
    void storesFail() {
        assertThat(signal(claude, "FAIL").path("signal").asString()).isEqualTo("FAIL");
    }

    @Statement(id = "002-17", says = "signal: empty for other messages")
    @Test
    void storesAnEmptySignal() {
        var message = stored(claude, chat("codex", "No signal"));
        assertThat(message.path("signal").asString("none")).isEmpty();
    }

    @Statement(id = "002-18", says = "signal is one of DONE, PASS, FAIL")
    @Test
    void rejectsAnotherSignal() {
        var answer =
                claude.send(
                        """
                        { "type": "signal", "to": "", "content": "Perhaps", "signal": "MAYBE" }""");
        assertThat(answer.path("isError").asBoolean(false)).isTrue();
        assertThat(answer.at("/content/0/text").asString()).contains("DONE, PASS, FAIL");
    }

    @Statement(id = "002-19", says = "signal is for messages of type signal")
    @Test
    void rejectsASignalOnAnotherType() {
        var answer =
                claude.send(
                        """
                        { "type": "chat", "to": "", "content": "Odd", "signal": "PASS" }""");
        assertThat(answer.path("isError").asBoolean(false)).isTrue();
        assertThat(count("Odd")).isZero();
    }

    @Statement(id = "002-20", says = "timestamp is an ISO 8601 string")
    @Test
    void storesAnIsoTimestamp() {
        assertThat(stored(claude, chat("codex", "A time")).path("timestamp").asString())
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
    }

    @Statement(id = "002-21", says = "timestamp is the message creation time")
    @Test
    void storesTheTimeOfCreation() {
        var before = Instant.now().minusSeconds(1);
        var message = stored(claude, chat("codex", "This time"));
        assertThat(Instant.parse(message.path("timestamp").asString()))
                .isBetween(before, Instant.now());
    }

    /** Sends the document's example and compares what the other peer receives. */
    private static void assertDelivers(MailboxPeer from, MailboxPeer to, String example) {
        var expected = MailboxPeer.json(example);
        var line = stored(from, example);
        for (var name : expected.propertyNames()) {
            assertThat(line.path(name)).as(name).isEqualTo(expected.path(name));
        }
        var received = to.received(expected.path("content").asString());
        assertThat(received).hasSize(1);
        for (var name : expected.propertyNames()) {
            assertThat(received.getFirst().path(name)).as(name).isEqualTo(expected.path(name));
        }
    }

    @Statement(id = "002-22", says = "task: work request or follow-up task (example)")
    @Test
    void deliversTheExampleOfATask() {
        assertDelivers(
                claude,
                codex,
                """
                { "type": "task", "from": "claude", "to": "codex", \
                "content": "Please implement input validation for the email field. Requirements:\\n1. Check for valid email format\\n2. Show error message for invalid input\\n3. Disable submit button until valid" }""");
    }

    @Statement(id = "002-23", says = "result: work output from an agent (example)")
    @Test
    void deliversTheExampleOfAResult() {
        assertDelivers(
                codex,
                claude,
                """
                { "type": "result", "from": "codex", "to": "claude", \
                "content": "Implemented email validation:\\n\\n```typescript\\nfunction validateEmail(email: string): boolean {\\n return /^[^\\\\s@]+@[^\\\\s@]+\\\\.[^\\\\s@]+$/.test(email);\\n}\\n```\\n\\nAdded to LoginForm component with error state management." }""");
    }

    @Statement(id = "002-24", says = "review: review feedback (example)")
    @Test
    void deliversTheExampleOfAReview() {
        assertDelivers(
                claude,
                codex,
                """
                { "type": "review", "from": "claude", "to": "codex", \
                "content": "The implementation looks good. A few suggestions:\\n\\n1. Consider using a more comprehensive email regex\\n2. Add aria-label for accessibility\\n3. Consider debouncing the validation\\n\\nPlease address these points." }""");
    }

    @Statement(id = "002-25", says = "signal: control signal for loop state (example)")
    @Test
    void deliversTheExampleOfASignal() {
        assertDelivers(
                claude,
                codex,
                """
                { "type": "signal", "from": "claude", "to": "", \
                "content": "All requirements met, validation working correctly", \
                "signal": "PASS" }""");
    }

    @Statement(id = "002-26", says = "chat: free-form discussion or clarification (example)")
    @Test
    void deliversTheExampleOfAChat() {
        assertDelivers(
                codex,
                claude,
                """
                { "type": "chat", "from": "codex", "to": "claude", \
                "content": "Should we also validate the password field in this PR, or keep it separate?" }""");
    }

    @Statement(id = "002-27", says = "FAIL: the example has no to, and is a broadcast")
    @Test
    void deliversTheExampleOfFail() {
        assertDelivers(
                claude,
                codex,
                """
                { "type": "signal", "signal": "FAIL", \
                "content": "Tests are failing, please fix before proceeding" }""");
        assertThat(
                        file.last("Tests are failing, please fix before proceeding")
                                .path("to")
                                .asString(""))
                .isEmpty();
    }

    @Statement(id = "002-30", says = "ID generation: type, from, to, content, in this order")
    @Test
    void hashesTheFieldsInOrder() {
        for (var message : file.messages()) {
            assertThat(message.path("id").asString()).isEqualTo(MailboxFile.generateId(message));
        }
    }

    @Statement(id = "002-31", says = "ID generation: nothing separates the fields")
    @Test
    void hashesTheFieldsWithoutSeparators() {
        var message = stored(claude, chat("codex", "Joined"));
        assertThat(message.path("id").asString())
                .isEqualTo(MailboxFile.generateId("chatclaudecodexJoined", "", "", ""));
    }

    @Statement(id = "002-32", says = "ID generation: the bytes of the content are UTF-8")
    @Test
    void hashesUtf8() {
        var message = stored(claude, chat("codex", "日本 🙂"));
        assertThat(message.path("id").asString())
                .isEqualTo(MailboxFile.generateId("chat", "claude", "codex", "日本 🙂"));
    }

    @Statement(id = "002-33", says = "ID generation: the to of a broadcast is empty")
    @Test
    void hashesABroadcast() {
        var message = stored(claude, chat("", "Hash for everybody"));
        assertThat(message.path("id").asString())
                .isEqualTo(MailboxFile.generateId("chat", "claude", "", "Hash for everybody"));
    }

    @Statement(id = "002-34", says = "ID generation: the signal is not part of it")
    @Test
    void doesNotHashTheSignal() {
        var pass =
                "{ \"type\": \"signal\", \"to\": \"\", \"content\": \"Same\", \"signal\": \"PASS\" }";
        var first = stored(claude, pass);
        var second = stored(claude, pass.replace("PASS", "FAIL"));
        assertThat(second.path("signal").asString()).isEqualTo("FAIL");
        assertThat(second.path("id")).isEqualTo(first.path("id"));
    }

    @Statement(id = "002-35", says = "Same content always generates the same id")
    @Test
    void generatesTheSameIdAgain() {
        var first = stored(claude, chat("codex", "Again and again"));
        stored(claude, chat("codex", "In between"));
        var second = stored(claude, chat("codex", "Again and again"));
        assertThat(second.path("seq")).isNotEqualTo(first.path("seq"));
        assertThat(second.path("id")).isEqualTo(first.path("id"));
    }

    @Statement(id = "002-36", says = "Another sender, target, type or content has another id")
    @Test
    void generatesAnotherIdForAnotherMessage() {
        var ids = new TreeSet<String>();
        ids.add(stored(claude, chat("codex", "Different")).path("id").asString());
        ids.add(stored(codex, chat("claude", "Different")).path("id").asString());
        ids.add(stored(claude, chat("", "Different")).path("id").asString());
        var task = chat("codex", "Different").replace("\"chat\"", "\"task\"");
        ids.add(stored(claude, task).path("id").asString());
        ids.add(stored(claude, chat("codex", "Different!")).path("id").asString());
        assertThat(ids).hasSize(5);
    }
}
