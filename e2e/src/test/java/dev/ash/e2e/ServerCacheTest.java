package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Starts servers with the real launcher, from a copy of a clone with a new home directory, and
 * checks the AOT cache of the server.
 */
@Busy
@Timeout(value = 15, unit = TimeUnit.MINUTES) // the training has a low priority
class ServerCacheTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final TestDirectory directory = TestDirectory.create();
    private final Path clone = directory.path().resolve("clone");
    private final Path home = directory.path().resolve("home");

    @BeforeEach
    void copyClone() throws Exception {
        var source = ServerLaunch.dist().getParent();
        Files.createDirectories(clone.resolve("scripts"));
        Files.createDirectory(home);
        Files.copy(source.resolve("ash"), clone.resolve("ash"));
        Files.copy(source.resolve("scripts/machine.sh"), clone.resolve("scripts/machine.sh"));
        var copied =
                new ProcessBuilder("cp", "-a", "" + ServerLaunch.dist(), clone + "/dist").start();
        assertThat(copied.waitFor()).isZero();
        Files.writeString(clone.resolve("dist/.id"), "test/1\n");
        Files.writeString(clone.resolve("dist/.built"), "");
    }

    @AfterEach
    void stop() throws Exception {
        try {
            for (var data : List.of("data", "other")) {
                ash(Map.of("ASH_DATA_DIR", data(data)), "stop").waitFor();
            }
            await().atMost(TIMEOUT).until(() -> training().isEmpty());
        } finally {
            directory.close();
        }
    }

    @Test
    void trainsOnceForConcurrentStartsAndUsesTheCache() throws Exception {
        var first = ash(Map.of("ASH_DATA_DIR", data("data")), "start");
        var second = ash(Map.of("ASH_DATA_DIR", data("other")), "start");
        assertSucceeds(first);
        assertSucceeds(second);
        await().atMost(TIMEOUT)
                .until(
                        () -> {
                            assertThat(training().size()).isLessThanOrEqualTo(1);
                            return cache("server.aot").isPresent();
                        });
        assertThat(isMapped("data")).isFalse();
        restart("data");

        assertThat(isMapped("data")).isTrue();
        try (var entries = Files.list(cache("server.aot").orElseThrow().getParent())) {
            assertThat(entries.map(entry -> "" + entry.getFileName()))
                    .containsExactlyInAnyOrder("cli.aot", "server.aot");
        }
        assertThat(Files.readString(Path.of(data("data"), "server.log"))).doesNotContain("[aot");
        damageAndRestart();
    }

    /** Part of the same test, because a cache takes long to create. */
    private void damageAndRestart() throws Exception {
        var cache = cache("server.aot").orElseThrow();
        var bytes = Files.readAllBytes(cache);
        Files.write(cache, Arrays.copyOf(bytes, bytes.length / 2));
        restart("data");
        assertThat(isMapped("data")).as("a truncated cache is in use").isFalse();

        // A wrong JDK: the header names its version.
        for (int i = 64; i < 512; i++) {
            bytes[i] ^= 1;
        }
        Files.write(cache, bytes);
        restart("data");
        assertThat(isMapped("data")).as("a foreign cache is in use").isFalse();
    }

    @Test
    void startsWithoutWritableCacheDirectory() throws Exception {
        var blocked = Files.createFile(directory.path().resolve("file")).resolve("cache");

        var start =
                ash(
                        Map.of("ASH_DATA_DIR", data("data"), "XDG_CACHE_HOME", blocked.toString()),
                        "start");

        assertSucceeds(start);
        assertThat(training()).isEmpty();
    }

    private void restart(String data) throws Exception {
        assertSucceeds(ash(Map.of("ASH_DATA_DIR", data(data)), "stop"));
        assertSucceeds(ash(Map.of("ASH_DATA_DIR", data(data)), "start"));
    }

    private String data(String name) {
        return directory.path().resolve(name).toString();
    }

    private Process ash(Map<String, String> environment, String command) throws IOException {
        var builder = new ProcessBuilder(clone.resolve("ash").toString(), command);
        var env = builder.environment();
        env.keySet().retainAll(Set.of("PATH", "LANG"));
        env.putAll(
                Map.of(
                        "HOME", home.toString(),
                        "JAVA_HOME", System.getProperty("java.home"),
                        "ASH_PORT", "0",
                        "ASH_GATEWAY_PORT", "0",
                        "ASH_NO_INSTALL", "1"));
        env.putAll(environment);
        return builder.directory(directory.path().toFile())
                .redirectErrorStream(true)
                .redirectOutput(Files.createTempFile(directory.path(), command, ".out").toFile())
                .start();
    }

    private void assertSucceeds(Process process) throws Exception {
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private List<Processes.Found> training() {
        return Processes.matching(
                process ->
                        process.command().contains("__train-server")
                                && process.command().contains(clone.toString())
                                && !process.command().startsWith("timeout"));
    }

    private Optional<Path> cache(String name) throws IOException {
        var root = home.resolve(".cache/ash/aot");
        if (Files.notExists(root)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.endsWith(name)).findFirst();
        }
    }

    /** A JVM unmaps a cache that it does not accept. */
    private boolean isMapped(String data) throws IOException {
        var servers =
                Processes.matching(
                        process ->
                                process.command().contains("dev.ash.server.ServerMain")
                                        && process.environment()
                                                .contains("ASH_DATA_DIR=" + data(data)));
        assertThat(servers).hasSize(1);
        return Files.readString(Path.of("/proc/" + servers.getFirst().pid(), "maps"))
                .contains("server.aot");
    }
}
