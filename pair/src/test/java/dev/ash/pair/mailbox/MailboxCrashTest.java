package dev.ash.pair.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A writer that is killed during an append loses at most the message that it was writing. */
class MailboxCrashTest {
    @Property(tries = 6)
    void opensEveryPrefixWithItsCompleteMessages(@ForAll("texts") List<String> texts)
            throws IOException {
        var directory = Files.createTempDirectory("mailbox-crash");
        var file = directory.resolve("bridge.jsonl");
        try {
            try (var mailbox = Mailbox.open(directory, 7)) {
                for (var text : texts) {
                    mailbox.append(Draft.of(MessageType.CHAT, "claude", "", text));
                }
            }
            var whole = Files.readAllBytes(file);
            int lastLine = lastLineStart(whole);
            // Cut at every byte of the last append.
            for (int cut = lastLine; cut <= whole.length; cut++) {
                Files.write(file, Arrays.copyOf(whole, cut));
                // Without only the newline, the message is complete.
                int complete = texts.size() - (cut < whole.length - 1 ? 1 : 0);
                boolean torn = cut > lastLine && cut < whole.length - 1;
                try (var mailbox = new OpenMailbox(directory)) {
                    var next = mailbox.append("the next one");
                    assertThat(next.entry().seq()).isEqualTo(complete + 1);
                    assertThat(mailbox.contents().subList(0, complete))
                            .isEqualTo(texts.subList(0, complete));
                    assertThat(mailbox.requireValidLines(torn ? 1 : 0)).isEqualTo(complete + 1);
                }
                assertThat(Arrays.copyOf(Files.readAllBytes(file), cut))
                        .isEqualTo(Arrays.copyOf(whole, cut));
            }
        } finally {
            delete(directory);
        }
    }

    @Property(tries = 50)
    void opensAnyContentWithoutDeletingIt(@ForAll("garbage") byte[] bytes) throws IOException {
        var directory = Files.createTempDirectory("mailbox-garbage");
        try {
            Files.write(directory.resolve("bridge.jsonl"), bytes);
            try (var mailbox = new OpenMailbox(directory)) {
                var appended = mailbox.append("after it all");
                assertThat(mailbox.contents()).last().isEqualTo("after it all");
                assertThat(appended.entry().seq()).isEqualTo(mailbox.contents().size());
            }
            var file = Files.readAllBytes(directory.resolve("bridge.jsonl"));
            assertThat(Arrays.copyOf(file, bytes.length)).isEqualTo(bytes);
        } finally {
            delete(directory);
        }
    }

    @Provide
    Arbitrary<byte[]> garbage() {
        var pieces =
                Arbitraries.of(
                        "{\"type\":\"chat\",\"from\":\"a\",\"content\":\"x\"}",
                        "{\"type\":",
                        "\n",
                        "\n\n",
                        "\r\n",
                        "{}",
                        "[[",
                        "\u0000",
                        "ü");
        return pieces.list()
                .ofMaxSize(12)
                .map(list -> String.join("", list).getBytes(StandardCharsets.UTF_8));
    }

    @Provide
    Arbitrary<List<String>> texts() {
        return Arbitraries.strings()
                .ofMaxLength(40)
                .list()
                .uniqueElements()
                .ofMinSize(1)
                .ofMaxSize(4);
    }

    /** Opens mailboxes without a grace period, to speed up the test. */
    private record OpenMailbox(Path directory, SharedMailbox mailbox) implements AutoCloseable {
        OpenMailbox(Path directory) throws IOException {
            this(directory, new SharedMailbox(directory, Duration.ZERO, Duration.ofSeconds(30)));
        }

        List<String> contents() throws IOException {
            return mailbox.read(0, 100).stream().map(entry -> entry.message().content()).toList();
        }

        AppendResult append(String text) throws IOException {
            return mailbox.append(
                    Draft.of(MessageType.CHAT, "codex", "", text).toMessage(7, "now"));
        }

        /** Returns the number of messages; checks that all lines except torn ones are valid. */
        long requireValidLines(int torn) throws IOException {
            assertThat(mailbox.status().skipped()).isEqualTo(torn);
            assertThat(mailbox.status().flagged()).isZero();
            return mailbox.status().total();
        }

        @Override
        public void close() throws IOException {
            mailbox.close();
        }
    }

    private static int lastLineStart(byte[] whole) {
        int at = whole.length - 2;
        while (at >= 0 && whole[at] != '\n') {
            at--;
        }
        return at + 1;
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
