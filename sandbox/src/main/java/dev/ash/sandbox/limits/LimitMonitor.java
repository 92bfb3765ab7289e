package dev.ash.sandbox.limits;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Enforces the limits of all running sandboxes, once a second on one thread: polls their control
 * groups and measures their disk space. Measuring uses a small share of one processor, however many
 * files there are, and a larger one while the disk fills. If less than the reserve of the disk is
 * free, terminates the fastest-growing sandbox in each round.
 */
public final class LimitMonitor implements AutoCloseable {
    private static final Logger LOG = System.getLogger(LimitMonitor.class.getName());
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final long MAX_INTERVAL = Duration.ofSeconds(60).toNanos();
    private static final long FAST_DECREASE = 64L * 1024 * 1024;

    // Measuring takes at most 1/n of a processor's time.
    private static final int NORMAL_SHARE = 20;
    private static final int FILLING_SHARE = 4;
    private static final int LOW_SHARE = 1;

    /** Sandboxes that grow by less are not terminated to free space. */
    private static final long MIN_GROWTH = 1024 * 1024;

    private final DiskReserve reserve;
    private final DiskBallast ballast;
    private final Growth consumed = new Growth();
    private final ConcurrentHashMap<MonitoredSandbox, Boolean> sandboxes =
            new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private long free;

    /** A sandbox to monitor, and the callback that terminates it with a reason. */
    public static final class MonitoredSandbox {
        private final Supplier<? extends Collection<Long>> processes;
        private final List<Path> directories;
        private final Optional<Path> image;
        private final ResolvedLimits limits;
        private final PressureMonitor pressureMonitor;
        private final BooleanSupplier isAlive;
        private final Consumer<String> terminate;
        private final Growth growth = new Growth();
        private final WrittenBytes written = new WrittenBytes();
        private long lastMeasured = System.nanoTime();
        private long lastDuration;
        private boolean hadFreeSpace;
        private long imageBytes;

        /**
         * Creates an entry; {@code image} is the mount point of its own file system, if it has one.
         */
        public MonitoredSandbox(
                Supplier<? extends Collection<Long>> processes,
                List<Path> directories,
                Optional<Path> image,
                ResolvedLimits limits,
                PressureMonitor pressureMonitor,
                BooleanSupplier isAlive,
                Consumer<String> terminate) {
            this.processes = processes;
            this.directories = List.copyOf(directories);
            this.image = image;
            this.limits = limits;
            this.pressureMonitor = pressureMonitor;
            this.isAlive = isAlive;
            this.terminate = terminate;
        }
    }

    public LimitMonitor(DiskReserve reserve) {
        this.reserve = reserve;
        this.ballast = DiskBallast.of(reserve);
        this.free = reserve.freeBytes();
        consumed.add(-free);
        Thread.ofVirtual().name("limit-monitor").start(this::run);
    }

    /** Monitors a sandbox until it exits. */
    public void add(MonitoredSandbox sandbox) {
        // Determines whether the image is full from the start.
        sandbox.image.ifPresent(image -> measureImage(sandbox, image));
        sandboxes.put(sandbox, true);
    }

