package dev.ash.server.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class RunAsTest {
    private static final int USER = 4711;

    /** A carrier thread that keeps the ids of a user would run all requests with them. */
    @Test
    void restoresFileSystemIdsOfAllThreads() throws Exception {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Djdk.virtualThreadScheduler.parallelism=64", // starts many
                                // carriers
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                RunAsTest.class.getName())
                        .redirectErrorStream(true)
                        .start();

        var printed = new String(process.getInputStream().readAllBytes());

        assertThat(printed).isEqualToIgnoringNewLines("[4711] and then [0]");
        assertThat(process.waitFor()).isZero();
    }

    /**
     * Prints the file system uid during the calls, and those of all threads afterwards. Other
     * virtual threads occupy all carriers when a call ends, so that the JDK starts a new carrier.
     */
    public static void main(String[] args) throws Exception {
        var during = ConcurrentHashMap.<String>newKeySet();
        var stopped = new AtomicBoolean();
        for (int i = 0; i < 8; i++) {
            var isWorking = new CountDownLatch(1);
            var areOccupied = new CountDownLatch(1);
            var caller =
                    Thread.ofVirtual()
                            .start(
                                    new FutureTask<>(
                                            () ->
                                                    RunAs.call(
                                                            USER,
                                                            USER,
                                                            () -> {
                                                                isWorking.countDown();
                                                                areOccupied.await();
                                                                return during.addAll(
                                                                        fileSystemUid(
                                                                                "thread-self"));
                                                            })));
            isWorking.await();
            occupyCarrier(stopped);
            areOccupied.countDown();
            caller.join();
        }
        var after = new TreeSet<String>();
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            for (var task : tasks.toList()) {
                after.addAll(fileSystemUid("self/task/" + task.getFileName()));
            }
        }
        System.out.println(during + " and then " + after);
        stopped.set(true);
    }

    private static void occupyCarrier(AtomicBoolean stopped) throws InterruptedException {
        var isRunning = new CountDownLatch(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            isRunning.countDown();
                            while (!stopped.get()) {
                                Thread.onSpinWait();
                            }
                        });
        isRunning.await();
    }

    /** Returns the file system uid of a thread: the fourth number of its Uid line. */
    private static Set<String> fileSystemUid(String thread) throws IOException {
        try {
            for (var line : Files.readAllLines(Path.of("/proc", thread, "status"))) {
                if (line.startsWith("Uid:")) {
                    return Set.of(line.split("\\s+")[4]);
                }
            }
        } catch (NoSuchFileException e) {
            // The thread has exited.
        }
        return Set.of();
    }
}
