package dev.ash.e2e;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks that a new server creates the AOT cache of its bridges. */
class BridgeCacheTest {
    /** Paths of sockets are limited to 107 bytes, and the training run listens on one. */
    @Test
    void createsCacheBelowLongDataDirectory() throws IOException {
        try (var directory = TestDirectory.create()) {
            var data = directory.path().resolve("d".repeat(30));
            try (var _ = AshServer.start(Map.of("ASH_DATA_DIR", data.toString()), directory)) {
                await().atMost(Duration.ofMinutes(2)).until(() -> hasCache(data));
            }
        }
    }

    private static boolean hasCache(Path data) throws IOException {
        try (var versions = Files.newDirectoryStream(data.resolve("runtime"), "[!.]*")) {
            for (var version : versions) {
                if (Files.exists(version.resolve("bridge.aot"))) {
                    return true;
                }
            }
            return false;
        }
    }
}
