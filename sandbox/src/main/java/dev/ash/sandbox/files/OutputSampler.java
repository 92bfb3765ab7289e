package dev.ash.sandbox.files;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Samples the sizes and times of the output files of all running sandboxes on one virtual thread.
 */
public final class OutputSampler implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final Set<Output> outputs = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);

    private record Output(
            OutputTimes.Recorder stdout, OutputTimes.Recorder stderr, BooleanSupplier isAlive) {}

    public OutputSampler() {
        Thread.ofVirtual().name("output-sampler").start(this::run);
    }

    /**
     * Samples until the sandbox exits. On failure, all lines get the modification time of the file.
     */
    public void add(Path directory, BooleanSupplier isAlive) {
        try {
            var files = OutputFiles.in(directory);
            var output =
                    new Output(
                            new OutputTimes.Recorder(files.stdout()),
                            new OutputTimes.Recorder(files.stderr()),
                            isAlive);
            sample(output);
            outputs.add(output);
        } catch (IOException e) {
            System.getLogger("ash.sandbox")
                    .log(
                            System.Logger.Level.WARNING,
                            "Cannot record output times in " + directory,
                            e);
        }
    }

    private void run() {
        try {
            while (!closed.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                outputs.removeIf(output -> !output.isAlive().getAsBoolean());
                outputs.forEach(this::trySample);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void trySample(Output output) {
        try {
            sample(output);
        } catch (IOException e) {
            outputs.remove(output); // the files are being deleted, or the disk is full
        }
    }

    private static void sample(Output output) throws IOException {
        long now = System.currentTimeMillis();
        output.stdout().sample(now);
        output.stderr().sample(now);
    }

    @Override
    public void close() {
        closed.countDown();
        outputs.clear();
    }
}
