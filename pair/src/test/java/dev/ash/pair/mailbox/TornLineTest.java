package dev.ash.pair.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of killed writers, and lines of programs that do not use the lock. */
class TornLineTest {
    private static final Duration GRACE = Duration.ofMillis(200);
    private static final String FOREIGN =
            "{\"type\":\"chat\",\"from\":\"other\",\"to\":\"\",\"content\":\"%s\"}";

    @TempDir Path directory;
    private Path file = Path.of("");

    @BeforeEach
    void create() throws IOException {
        file = directory.resolve("bridge.jsonl");
        Files.createFile(file);
    }

    @Test
    void d19_terminatesTornLinesAndAppendsAfterThem() throws IOException {
        try (var mailbox = open(GRACE)) {
            append(mailbox, "whole");
            appendForeign("{\"id\":\"ab");

            assertThat(append(mailbox, "next").seq()).isEqualTo(2);
            assertThat(contents(mailbox)).containsExactly("whole", "next");
            assertThat(mailbox.status().skipped()).isEqualTo(1);
        }
        assertThat(Files.readAllLines(file)).hasSize(3).contains("{\"id\":\"ab");
        assertThat(directory.resolve("bridge.quarantine")).doesNotExist();
    }

    @Test
    void keepsMessagesThatLackOnlyTheNewline() throws IOException {
        appendForeign(FOREIGN.formatted("by hand"));
        try (var mailbox = open(GRACE)) {
            assertThat(append(mailbox, "next").seq()).isEqualTo(2);
            assertThat(contents(mailbox)).containsExactly("by hand", "next");
        }
    }

    @Test
    void readsMessagesWithoutNewlineAfterTheGracePeriod() throws Exception {
        try (var mailbox = open(GRACE)) {
            appendForeign(FOREIGN.formatted("by hand"));

            var entry = mailbox.await(0, Duration.ofSeconds(20)).orElseThrow();

            assertThat(entry.message().content()).isEqualTo("by hand");
        }
    }

