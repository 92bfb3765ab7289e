package dev.ash.sandbox.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputTimesTest {
    private static final long NOW = 1_000_000;

    @TempDir Path directory;
    private Path output;
    private Path samples;

    @BeforeEach
    void create() throws IOException {
        output = Files.createFile(directory.resolve("stdout.log"));
        samples = directory.resolve("stdout.log.times");
    }

    private void print(String text, long millis) throws IOException {
        Files.writeString(output, text, StandardOpenOption.APPEND);
        Files.setLastModifiedTime(output, FileTime.fromMillis(millis));
    }

    @Test
    void recordsTimeOfEachPart() throws IOException {
        var recorder = new OutputTimes.Recorder(output);
        recorder.sample(NOW);
        print("one\n", 1000);
        recorder.sample(NOW);
        recorder.sample(NOW);
        print("two\n", 2000);
        recorder.sample(NOW);
        print("three\n", 3000);

        var times = OutputTimes.read(output, NOW);

        assertThat(times.before(1)).isEqualTo(1000);
        assertThat(times.before(4)).isEqualTo(1000);
        assertThat(times.before(5)).isEqualTo(2000);
        assertThat(times.before(14)).isEqualTo(3000);
        assertThat(samples).hasContent("4 1000\n8 2000\n");
    }

    @Test
    void continuesAfterAnotherServer() throws IOException {
        print("one\n", 1000);
        new OutputTimes.Recorder(output).sample(NOW);
        Files.writeString(samples, "8", StandardOpenOption.APPEND); // cut off by a crash
        print("two\n", 2000);

        var recorder = new OutputTimes.Recorder(output);
        recorder.sample(NOW);

        assertThat(samples).hasContent("4 1000\n8 2000\n");
    }

    @Test
    void clampsTimesBetweenPreviousAndNow() throws IOException {
        var recorder = new OutputTimes.Recorder(output);
        print("one\n", 5000);
        recorder.sample(NOW);
        print("two\n", 10);
        recorder.sample(NOW);
        print("three\n", 10 * NOW);

        var times = OutputTimes.read(output, NOW);

        assertThat(times.before(8)).isEqualTo(5000);
        assertThat(times.before(14)).isEqualTo(NOW);
    }

    @Test
    void restartsAfterTruncationBySandbox() throws IOException {
        var recorder = new OutputTimes.Recorder(output);
        print("one\ntwo\n", 1000);
        recorder.sample(NOW);
        Files.write(output, new byte[0]);
        print("new\n", 2000);

        assertThat(OutputTimes.read(output, NOW).before(4)).isEqualTo(2000);
        recorder.sample(NOW);

        assertThat(samples).hasContent("4 2000\n");
    }

    @Test
    void keepsTimesOfRemainingPartOfLargeFile() throws IOException {
        print("x".repeat(5 * 1024 * 1024), 1000);
        new OutputTimes.Recorder(output).sample(NOW);
        print("the last line\n", 2000);

        OutputFiles.prepare(directory);

        long size = Files.size(output);
        assertThat(size).isEqualTo(1024 * 1024);
        var times = OutputTimes.read(output, NOW);
        assertThat(times.before(size - 14)).isEqualTo(1000);
        assertThat(times.before(size)).isEqualTo(2000);
    }

    @Test
    void limitsTheNumberOfSamples() throws IOException {
        var recorder = new OutputTimes.Recorder(output);
        for (int i = 1; i <= 12_100; i++) {
            print("x", i);
            recorder.sample(NOW);
        }

        var lines = Files.readAllLines(samples);
        assertThat(lines).hasSizeBetween(10_000, 12_000).last().isEqualTo("12100 12100");
        assertThat(OutputTimes.read(output, NOW).before(12_000)).isEqualTo(12_000);
    }

    @Test
    void createsNoFileInDirectoryBeingDeleted() throws IOException {
        var recorder = new OutputTimes.Recorder(output);
        print("one\n", 1000);
        Files.delete(samples);

        assertThatThrownBy(() -> recorder.sample(NOW)).isInstanceOf(NoSuchFileException.class);

        assertThat(samples).doesNotExist();
    }

    @Test
    void samplesRunningSandboxes() throws IOException {
        Files.createFile(directory.resolve("stderr.log"));
        try (var sampler = new OutputSampler()) {
            sampler.add(directory, () -> true);
            print("one\n", 1000);

            await().atMost(Duration.ofSeconds(30)).until(() -> Files.size(samples) > 0);

            assertThat(samples).hasContent("4 1000\n");
        }
    }
}
