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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Executes all writes on one thread. Changes that must be atomic form one {@link Unit}; queued
 * units share a commit (group commit), so that one disk flush serves all of them.
 *
 * <p>A group runs without savepoints. If one of its units fails, the group is rolled back and each
 * unit runs again in its own transaction. A unit can therefore run twice, and must not have side
 * effects other than on the database before its commit. The queue is bounded: callers block while
 * it is full.
 */
public final class Writer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.store");
    private static final int QUEUE = 4096;
    private static final int GROUP = 512;
    private static final Item<Boolean> STOP = new Item<>(_ -> true, _ -> {}, _ -> {});

    private final DataSource source;
    private final BlockingQueue<Item<?>> queue = new ArrayBlockingQueue<>(QUEUE);
    private final List<Runnable> rollbackListeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> groupListeners = new CopyOnWriteArrayList<>();
    private final List<CommitObserver> commitObservers = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private @Nullable Transaction transaction; // on the only connection; null while it is not open
    private volatile boolean closed;

    Writer(DataSource source) throws SQLException {
        this.source = source;
        this.transaction = Transaction.open(source);
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

    /** Runs on the writer's thread, so it must be fast. */
    public interface Failure {
        void failed(ApiException cause);
    }

    /** A queued unit with the result of its latest run, which is the committed one. */
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
            committed.accept(Objects.requireNonNull(result, "a unit of work returned null"));
        }
    }

    /** Runs the unit and returns its result once it is committed. */
    public <T> T write(Unit<T> unit) {
        return write(unit, _ -> {});
    }

    /** As above; {@code committed} runs on the writer's thread, in commit order. */
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

    /** Waits until all units queued before are committed or have failed. */
    public void flush() {
        execute(_ -> {});
    }

    /** Queues the statements without waiting for their commit; blocks while the queue is full. */
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
     * Queues the unit without waiting for its commit; blocks while the queue is full. After the
     * commit, {@code committed} runs on the writer's thread, in submission order.
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

    /** Runs on the writer's thread after a rollback, to invalidate caches of the database. */
    public void onRollback(Runnable listener) {
        rollbackListeners.add(listener);
    }

    /** Runs on the writer's thread after all units of a commit have been notified. */
    public void afterGroup(Runnable listener) {
        groupListeners.add(listener);
    }

    public void onCommit(CommitObserver observer) {
        commitObservers.add(observer);
    }

    /** Returns the number of queued units. */
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
                continue; // only close() stops this thread, after all queued units are written
            }
            queue.drainTo(group, GROUP - 1);
            stopping = group.remove(STOP);
            commit(group);
            groupListeners.forEach(Writer::runListener);
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
            group.forEach(item -> runListener(item::committed));
        } else if (group.size() == 1) {
            var cause = DatabaseErrors.toApiException(failure);
            runListener(() -> group.getFirst().failure.failed(cause));
        } else {
            group.forEach(item -> commit(List.of(item)));
        }
    }

    /** Logs exceptions of a listener: they must not terminate the writer thread. */
    private static void runListener(Runnable listener) {
        try {
            listener.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "A listener failed after a write", e);
        }
    }

    private @Nullable Throwable attempt(List<Item<?>> group) {
        try {
            var open = openTransaction();
            for (var item : group) {
                item.run(open);
            }
            long begin = System.nanoTime();
            KillPoint.WRITE_BEGUN.reached();
            open.commit();
            KillPoint.WRITE_COMMITTED.reached();
            long took = System.nanoTime() - begin;
            runListener(() -> observe(group.size(), took));
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

    private Transaction openTransaction() throws SQLException {
        var open = transaction;
        if (open == null) {
            open = Transaction.open(source);
            transaction = open;
        }
        return open;
    }

    /** If the rollback fails, closes the connection, which discards the transaction too. */
    private void rollback() {
        var open = transaction;
        try {
            if (open != null) {
                open.rollback();
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "Rollback failed", e);
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
            LOG.log(System.Logger.Level.WARNING, "Cannot close the connection", e);
        }
    }

    /** Writes all queued units, then stops. */
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
