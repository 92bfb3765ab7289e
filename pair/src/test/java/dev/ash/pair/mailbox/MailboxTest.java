package dev.ash.pair.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.pair.PeerName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MailboxTest {
    private static final Clock NOON =
            Clock.fixed(Instant.parse("2026-11-16T12:00:00Z"), ZoneOffset.UTC);

    @TempDir Path directory;
    private Mailbox mailbox;

    @BeforeEach
    void open() throws IOException {
        mailbox = Mailbox.open(directory.resolve("1"), 1, NOON);
    }

    @AfterEach
    void close() throws IOException {
        mailbox.close();
    }

    @Test
    void writesPublishedFieldsAndThoseOfAsh() throws IOException {
        mailbox.append(
                Draft.signal(Signal.PASS, "claude", "", "grüße <b> & \"x\"")
                        .withMetadata(RawJson.of("{\"a\":\n1}"))
                        .withClientId("c1")
                        .inIteration(2));

        var id = Message.idOf("signal", "claude", "", "grüße <b> & \"x\"");
        assertThat(Files.readString(file()))
                .isEqualTo(
                        "{\"id\":\""
                                + id
                                + "\",\"type\":\"signal\",\"from\":\"claude\",\"to\":\"\",\"content\":\"grüße <b> & \\\"x\\\"\","
                                + "\"signal\":\"PASS\",\"metadata\":{\"a\": 1},\"timestamp\":\"2026-11-16T12:00:00Z\","
                                + "\"run_id\":1,\"iteration\":2,\"seq\":1,\"client_id\":\"c1\"}\n");
    }

    @Test
    void computesPublishedIds() {
        assertThat(Message.idOf("task", "claude", "codex", "hello"))
                .isEqualTo("c08203082bf27fa9f2f1bd9825c93cae71359810ae6b61e6f5d058931ad1c189");
    }

    @Test
    void readsMessagesInOrder() throws IOException {
        var first = mailbox.append(chat("one"));
        var second = mailbox.append(chat("two"));

        assertThat(mailbox.read(0, 10)).containsExactly(first.entry(), second.entry());
        assertThat(mailbox.read(1, 10)).containsExactly(second.entry());
        assertThat(mailbox.read(0, 1)).containsExactly(first.entry());
        assertThat(mailbox.read(2, 10)).isEmpty();
        assertThat(first.entry().flags()).isEmpty();
    }

    @Test
    void d6_storesRepeatedMessages() throws IOException {
        mailbox.append(chat("run the tests again"));
        mailbox.append(Draft.of(MessageType.RESULT, "codex", "claude", "still red"));
        var again = mailbox.append(chat("run the tests again"));

        assertThat(again.duplicate()).isFalse();
        assertThat(again.entry().seq()).isEqualTo(3);
        assertThat(mailbox.lastWithId(again.entry().message().id())).hasValue(3);
    }

    @Test
    void d6_reportsAnImmediateRepeatAsDuplicate() throws IOException {
        var first = mailbox.append(chat("hello"));
        var again = mailbox.append(chat("hello"));

        assertThat(again).isEqualTo(new AppendResult(first.entry(), true));
        assertThat(mailbox.status().total()).isEqualTo(1);
    }

    @Test
    void d6_storesDifferentSignalsWithEqualIds() throws IOException {
        var pass = mailbox.append(Draft.signal(Signal.PASS, "claude", "", "see above"));
        var fail = mailbox.append(Draft.signal(Signal.FAIL, "claude", "", "see above"));

        assertThat(fail.duplicate()).isFalse();
        assertThat(fail.entry().message().id()).isEqualTo(pass.entry().message().id());
    }

    @Test
    void d6_storesMessagesWhoseFieldsOnlyConcatenateEqually() throws IOException {
        mailbox.append(Draft.of(MessageType.CHAT, "a", "bc", "x"));

        assertThat(mailbox.append(Draft.of(MessageType.CHAT, "ab", "c", "x")).duplicate())
                .isFalse();
    }

    @Test
    void detectsDuplicatesByClientId() throws IOException {
        var first = mailbox.append(chat("hello").withClientId("k"));
        mailbox.append(chat("else"));

        assertThat(mailbox.append(chat("hello").withClientId("k")))
                .isEqualTo(new AppendResult(first.entry(), true));
        assertThat(
                        mailbox.append(
                                        Draft.of(MessageType.CHAT, "codex", "claude", "hello")
                                                .withClientId("k"))
                                .duplicate())
                .isFalse();
        assertThat(mailbox.append(chat("hello").withClientId("l")).duplicate()).isFalse();
    }

    @Test
    void rejectsReusedClientIds() throws IOException {
        mailbox.append(chat("hello").withClientId("k"));

        assertThatThrownBy(() -> mailbox.append(chat("other").withClientId("k")))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("number 1");
    }

    @Test
    void d31_requiresSignalsOnlyForTypeSignal() {
        assertThatThrownBy(() -> new Draft(MessageType.SIGNAL, "a", "", "", null, 0, null, null))
                .hasMessageContaining("DONE, PASS or FAIL");
        assertThatThrownBy(
                        () -> new Draft(MessageType.CHAT, "a", "", "", Signal.DONE, 0, null, null))
                .hasMessageContaining("must be absent");
    }

    @Test
    void readsAndFlagsLinesOfOtherPrograms() throws IOException {
        appendForeign(
                "{\"type\":\"task\",\"from\":\"claude\",\"to\":\"codex\",\"content\":\"Add\",\"timestamp\":\"2024-03-28T10:00:00Z\"}",
                "{\"id\":\"1e58\",\"type\":\"bogus\",\"from\":\"unknown\",\"content\":\"x\",\"timestamp\":\"t\",\"run_id\":1,\"iteration\":0}",
                "{\"id\":\"%s\",\"type\":\"chat\",\"from\":\"a\",\"to\":\"\",\"signal\":\"\",\"content\":\"y\",\"run_id\":1}"
                        .formatted(Message.idOf("chat", "a", "", "y")));
        var ours = mailbox.append(chat("hello"));

        var entries = mailbox.read(0, 10);
        assertThat(entries).extracting(Entry::seq).containsExactly(1L, 2L, 3L, 4L);
        assertThat(entries.get(0).flags())
                .containsExactlyInAnyOrder(Entry.Flag.NO_ID, Entry.Flag.NO_SEQ);
        assertThat(entries.get(1).flags())
                .containsExactlyInAnyOrder(Entry.Flag.WRONG_ID, Entry.Flag.NO_SEQ);
        assertThat(entries.get(1).message().knownType()).isEmpty();
        assertThat(entries.get(2).flags()).containsExactly(Entry.Flag.NO_SEQ);
        assertThat(ours.entry().seq()).isEqualTo(4);
        assertThat(mailbox.status().flagged()).isEqualTo(3);
    }

    @Test
    void skipsAndReportsMalformedLines() throws IOException {
        mailbox.append(chat("one"));
        appendForeign(
                "not json",
                "",
                "[1]",
                "{\"type\":5}",
                "{\"from\":\"a\"}",
                "{\"type\":\"chat\"}}",
                "[".repeat(5000),
                "{\"type\":\"chat\",\"metadata\":" + "[".repeat(2000) + "]".repeat(2000) + "}");
        Files.write(file(), new byte[] {'"', (byte) 0xff, '"', '\n'}, StandardOpenOption.APPEND);
        var next = mailbox.append(chat("two"));

        assertThat(next.entry().seq()).isEqualTo(2);
        assertThat(mailbox.read(0, 10)).hasSize(2);
        assertThat(mailbox.status().skipped()).isEqualTo(8);
        assertThat(mailbox.status().recentlySkipped().getLast().reason()).contains("UTF-8");
    }

    @Test
    void d20_rejectsMessagesThatAreTooLong() throws IOException {
        var huge = "x".repeat(MessageLine.MAX_BYTES);
        assertThatThrownBy(() -> mailbox.append(chat(huge)))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("write the text to a file");

        var large = mailbox.append(chat("y".repeat(MessageLine.MAX_BYTES - 1000)));
        assertThat(mailbox.read(0, 1)).containsExactly(large.entry());
    }

    @Test
    void d20_skipsAndReportsForeignLinesThatAreTooLong() throws IOException {
        appendForeign(
                "{\"type\":\"chat\",\"content\":\"" + "x".repeat(MessageLine.MAX_BYTES) + "\"}");

        assertThat(mailbox.append(chat("next")).entry().seq()).isEqualTo(1);
        assertThat(mailbox.status().recentlySkipped().getFirst().reason()).contains("more than");
    }

    @Test
    void d28_restrictsFilesAndDirectoriesToTheirOwner() throws IOException {
        mailbox.ack(new PeerName("claude"), 1);

        try (var files = Files.walk(directory.resolve("1"))) {
            for (var file : files.toList()) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .as(file.toString())
                        .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------");
            }
        }
    }

    @Test
    void d28_restrictsExistingFilesToTheirOwner() throws IOException {
        mailbox.close();
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));

        open();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    @Test
    void d29_excludesSendersFromTheirBroadcasts() throws IOException {
        var message = mailbox.append(Draft.of(MessageType.CHAT, "claude", "", "all")).entry();

        assertThat(message.message().isFor("claude")).isFalse();
        assertThat(message.message().isFor("codex")).isTrue();
    }

    @Test
    void rereadsReplacedFiles() throws IOException {
        mailbox.append(chat("old"));
        var other = directory.resolve("other");
        Files.writeString(other, "{\"type\":\"chat\",\"from\":\"a\",\"content\":\"new\"}\n");
        Files.move(other, file(), StandardCopyOption.REPLACE_EXISTING);

        assertThat(mailbox.read(0, 10))
                .extracting(e -> e.message().content())
                .containsExactly("new");
        assertThat(mailbox.append(chat("next")).entry().seq()).isEqualTo(2);
        assertThat(Files.readString(file()).lines()).hasSize(2);
    }

    @Test
    void rereadsTruncatedFiles() throws IOException {
        mailbox.append(chat("one"));
        long size = Files.size(file());
        mailbox.append(chat("two"));
        try (var channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }

        assertThat(mailbox.append(chat("three")).entry().seq()).isEqualTo(2);
        assertThat(mailbox.read(0, 10))
                .extracting(e -> e.message().content())
                .containsExactly("one", "three");
    }

    @Test
    void awaitsMessagesUntilTheTimeout() throws Exception {
        assertThat(mailbox.await(0, Duration.ofMillis(30))).isEmpty();

        var waiter = CompletableFuture.supplyAsync(() -> waitFor(0));
        mailbox.append(chat("now"));

        assertThat(waiter.get(60, TimeUnit.SECONDS).message().content()).isEqualTo("now");
    }

    @Test
    void awaitsMessagesOfOtherPrograms() throws Exception {
        var waiter = CompletableFuture.supplyAsync(() -> waitFor(0));
        appendForeign("{\"type\":\"chat\",\"from\":\"a\",\"content\":\"foreign\"}");

        assertThat(waiter.get(60, TimeUnit.SECONDS).message().content()).isEqualTo("foreign");
    }

    @Test
    void supportsInterruptedThreads() throws Exception {
        Thread.currentThread().interrupt();
        mailbox.append(chat("one"));
        mailbox.ack(new PeerName("claude"), 1);
        assertThat(mailbox.read(0, 10)).hasSize(1);
        assertThat(Thread.interrupted()).isTrue();

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> mailbox.await(1, Duration.ofSeconds(30)))
                .isInstanceOf(InterruptedException.class);
        assertThat(mailbox.append(chat("two")).entry().seq()).isEqualTo(2);
    }

    @Test
    void storesMonotonicCursors() throws IOException {
        var claude = new PeerName("claude");
        assertThat(mailbox.acked(claude)).isZero();
        assertThat(mailbox.ack(claude, 3)).isEqualTo(3);
        assertThat(mailbox.ack(claude, 2)).isEqualTo(3);
        mailbox.close();

        open();

        assertThat(mailbox.acked(claude)).isEqualTo(3);
        assertThat(mailbox.acked(new PeerName("codex"))).isZero();
        Files.writeString(directory.resolve("1/cursor-claude.json"), "{\"acked\":");
        assertThat(mailbox.acked(claude)).isZero();
    }

    @Test
    void supportsConcurrentWritersInOneProcess() throws Exception {
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 8; i++) {
            var sender = "s" + i;
            threads.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try (var own = Mailbox.open(directory.resolve("1"), 1)) {
                                            for (int n = 0; n < 50; n++) {
                                                own.append(
                                                        Draft.of(
                                                                MessageType.CHAT,
                                                                sender,
                                                                "",
                                                                Integer.toString(n)));
                                            }
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                    }));
        }
        for (var thread : threads) {
            thread.join(Duration.ofSeconds(60));
        }

        var entries = mailbox.read(0, 1000);
        assertThat(entries).hasSize(400).allMatch(entry -> entry.flags().isEmpty());
        for (int i = 0; i < 8; i++) {
            var sender = "s" + i;
            assertThat(entries.stream().map(Entry::message).filter(m -> m.from().equals(sender)))
                    .extracting(Message::content)
                    .isEqualTo(IntStream.range(0, 50).mapToObj(Integer::toString).toList());
        }
    }

    @Test
    void keepsAllMessagesWhenAnotherProgramAppendsWithoutTheLock() throws Exception {
        var foreignWriter =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int n = 0; n < 200; n++) {
                                        try {
                                            appendForeign(
                                                    "{\"type\":\"chat\",\"from\":\"other\",\"content\":\"%d\"}"
                                                            .formatted(n));
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                    }
                                });
        for (int n = 0; n < 200; n++) {
            var appended = mailbox.append(chat(Integer.toString(n))).entry();
            assertThat(mailbox.read(appended.seq() - 1, 1)).containsExactly(appended);
        }
        foreignWriter.join(Duration.ofSeconds(60));

        var expected = IntStream.range(0, 200).mapToObj(Integer::toString).toList();
        for (var sender : List.of("claude", "other")) {
            assertThat(mailbox.read(0, 1000).stream().map(Entry::message))
                    .filteredOn(message -> message.from().equals(sender))
                    .extracting(Message::content)
                    .isEqualTo(expected);
        }
        assertThat(mailbox.status().skipped()).isZero();
    }

    @Test
    void rejectsWritesOnlyAfterTheLastInstanceIsClosed() throws IOException {
        var second = Mailbox.open(directory.resolve("1"), 1);
        mailbox.close();
        mailbox.close();
        second.append(chat("still open"));
        second.close();

        assertThatThrownBy(() -> second.append(chat("late"))).hasMessageContaining("closed");
    }

    private Entry waitFor(long after) {
        try {
            return mailbox.await(after, Duration.ofSeconds(10)).orElseThrow();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Draft chat(String text) {
        return Draft.of(MessageType.CHAT, "claude", "codex", text);
    }

    private void appendForeign(String... lines) throws IOException {
        Files.writeString(
                file(), String.join("\n", List.of(lines)) + "\n", StandardOpenOption.APPEND);
    }

    private Path file() {
        return directory.resolve("1/bridge.jsonl");
    }
}
