package dev.ash.sandbox.limits;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Looks after all sandboxes that run, once a second, on one thread: what they were refused, and how
 * much of the disk they take. Measuring takes a small share of one processor, however many files
 * there are; a larger one while the disk fills.
 */
public final class Watch implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Watch.class.getName());
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final long LONGEST = Duration.ofSeconds(60).toNanos();
    private static final long MUCH = 64L * 1024 * 1024;

    // One part in so many of a processor's time.
    private static final int USUAL_SHARE = 20;
    private static final int FILLING_SHARE = 4;

    private final Path dataDir;
    private final ConcurrentHashMap<Ward, Boolean> wards = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private long free;

    /** One sandbox, and whom to tell why it has to end. */
    public static final class Ward {
        private final Supplier<? extends Collection<Long>> processes;
        private final List<Path> folders;
        private final Bounds bounds;
        private final Strain strain;
        private final BooleanSupplier alive;
        private final Consumer<String> end;
        private long measured = System.nanoTime();
        private long took;

        public Ward(
                Supplier<? extends Collection<Long>> processes,
                List<Path> folders,
                Bounds bounds,
                Strain strain,
                BooleanSupplier alive,
                Consumer<String> end) {
            this.processes = processes;
            this.folders = List.copyOf(folders);
            this.bounds = bounds;
            this.strain = strain;
            this.alive = alive;
            this.end = end;
        }
    }

    /** The folder is one on the disk that sandboxes write to. */
    public Watch(Path dataDir) {
        this.dataDir = dataDir;
        Thread.ofVirtual().name("limits-watch").start(this::run);
    }

    /** Until it is no more alive. */
    public void add(Ward ward) {
        wards.put(ward, true);
    }

    private void run() {
        try {
            while (!closed.await(ROUND.toMillis(), TimeUnit.MILLISECONDS)) {
                int share = isFilling() ? FILLING_SHARE : USUAL_SHARE;
                for (var ward : wards.keySet()) {
                    tryToLook(ward, share);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does that
        }
    }

    private void tryToLook(Ward ward, int share) {
        try {
            look(ward, share);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "The limits of a sandbox could not be looked at", e);
        }
    }

    private void look(Ward ward, int share) {
        if (!ward.alive.getAsBoolean()) {
            wards.remove(ward);
            return;
        }
        var tooMany = ward.strain.look();
        if (tooMany.isPresent()) {
            end(ward, tooMany.get());
            return;
        }
        long interval = Math.min(LONGEST, ward.took * share * Math.max(1, wards.size()));
        if (System.nanoTime() - ward.measured < interval) {
            return;
        }
        long begun = System.nanoTime();
        long used = DiskUsage.measure(ward.folders, ward.processes.get(), ward.bounds.diskBytes());
        ward.measured = System.nanoTime();
        ward.took = ward.measured - begun;
        if (used > ward.bounds.diskBytes()) {
            end(ward, ward.strain.disk());
        }
    }

    /** Not here: ending takes a while, and others are to be looked after. */
    private void end(Ward ward, String reason) {
        if (wards.remove(ward) != null) {
            Thread.ofVirtual().name("limits-end").start(() -> ward.end.accept(reason));
        }
    }

    private boolean isFilling() {
        long before = free;
        try {
            free = Files.getFileStore(dataDir).getUnallocatedSpace();
        } catch (IOException | UncheckedIOException e) {
            free = 0;
        }
        return before - free > MUCH;
    }

    @Override
    public void close() {
        closed.countDown();
        wards.clear();
    }
}
