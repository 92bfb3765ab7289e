package dev.ash.pair.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Eight processes write concurrently. Set {@code -Dash.mailbox.messages=10000} for a long run. */
class MailboxProcessesTest {
    private static final int PROCESSES = 8;
    private static final int MESSAGES = Integer.getInteger("ash.mailbox.messages", 300);

    @TempDir Path directory;

    @Test
    void keepsAllMessagesInTheOrderOfEachSender() throws Exception {
        long start = System.nanoTime();
        var processes = new ArrayList<Process>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(appender("s" + i));
            }
            for (var process : processes) {
                assertThat(process.waitFor(30, TimeUnit.MINUTES)).isTrue();
                assertThat(process.exitValue()).isZero();
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        System.out.printf(
                "%d processes x %d messages in %d ms%n",
                PROCESSES, MESSAGES, Duration.ofNanos(System.nanoTime() - start).toMillis());

        try (var mailbox = Mailbox.open(directory, 1)) {
            var next = new HashMap<String, Integer>();
            long seq = 0;
            for (var batch = mailbox.read(0, 1000);
                    !batch.isEmpty();
                    batch = mailbox.read(seq, 1000)) {
                for (var entry : batch) {
                    assertThat(entry.seq()).isEqualTo(++seq);
                    assertThat(entry.flags()).isEmpty();
                    var from = entry.message().from();
                    int expected = next.merge(from, 1, Integer::sum) - 1;
                    assertThat(entry.message().content()).startsWith("message " + expected + " ");
                }
            }
            assertThat(seq).isEqualTo((long) PROCESSES * MESSAGES);
            assertThat(mailbox.status().skipped()).isZero();
        }
        assertThat(directory.resolve("bridge.quarantine")).doesNotExist();
    }

    @Test
    void losesAtMostTheCurrentMessageOfAKilledWriter() throws Exception {
        var killed = new ArrayList<Process>();
        Process survivor = appender("s0");
        try (var mailbox = Mailbox.open(directory, 1)) {
            for (int round = 1; round <= 4; round++) {
                var process = appender("k" + round);
                killed.add(process);
                var sender = "k" + round;
                await().atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> mailbox.status().bySender().getOrDefault(sender, 0L) > 3);
                process.destroyForcibly().waitFor();
            }
            assertThat(survivor.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(survivor.exitValue()).isZero();

            var status = mailbox.status();
            assertThat(status.bySender()).containsEntry("s0", (long) MESSAGES);
            assertThat(status.skipped() + status.flagged()).isZero();
            var next = Draft.of(MessageType.CHAT, "after", "", "all of it");
            assertThat(mailbox.append(next).entry().seq()).isEqualTo(status.total() + 1);
        } finally {
            survivor.destroyForcibly();
            killed.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void failsWithoutWritingWhileAnotherProcessHoldsTheLock() throws Exception {
        try (var mailbox = new SharedMailbox(directory, Duration.ZERO, Duration.ofMillis(300))) {
            var draft = Draft.of(MessageType.CHAT, "claude", "", "too late").toMessage(1, "now");
            var holder = java(MailboxLockHolder.class, directory.toString());
            try {
                assertThat(holder.inputReader().readLine()).isEqualTo("locked");

                assertThatThrownBy(() -> mailbox.append(draft))
                        .hasMessageContaining("held the mailbox lock");
            } finally {
                holder.destroyForcibly().waitFor();
            }
            assertThat(
                            mailbox.append(
                                            Draft.of(MessageType.CHAT, "codex", "", "next")
                                                    .toMessage(1, "now"))
                                    .entry()
                                    .seq())
                    .isEqualTo(1);
        }
    }

    private Process appender(String sender) throws IOException {
        return java(
                MailboxAppender.class, directory.toString(), sender, Integer.toString(MESSAGES));
    }

    private static Process java(Class<?> program, String... arguments) throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }
}
