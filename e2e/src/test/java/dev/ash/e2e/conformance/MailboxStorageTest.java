package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.TestDirectory;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Document 002: the file, lines of other programs, and the tools. */
class MailboxStorageTest {
    private static final List<String> STORED =
            List.of(
                    """
                    {"id":"abc...","type":"task","from":"claude","to":"codex","content":"...","timestamp":"..."}""",
                    """
                    {"id":"def...","type":"result","from":"codex","to":"claude","content":"...","timestamp":"..."}""",
                    """
                    {"id":"ghi...","type":"review","from":"claude","to":"codex","content":"...","timestamp":"..."}""");

    private static final List<String> CONVERSATION =
            List.of(
                    """
                    {"type":"task","from":"claude","to":"codex","content":"Add email validation to LoginForm","timestamp":"2024-03-28T10:00:00Z"}""",
                    """
                    {"type":"result","from":"codex","to":"claude","content":"Added validateEmail function...","timestamp":"2024-03-28T10:01:00Z"}""",
                    """
                    {"type":"review","from":"claude","to":"codex","content":"Please add error message display","timestamp":"2024-03-28T10:02:00Z"}""",
                    """
                    {"type":"result","from":"codex","to":"claude","content":"Added error message UI...","timestamp":"2024-03-28T10:03:00Z"}""",
                    """
                    {"type":"signal","from":"codex","signal":"DONE","content":"Validation complete","timestamp":"2024-03-28T10:03:30Z"}""",
                    """
                    {"type":"signal","from":"claude","signal":"PASS","content":"Looks good","timestamp":"2024-03-28T10:04:00Z"}""");

    private static final String WHOLE =
            """
            { "id": "sha256-hash-of-content", "run_id": 1, "type": "task", "from": "claude", \
            "to": "codex", "content": "Message content here", "signal": "", \
            "timestamp": "2024-03-28T10:00:00Z" }""";

    private static TestDirectory directory;
    private static MailboxPeer claude;
    private static MailboxPeer codex;
    private static MailboxFile file;
    private static JsonNode before;
    private static JsonNode after;
    private static List<JsonNode> toClaude;
    private static List<JsonNode> toCodex;

    @BeforeAll
    static void start() {
        directory = TestDirectory.create();
        claude = MailboxPeer.start(directory, "claude");
        codex = MailboxPeer.start(directory, "codex");
        claude.send("{ \"type\": \"chat\", \"to\": \"codex\", \"content\": \"By the tool\" }");
        file = MailboxFile.below(directory.path());
        before = claude.status();
        STORED.forEach(file::append);
        file.append(WHOLE);
        CONVERSATION.forEach(file::append);
        toClaude = claude.received();
        toCodex = codex.received();
        after = claude.status();
    }

    @AfterAll
    static void stop() {
        claude.close();
        codex.close();
        directory.close();
    }

    /** Checks that the peer received this line with all its fields. */
    private static void assertReceived(List<JsonNode> received, String line) {
        var expected = MailboxPeer.json(line);
        var found =
                received.stream()
                        .filter(each -> each.path("type").equals(expected.path("type")))
                        .filter(each -> each.path("content").equals(expected.path("content")))
                        .toList();
        assertThat(found).as(line).hasSize(1);
        for (var name : List.of("from", "signal", "timestamp")) {
            assertThat(found.getFirst().path(name).asString(""))
                    .as(name)
                    .isEqualTo(expected.path(name).asString(""));
        }
    }

    @Statement(id = "002-40", says = "Messages are stored as newline-delimited JSON")
    @Test
    void endsEachLineWithANewline() {
        assertThat(file.text()).endsWith("}\n");
        assertThat(file.text().lines()).allMatch(line -> line.startsWith("{"));
    }

    @Statement(id = "002-41", says = "A message with line breaks is stored on one line")
    @Test
    void storesLineBreaksOnOneLine() {
        long lines = file.text().lines().count();
        codex.send(
                "{ \"type\": \"chat\", \"to\": \"claude\", \"content\": \"one\\ntwo\\r\\nthree\" }");
        assertThat(file.text().lines().count()).isEqualTo(lines + 1);
        assertThat(file.last("one\ntwo\r\nthree").path("type").asString()).isEqualTo("chat");
    }

    @Statement(
            id = "002-42",
            says = "The file is ~/.agentpair/runs/{repo-id}/{run-id}/bridge.jsonl")
    @Test
    void storesTheFileBelowTheHome() {
        var parts = directory.path().relativize(file.path());
        assertThat(parts.getNameCount()).isEqualTo(5);
        assertThat(parts.subpath(0, 2)).hasToString(".agentpair/runs");
        assertThat(parts.getName(3)).hasToString("7");
        assertThat(parts.getFileName()).hasToString("bridge.jsonl");
    }

