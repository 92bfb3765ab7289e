package dev.ash.pair.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Another program appends lines, each with one write and without the lock, while peers send,
 * receive and are killed. Set {@code -Dash.mailbox.foreign=20000} for a long run.
 */
class ForeignAppendsTest {
    private static final int COUNT = Integer.getInteger("ash.mailbox.foreign", 0);
    private static final String TORN = "{\"type\":\"chat\",\"from\":\"torn\",\"content\":\"cut o";

    private static final Duration PACE = Duration.ofMillis(1);

    @TempDir Path directory;
    private final List<Process> processes = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final Set<Integer> received = ConcurrentHashMap.newKeySet();
    private final AtomicInteger confirmed = new AtomicInteger();
    private volatile boolean stopped;

    @AfterEach
    void stop() throws InterruptedException {
        stopped = true;
        for (var thread : threads) {
            // Each pass also kills processes that a thread has started meanwhile.
            for (int i = 0; i < 300 && thread.isAlive(); i++) {
                processes.forEach(Process::destroyForcibly);
                thread.join(Duration.ofMillis(100));
            }
            assertThat(thread.isAlive()).isFalse();
        }
        processes.forEach(Process::destroyForcibly);
    }

    @ParameterizedTest
    @CsvSource({"0, 2000", "1000, 400", "2000, 200", "10000, 40"})
    void keepsAllLinesOfAnotherProgram(int microsBetween, int shortCount) throws Exception {
        int count = COUNT == 0 ? shortCount : COUNT;
        try (var mailbox = Mailbox.open(directory, 1)) {
            var receiver = start(MailboxReceiver.class, directory.toString(), "codex");
            start(() -> collect(receiver));
            var crashing = start(CrashingSender.class, directory.toString(), "crash0");
            assertThat(crashing.inputReader().readLine()).isEqualTo("0");
            start(() -> send(mailbox));
            start(() -> crash(crashing, receiver));

            var file = directory.resolve("bridge.jsonl").toString();
            var foreign =
                    start(
                            ForeignAppender.class,
                            file,
                            Integer.toString(count),
                            Integer.toString(microsBetween));
            assertThat(foreign.waitFor(10, TimeUnit.MINUTES)).isTrue();
            assertThat(foreign.exitValue()).isZero();

            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(20))
                    .untilAsserted(() -> assertThat(received).hasSize(count));
            stop();
            assertThat(mailbox.append(chat("last")).duplicate()).isFalse();

            assertThat(numbers(mailbox, "foreign"))
                    .isEqualTo(IntStream.range(0, count).boxed().toList());
            assertThat(numbers(mailbox, "claude"))
                    .isEqualTo(IntStream.range(0, confirmed.get()).boxed().toList());
            assertThat(directory.resolve("bridge.quarantine")).doesNotExist();
            System.out.printf(
                    "%d foreign lines, one each %d us: %d lost, %d of ours, %d torn pieces%n",
                    count,
                    microsBetween,
                    count - numbers(mailbox, "foreign").size(),
                    confirmed.get(),
                    mailbox.status().skipped());
        }
    }

    private void send(Mailbox mailbox) {
        try {
            while (!stopped) {
                mailbox.append(chat(confirmed.get() + " from us"));
                confirmed.incrementAndGet();
                LockSupport.parkNanos(PACE.toNanos());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills peers repeatedly, and appends torn bytes like a killed program. */
    private void crash(Process firstSender, Process firstReceiver) {
        var sender = firstSender;
        var receiver = firstReceiver;
        try {
            for (int n = 1; !stopped; n++) {
                var output = sender.inputReader();
                for (int i = 0; i < 5 && output.readLine() != null && !stopped; i++) {}
                sender.destroyForcibly().waitFor();
                if (n % 2 == 0) {
                    receiver.destroyForcibly().waitFor();
                }
                if (stopped) {
                    return;
                }
                appendTornLine();
                sender = start(CrashingSender.class, directory.toString(), "crash" + n);
                if (n % 2 == 0) {
                    var next = start(MailboxReceiver.class, directory.toString(), "codex");
                    receiver = next;
                    start(() -> collect(next));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void appendTornLine() throws IOException {
        var file = directory.resolve("bridge.jsonl");
        try (var channel = FileChannel.open(file, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(TORN.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private void collect(Process receiver) {
        try {
            BufferedReader lines = receiver.inputReader();
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.matches("[0-9]+")) {
                    received.add(Integer.parseInt(line));
                }
            }
        } catch (IOException e) {
            // The process was killed while printing a line.
        }
    }

    private static List<Integer> numbers(Mailbox mailbox, String sender) throws IOException {
        var numbers = new ArrayList<Integer>();
        var page = mailbox.read(0, 500);
        while (!page.isEmpty()) {
            for (var entry : page) {
                var message = entry.message();
                if (message.from().equals(sender) && message.content().matches("(?s)[0-9]+ .*")) {
                    numbers.add(Integer.parseInt(message.content().split(" ", 2)[0]));
                }
            }
            page = mailbox.read(page.getLast().seq(), 500);
        }
        return numbers;
    }

    private static Draft chat(String text) {
        return Draft.of(MessageType.CHAT, "claude", "", text);
    }

    private void start(Runnable work) {
        threads.add(Thread.ofPlatform().start(work));
    }

    private Process start(Class<?> program, String... arguments) throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-Xshare:auto",
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName()));
        command.addAll(List.of(arguments));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        processes.add(process);
        return process;
    }
}
