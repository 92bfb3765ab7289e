package dev.ash.pair.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.pair.PeerName;
import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.Mode;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.RunSpec;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFilesTest {
    @TempDir Path directory;

    private static final RunSpec SPEC =
            new RunSpec(
                    "Say \"hé\" \uD83D\uDE00\nand more",
                    Mode.PAIR,
                    true,
                    new PeerName("codex"),
                    new PeerName("claude"),
                    "make test",
                    "SHIP IT",
                    new Budget(7, Duration.ofMinutes(9), Duration.ofSeconds(8), 6L, 0.5, 4),
                    true);

    private static final RawJson OPUS = RawJson.of("{\"model\":\"opus\"}");

    private RunFiles files() {
        var setup =
                new RunSetup(
                        3,
                        "tenant",
                        "/some/where",
                        "where-0123",
                        SPEC,
                        "b".repeat(40),
                        "agentpair/run-3",
                        null,
                        "2026-01-01T00:00:00Z",
                        new RunSetup.Request("key 1", "0a1b"));
        return new RunFiles(
                directory,
                new Manifest.AshRun(
                        setup,
                        new PeerAssignment("codex", RawJson.EMPTY_OBJECT, null),
                        new PeerAssignment("claude-code", OPUS, null),
                        false,
                        new Progress()),
                Clock.systemUTC());
    }

    @Test
    void readsSavedManifests() {
        var files = files();
        files.create();
        files.assign(
                new PeerAssignment("codex", RawJson.EMPTY_OBJECT, "s1"),
                new PeerAssignment("claude-code", OPUS, "s2"));
        files.setPaused(true);

        var read = Manifest.read(directory).orElseThrow();
        var run = java.util.Objects.requireNonNull(read.ashRun());
        assertThat(run.setup()).isEqualTo(files.setup());
        assertThat(run.worker()).isEqualTo(new PeerAssignment("codex", RawJson.EMPTY_OBJECT, "s1"));
        assertThat(run.reviewer()).isEqualTo(new PeerAssignment("claude-code", OPUS, "s2"));
        assertThat(run.paused()).isTrue();
        assertThat(read.state()).isEqualTo("submitted");
        assertThat(read.worker()).isEqualTo("codex");
    }

    @Test
    void writesAnErrorOnlyIfTheRunDidNotSucceed() throws IOException {
        var progress = new Progress();
        progress.end(Outcome.COMPLETED, "The work is approved");
        files().save(progress);
        assertThat(Files.readString(directory.resolve(Manifest.FILE))).doesNotContain("\"error\"");
        var read =
                java.util.Objects.requireNonNull(Manifest.read(directory).orElseThrow().ashRun());
        assertThat(read.progress().reason()).isEqualTo("The work is approved");

        progress.end(Outcome.TIMEOUT, "The run took its 2 h");
        files().save(progress);
        assertThat(Manifest.read(directory).orElseThrow().error())
                .isEqualTo("The run took its 2 h");
    }

    @Test
    void reportsNoBranchAndCommitsForRunsWithoutCommits() {
        var report = Report.of(files().state());

        assertThat(report).contains("| branch | none |", "| commits | none |");
    }

    @Test
    void d18_replacesManifestsAtomically() throws Exception {
        var files = files();
        files.create();
        var done = new AtomicBoolean();
        var writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int i = 0; i < 200; i++) {
                                        files.setPaused(i % 2 == 0);
                                    }
                                    done.set(true);
                                });
        int reads = 0;
        while (!done.get()) {
            assertThat(Manifest.read(directory)).isPresent();
            reads++;
        }
        writer.join();
        assertThat(reads).isPositive();
        try (var paths = Files.list(directory)) {
            assertThat(paths.map(path -> path.getFileName().toString()))
                    .containsExactly(Manifest.FILE);
        }
    }

    @Test
    void readsManifestsOfThePublicTool() throws IOException {
        Files.writeString(
                directory.resolve(Manifest.FILE),
                """
                {
                  "id": 4, "repo_path": "/r", "repo_id": "0fdd30f6fe7d27bc", "prompt": "do it",
                  "state": "failed", "primary_agent": "codex", "review_mode": "claudex",
                  "max_iterations": 20, "current_iteration": 20, "done_signal": "DONE",
                  "created_at": "2026-11-15T18:52:32.81Z", "updated_at": "2026-11-15T18:53:32Z",
                  "error": "max iterations reached"
                }
                """);

        var read = Manifest.read(directory).orElseThrow();

        assertThat(read.ashRun()).isNull();
        assertThat(read.state()).isEqualTo("failed");
        assertThat(read.rounds()).isEqualTo(20);
        assertThat(read.error()).isEqualTo("max iterations reached");
    }

    @Test
    void returnsEmptyForMissingOrInvalidManifests() throws IOException {
        assertThat(Manifest.read(directory)).isEmpty();
        Files.writeString(directory.resolve(Manifest.FILE), "{\"id\": 4, \"ash\": {");
        assertThat(Manifest.read(directory)).isEmpty();
    }

    @Test
    void locksRunsExclusively() throws IOException {
        try (var lock = RunLock.tryAcquire(directory).orElseThrow()) {
            assertThat(RunLock.tryAcquire(directory)).isEmpty();
            assertThat(lock).isNotNull();
        }
        try (var again = RunLock.tryAcquire(directory).orElseThrow()) {
            assertThat(again).isNotNull();
        }
    }
}
