package dev.ash.server.secret;

import dev.ash.protocol.rest.SecretApi;
import dev.ash.server.secret.SealedValueStore.Batch;
import dev.ash.server.secret.SealedValueStore.Column;
import dev.ash.server.store.KillPoint;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Encrypts all values with the current key in batches, and tracks the progress. */
final class Resealing {
    private static final System.Logger LOG = System.getLogger("ash.secret");

    private final SealedValueStore values;
    private final Map<Column, Progress> progress = new EnumMap<>(Column.class); // guarded by this

    private record Progress(long resealed, long remaining, long unreadable) {
        private static final Progress NONE = new Progress(0, 0, 0);
    }

    Resealing(SealedValueStore values) {
        this.values = values;
    }

    /** Clears the progress of the previous rotation. */
    synchronized void reset() {
        progress.clear();
    }

    /** Repeats until no outdated value is left; returns false if cancelled. */
    boolean run(BooleanSupplier isCancelled) {
        long resealed;
        do {
            resealed = 0;
            for (var column : Column.values()) {
                begin(column);
                var after = "";
                for (var batch = values.reseal(column, after);
                        batch.isPresent();
                        batch = values.reseal(column, after)) {
                    KillPoint.SECRET_BATCH_RESEALED.reached();
                    after = batch.get().lastId();
                    resealed += batch.get().resealed();
                    count(column, batch.get());
                    if (isCancelled.getAsBoolean()) {
                        return false;
                    }
                }
            }
        } while (resealed > 0);
        return true;
    }

    private void begin(Column column) {
        long remaining = values.remaining(column);
        synchronized (this) {
            long before = progress.getOrDefault(column, Progress.NONE).resealed();
            progress.put(column, new Progress(before, remaining, 0));
        }
    }

    private synchronized void count(Column column, Batch batch) {
        var now = progress.getOrDefault(column, Progress.NONE);
        progress.put(
                column,
                new Progress(
                        now.resealed() + batch.resealed(),
                        Math.max(0, now.remaining() - batch.resealed() - batch.unreadable()),
                        now.unreadable() + batch.unreadable()));
        if (batch.unreadable() > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} values of {1}.{2} cannot be decrypted with any key and remain unchanged",
                    batch.unreadable(),
                    column.table,
                    column.column);
        }
    }

    synchronized List<SecretApi.Progress> progress() {
        return progress.entrySet().stream()
                .map(
                        entry ->
                                new SecretApi.Progress(
                                        entry.getKey().table,
                                        entry.getValue().resealed(),
                                        entry.getValue().remaining(),
                                        entry.getValue().unreadable()))
                .toList();
    }
}