    @Test
    void waitsForUnterminatedBytesDuringTheGracePeriod() throws Exception {
        try (var mailbox = open(Duration.ofHours(1))) {
            var line = FOREIGN.formatted("slowly");
            appendForeign(line.substring(0, 20));
            var ours = CompletableFuture.supplyAsync(() -> appended(mailbox, "waits"));
            for (int at = 20; at < line.length(); at += 10) {
                assertThat(mailbox.await(0, Duration.ofMillis(15))).isEmpty();
                appendForeign(line.substring(at, Math.min(line.length(), at + 10)));
            }
            appendForeign("\n");

            assertThat(ours.get(20, TimeUnit.SECONDS).seq()).isEqualTo(2);
            assertThat(contents(mailbox)).containsExactly("slowly", "waits");
            assertThat(mailbox.status().skipped()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{\"",
                "{\"id\":\"ab",
                "{\"id\":\"ab\\",
                "{\"id\":\"ab\\u00",
                "{\"id\":\"ab\"",
                "{\"id\":",
                "{\"id\":\"ab\",\"metadata\":",
                "{\"metadata\":{\"type\":\"chat\"},\"con",
                "{\"content\":\"braces {\",\"a",
                "{\"type\":\"chat\",\"run_id\":1",
                "{\"type\":\"chat\"}}",
                "not json",
                "[[[",
                "\u0000\u0000"
            })
    void readsMessagesJoinedToTornBytes(String torn) throws IOException {
        appendForeign(torn);
        appendForeign(FOREIGN.formatted("a {\\\"b\\\":{}} c") + "\r\n");
        try (var mailbox = open(GRACE)) {
            assertThat(contents(mailbox)).containsExactly("a {\"b\":{}} c");
            assertThat(mailbox.status().recentlySkipped())
                    .containsExactly(
                            new SkippedLine(0, torn.length(), "torn bytes before a message"));
            assertThat(append(mailbox, "next").seq()).isEqualTo(2);
        }
    }

    @Test
    void readsMessagesJoinedToIncompleteCharacters() throws IOException {
        Files.write(file, new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xc3});
        appendForeign(FOREIGN.formatted("ü") + "\n");
        try (var mailbox = open(GRACE)) {
            assertThat(contents(mailbox)).containsExactly("ü");
        }
    }

    @Test
    void readsAllMessagesOfALineWithoutNewlines() throws IOException {
        appendForeign("{\"id\":\"tor");
        appendForeign(FOREIGN.formatted("one"));
        appendForeign(FOREIGN.formatted("two") + "\t");
        appendForeign(FOREIGN.formatted("three") + " \n");
        appendForeign(FOREIGN.formatted("four") + "\n");
        try (var mailbox = open(GRACE)) {
            assertThat(contents(mailbox)).containsExactly("one", "two", "three", "four");
            assertThat(mailbox.status().skipped()).isEqualTo(1);
        }
    }

    @Test
    void readsMessagesAtTheEndOfOverlongLines() throws IOException {
        appendForeign("{\"content\":\"" + "x".repeat(MessageLine.MAX_BYTES));
        appendForeign(FOREIGN.formatted("last") + "\n");
        try (var mailbox = open(GRACE)) {
            assertThat(contents(mailbox)).containsExactly("last");
            assertThat(mailbox.status().skipped()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":", "{\"a\":{\"b\":[", "{\"", "{", "}", "{\"a\":1}", "{\"a{\"}"})
    void searchesHostileLinesInBoundedTime(String piece) throws IOException {
        appendForeign(
                piece.repeat(1_000_000 / piece.length()) + "}\n" + FOREIGN.formatted("x") + "\n");
        long start = System.nanoTime();
        try (var mailbox = open(GRACE)) {
            assertThat(contents(mailbox)).containsExactly("x");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void ignoresNestedObjectsOfTornLines() throws IOException {
        appendForeign("{\"id\":\"x\",\"metadata\":{\"type\":\"chat\"},\"content\":\"cut o\n");
        appendForeign("{\"type\":\"chat\",\"metadata\":{\"type\":\"chat\"}}}\n");
        try (var mailbox = open(GRACE)) {
            assertThat(contents(mailbox)).isEmpty();
            assertThat(mailbox.status().skipped()).isEqualTo(2);
        }
    }

    @Test
    void skipsBlankLines() throws IOException {
        appendForeign("\n\r\n \t\n" + FOREIGN.formatted("one") + "\n\n\n");
        try (var mailbox = open(GRACE)) {
            assertThat(append(mailbox, "two").seq()).isEqualTo(2);
            assertThat(mailbox.status().skipped()).isZero();
        }
    }

    /** A program without the lock can append between the last refresh and the write. */
    @Test
    void numbersMessagesByPositionInsteadOfWrittenSeq() throws IOException {
        appendForeign(FOREIGN.formatted("first") + "\n");
        var ours = Draft.of(MessageType.CHAT, "claude", "", "second").toMessage(1, "now");
        appendForeign(new String(MessageLine.encode(ours, 1), StandardCharsets.UTF_8));
        try (var mailbox = open(GRACE)) {
            var third = append(mailbox, "third");

            assertThat(mailbox.read(0, 10)).extracting(Entry::seq).containsExactly(1L, 2L, 3L);
            assertThat(mailbox.read(1, 1).getFirst().flags()).containsExactly(Entry.Flag.WRONG_SEQ);
            assertThat(third.flags()).isEmpty();
        }
    }

    @Test
    void rejectsWritesWhileAnotherProgramLeavesALineUnfinished() throws Exception {
        var lockTimeout = Duration.ofSeconds(30);
        try (var mailbox =
                new SharedMailbox(
                        directory, Duration.ofHours(1), lockTimeout, Duration.ofMillis(300))) {
            appendForeign("{\"type\":");

            assertThatThrownBy(() -> append(mailbox, "ours"))
                    .hasMessageContaining("left a line unfinished");

            assertThat(Files.readString(file)).isEqualTo("{\"type\":");
            appendForeign("\"chat\",\"content\":\"at last\"}\n");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> contents(mailbox).equals(List.of("at last")));
        }
    }

    private SharedMailbox open(Duration grace) throws IOException {
        return new SharedMailbox(directory, grace, Duration.ofSeconds(30));
    }

    private static Entry append(SharedMailbox mailbox, String text) throws IOException {
        return mailbox.append(Draft.of(MessageType.CHAT, "claude", "", text).toMessage(1, "now"))
                .entry();
    }

    private static Entry appended(SharedMailbox mailbox, String text) {
        try {
            return append(mailbox, text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> contents(SharedMailbox mailbox) throws IOException {
        return mailbox.read(0, 100).stream().map(entry -> entry.message().content()).toList();
    }

    /** Appends text in one write, as other programs do. */
    private void appendForeign(String text) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        }
    }
}
