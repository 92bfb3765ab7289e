package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
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

class ReadersTest {
    @TempDir Path folder;

    @Test
    @Timeout(60)
    void aThousandThreadsShareAFewConnections() throws Exception {
        try (var database = Database.open(folder.resolve("ash.db"));
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
    void whoFindsNoneFreeWaitsForOne() throws Exception {
        try (var readers = readers()) {
            var taken = new ArrayList<Connection>();
            for (int i = 0; i < Readers.MAX; i++) {
                taken.add(readers.openConnection());
            }
            var next = CompletableFuture.supplyAsync(() -> open(readers));
            assertThat(next).isNotDone();

            readers.closeConnection(taken.getFirst());

            assertThat(next.get(60, TimeUnit.SECONDS)).isSameAs(taken.getFirst());
            for (var each : taken) {
                readers.closeConnection(each); // or the end would wait for them
            }
        }
    }

    @Test
    void aFailureTakesNoPlace() {
        var nowhere = new SQLiteDataSource();
        nowhere.setUrl("jdbc:sqlite:" + folder.resolve("missing").resolve("ash.db"));
        try (var readers = new Readers(nowhere)) {
            for (int i = 0; i <= Readers.MAX; i++) {
                assertThatThrownBy(readers::openConnection).isInstanceOf(SQLException.class);
            }
        }
    }

    @Test
    void theCloseWaitsForThoseInUse() throws Exception {
        var readers = readers();
        var used = readers.openConnection();
        var closing = CompletableFuture.runAsync(readers::close);
        assertThat(closing).isNotDone();

        readers.closeConnection(used);

        assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
        assertThat(used.isClosed()).isTrue();
        assertThatThrownBy(readers::openConnection).hasMessageContaining("closed");
    }

    private Readers readers() {
        var source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + folder.resolve("ash.db"));
        return new Readers(source);
    }

    private static Connection open(Readers readers) {
        try {
            return readers.openConnection();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
