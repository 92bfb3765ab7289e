package dev.ash.server.session.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.SessionApi.LogLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionLogsTest {
    @TempDir Path temp;
    private SessionLogs logs;

    @BeforeEach
    void open() {
        logs = new SessionLogs(this::directory, Clock.systemUTC());
    }

    private Path directory(SandboxId sandbox) {
        return temp.resolve(sandbox.value());
    }

    private void print(SandboxId sandbox, String text) throws IOException {
        Files.createDirectories(directory(sandbox));
        Files.writeString(directory(sandbox).resolve("stdout.log"), text);
    }

    private void delete(SandboxId sandbox) throws IOException {
        Files.delete(directory(sandbox).resolve("stdout.log"));
        Files.delete(directory(sandbox));
    }

    private List<Long> indexes(SandboxId sandbox) throws IOException {
        return logs.after(sandbox, -1).stream().map(LogLine::index).toList();
    }

    @Test
    void prunesOnlyOutputOfRemovedSandboxes() throws IOException {
        var removed = SandboxId.random();
        var present = SandboxId.random();
        for (var sandbox : List.of(removed, present)) {
            print(sandbox, "one\ntwo\n");
            assertThat(indexes(sandbox)).containsExactly(0L, 1L);
        }
        delete(removed);

        logs.prune();

        print(removed, "new\n");
        print(present, "one\ntwo\nthree\n");
        assertThat(indexes(removed)).containsExactly(0L);
        assertThat(indexes(present)).containsExactly(0L, 1L, 2L);
    }

    @Test
    void continuesNumberingWhenFileIsReplaced() throws IOException {
        var sandbox = SandboxId.random();
        print(sandbox, "one\ntwo\n");
        assertThat(indexes(sandbox)).containsExactly(0L, 1L);

        print(sandbox, "new\n");

        assertThat(indexes(sandbox)).containsExactly(0L, 1L, 2L);
    }

    @Test
    void returnsTimeWhenLineWasWritten() throws IOException {
        var sandbox = SandboxId.random();
        print(sandbox, "one\ntwo\n\nthree\n");
        Files.writeString(directory(sandbox).resolve("stderr.log"), "in between\n");
        var times = directory(sandbox).resolve("stdout.log.times");
        Files.writeString(times, "4 1000000000000\n9 1000000005000\n");
        setModified(sandbox, "stdout.log", 1_000_000_009_000L);
        setModified(sandbox, "stderr.log", 1_000_000_004_000L);

        var lines = logs.after(sandbox, -1);

        assertThat(lines)
                .extracting(line -> line.ts().substring(17) + line.text())
                .containsExactly(
                        "40.000Zone", "44.000Zin between", "45.000Ztwo", "45.000Z", "49.000Zthree");
        assertThat(lines).extracting(LogLine::index).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    /** Sandboxes of earlier versions have no samples, and the clock of a host may be wrong. */
    @Test
    void usesTimeOfLastWriteWithoutSamplesButNoFutureTime() throws IOException {
        var early = SandboxId.random();
        print(early, "one\ntwo\n");
        setModified(early, "stdout.log", 1_000_000_000_000L);
        var future = SandboxId.random();
        print(future, "one\n");
        setModified(future, "stdout.log", 32_503_680_000_000L);

        assertThat(logs.after(early, -1))
                .extracting(LogLine::ts)
                .containsOnly("2001-09-09T01:46:40.000Z");
        assertThat(logs.after(future, -1).getFirst().ts()).startsWith("20");
    }

    private void setModified(SandboxId sandbox, String name, long millis) throws IOException {
        Files.setLastModifiedTime(directory(sandbox).resolve(name), FileTime.fromMillis(millis));
    }
}