    @Statement(id = "002-43", says = "{repo-id} identifies the repository")
    @Test
    void namesTheRepository() {
        var repository = file.path().getParent().getParent().getFileName().toString();
        assertThat(repository).startsWith(directory.path().getFileName() + "-");
    }

    @Statement(id = "002-44", says = "A message of another program is read: the first example")
    @Test
    void readsTheFirstStoredExample() {
        assertReceived(toCodex, STORED.get(0));
    }

    @Statement(id = "002-45", says = "A message of another program is read: the second example")
    @Test
    void readsTheSecondStoredExample() {
        assertReceived(toClaude, STORED.get(1));
    }

    @Statement(id = "002-46", says = "A message of another program is read: the third example")
    @Test
    void readsTheThirdStoredExample() {
        assertReceived(toCodex, STORED.get(2));
    }

    @Statement(id = "002-47", says = "The complete example is read with all its fields")
    @Test
    void readsTheCompleteExample() {
        assertReceived(toCodex, WHOLE);
        assertThat(toCodex)
                .anyMatch(each -> each.path("id").asString().equals("sha256-hash-of-content"));
    }

    @Statement(id = "002-50", says = "Conversation: 1. Claude assigns the task")
    @Test
    void deliversTheTask() {
        assertReceived(toCodex, CONVERSATION.get(0));
    }

    @Statement(id = "002-51", says = "Conversation: 2. Codex implements")
    @Test
    void deliversTheResult() {
        assertReceived(toClaude, CONVERSATION.get(1));
    }

    @Statement(id = "002-52", says = "Conversation: 3. Claude reviews with feedback")
    @Test
    void deliversTheReview() {
        assertReceived(toCodex, CONVERSATION.get(2));
    }

    @Statement(id = "002-53", says = "Conversation: 4. Codex fixes")
    @Test
    void deliversTheFix() {
        assertReceived(toClaude, CONVERSATION.get(3));
    }

    @Statement(id = "002-54", says = "Conversation: 5. Codex signals done, without to")
    @Test
    void deliversDone() {
        assertReceived(toClaude, CONVERSATION.get(4));
    }

    @Statement(id = "002-55", says = "Conversation: 6. Claude approves, without to")
    @Test
    void deliversPass() {
        assertReceived(toCodex, CONVERSATION.get(5));
    }

    @Statement(id = "002-56", says = "Conversation: messages are read in the order of the file")
    @Test
    void deliversInOrder() {
        var contents = toCodex.stream().map(each -> each.path("content").asString()).toList();
        assertThat(contents)
                .containsExactly(
                        "By the tool",
                        "...",
                        "...",
                        "Message content here",
                        "Add email validation to LoginForm",
                        "Please add error message display",
                        "Looks good");
    }

    @Statement(id = "002-60", says = "MCP tools: send_to_agent, receive_messages, bridge_status")
    @Test
    void offersTheTools() {
        var names =
                claude.request("tools/list", "{}")
                        .path("tools")
                        .valueStream()
                        .map(tool -> tool.path("name").asString())
                        .toList();
        assertThat(names)
                .containsExactlyInAnyOrder("send_to_agent", "receive_messages", "bridge_status");
    }

    @Statement(id = "002-61", says = "send_to_agent appends a message to the file")
    @Test
    void appendsAMessage() {
        var start = file.text();
        codex.send("{ \"type\": \"chat\", \"to\": \"claude\", \"content\": \"Appended\" }");
        assertThat(file.text()).startsWith(start);
        assertThat(file.messages().getLast().path("content").asString()).isEqualTo("Appended");
    }

    @Statement(id = "002-62", says = "receive_messages reads the messages for an agent")
    @Test
    void readsMessagesForTheAgent() {
        codex.send("{ \"type\": \"chat\", \"to\": \"claude\", \"content\": \"Read this\" }");
        var answer = claude.call("receive_messages", MailboxPeer.json("{ \"agent\": \"claude\" }"));
        assertThat(answer.at("/content/0/text").asString()).contains("Read this");
        assertThat(answer.at("/structuredContent/messages").valueStream())
                .anyMatch(each -> each.path("content").asString().equals("Read this"));
    }

    private static int added(String pointer) {
        return after.at(pointer).asInt() - before.at(pointer).asInt();
    }

    @Statement(id = "002-63", says = "bridge_status counts messages")
    @Test
    void countsMessages() {
        assertThat(added("/total_messages")).isEqualTo(10);
        assertThat(added("/messages_by_type/task")).isEqualTo(3);
        assertThat(added("/messages_by_type/result")).isEqualTo(3);
        assertThat(added("/messages_by_agent/codex")).isEqualTo(4);
    }

    @Statement(id = "002-64", says = "bridge_status counts signals")
    @Test
    void countsSignals() {
        assertThat(added("/messages_by_type/signal")).isEqualTo(2);
        assertThat(added("/done_count")).isEqualTo(1);
        assertThat(added("/pass_count")).isEqualTo(1);
        assertThat(added("/fail_count")).isZero();
    }
}
