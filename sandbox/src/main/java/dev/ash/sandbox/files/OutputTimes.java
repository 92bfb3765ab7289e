package dev.ash.sandbox.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The times at which the bytes of an output file were written. While its sandbox runs, samples of
 * its size and modification time are appended to a file next to it, which later servers read.
 */
public final class OutputTimes {
    private static final int MAX_SAMPLES = 12_000;
    private static final int KEPT_SAMPLES = 10_000; // at least one for each line that is shown

    /** The bytes up to {@code end} were written no later than {@code millis}. */
    private record Sample(long end, long millis) {}

    private final List<Sample> samples;

    private OutputTimes(List<Sample> samples) {
        this.samples = samples;
    }

    /** Reads the times of all current bytes of the file. */
    public static OutputTimes read(Path output, long now) throws IOException {
        var samples = load(output);
        var last = samples.isEmpty() ? new Sample(0, 0) : samples.getLast();
        var present = sample(output, last, now);
        if (present.end() < last.end()) {
            samples.clear(); // taken before the file was truncated
        }
        samples.add(present);
        return new OutputTimes(samples);
    }

    /** Returns the time, in milliseconds, at which the byte before this offset was written. */
    public long before(long offset) {
        var wanted = new Sample(offset, 0);
        int found =
                Collections.binarySearch(samples, wanted, Comparator.comparingLong(Sample::end));
        int index = found >= 0 ? found : -found - 1;
        return samples.get(Math.min(index, samples.size() - 1)).millis();
    }

    /**
     * Takes a sample, clamped between the previous one and now: a sandbox can change file times.
     */
    private static Sample sample(Path output, Sample last, long now) throws IOException {
        var attributes =
                Files.readAttributes(output, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        long written = Math.min(attributes.lastModifiedTime().toMillis(), now);
        return new Sample(attributes.size(), Math.max(written, last.millis()));
    }

    private static Path file(Path output) {
        return output.resolveSibling(output.getFileName() + ".times");
    }

    private static List<Sample> load(Path output) throws IOException {
        var samples = new ArrayList<Sample>();
        if (Files.isRegularFile(file(output), LinkOption.NOFOLLOW_LINKS)) {
            for (var line : Files.readAllLines(file(output))) {
                var parts = line.split(" ", -1);
                try {
                    samples.add(new Sample(Long.parseLong(parts[0]), Long.parseLong(parts[1])));
                } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                    return samples; // cut off by a crash
                }
            }
        }
        return samples;
    }

    private static void write(Path output, List<Sample> samples, StandardOpenOption... options)
            throws IOException {
        var text = new StringBuilder();
        samples.forEach(s -> text.append(s.end()).append(' ').append(s.millis()).append('\n'));
        Files.write(file(output), text.toString().getBytes(StandardCharsets.US_ASCII), options);
    }

    /** Adjusts the samples after the first bytes of the output file were removed. */
    static void removeFirst(Path output, long bytes) throws IOException {
        var remaining =
                load(output).stream()
                        .filter(sample -> sample.end() > bytes)
                        .map(sample -> new Sample(sample.end() - bytes, sample.millis()))
                        .toList();
        write(output, remaining, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
    }

    /**
     * Appends samples of one output file. Creates its file on construction only, so that a
     * directory that is being deleted stays empty. Not thread-safe.
     */
    static final class Recorder {
        private final Path output;
        private Sample last = new Sample(0, 0);
        private int count;

        Recorder(Path output) throws IOException {
            this.output = output;
            var samples = load(output);
            write(output, samples, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
            count = samples.size();
            if (!samples.isEmpty()) {
                last = samples.getLast();
            }
        }

        /** Appends a sample if the file has grown since the previous one. */
        void sample(long now) throws IOException {
            var present = sample(output, now);
            if (present.end() < last.end()) {
                last = new Sample(0, last.millis()); // the sandbox has truncated the file
                count = 0;
                write(output, List.of(), StandardOpenOption.TRUNCATE_EXISTING);
            }
            if (present.end() > last.end()) {
                write(output, List.of(present), StandardOpenOption.APPEND);
                last = present;
                count++;
                if (count > MAX_SAMPLES) {
                    removeOldest();
                }
            }
        }

        private Sample sample(Path output, long now) throws IOException {
            return OutputTimes.sample(output, last, now);
        }

        private void removeOldest() throws IOException {
            var all = load(output);
            var kept = all.subList(Math.max(0, all.size() - KEPT_SAMPLES), all.size());
            write(output, kept, StandardOpenOption.TRUNCATE_EXISTING);
            count = kept.size();
        }
    }
}
