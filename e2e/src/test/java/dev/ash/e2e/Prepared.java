package dev.ash.e2e;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the first server of a test run leaves for the others: the recorded class data of server and
 * bridge. A server starts in half of the time with it, and none has to record the bridge's again.
 */
public record Prepared(TestFolder folder) {
    private static final List<String> FLAGS =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xlog:disable");

    private static final class Once {
        private static final Prepared PREPARED = make();
    }

    public static Prepared get() {
        return Once.PREPARED;
    }

    private static Prepared make() {
        var folder = TestFolder.create();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(folder::close));
        var recording = new ArrayList<>(FLAGS);
        recording.add("-XX:ArchiveClassesAtExit=" + classes(folder));
        var server = AshServer.startBare(Map.of(), folder, recording);
        try {
            await().atMost(Duration.ofMinutes(3)).until(() -> isRecorded(folder));
        } finally {
            server.stop();
            server.api().close();
        }
        return new Prepared(folder);
    }

    private static Path classes(TestFolder folder) {
        return folder.path().resolve("server.jsa");
    }

    private static boolean isRecorded(TestFolder folder) throws IOException {
        try (var files = Files.walk(folder.data().resolve("runtime"))) {
            return files.anyMatch(
                    file ->
                            file.endsWith("bridge.aot")
                                    && !file.getParent().getFileName().toString().startsWith("."));
        }
    }

    List<String> flags() {
        var flags = new ArrayList<>(FLAGS);
        flags.add("-XX:SharedArchiveFile=" + classes(folder));
        return flags;
    }

    /** Gives a data directory that is not there yet the programs, which nobody changes. */
    void programsInto(Path data) {
        copy(data, "runtime");
    }

    /** Gives a data directory that is not there yet all that the first server left in its own. */
    public void everythingInto(Path data) {
        copy(data, "*");
    }

    private void copy(Path to, String which) {
        if (Files.exists(to)) {
            return;
        }
        var script =
                "mkdir -p %2$s && cd %1$s && for e in %3$s; do case $e in runtime) cp -al $e %2$s/;;"
                        + " *) cp -a $e %2$s/;; esac; done && chmod --reference=%1$s %2$s";
        try {
            var process =
                    new ProcessBuilder("sh", "-c", script.formatted(folder.data(), to, which))
                            .inheritIO()
                            .start();
            if (process.waitFor() != 0) {
                throw new AssertionError("the prepared programs were not copied");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
