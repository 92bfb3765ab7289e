package dev.ash.sandbox.launch;

import dev.ash.sandbox.limits.ResolvedLimits;
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
 * A running sandbox: the outer process that the server started, and all its descendants. When the
 * outer process exits, for whatever reason, the remaining processes are killed; only then is the
 * sandbox {@linkplain #awaitGone gone}. One virtual thread per sandbox waits for that.
 *
 * <p>Behind bubblewrap, the outer process only waits. Killing it would leave the sandbox running; a
 * signal to the sandbox's pid 1 makes the kernel kill everything in its pid namespace, daemons
 * included.
 */
public final class SandboxProcess {
    private static final Logger LOG = System.getLogger(SandboxProcess.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final OuterProcess outer;
    private final ProcessMarkers markers;
    private final CountDownLatch gone = new CountDownLatch(1);

    private SandboxProcess(OuterProcess outer, ProcessMarkers markers) {
        this.outer = outer;
        this.markers = markers;
    }

    public static SandboxProcess start(
            Spawner spawner, Command command, ProcessMarkers markers, Runnable onExit)
            throws IOException {
        return supervise(new ChildProcess(spawner.spawnWithLimits(command)), markers, onExit);
    }

    /** Wraps a process that has already been started. */
    public static SandboxProcess of(Process process, ProcessMarkers markers, Runnable onExit) {
        return supervise(new ChildProcess(process), markers, onExit);
    }

    /** Returns the process of an earlier server's launch, if it still runs. */
    public static Optional<SandboxProcess> adopt(
            LaunchRecord launch, ProcessMarkers markers, Runnable onExit) {
        // Check isAlive after creating the handle, so that both refer to the same process.
        return ProcessHandle.of(launch.pid())
                .filter(_ -> launch.isAlive())
                .map(handle -> supervise(new AdoptedProcess(handle, launch), markers, onExit));
    }

    private static SandboxProcess supervise(
            OuterProcess outer, ProcessMarkers markers, Runnable onExit) {
        var process = new SandboxProcess(outer, markers);
        Thread.ofVirtual().name("sandbox-" + process.pid()).start(() -> process.awaitExit(onExit));
        return process;
    }

    /** Writes a {@link LaunchRecord} for later servers. */
    public void writeRecord(Path file, long stderrFrom, ResolvedLimits limits) throws IOException {
        writeRecord(file, stderrFrom, limits, OptionalLong.empty());
    }

    /** Writes the record once the bridge has connected; {@code bridge} is its pid. */
    public void writeRecord(Path file, long stderrFrom, ResolvedLimits limits, OptionalLong bridge)
            throws IOException {
        long bridgePid = bridge.orElse(0);
        new LaunchRecord(
                        pid(),
                        ProcessTable.startTime(pid()),
                        stderrFrom,
                        limits,
                        markers.group().lines(),
                        bridgePid,
                        bridge.isPresent() ? ProcessTable.startTime(bridgePid) : "")
                .write(file);
    }

    /** Whether a process is the outer process or currently descends from it. */
    public boolean isAncestorOf(long process) {
        for (long pid = process; pid > 1; pid = ProcessTable.parent(pid)) {
            if (pid == pid()) {
                return true;
            }
        }
        return false;
    }

    /** Verifies the control group limits that the kernel reports. */
    public void verify(ResolvedLimits limits) throws IOException {
        markers.group().verify(limits, firstProcess());
    }

    /** Verifies the limits of the first process. */
    public void verify(Rlimits rlimits) throws IOException {
        rlimits.verify(firstProcess());
    }

    /** Whether the path, resolved inside the sandbox, is the file with this key. */
    public boolean hasFileAt(Path path, Object key) throws IOException {
        var first =
                markers.firstProcess()
                        .orElseThrow(() -> new IOException("its first process is unknown"));
        var inside = Path.of("/proc/" + first + "/root" + path);
        return key.equals(Files.readAttributes(inside, BasicFileAttributes.class).fileKey());
    }

    private long firstProcess() {
        return markers.firstProcess().orElse(pid());
    }

    /** Kills what an earlier server left of a sandbox, so that two never share its directories. */
    public static void killLeftovers(ProcessMarkers markers) {
        markers.group().kill();
        killAll(markers.matcher());
        markers.group().destroy();
    }

    /**
     * Counts the processes that have a variable with one of these values; {@code variable} ends
     * with {@code =}.
     */
    public static int count(String variable, Set<String> values) {
        return ProcessTable.living(pid -> ProcessTable.hasVariable(pid, variable, values)).size();
    }

    /** Returns the host pids of the processes in the sandbox. */
    public Collection<Long> members() {
        return markers.group().exists()
                ? markers.group().members()
                : ProcessTable.living(markers.matcher(pid())).stream()
                        .map(ProcessHandle::pid)
                        .toList();
    }

    /** Whether the outer process runs; after its exit, the remaining processes are killed. */
    public boolean isAlive() {
        return outer.isAlive();
    }

    /**
     * Returns the exit code, 128 plus the signal number if killed; empty for an adopted process.
     */
    public OptionalInt exitCode() {
        return outer.exitCode();
    }

    /** Kills everything in the sandbox and waits until it is gone. Idempotent and thread-safe. */
    public void kill() {
        if (isGone()) {
            return;
        }
        long begun = System.nanoTime();
        signal();
        if (!awaitGone(TIMEOUT)) {
            LOG.log(Level.ERROR, "Sandbox process {0} did not exit", pid());
            return;
        }
        LOG.log(
                Level.DEBUG,
                "Sandbox process {0} exited after {1} ms",
                pid(),
                Duration.ofNanos(System.nanoTime() - begun).toMillis());
    }

    public boolean isGone() {
        return gone.getCount() == 0;
    }

    public boolean awaitGone(Duration timeout) {
        outer.pollFrequently(timeout);
        return Latches.awaitUninterruptibly(gone, timeout);
    }

    private long pid() {
        return outer.handle().pid();
    }

    private void signal() {
        if (!killNamespace()) {
            // List them before the parent dies: afterwards its children are re-parented.
            List<ProcessHandle> descendants = outer.handle().descendants().toList();
            markers.group().kill();
            descendants.forEach(ProcessHandle::destroyForcibly);
            outer.handle().destroyForcibly();
        }
    }

    /**
     * Kills pid 1 of the sandbox, if there is one; the kernel kills the rest of its namespace. The
     * outer process then reaps it and exits, which is faster than killing both: an orphan stays a
     * member of its control group until init reaps it.
     */
    private boolean killNamespace() {
        var first = markers.firstProcess();
        if (first.isEmpty()) {
            return false;
        }
        var handle = ProcessHandle.of(first.getAsLong());
        // An unreaped child's pid cannot have been reused by another process.
        if (handle.isEmpty() || !ProcessTable.isChildOf(first.getAsLong(), pid())) {
            return false;
        }
        markers.group().prepareKill();
        handle.get().destroyForcibly();
        return true;
    }

    private void awaitExit(Runnable onExit) {
        try {
            outer.awaitExit();
            markers.group().destroy();
            if (!markers.isProvenEmpty()) {
                killAll(markers.matcher(pid()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // this thread is never interrupted
        } finally {
            try {
                onExit.run();
            } finally {
                gone.countDown();
            }
        }
    }

    /** Signals matching processes until a scan finds none; the empty scan is the proof. */
    private static void killAll(LongPredicate matches) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        for (var remaining = ProcessTable.living(matches);
                !remaining.isEmpty();
                remaining = ProcessTable.living(matches)) {
            if (System.nanoTime() > deadline) {
                LOG.log(
                        Level.ERROR,
                        "Processes of a terminated sandbox did not exit: {0}",
                        remaining);
                return;
            }
            remaining.forEach(ProcessHandle::destroyForcibly);
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
