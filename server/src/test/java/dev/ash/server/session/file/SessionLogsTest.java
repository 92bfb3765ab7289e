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
        logs = new SessionLogs(this::folder, Clock.systemUTC());
    }

    private Path folder(SandboxId sandbox) {
        return temp.resolve(sandbox.value());
    }

    private void print(SandboxId sandbox, String text) throws IOException {
        Files.createDirectories(folder(sandbox));
        Files.writeString(folder(sandbox).resolve("stdout.log"), text);
    }

    private void delete(SandboxId sandbox) throws IOException {
        Files.delete(folder(sandbox).resolve("stdout.log"));
        Files.delete(folder(sandbox));
    }

    private List<Long> indexes(SandboxId sandbox) throws IOException {
        return logs.after(sandbox, -1).stream().map(LogLine::index).toList();
    }

    @Test
    void pruningForgetsTheOutputOfSandboxesThatAreGoneAndOfNoOther() throws IOException {
        var gone = SandboxId.random();
        var present = SandboxId.random();
        for (var sandbox : List.of(gone, present)) {
            print(sandbox, "one\ntwo\n");
            assertThat(indexes(sandbox)).containsExactly(0L, 1L);
        }
        delete(gone);

        logs.prune();

        print(gone, "new\n");
        print(present, "one\ntwo\nthree\n");
        assertThat(indexes(gone)).containsExactly(0L);
        assertThat(indexes(present)).containsExactly(0L, 1L, 2L);
    }

    @Test
    void withoutPruningLinesKeepTheirNumbersWhenAFileIsReplaced() throws IOException {
        var sandbox = SandboxId.random();
        print(sandbox, "one\ntwo\n");
        assertThat(indexes(sandbox)).containsExactly(0L, 1L);

        print(sandbox, "new\n");

        assertThat(indexes(sandbox)).containsExactly(0L, 1L, 2L);
    }

    @Test
    void linesHaveTheTimeWhenTheyWereWritten() throws IOException {
        var sandbox = SandboxId.random();
        print(sandbox, "one\ntwo\n\nthree\n");
        Files.writeString(folder(sandbox).resolve("stderr.log"), "in between\n");
        var times = folder(sandbox).resolve("stdout.log.times");
        Files.writeString(times, "4 1000000000000\n9 1000000005000\n");
        modified(sandbox, "stdout.log", 1_000_000_009_000L);
        modified(sandbox, "stderr.log", 1_000_000_004_000L);

        var lines = logs.after(sandbox, -1);

        assertThat(lines)
                .extracting(line -> line.ts().substring(17) + line.text())
                .containsExactly(
                        "40.000Zone", "44.000Zin between", "45.000Ztwo", "45.000Z", "49.000Zthree");
        assertThat(lines).extracting(LogLine::index).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    /** A sandbox of an earlier version has no samples, and the clock of a host may be wrong. */
    @Test
    void linesWithoutSamplesHaveTheTimeOfTheLastWriteButNoneInTheFuture() throws IOException {
        var early = SandboxId.random();
        print(early, "one\ntwo\n");
        modified(early, "stdout.log", 1_000_000_000_000L);
        var future = SandboxId.random();
        print(future, "one\n");
        modified(future, "stdout.log", 32_503_680_000_000L);

        assertThat(logs.after(early, -1))
                .extracting(LogLine::ts)
                .containsOnly("2001-09-09T01:46:40.000Z");
        assertThat(logs.after(future, -1).getFirst().ts()).startsWith("20");
    }

    private void modified(SandboxId sandbox, String name, long millis) throws IOException {
        Files.setLastModifiedTime(folder(sandbox).resolve(name), FileTime.fromMillis(millis));
    }
}
