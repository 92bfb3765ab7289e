package dev.ash.sandbox.launch;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongPredicate;

/**
 * A started sandbox: the process that the server started, and all that came of it. When the first
 * ends, for whatever reason, the rest is ended too; only then is the sandbox {@linkplain #awaitGone
 * gone}. One virtual thread per sandbox waits for that.
 *
 * <p>With bubblewrap the process that the server started only waits outside. Killing it would leave
 * the sandbox alive; a signal to process number one of the sandbox makes the kernel end everything
 * in its pid namespace, daemons included.
 */
public final class SandboxProcess {
    private static final Logger LOG = System.getLogger(SandboxProcess.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process outer;
    private final Traces traces;
    private final CountDownLatch gone = new CountDownLatch(1);

    private SandboxProcess(Process outer, Traces traces) {
        this.outer = outer;
        this.traces = traces;
    }

    public static SandboxProcess start(
            Spawner spawner, Command command, Traces traces, Runnable whenGone) throws IOException {
        var process = new SandboxProcess(spawner.spawnWithLimits(command), traces);
        Thread.ofVirtual()
                .name("sandbox-" + process.outer.pid())
                .start(() -> process.watch(whenGone));
        return process;
    }

    /** Ends what an earlier server left of a sandbox, so that two never share its folders. */
    public static void endLeftovers(Traces traces) {
        endAll(traces.matcher());
    }

    /** Whether the program still runs; after that its remains are being ended. */
    public boolean alive() {
        return outer.isAlive();
    }

    /** 128 and the signal's number, if it was killed. */
    public int exitCode() {
        return outer.exitValue();
    }

    /**
     * Ends everything in the sandbox and waits until it is gone. Any thread, any number of times.
     */
    public void kill() {
        if (isGone()) {
            return;
        }
        long begun = System.nanoTime();
        signal();
        if (!awaitGone(PATIENCE)) {
            LOG.log(Level.ERROR, "Sandbox process {0} would not end", outer.pid());
            return;
        }
        LOG.log(
                Level.DEBUG,
                "Sandbox process {0} ended in {1} ms",
                outer.pid(),
                Duration.ofNanos(System.nanoTime() - begun).toMillis());
    }

    public boolean isGone() {
        return gone.getCount() == 0;
    }

    public boolean awaitGone(Duration timeout) {
        return Latches.await(gone, timeout);
    }

    private void signal() {
        var first = traces.firstProcess();
        if (first.isPresent()) {
            var handle = ProcessHandle.of(first.getAsLong());
            // A child of ours-to-wait-for cannot have been replaced by a stranger of that number.
            if (handle.isPresent() && ProcessTable.isChildOf(first.getAsLong(), outer.pid())) {
                handle.get().destroyForcibly();
                return;
            }
        }
        // Listed before the parent dies: afterwards its children are re-parented.
        List<ProcessHandle> family = outer.descendants().toList();
        family.forEach(ProcessHandle::destroyForcibly);
        outer.destroyForcibly();
    }

    private void watch(Runnable whenGone) {
        try {
            outer.waitFor();
            endAll(traces.matcher(outer.pid()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does that
        } finally {
            try {
                whenGone.run();
            } finally {
                gone.countDown();
            }
        }
    }

    /** Signals until a look at all processes finds none: that look is the proof. */
    private static void endAll(LongPredicate matches) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (var left = ProcessTable.living(matches);
                !left.isEmpty();
                left = ProcessTable.living(matches)) {
            if (System.nanoTime() > deadline) {
                LOG.log(Level.ERROR, "Processes of an ended sandbox remain: {0}", left);
                return;
            }
            left.forEach(ProcessHandle::destroyForcibly);
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
