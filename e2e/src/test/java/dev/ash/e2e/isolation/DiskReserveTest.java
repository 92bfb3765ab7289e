package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Mounts;
import dev.ash.e2e.SmallDisk;
import dev.ash.e2e.TestDirectory;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the disk reserve of the data directory, and servers that cannot mount disk images. */
class DiskReserveTest {
    private static final long MB = 1024 * 1024;
    private static final int RESERVE_MB = 100;

    /** Runs a command as root without the right to mount. */
    private static final List<String> MAY_NOT_MOUNT =
            List.of("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", "--");

    private static TestSession session(AshServer server) {
        return server.session(Map.of("agent", "hello", "limits", Map.of("diskMb", 400)));
    }

    /** Without an image, hidden files can only be noticed by the free space of the disk. */
    @ParameterizedTest
    @CsvSource({"image, false", "watch, true"})
    void endsOnlyTheFastestGrowingSandbox(String mode, boolean hidden) throws Exception {
        try (var directory = TestDirectory.create();
                var disk = SmallDisk.image(directory.path().resolve("disk"), 700);
                var server =
                        AshServer.start(
                                Map.of(
                                        "ASH_DATA_DIR",
                                        disk.path().toString(),
                                        "ASH_DISK_LIMITS",
                                        mode,
                                        "ASH_DISK_RESERVE_MB",
                                        RESERVE_MB + ""))) {
            server.deploy("hello");
            var quiet = session(server);
            quiet.exec("head -c 20M /dev/zero > large; sync large");
            var growing = session(server);
            var ballast = disk.leave((RESERVE_MB + 30) * MB);

            var fill =
                    hidden
                            ? HiddenFiles.program(64) + "import time; time.sleep(60)"
                            : "for i in range(64): open('f', 'ab').write(bytes(1 << 20))";
            server.api()
                    .post(
                            growing.path() + "/exec",
                            Map.of(
                                    "command",
                                    "python3 - <<'EOF'\n" + fill + "\nEOF\nsync; sleep 60"));

            growing.awaitStatus("error");
            assertThat(server.api().get(growing.path()).at("/session/error").asString())
                    .contains("grew fastest", "100 MB", "ASH_DISK_RESERVE_MB");
            assertThat(quiet.status()).isEqualTo("active");
            if (!hidden) { // the hidden files are already deleted
                server.api()
                        .post("/api/sessions", Map.of("agent", "hello"))
                        .refused(507, "DISK_FULL", "must stay free", "ASH_DISK_RESERVE_MB");
            }
            growing.end().expect(200);
            Files.delete(ballast);
            assertThat(session(server).exec("echo new").path("stdout").asString())
                    .isEqualTo("new\n");
            assertThat(quiet.status()).isEqualTo("active");
        }
    }

    /** Sandboxes can fill the disk between two checks. */
    @Test
    void survivesAFullDisk() throws Exception {
        try (var directory = TestDirectory.create();
                var disk = SmallDisk.image(directory.path().resolve("disk"), 700);
                var server =
                        AshServer.start(
                                Map.of(
                                        "ASH_DATA_DIR",
                                        disk.path().toString(),
                                        "ASH_DISK_RESERVE_MB",
                                        "40"))) {
            server.deploy("hello");
            var quiet = session(server);
            var growing = List.of(session(server), session(server));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> disk.path().resolve("disk-ballast").toFile().length() == 5 * MB);
            var ballast = disk.leave(60 * MB);

            for (var each : growing) {
                Thread.ofVirtual()
                        .start(
                                () ->
                                        server.api()
                                                .post(
                                                        each.path() + "/exec",
                                                        Map.of(
                                                                "command",
                                                                "head -c 200M /dev/zero > f; sync; sleep 60")));
            }
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> growing.stream().anyMatch(each -> each.status().equals("error")));

            await().atMost(Duration.ofMinutes(1))
                    .until(
                            () ->
                                    server.api()
                                                    .post(
                                                            quiet.path() + "/messages",
                                                            Map.of("content", "hello"))
                                                    .status()
                                            == 200);
            for (var each : growing) {
                await().atMost(Duration.ofMinutes(1)).until(() -> each.end().status() == 200);
            }
            Files.delete(ballast);
            assertThat(session(server).exec("echo new").path("stdout").asString())
                    .isEqualTo("new\n");
        }
    }

    @Test
    void measuresDiskUsageIfItCannotMount() throws IOException {
        assumeThat(Mounts.run("setpriv", "--bounding-set=-sys_admin", "true"))
                .as("dropping a capability requires root")
                .isZero();
        try (var directory = TestDirectory.create()) {
            assertThatThrownBy(
                            () ->
                                    AshServer.startWith(
                                            MAY_NOT_MOUNT,
                                            Map.of("ASH_DISK_LIMITS", "image"),
                                            directory))
                    .isInstanceOf(AshServer.NotStarted.class)
                    .hasMessageContaining("ASH_DISK_LIMITS is image")
                    .hasMessageContaining("need root, loop devices, mkfs.ext4 and mount");
            try (var server = AshServer.startWith(MAY_NOT_MOUNT, Map.of(), directory)) {
                server.deploy("hello");

                var session =
                        server.session(Map.of("agent", "hello", "limits", Map.of("diskMb", 32)));

                assertThat(session.created().at("/isolation/disk").asString()).isEqualTo("watch");
                server.api()
                        .post(
                                session.path() + "/exec",
                                Map.of("command", "head -c 24M /dev/zero | tee a > b; sleep 60"));
                session.awaitStatus("error");
                assertThat(server.api().get(session.path()).at("/session/error").asString())
                        .contains("disk limit of 32 MB", "limits.diskMb");
            }
        }
    }
}
