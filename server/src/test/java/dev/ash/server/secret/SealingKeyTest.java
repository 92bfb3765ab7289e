package dev.ash.server.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.ash.protocol.rest.SecretApi;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SealingKeyTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir Path directory;
    private SealedDataFixture data;

    @BeforeEach
    void open() throws Exception {
        data = new SealedDataFixture(directory);
    }

    @AfterEach
    void close() {
        KillPoint.probe(null);
        data.close();
    }

    @Test
    void encryptsAllValuesWithNewKeyAndRemovesOldOne() throws Exception {
        var values = data.fill(150);
        var oldKey = Files.readAllBytes(data.keyFile());

        data.key.start();
        data.key.rotate(Duration.ZERO);

        assertThat(data.read()).isEqualTo(values);
        assertThat(data.key.status().state()).isEqualTo(SecretApi.CURRENT);
        assertThat(data.key.status().progress())
                .extracting(SecretApi.Progress::table, SecretApi.Progress::resealed)
                .contains(
                        tuple("agents", 150L), tuple("credentials", 150L), tuple("sessions", 150L));
        assertThat(data.decryptedWith(oldKey)).isEmpty();
        data.reopen();
        assertThat(data.read()).isEqualTo(values);
    }

    @Test
    void erasesOldValuesFromDatabaseFiles() throws Exception {
        data.fill(60);
        data.fillOverflowPages();
        var old = data.sealedBytes();
        data.deleteSome(); // creates free pages
        assertThat(data.foundInFiles(old)).isEqualTo(old.size());

        data.key.addKeys(Duration.ZERO);
        data.key.finish();

        assertThat(data.foundInFiles(old)).isZero();
    }

    @Test
    void reportsThatLargeDatabaseWasNotRewritten() throws Exception {
        data.close();
        data = new SealedDataFixture(directory, 0);
        data.fill(3);
        var oldKey = Files.readAllBytes(data.keyFile());

        data.key.addKeys(Duration.ZERO);
        data.key.finish();

        assertThat(data.key.status().note()).contains("VACUUM");
        assertThat(data.decryptedWith(oldKey)).isEmpty();
    }

    @Test
    void keepsConcurrentUpdates() throws Exception {
        data.fill(100);
        data.key.start();
        var latest = new ConcurrentHashMap<String, String>();
        var stop = new AtomicBoolean();
        var updates = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var tasks = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                int mine = i;
                tasks.add(
                        threads.submit(
                                () -> {
                                    for (int n = 0; !stop.get(); n++) {
                                        var id = "c" + (mine + 4 * (n % 25));
                                        data.update(id, id + " version " + n);
                                        latest.put(id, id + " version " + n);
                                        assertThat(data.readOne(id)).isEqualTo(latest.get(id));
                                        updates.incrementAndGet();
                                    }
                                }));
            }
            for (int i = 0; i < 3; i++) {
                data.key.rotate(Duration.ZERO);
                assertThat(data.key.status().state()).isEqualTo(SecretApi.CURRENT);
            }
            stop.set(true);
            for (var task : tasks) {
                task.get();
            }
        }

        assertThat(updates.get()).isPositive();
        var stored = data.read();
        assertThat(stored).hasSize(300).containsAllEntriesOf(latest);
        assertThat(data.outdated()).isZero();
    }

    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Kills the rotation at each step, once or again during the recovery. */
    @ParameterizedTest
    @EnumSource(value = KillPoint.class, mode = EnumSource.Mode.MATCH_ALL, names = "SECRET_.*")
    void resumesAfterCrash(KillPoint point) throws Exception {
        var values = data.fill(120);
        var oldKey = Files.readAllBytes(data.keyFile());

        for (int crashes = 0; crashes < 2; crashes++) {
            killAt(point, crashes + 1);
            try {
                if (crashes == 0) {
                    data.key.addKeys(Duration.ZERO);
                }
                data.key.finish();
            } catch (Killed e) {
                // simulates a crash of the process
            }
            KillPoint.probe(null);
            data.reopen();
            assertThat(data.read()).isEqualTo(values);
        }
        data.key.finish(); // like the next start

        assertThat(data.read()).isEqualTo(values);
        assertThat(data.outdated()).isZero();
        assertThat(data.sealer.ring().sealing()).hasSize(1);
        assertThat(data.sealer.ring().previousTokens()).isEmpty();
        assertThat(data.decryptedWith(oldKey)).isEmpty();
    }

    private static void killAt(KillPoint point, int time) {
        var left = new AtomicInteger(time);
        KillPoint.probe(
                reached -> {
                    if (reached == point && left.decrementAndGet() == 0) {
                        throw new Killed();
                    }
                });
    }

    @Test
    void rejectsSecondRotationUntilFirstIsComplete() throws Exception {
        data.fill(1);
        data.key.addKeys(HOUR);

        assertThatThrownBy(() -> data.key.addKeys(HOUR)).hasMessageContaining("is incomplete");
        assertThat(data.key.status().state()).isEqualTo(SecretApi.ROTATING);

        data.key.finish();
        data.key.addKeys(HOUR);
        data.key.finish();
        assertThat(data.key.status().state()).isEqualTo(SecretApi.OVERLAP);
    }

    @Test
    void keepsTokenKeyOnlyForRunningSandboxes() throws Exception {
        var before = data.sealer.derive("placeholders");
        var old = data.sandbox("waiting");
        data.running.add(old);
        data.key.addKeys(Duration.ZERO);
        data.key.finish();

        assertThat(data.sealer.deriveAll("placeholders")).hasSize(2).contains(before);
        assertThat(data.sealer.deriveAccepted("pair peer", data.clock.millis())).hasSize(1);

        data.reopen(); // the sandbox is adopted
        data.key.finish();
        assertThat(data.sealer.deriveAll("placeholders")).contains(before);

        data.running.clear();
        data.clock.advance(Duration.ofSeconds(1));
        data.running.add(data.sandbox("waiting"));
        data.key.finish();
        assertThat(data.sealer.deriveAll("placeholders")).hasSize(1).doesNotContain(before);
    }

    @Test
    void acceptsPreviousTokensUntilOverlapEndsOrIsRevoked() throws Exception {
        var first = data.sealer.derive("pair peer");
        data.key.addKeys(HOUR);
        data.key.finish();
        assertThat(accepted()).hasSize(2).contains(first);

        data.clock.advance(HOUR);
        data.key.finish();
        assertThat(accepted()).hasSize(1).doesNotContain(first);

        var second = data.sealer.derive("pair peer");
        data.key.addKeys(HOUR);
        data.key.finish();
        assertThat(accepted()).contains(second);
        data.key.revokePrevious();
        assertThat(accepted()).hasSize(1).doesNotContain(second);
        assertThat(data.sealer.ring().previousTokens()).isEmpty();
    }

    private List<byte[]> accepted() {
        return data.sealer.deriveAccepted("pair peer", data.clock.millis());
    }

    @Test
    void retriesIfProtectedFileCannotBeWritten() throws Exception {
        data.fill(3);
        var fails = new AtomicBoolean(true);
        data.key.onKeyChange(
                () -> {
                    if (fails.get()) {
                        throw new IOException("the disk is full");
                    }
                });
        data.key.start();
        data.key.rotate(Duration.ZERO);

        var status = data.key.status();
        assertThat(status.state()).isEqualTo(SecretApi.ROTATING);
        assertThat(status.note()).contains("the disk is full");
        assertThat(data.sealer.ring().sealing()).hasSize(2);

        fails.set(false);
        data.key.finish();
        assertThat(data.sealer.ring().sealing()).hasSize(1);
    }

    @Test
    void reportsUndecryptableValues() throws Exception {
        var values = data.fill(5);
        data.damage("c3");

        data.key.addKeys(Duration.ZERO);
        data.key.finish();

        assertThat(data.key.status().progress())
                .contains(new SecretApi.Progress("credentials", 4, 0, 1));
        assertThat(data.sealer.ring().sealing()).hasSize(1);
        assertThat(IntStream.range(0, 5).filter(i -> i != 3).mapToObj(i -> "c" + i))
                .allSatisfy(id -> assertThat(data.readOne(id)).isEqualTo(values.get(id)));
    }

    @Test
    void handlesEmptyTablesAndLargeValues() throws Exception {
        data.key.addKeys(Duration.ZERO);
        data.key.finish();
        var huge = "x".repeat(2 * 1024 * 1024);
        data.insert("huge1", huge);
        data.insert("huge2", huge);

        data.key.addKeys(Duration.ZERO);
        data.key.finish();

        assertThat(data.read()).isEqualTo(Map.of("huge1", huge, "huge2", huge));
        assertThat(data.outdated()).isZero();
    }
}
