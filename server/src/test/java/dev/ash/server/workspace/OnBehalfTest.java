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

class OnBehalfTest {
    private static final int USER = 4711;

    /** A carrier thread with the rights of a user would run requests of everybody with them. */
    @Test
    void leavesNoThreadWithTheRightsOfTheUser() throws Exception {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Djdk.virtualThreadScheduler.parallelism=64", // starts carriers
                                // often
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                OnBehalfTest.class.getName())
                        .redirectErrorStream(true)
                        .start();

        var printed = new String(process.getInputStream().readAllBytes());

        assertThat(printed).isEqualToIgnoringNewLines("[4711] and then [0]");
        assertThat(process.waitFor()).isZero();
    }

    /**
     * Prints the rights that the work had, and those of all threads afterwards. Other virtual
     * threads occupy all carriers when the work ends, so that the JDK starts one for its caller.
     */
    public static void main(String[] args) throws Exception {
        var during = ConcurrentHashMap.<String>newKeySet();
        var over = new AtomicBoolean();
        for (int i = 0; i < 8; i++) {
            var isWorking = new CountDownLatch(1);
            var areOccupied = new CountDownLatch(1);
            var caller =
                    Thread.ofVirtual()
                            .start(
                                    new FutureTask<>(
                                            () ->
                                                    OnBehalf.of(
                                                            USER,
                                                            USER,
                                                            () -> {
                                                                isWorking.countDown();
                                                                areOccupied.await();
                                                                return during.addAll(
                                                                        fileUser("thread-self"));
                                                            })));
            isWorking.await();
            occupyCarrier(over);
            areOccupied.countDown();
            caller.join();
        }
        var after = new TreeSet<String>();
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            for (var task : tasks.toList()) {
                after.addAll(fileUser("self/task/" + task.getFileName()));
            }
        }
        System.out.println(during + " and then " + after);
        over.set(true);
    }

    private static void occupyCarrier(AtomicBoolean over) throws InterruptedException {
        var isRunning = new CountDownLatch(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            isRunning.countDown();
                            while (!over.get()) {
                                Thread.onSpinWait();
                            }
                        });
        isRunning.await();
    }

    /** The user that the kernel checks when a thread opens files: the fourth number. */
    private static Set<String> fileUser(String thread) throws IOException {
        try {
            for (var line : Files.readAllLines(Path.of("/proc", thread, "status"))) {
                if (line.startsWith("Uid:")) {
                    return Set.of(line.split("\\s+")[4]);
                }
            }
        } catch (NoSuchFileException e) {
            // It has ended meanwhile.
        }
        return Set.of();
    }
}
