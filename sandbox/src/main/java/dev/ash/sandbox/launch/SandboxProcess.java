package dev.ash.sandbox.launch;

import dev.ash.sandbox.limits.Bounds;
import dev.ash.sandbox.limits.Rlimits;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
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

    private final Outer outer;
    private final Traces traces;
    private final CountDownLatch gone = new CountDownLatch(1);

    private SandboxProcess(Outer outer, Traces traces) {
        this.outer = outer;
        this.traces = traces;
    }

    public static SandboxProcess start(
            Spawner spawner, Command command, Traces traces, Runnable whenGone) throws IOException {
        return watched(new ChildOuter(spawner.spawnWithLimits(command)), traces, whenGone);
    }

    /** The same for a process that was started already. */
    public static SandboxProcess watch(Process process, Traces traces, Runnable whenGone) {
        return watched(new ChildOuter(process), traces, whenGone);
    }

    /** The process of a launch that another server made, if it still runs. */
    public static Optional<SandboxProcess> adopt(
            LaunchRecord launch, Traces traces, Runnable whenGone) {
        // Alive after there is a handle: that one is then of the same process.
        return ProcessHandle.of(launch.pid())
                .filter(_ -> launch.alive())
                .map(handle -> watched(new AdoptedOuter(handle, launch), traces, whenGone));
    }

    private static SandboxProcess watched(Outer outer, Traces traces, Runnable whenGone) {
        var process = new SandboxProcess(outer, traces);
        Thread.ofVirtual().name("sandbox-" + process.pid()).start(() -> process.watch(whenGone));
        return process;
    }

    /** Writes down which process this is, for a server that comes after this one. */
    public void record(Path file, long stderrFrom, Bounds bounds) throws IOException {
        record(file, stderrFrom, bounds, OptionalLong.empty());
    }

    /** The same once the bridge has answered; {@code bridge} is the process that did. */
    public void record(Path file, long stderrFrom, Bounds bounds, OptionalLong bridge)
            throws IOException {
        long bridgePid = bridge.orElse(0);
        new LaunchRecord(
                        pid(),
                        ProcessTable.birth(pid()),
                        stderrFrom,
                        bounds,
                        traces.group().lines(),
                        bridgePid,
                        bridge.isPresent() ? ProcessTable.birth(bridgePid) : "")
                .write(file);
    }

    /** Whether a process is this one or descends from it, as the kernel tells now. */
    public boolean isAncestorOf(long process) {
        for (long pid = process; pid > 1; pid = ProcessTable.parent(pid)) {
            if (pid == pid()) {
                return true;
            }
        }
        return false;
    }

    /** That it is held to its limits, as the kernel tells. */
    public void verify(Bounds bounds) throws IOException {
        traces.group().verify(bounds, firstProcess());
    }

    /** The same for those that each process has for itself. */
    public void verify(Rlimits rlimits) throws IOException {
        rlimits.verify(firstProcess());
    }

    /** Whether a path is, as the sandbox sees it, this very file. */
    public boolean sees(Path path, Object key) throws IOException {
        var first =
                traces.firstProcess()
                        .orElseThrow(() -> new IOException("its first process is not known"));
        var seen = Path.of("/proc/" + first + "/root" + path);
        return key.equals(Files.readAttributes(seen, BasicFileAttributes.class).fileKey());
    }

    private long firstProcess() {
        return traces.firstProcess().orElse(pid());
    }

    /** Ends what an earlier server left of a sandbox, so that two never share its folders. */
    public static void endLeftovers(Traces traces) {
        traces.group().kill();
        endAll(traces.matcher());
        traces.group().end();
    }

    /** How many processes have a variable that begins so and goes on with one of these values. */
    public static int count(String variable, Set<String> values) {
        return ProcessTable.living(pid -> ProcessTable.hasVariable(pid, variable, values)).size();
    }

    /** Everything that runs in it. */
    public Collection<Long> members() {
        return traces.group().exists()
                ? traces.group().members()
                : ProcessTable.living(traces.matcher(pid())).stream()
                        .map(ProcessHandle::pid)
                        .toList();
    }

    /** Whether the program still runs; after that its remains are being ended. */
    public boolean alive() {
        return outer.alive();
    }

    /** 128 and the signal's number, if it was killed; unknown for one that was adopted. */
    public OptionalInt exitCode() {
        return outer.exitCode();
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
            LOG.log(Level.ERROR, "Sandbox process {0} would not end", pid());
            return;
        }
        LOG.log(
                Level.DEBUG,
                "Sandbox process {0} ended in {1} ms",
                pid(),
                Duration.ofNanos(System.nanoTime() - begun).toMillis());
    }

    public boolean isGone() {
        return gone.getCount() == 0;
    }

    public boolean awaitGone(Duration timeout) {
        outer.hurry(timeout);
        return Latches.await(gone, timeout);
    }

    private long pid() {
        return outer.handle().pid();
    }

    private void signal() {
        var first = traces.firstProcess();
        traces.group().kill();
        if (first.isPresent()) {
            var handle = ProcessHandle.of(first.getAsLong());
            // A child of ours-to-wait-for cannot have been replaced by a stranger of that number.
            if (handle.isPresent() && ProcessTable.isChildOf(first.getAsLong(), pid())) {
                handle.get().destroyForcibly();
                return;
            }
        }
        // Listed before the parent dies: afterwards its children are re-parented.
        List<ProcessHandle> family = outer.handle().descendants().toList();
        family.forEach(ProcessHandle::destroyForcibly);
        outer.handle().destroyForcibly();
    }

    private void watch(Runnable whenGone) {
        try {
            outer.awaitEnd();
            traces.group().end();
            if (!traces.isProvenEmpty()) {
                endAll(traces.matcher(pid()));
            }
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
