package dev.ash.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.SessionApi.LogLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
