package dev.ash.server.store;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that writes. Whatever must be true together is one {@link Unit}; units that wait
 * at the same moment share a commit, so that a flush of the disk is paid once for all of them.
 *
 * <p>A group runs without savepoints. When one of its units fails, the group is rolled back and
 * each unit runs again alone, so a unit may run twice and must not change anything but the
 * database, except after its commit. The queue is bounded: who writes faster than the disk waits.
 */
public final class Writer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.store");
    private static final int QUEUE = 4096;
    private static final int GROUP = 512;
    private static final Item<Boolean> STOP = new Item<>(_ -> true, _ -> {}, _ -> {});

    private final Jdbi jdbi;
    private final BlockingQueue<Item<?>> queue = new ArrayBlockingQueue<>(QUEUE);
    private final List<Runnable> rollbackListeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> groupListeners = new CopyOnWriteArrayList<>();
    private final List<CommitObserver> commitObservers = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private @Nullable Transaction transaction; // on the one connection; null if it has to be opened
    private volatile boolean closed;

    Writer(Jdbi jdbi) {
        this.jdbi = jdbi;
        try {
            this.transaction = Transaction.open(jdbi);
        } catch (SQLException e) {
            throw new ConnectionException(e);
        }
        this.thread = Thread.ofPlatform().name("writer").start(this::run);
    }

    /** Statements that commit together, and their result. May run twice. */
    public interface Unit<T> {
        T run(Transaction transaction);
    }

    /** Statements that commit together. May run twice. */
    public interface Statements {
        void run(Transaction transaction);
    }

    /** Called on the writer's thread, so it must be quick. */
    public interface Failure {
        void failed(ApiException why);
    }

    /** A queued unit. Its result belongs to the latest run, which is the one that committed. */
    private static final class Item<T> {
        private final Unit<T> unit;
        private final Consumer<T> committed;
        private final Failure failure;
        private @Nullable T result;

        private Item(Unit<T> unit, Consumer<T> committed, Failure failure) {
            this.unit = unit;
            this.committed = committed;
            this.failure = failure;
        }

        private void run(Transaction transaction) {
            result = unit.run(transaction);
        }

        private void committed() {
            committed.accept(Objects.requireNonNull(result, "a unit of work returned nothing"));
        }
    }

    /** Runs the unit and returns its result once it is committed. */
    public <T> T write(Unit<T> unit) {
        return write(unit, _ -> {});
    }

    /** The same; {@code committed} runs on the writer's thread, in the order of commits. */
    public <T> T write(Unit<T> unit, Consumer<T> committed) {
        var done = new CompletableFuture<T>();
        submit(
                unit,
                result -> {
                    committed.accept(result);
                    done.complete(result);
                },
                done::completeExceptionally);
        try {
            return done.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ApiException known
                    ? new ApiException(known.code(), known.message(), known)
                    : ApiException.from(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw shuttingDown();
        }
    }

    /** Runs the statements and returns once they are committed. */
    public void execute(Statements statements) {
        write(
                transaction -> {
                    statements.run(transaction);
                    return true;
                });
    }

    /** Returns once all units that were queued before are committed or have failed. */
    public void flush() {
        execute(_ -> {});
    }

    /** Queues the statements, waiting for room, and returns. */
    public void submit(Statements statements, Failure failure) {
        submit(
                transaction -> {
                    statements.run(transaction);
                    return true;
                },
                _ -> {},
                failure);
    }

    /**
     * Queues the unit, waiting for room, and returns. After its commit {@code committed} runs, in
     * the order of submission, on the writer's thread.
     */
    public <T> void submit(Unit<T> unit, Consumer<T> committed, Failure failure) {
        if (closed) {
            failure.failed(shuttingDown());
            return;
        }
        try {
            queue.put(new Item<>(unit, committed, failure));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure.failed(shuttingDown());
        }
    }

    /** Called on the writer's thread when work was rolled back: caches of the database are void. */
    public void onRollback(Runnable listener) {
        rollbackListeners.add(listener);
    }

    /** Called on the writer's thread once all that shared a commit has been told of it. */
    public void afterGroup(Runnable listener) {
        groupListeners.add(listener);
    }

    public void onCommit(CommitObserver observer) {
        commitObservers.add(observer);
    }

    /** Units that wait for the writer. */
    public int queued() {
        return queue.size();
    }

    private void run() {
        var group = new ArrayList<Item<?>>();
        boolean stopping = false;
        while (!stopping) {
            group.clear();
            try {
                group.add(queue.take());
            } catch (InterruptedException e) {
                continue; // only close() ends this thread, after everything queued is written
            }
            queue.drainTo(group, GROUP - 1);
            stopping = group.remove(STOP);
            commit(group);
            groupListeners.forEach(Writer::tell);
        }
        for (var late = queue.poll(); late != null; late = queue.poll()) {
            late.failure.failed(shuttingDown());
        }
    }

    private static ApiException shuttingDown() {
        return new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down");
    }

    private void commit(List<Item<?>> group) {
        var failure = attempt(group);
        if (failure == null) {
            group.forEach(item -> tell(item::committed));
        } else if (group.size() == 1) {
            var why = StoreFailures.of(failure);
            tell(() -> group.getFirst().failure.failed(why));
        } else {
            group.forEach(item -> commit(List.of(item)));
        }
    }

    /** A listener that throws must not end the thread that everyone's writes depend on. */
    private static void tell(Runnable listener) {
        try {
            listener.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "after a write", e);
        }
    }

    private @Nullable Throwable attempt(List<Item<?>> group) {
        try {
            var open = connected();
            for (var item : group) {
                item.run(open);
            }
            long begin = System.nanoTime();
            KillPoint.WRITE_BEGUN.reached();
            open.commit();
            KillPoint.WRITE_COMMITTED.reached();
            long took = System.nanoTime() - begin;
            tell(() -> observe(group.size(), took));
            return null;
        } catch (SQLException | RuntimeException | Error e) {
            rollback();
            return e;
        }
    }

    private void observe(int units, long nanos) {
        for (var observer : commitObservers) {
            observer.units().accept(units);
            observer.seconds().accept(nanos / 1e9);
        }
    }

    private Transaction connected() throws SQLException {
        var open = transaction;
        if (open == null) {
            open = Transaction.open(jdbi);
            transaction = open;
        }
        return open;
    }

    /** Closing the connection rolls back too, and is what is left where a rollback fails. */
    private void rollback() {
        var open = transaction;
        try {
            if (open != null) {
                open.rollback();
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "rollback failed", e);
            disconnect();
        }
        rollbackListeners.forEach(Runnable::run);
    }

    private void disconnect() {
        var open = transaction;
        transaction = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a connection did not close", e);
        }
    }

    /** Writes what is queued, then stops. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            queue.put(STOP);
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        disconnect();
    }
}
