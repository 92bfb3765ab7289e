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

    @TempDir Path folder;
    private SealedWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new SealedWorld(folder);
    }

    @AfterEach
    void close() {
        KillPoint.probe(null);
        world.close();
    }

    @Test
    void sealsEveryValueWithTheNewKeyAndDropsTheOldOne() throws Exception {
        var values = world.fill(150);
        var oldKey = Files.readAllBytes(world.keyFile());

        world.key.start();
        world.key.rotate(Duration.ZERO);

        assertThat(world.read()).isEqualTo(values);
        assertThat(world.key.status().state()).isEqualTo(SecretApi.CURRENT);
        assertThat(world.key.status().progress())
                .extracting(SecretApi.Progress::table, SecretApi.Progress::resealed)
                .contains(
                        tuple("agents", 150L), tuple("credentials", 150L), tuple("sessions", 150L));
        assertThat(world.openedBy(oldKey)).isEmpty();
        world.reopen();
        assertThat(world.read()).isEqualTo(values);
    }

    @Test
    void leavesNoOldValueInTheDatabaseFiles() throws Exception {
        world.fill(60);
        world.fillOverflowPages();
        var old = world.sealedBytes();
        world.deleteSome(); // leaves free pages
        assertThat(world.foundInFiles(old)).isEqualTo(old.size());

        world.key.addKeys(Duration.ZERO);
        world.key.finish();

        assertThat(world.foundInFiles(old)).isZero();
    }

    @Test
    void reportsThatALargeDatabaseWasNotRewritten() throws Exception {
        world.close();
        world = new SealedWorld(folder, 0);
        world.fill(3);
        var oldKey = Files.readAllBytes(world.keyFile());

        world.key.addKeys(Duration.ZERO);
        world.key.finish();

        assertThat(world.key.status().note()).contains("VACUUM");
        assertThat(world.openedBy(oldKey)).isEmpty();
    }

    @Test
    void losesNoConcurrentUpdate() throws Exception {
        world.fill(100);
        world.key.start();
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
                                        world.update(id, id + " version " + n);
                                        latest.put(id, id + " version " + n);
                                        assertThat(world.readOne(id)).isEqualTo(latest.get(id));
                                        updates.incrementAndGet();
                                    }
                                }));
            }
            for (int i = 0; i < 3; i++) {
                world.key.rotate(Duration.ZERO);
                assertThat(world.key.status().state()).isEqualTo(SecretApi.CURRENT);
            }
            stop.set(true);
            for (var task : tasks) {
                task.get();
            }
        }

        assertThat(updates.get()).isPositive();
        var stored = world.read();
        assertThat(stored).hasSize(300).containsAllEntriesOf(latest);
        assertThat(world.outdated()).isZero();
    }

    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Kills the rotation at every step, once or again during the recovery. */
    @ParameterizedTest
    @EnumSource(value = KillPoint.class, mode = EnumSource.Mode.MATCH_ALL, names = "SECRET_.*")
    void resumesAfterACrash(KillPoint point) throws Exception {
        var values = world.fill(120);
        var oldKey = Files.readAllBytes(world.keyFile());

        for (int crashes = 0; crashes < 2; crashes++) {
            killAt(point, crashes + 1);
            try {
                if (crashes == 0) {
                    world.key.addKeys(Duration.ZERO);
                }
                world.key.finish();
            } catch (Killed e) {
                // as a process that ends here
            }
            KillPoint.probe(null);
            world.reopen();
            assertThat(world.read()).isEqualTo(values);
        }
        world.key.finish(); // as the next start does

        assertThat(world.read()).isEqualTo(values);
        assertThat(world.outdated()).isZero();
        assertThat(world.sealer.ring().sealing()).hasSize(1);
        assertThat(world.sealer.ring().previousTokens()).isEmpty();
        assertThat(world.openedBy(oldKey)).isEmpty();
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
    void refusesASecondRotationUntilTheFirstHasFinished() throws Exception {
        world.fill(1);
        world.key.addKeys(HOUR);

        assertThatThrownBy(() -> world.key.addKeys(HOUR)).hasMessageContaining("not finished");
        assertThat(world.key.status().state()).isEqualTo(SecretApi.ROTATING);

        world.key.finish();
        world.key.addKeys(HOUR);
        world.key.finish();
        assertThat(world.key.status().state()).isEqualTo(SecretApi.OVERLAP);
    }

    @Test
    void keepsTheTokenKeyForRunningSandboxesOnly() throws Exception {
        var before = world.sealer.derive("placeholders");
        var old = world.sandbox("waiting");
        world.running.add(old);
        world.key.addKeys(Duration.ZERO);
        world.key.finish();

        assertThat(world.sealer.deriveAll("placeholders")).hasSize(2).contains(before);
        assertThat(world.sealer.deriveAccepted("pair peer", world.clock.millis())).hasSize(1);

        world.reopen(); // the sandbox is adopted
        world.key.finish();
        assertThat(world.sealer.deriveAll("placeholders")).contains(before);

        world.running.clear();
        world.clock.advance(Duration.ofSeconds(1));
        world.running.add(world.sandbox("waiting"));
        world.key.finish();
        assertThat(world.sealer.deriveAll("placeholders")).hasSize(1).doesNotContain(before);
    }

    @Test
    void acceptsPreviousTokensUntilTheOverlapEndsOrIsRevoked() throws Exception {
        var first = world.sealer.derive("pair peer");
        world.key.addKeys(HOUR);
        world.key.finish();
        assertThat(accepted()).hasSize(2).contains(first);

        world.clock.advance(HOUR);
        world.key.finish();
        assertThat(accepted()).hasSize(1).doesNotContain(first);

        var second = world.sealer.derive("pair peer");
        world.key.addKeys(HOUR);
        world.key.finish();
        assertThat(accepted()).contains(second);
        world.key.revokePrevious();
        assertThat(accepted()).hasSize(1).doesNotContain(second);
        assertThat(world.sealer.ring().previousTokens()).isEmpty();
    }

    private List<byte[]> accepted() {
        return world.sealer.deriveAccepted("pair peer", world.clock.millis());
    }

    @Test
    void retriesWhenAProtectedFileCannotBeWritten() throws Exception {
        world.fill(3);
        var fails = new AtomicBoolean(true);
        world.key.onKeyChange(
                () -> {
                    if (fails.get()) {
                        throw new IOException("the disk is full");
                    }
                });
        world.key.start();
        world.key.rotate(Duration.ZERO);

        var status = world.key.status();
        assertThat(status.state()).isEqualTo(SecretApi.ROTATING);
        assertThat(status.note()).contains("the disk is full");
        assertThat(world.sealer.ring().sealing()).hasSize(2);

        fails.set(false);
        world.key.finish();
        assertThat(world.sealer.ring().sealing()).hasSize(1);
    }

    @Test
    void reportsValuesThatNoKeyOpens() throws Exception {
        var values = world.fill(5);
        world.damage("c3");

        world.key.addKeys(Duration.ZERO);
        world.key.finish();

        assertThat(world.key.status().progress())
                .contains(new SecretApi.Progress("credentials", 4, 0, 1));
        assertThat(world.sealer.ring().sealing()).hasSize(1);
        assertThat(IntStream.range(0, 5).filter(i -> i != 3).mapToObj(i -> "c" + i))
                .allSatisfy(id -> assertThat(world.readOne(id)).isEqualTo(values.get(id)));
    }

    @Test
    void handlesEmptyTablesAndHugeValues() throws Exception {
        world.key.addKeys(Duration.ZERO);
        world.key.finish();
        var huge = "x".repeat(2 * 1024 * 1024);
        world.insert("huge1", huge);
        world.insert("huge2", huge);

        world.key.addKeys(Duration.ZERO);
        world.key.finish();

        assertThat(world.read()).isEqualTo(Map.of("huge1", huge, "huge2", huge));
        assertThat(world.outdated()).isZero();
    }
}
