package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class ReadConnectionPoolTest {
    @TempDir Path directory;

    @Test
    @Timeout(60)
    void sharesFewConnectionsAmongManyThreads() throws Exception {
        try (var database = Database.open(directory.resolve("ash.db"));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reads = new ArrayList<Future<Integer>>();
            for (int i = 0; i < 1_000; i++) {
                reads.add(threads.submit(() -> readOften(database)));
            }
            for (var read : reads) {
                assertThat(read.get()).isEqualTo(20);
            }
        }
    }

    private static int readOften(Database database) {
        int sum = 0;
        for (int i = 0; i < 20; i++) {
            sum += database.read(h -> h.createQuery("SELECT 1").mapTo(Integer.class).one());
        }
        return sum;
    }

    @Test
    void waitsForFreeConnection() throws Exception {
        try (var pool = pool()) {
            var taken = new ArrayList<Handle>();
            for (int i = 0; i < ReadConnectionPool.MAX; i++) {
                taken.add(pool.acquire());
            }
            var next = CompletableFuture.supplyAsync(pool::acquire);
            assertThat(next).isNotDone();

            pool.release(taken.getFirst());

            assertThat(next.get(60, TimeUnit.SECONDS)).isSameAs(taken.getFirst());
            for (var each : taken) {
                pool.release(each); // otherwise close() would wait for them
            }
        }
    }

    @Test
    void releasesPermitAfterFailure() {
        var missing = new SQLiteDataSource();
        missing.setUrl("jdbc:sqlite:" + directory.resolve("missing").resolve("ash.db"));
        try (var pool = new ReadConnectionPool(missing)) {
            for (int i = 0; i <= ReadConnectionPool.MAX; i++) {
                assertThatThrownBy(pool::acquire).isInstanceOf(SqlException.class);
            }
        }
    }

    @Test
    void closeWaitsForConnectionsInUse() throws Exception {
        var pool = pool();
        var used = pool.acquire();
        var closing = CompletableFuture.runAsync(pool::close);
        assertThat(closing).isNotDone();

        pool.release(used);

        assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
        assertThat(used.connection().isClosed()).isTrue();
        assertThatThrownBy(pool::acquire).hasMessageContaining("closed");
    }

    private ReadConnectionPool pool() {
        var source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + directory.resolve("ash.db"));
        return new ReadConnectionPool(source);
    }
}