    private void run() {
        try {
            while (!closed.await(ROUND.toMillis(), TimeUnit.MILLISECONDS)) {
                round();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // this thread is never interrupted
        }
    }

    private void round() {
        long before = free;
        free = reserve.freeBytes();
        boolean low = reserve.isViolatedBy(free);
        int share = low ? LOW_SHARE : before - free > FAST_DECREASE ? FILLING_SHARE : NORMAL_SHARE;
        for (var sandbox : sandboxes.keySet()) {
            tryToCheck(sandbox, share);
        }
        consumed.add(-free);
        sandboxes.keySet().stream()
                .filter(sandbox -> sandbox.image.isEmpty())
                .forEach(sandbox -> sandbox.written.sample(sandbox.processes.get()));
        if (!low) {
            ballast.fill(free, reserve);
        } else if (!freeSpace() && free < ballast.fullBelow()) {
            ballast.release();
        }
    }

    /**
     * Terminates the fastest-growing sandbox, and if the disk is full, also those that grow at
     * least half as fast: they would consume the freed space. Keeps sandboxes that do not grow.
     * Returns false if none was terminated.
     */
    private boolean freeSpace() {
        var fastest = fastestGrowing();
        if (fastest.isEmpty()) {
            return false;
        }
        if (free < ballast.fullBelow()) {
            long threshold = grown(fastest.get()) / 2;
            sandboxes.keySet().stream()
                    .filter(sandbox -> grown(sandbox) >= threshold)
                    .forEach(sandbox -> terminate(sandbox, reserve.terminationReason()));
        }
        terminate(fastest.get(), reserve.terminationReason());
        consumed.restart();
        for (var other : sandboxes.keySet()) {
            other.growth.restart();
            other.written.restart();
        }
        return true;
    }

    private static long grown(MonitoredSandbox sandbox) {
        return Math.max(sandbox.growth.bytes(), sandbox.written.bytes());
    }

    /**
     * Finds the fastest-growing sandbox. The bytes written by processes reveal what a sandbox
     * without an image hides from measurement or wrote before its first one. They count only while
     * more space is lost than measured, because a process may overwrite the same file repeatedly.
     */
    private Optional<MonitoredSandbox> fastestGrowing() {
        var measured = fastest(sandbox -> sandbox.growth.bytes());
        long lost = consumed.bytes();
        boolean isExplained =
                measured.map(sandbox -> sandbox.growth.bytes() >= lost / 2).orElse(false);
        return isExplained || lost < MIN_GROWTH ? measured : fastest(LimitMonitor::grown);
    }

    private Optional<MonitoredSandbox> fastest(ToLongFunction<MonitoredSandbox> bytes) {
        return sandboxes.keySet().stream()
                .filter(sandbox -> bytes.applyAsLong(sandbox) >= MIN_GROWTH)
                .max(Comparator.comparingLong(bytes));
    }

    private void tryToCheck(MonitoredSandbox sandbox, int share) {
        try {
            check(sandbox, share);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "Cannot check the limits of a sandbox", e);
        }
    }

    private void check(MonitoredSandbox sandbox, int share) {
        if (!sandbox.isAlive.getAsBoolean()) {
            sandboxes.remove(sandbox);
            return;
        }
        var forkBomb = sandbox.pressureMonitor.poll();
        if (forkBomb.isPresent()) {
            terminate(sandbox, forkBomb.get());
            return;
        }
        if (sandbox.image.isPresent()) {
            measureImage(sandbox, sandbox.image.get());
        } else {
            measureDirectories(sandbox, share);
        }
    }

    /**
     * Terminates the sandbox if its file system has become full: programs in it would fail with
     * messages that do not name the limit. A sandbox that was full from the start continues, so
     * that it can delete files.
     */
    private void measureImage(MonitoredSandbox sandbox, Path image) {
        try {
            var space = DiskSpace.of(image);
            if (sandbox.imageBytes == 0) {
                sandbox.imageBytes = space.totalBytes();
            }
            if (sandbox.imageBytes != space.totalBytes()) {
                return; // unmounted on the host: this is another file system
            }
            sandbox.growth.add(space.usedBytes());
            if (!space.isFull()) {
                sandbox.hadFreeSpace = true;
            } else if (sandbox.hadFreeSpace) {
                terminate(sandbox, sandbox.pressureMonitor.diskMessage());
            }
        } catch (IOException e) {
            // Exiting: its file system has been unmounted.
        }
    }

    private void measureDirectories(MonitoredSandbox sandbox, int share) {
        long interval =
                Math.min(
                        MAX_INTERVAL, sandbox.lastDuration * share * Math.max(1, sandboxes.size()));
        if (System.nanoTime() - sandbox.lastMeasured < interval) {
            return;
        }
        long begun = System.nanoTime();
        long used =
                DiskUsage.measure(
                        sandbox.directories, sandbox.processes.get(), sandbox.limits.diskBytes());
        sandbox.lastMeasured = System.nanoTime();
        sandbox.lastDuration = sandbox.lastMeasured - begun;
        sandbox.growth.add(used);
        if (used > sandbox.limits.diskBytes()) {
            terminate(sandbox, sandbox.pressureMonitor.diskMessage());
        }
    }

    /** Terminates a sandbox on another thread, as that takes a while. */
    private void terminate(MonitoredSandbox sandbox, String reason) {
        if (sandboxes.remove(sandbox) != null) {
            Thread.ofVirtual()
                    .name("limit-termination")
                    .start(() -> sandbox.terminate.accept(reason));
        }
    }

    @Override
    public void close() {
        closed.countDown();
        sandboxes.clear();
    }
}
