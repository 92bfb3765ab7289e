package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriterTest {
    @TempDir Path folder;
    private Database database;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("ash.db"));
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static int insert(Transaction transaction, String tenant) {
        return transaction
                .handle()
                .execute("INSERT INTO tenants (id, created_at) VALUES (?, 0)", tenant);
    }

    private List<String> tenants() {
        return database.read(
                handle ->
                        handle.createQuery("SELECT id FROM tenants ORDER BY id")
                                .mapTo(String.class)
                                .list());
    }

    @Test
    void returnsOnlyAfterOthersCanReadWhatWasWritten() {
        database.writer().write(transaction -> insert(transaction, "a"));

        assertThat(tenants()).containsExactly("a");
    }

    @Test
    void rollsBackOnlyTheUnitThatFails() throws Exception {
        var gate = new CountDownLatch(1);
        var told = Collections.synchronizedList(new ArrayList<String>());
        var writer = database.writer();
        writer.submit(_ -> await(gate), _ -> {}, _ -> {}); // the rest queues up into one group
        writer.submit(
                transaction -> insert(transaction, "a"),
                _ -> told.add("a"),
                _ -> told.add("a failed"));
        writer.submit(
                transaction -> {
                    insert(transaction, "b");
                    return insert(transaction, "a"); // there already
                },
                _ -> told.add("b"),
                _ -> told.add("b failed"));
        writer.submit(
                transaction -> insert(transaction, "c"),
                _ -> told.add("c"),
                _ -> told.add("c failed"));

        gate.countDown();
        writer.write(transaction -> insert(transaction, "d"));

        assertThat(tenants()).containsExactly("a", "c", "d");
        assertThat(told).containsExactly("a", "b failed", "c");
    }

    @Test
    void tellsTheCallerWhyItsUnitFailed() {
        var writer = database.writer();

        assertThatThrownBy(
                        () ->
                                writer.write(
                                        transaction ->
                                                transaction
                                                        .handle()
                                                        .execute("INSERT INTO nowhere VALUES (1)")))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("log has the details");
        assertThat(writer.<Integer>write(transaction -> insert(transaction, "after"))).isEqualTo(1);
    }

    @Test
    void takesWritesOfManyThreadsWithoutLosingOne() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 500; i++) {
                var name = "t%03d".formatted(i);
                threads.submit(
                        () -> database.writer().write(transaction -> insert(transaction, name)));
            }
        }

        assertThat(tenants()).hasSize(500);
    }

    @Test
    void writesWhatIsQueuedBeforeItCloses() {
        for (int i = 0; i < 100; i++) {
            var name = "t%03d".formatted(i);
            database.writer().submit(transaction -> insert(transaction, name), _ -> {}, _ -> {});
        }
        database.close();

        var late = database.writer();
        assertThatThrownBy(() -> late.write(transaction -> insert(transaction, "late")))
                .hasMessageContaining("shutting down");
        database = Database.open(folder.resolve("ash.db"));
        assertThat(tenants()).hasSize(100);
    }

    private static boolean await(CountDownLatch gate) {
        try {
            gate.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
