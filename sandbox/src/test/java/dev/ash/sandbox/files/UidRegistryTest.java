package dev.ash.sandbox.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UidRegistryTest {
    @TempDir private Path directory;

    private UidRegistry registry(int count) throws IOException {
        return new UidRegistry(directory.resolve("uids"), new UidRange(1000, count));
    }

    private Path sandbox(String name) throws IOException {
        return Files.createDirectories(directory.resolve("data/sandboxes").resolve(name));
    }

    @Test
    void claimsOneUidPerDirectory() throws IOException {
        var registry = registry(10);
        int first = registry.claim(sandbox("a"));
        int second = registry.claim(sandbox("b"));

        assertThat(second).isNotEqualTo(first);
        assertThat(registry.claim(sandbox("a"))).isEqualTo(first);
        assertThat(registry.holds(sandbox("a"), first)).isTrue();
        assertThat(registry.holds(sandbox("a"), second)).isFalse();
        assertThat(registry.holds(sandbox("a"), 0)).isFalse();
    }

    @Test
    void reportsExhaustedRange() throws IOException {
        var registry = registry(2);
        registry.claim(sandbox("a"));
        registry.claim(sandbox("b"));

        assertThatThrownBy(() -> registry.claim(sandbox("c")))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("All 2 user ids")
                .hasMessageContaining("ash session end")
                .hasMessageNotContaining(directory.toString());
    }

    @Test
    void reusesReleasedAndAbandonedUids() throws IOException {
        var registry = registry(2);
        registry.release(sandbox("a"), registry.claim(sandbox("a")));
        registry.claim(sandbox("b"));
        registry.claim(sandbox("c"));
        Files.delete(sandbox("c"));

        registry.claim(sandbox("d"));

        assertThatThrownBy(() -> registry.claim(sandbox("e"))).isInstanceOf(ApiException.class);
    }

    @Test
    void ignoresReleaseByOtherDirectory() throws IOException {
        var registry = registry(1);
        int uid = registry.claim(sandbox("a"));

        registry.release(sandbox("b"), uid);

        assertThat(registry.holds(sandbox("a"), uid)).isTrue();
    }

    @Test
    void claimsUniqueUidsConcurrently() throws Exception {
        int threads = 40;
        var uids = ConcurrentHashMap.<Integer>newKeySet();
        var done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            var registry = registry(threads); // as if each were another server
            var sandbox = sandbox("s" + i);
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    uids.add(registry.claim(sandbox));
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                } finally {
                                    done.countDown();
                                }
                            });
        }
        done.await();

        assertThat(uids).hasSize(threads);
    }

    @Test
    void selectsMappedRange() {
        var whole = "         0          0 4294967295";
        assertThat(UidRange.mappedIn(List.of(whole))).contains(UidRange.DEFAULT);
        assertThat(UidRange.mappedIn(List.of("0 100000 65536")))
                .hasValueSatisfying(range -> assertThat(range.contains(30_000)).isTrue());
        assertThat(UidRange.mappedIn(List.of("0 1000 1", "1 100000 100"))).isEmpty();
        assertThat(UidRange.mappedIn(List.of())).isEmpty();
    }
}
