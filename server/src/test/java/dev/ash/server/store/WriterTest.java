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
    @TempDir Path directory;
    private Database database;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
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
    void returnsAfterCommit() {
        database.writer().write(transaction -> insert(transaction, "a"));

        assertThat(tenants()).containsExactly("a");
    }

    @Test
    void rollsBackOnlyFailedUnit() throws Exception {
        var gate = new CountDownLatch(1);
        var notified = Collections.synchronizedList(new ArrayList<String>());
        var writer = database.writer();
        writer.submit(
                _ -> await(gate),
                _ -> {},
                _ -> {}); // the following units queue up and form one group
        writer.submit(
                transaction -> insert(transaction, "a"),
                _ -> notified.add("a"),
                _ -> notified.add("a failed"));
        writer.submit(
                transaction -> {
                    insert(transaction, "b");
                    return insert(transaction, "a"); // violates the primary key
                },
                _ -> notified.add("b"),
                _ -> notified.add("b failed"));
        writer.submit(
                transaction -> insert(transaction, "c"),
                _ -> notified.add("c"),
                _ -> notified.add("c failed"));

        gate.countDown();
        writer.write(transaction -> insert(transaction, "d"));

        assertThat(tenants()).containsExactly("a", "c", "d");
        assertThat(notified).containsExactly("a", "b failed", "c");
    }

    @Test
    void reportsFailureToCaller() {
        var writer = database.writer();

        assertThatThrownBy(
                        () ->
                                writer.write(
                                        transaction ->
                                                transaction
                                                        .handle()
                                                        .execute("INSERT INTO nowhere VALUES (1)")))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("see the server log for details");
        assertThat(writer.<Integer>write(transaction -> insert(transaction, "after"))).isEqualTo(1);
    }

    @Test
    void commitsWritesOfManyThreads() throws Exception {
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
    void writesQueuedUnitsBeforeClosing() {
        for (int i = 0; i < 100; i++) {
            var name = "t%03d".formatted(i);
            database.writer().submit(transaction -> insert(transaction, name), _ -> {}, _ -> {});
        }
        database.close();

        var late = database.writer();
        assertThatThrownBy(() -> late.write(transaction -> insert(transaction, "late")))
                .hasMessageContaining("shutting down");
        database = Database.open(directory.resolve("ash.db"));
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
