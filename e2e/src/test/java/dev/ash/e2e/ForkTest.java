package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests forks of sessions of the real CLI: which turns and files each fork contains. */
@NeedsClaude
class ForkTest {
    @RegisterExtension static final AshExtension ash = AshExtension.claude().agent("hello");

    @Test
    void forkContainsTurnsUpToItsTurnAndSharesNothing() {
        var original = threeTurns();
        var rows = original.messages();

        var copy = fork(original, turnOf("second plum", rows));

        var firstTwo = rows.stream().filter(row -> row.path("seq").asLong() <= end(rows)).toList();
        assertThat(shown(copy.messages())).isEqualTo(shown(firstTwo));
        assertThat(firstTwo.toString()).contains("second plum").doesNotContain("third plum");
        assertThat(Frame.said(copy.ask(Script.bash("echo copy >> log.txt") + "\nSAY:copy says")))
                .isEqualTo("copy says");
        var request = ash.model().awaitTurn("SAY:copy says");
        assertThat(request.everything())
                .contains("first plum", "second plum")
                .doesNotContain("third plum");

        assertThat(
                        Frame.said(
                                original.ask(
                                        Script.bash("echo original >> log.txt") + "\nSAY:fourth")))
                .isEqualTo("fourth");
        assertThat(ash.model().awaitTurn("SAY:fourth").everything())
                .contains("first plum", "second plum", "third plum")
                .doesNotContain("copy says");
        assertThat(copy.workspaceFile("log.txt")).isEqualTo("1\n2\n3\ncopy\n");
        assertThat(original.workspaceFile("log.txt")).isEqualTo("1\n2\n3\noriginal\n");
    }

    @Test
    void forkOfForkContainsTurnsOfBoth() {
        var original = threeTurns();
        var copy = fork(original, turnOf("first plum", original.messages()));
        copy.ask("SAY:first pear");
        copy.ask("SAY:second pear");

        var grandchild = fork(copy, turnOf("first pear", copy.messages()));
        grandchild.ask("SAY:grandchild");
        var whole = fork(copy, null);
        whole.ask("SAY:whole copy");

        assertThat(ash.model().awaitTurn("SAY:grandchild").everything())
                .contains("first plum", "first pear")
                .doesNotContain("second plum", "second pear");
        assertThat(ash.model().awaitTurn("SAY:whole copy").everything())
                .contains("first plum", "first pear", "second pear")
                .doesNotContain("second plum");
    }

    @Test
    void rejectsForkOfBusySession() {
        var session = ash.session("hello");
        try (var turn = session.send("HOLD", Map.of("includePartialMessages", true))) {
            turn.next("text_delta");

            ash.api().post(session.path() + "/fork", Map.of()).refused(409, "SESSION_BUSY", "turn");

            ash.model().release();
            turn.rest();
        }
        assertThat(fork(session, null).ask("SAY:free now")).isNotEmpty();
    }

    private static TestSession threeTurns() {
        var session = ash.session("hello");
        session.ask(Script.bash("echo 1 >> log.txt") + "\nSAY:first plum");
        session.ask(Script.bash("echo 2 >> log.txt") + "\nSAY:second plum");
        session.ask(Script.bash("echo 3 >> log.txt") + "\nSAY:third plum");
        return session;
    }

    private static TestSession fork(TestSession session, String turn) {
        var body = turn == null ? Map.of() : Map.of("turnId", turn);
        var copy = ash.api().post(session.path() + "/fork", body).expect(201).at("/session");
        assertThat(copy.path("parentSessionId").asString("")).isEqualTo(session.id());
        return new TestSession(ash.server(), copy);
    }

    private static String turnOf(String word, List<JsonNode> rows) {
        return rows.stream()
                .filter(row -> contains(row, word))
                .findFirst()
                .orElseThrow()
                .path("turnId")
                .asString();
    }

    /** Returns the number of the last row of the second turn. */
    private static long end(List<JsonNode> rows) {
        var turn = turnOf("second plum", rows);
        return rows.stream()
                .filter(row -> row.path("turnId").asString().equals(turn))
                .mapToLong(row -> row.path("seq").asLong())
                .max()
                .orElseThrow();
    }

    private static boolean contains(JsonNode row, String word) {
        return row.path("content").asString().contains(word);
    }

    private static List<String> shown(List<JsonNode> rows) {
        return rows.stream()
                .map(
                        row ->
                                row.path("sequence").asLong()
                                        + row.path("role").asString()
                                        + row.path("content").asString())
                .toList();
    }
}
