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
 * Looks after all sandboxes that run, once a second, on one thread: what they were refused, and how
 * much of the disk they take. Measuring takes a small share of one processor, however many files
 * there are; a larger one while the disk fills. When too little of the disk is free, the sandbox
 * that grows fastest ends, one in each round.
 */
public final class Watch implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Watch.class.getName());
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final long LONGEST = Duration.ofSeconds(60).toNanos();
    private static final long MUCH = 64L * 1024 * 1024;

    // One part in so many of a processor's time.
    private static final int USUAL_SHARE = 20;
    private static final int FILLING_SHARE = 4;
    private static final int LOW_SHARE = 1;

    /** Less than this is no growth that ending a sandbox would stop. */
    private static final long GROWTH = 1024 * 1024;

    private final DiskReserve reserve;
    private final DiskBallast ballast;
    private final Growth spent = new Growth();
    private final ConcurrentHashMap<Ward, Boolean> wards = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private long free;

    /** One sandbox, and whom to tell why it has to end. */
    public static final class Ward {
        private final Supplier<? extends Collection<Long>> processes;
        private final List<Path> folders;
        private final Optional<Path> image;
        private final Bounds bounds;
        private final Strain strain;
        private final BooleanSupplier alive;
        private final Consumer<String> end;
        private final Growth growth = new Growth();
        private final WrittenBytes written = new WrittenBytes();
        private long measured = System.nanoTime();
        private long took;
        private boolean hadRoom;
        private long imageBytes;

        /** {@code image} is the folder where its own file system is mounted, if it has one. */
        public Ward(
                Supplier<? extends Collection<Long>> processes,
                List<Path> folders,
                Optional<Path> image,
                Bounds bounds,
                Strain strain,
                BooleanSupplier alive,
                Consumer<String> end) {
            this.processes = processes;
            this.folders = List.copyOf(folders);
            this.image = image;
            this.bounds = bounds;
            this.strain = strain;
            this.alive = alive;
            this.end = end;
        }
    }

    public Watch(DiskReserve reserve) {
        this.reserve = reserve;
        this.ballast = DiskBallast.of(reserve);
        this.free = reserve.freeBytes();
        spent.add(-free);
        Thread.ofVirtual().name("limits-watch").start(this::run);
    }

    /** Until it is no more alive. */
    public void add(Ward ward) {
        ward.image.ifPresent(image -> measureImage(ward, image)); // whether it begins full
        wards.put(ward, true);
    }

    private void run() {
        try {
            while (!closed.await(ROUND.toMillis(), TimeUnit.MILLISECONDS)) {
                round();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does that
        }
    }

    private void round() {
        long before = free;
        free = reserve.freeBytes();
        boolean low = reserve.isViolatedBy(free);
        int share = low ? LOW_SHARE : before - free > MUCH ? FILLING_SHARE : USUAL_SHARE;
        for (var ward : wards.keySet()) {
            tryToLook(ward, share);
        }
        spent.add(-free);
        wards.keySet().stream()
                .filter(ward -> ward.image.isEmpty())
                .forEach(ward -> ward.written.look(ward.processes.get()));
        if (!low) {
            ballast.fill(free, reserve);
        } else if (!relieve() && free < ballast.fullBelow()) {
            ballast.release();
        }
    }

    /**
     * Ends the sandbox that grows fastest, and if the disk is full, also those that grow at least
     * half as fast: they would take what the server frees. Those that do not grow are not touched.
     * False if there was none.
     */
    private boolean relieve() {
        var fastest = growsFastest();
        if (fastest.isEmpty()) {
            return false;
        }
        if (free < ballast.fullBelow()) {
            long much = grown(fastest.get()) / 2;
            wards.keySet().stream()
                    .filter(ward -> grown(ward) >= much)
                    .forEach(ward -> end(ward, reserve.sentence()));
        }
        end(fastest.get(), reserve.sentence());
        spent.restart();
        for (var other : wards.keySet()) {
            other.growth.restart();
            other.written.restart();
        }
        return true;
    }

    private static long grown(Ward ward) {
        return Math.max(ward.growth.bytes(), ward.written.bytes());
    }

    /**
     * What a sandbox without an image hides from measuring, or wrote before it was first measured,
     * shows in what its processes write. That counts only while more space is lost than measured: a
     * process may also write to the same place again and again.
     */
    private Optional<Ward> growsFastest() {
        var measured = fastest(ward -> ward.growth.bytes());
        long lost = spent.bytes();
        boolean isExplained = measured.map(ward -> ward.growth.bytes() >= lost / 2).orElse(false);
        return isExplained || lost < GROWTH ? measured : fastest(Watch::grown);
    }

    private Optional<Ward> fastest(ToLongFunction<Ward> bytes) {
        return wards.keySet().stream()
                .filter(ward -> bytes.applyAsLong(ward) >= GROWTH)
                .max(Comparator.comparingLong(bytes));
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
        if (ward.image.isPresent()) {
            measureImage(ward, ward.image.get());
        } else {
            measureFolders(ward, share);
        }
    }

    /**
     * Programs in a full file system fail one by one with a message that names no limit, so the
     * sandbox ends, with one that does. One that was full when it began may go on: it can delete.
     */
    private void measureImage(Ward ward, Path image) {
        try {
            var space = DiskSpace.of(image);
            if (ward.imageBytes == 0) {
                ward.imageBytes = space.totalBytes();
            }
            if (ward.imageBytes != space.totalBytes()) {
                return; // somebody has unmounted it on the host, and this is another's space
            }
            ward.growth.add(space.usedBytes());
            if (!space.isFull()) {
                ward.hadRoom = true;
            } else if (ward.hadRoom) {
                end(ward, ward.strain.disk());
            }
        } catch (IOException e) {
            // It is ending, and its file system has been unmounted.
        }
    }

    private void measureFolders(Ward ward, int share) {
        long interval = Math.min(LONGEST, ward.took * share * Math.max(1, wards.size()));
        if (System.nanoTime() - ward.measured < interval) {
            return;
        }
        long begun = System.nanoTime();
        long used = DiskUsage.measure(ward.folders, ward.processes.get(), ward.bounds.diskBytes());
        ward.measured = System.nanoTime();
        ward.took = ward.measured - begun;
        ward.growth.add(used);
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

    @Override
    public void close() {
        closed.countDown();
        wards.clear();
    }
}
