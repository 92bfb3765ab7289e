package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks that a server that cannot start prints one line with the reason, exits with an error code,
 * and leaves no files behind.
 */
class StartFailureTest {
    @Test
    void reportsPortInUse() throws Exception {
        try (var directory = TestDirectory.create();
                var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var port = Integer.toString(taken.getLocalPort());

            var launch = ServerLaunch.of(Map.of("ASH_PORT", port), directory);

            assertStartFails(launch, port, "ASH_PORT");
            assertThat(directory.data().resolve("server.pid")).doesNotExist();
        }
    }

    @Test
    void reportsDataDirectoryThatCannotBeCreated() throws Exception {
        try (var directory = TestDirectory.create()) {
            directory.write(".", Map.of("file", "not a directory"));
            var data = directory.path().resolve("file").resolve("data").toString();

            assertStartFails(ServerLaunch.of(Map.of("ASH_DATA_DIR", data), directory), data);
        }
    }

    @Test
    void reportsReadOnlyDataDirectory() throws Exception {
        try (var directory = TestDirectory.create();
                var mount = SmallDisk.mount(directory.path().resolve("ro"), "ro")) {
            var data = mount.path().toString();

            assertStartFails(ServerLaunch.of(Map.of("ASH_DATA_DIR", data), directory), data);
        }
    }

    @Test
    void reportsDataDirectoryWithoutWritePermission() throws Exception {
        assumeTrue(!isRoot(), "root ignores permissions");
        try (var directory = TestDirectory.create()) {
            Files.createDirectory(
                    directory.data(),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("r-x------")));

            assertStartFails(ServerLaunch.of(Map.of(), directory), directory.data().toString());
        }
    }

    @Test
    void rejectsDataDirectoryThatSandboxesCannotReach() throws Exception {
        assumeTrue(isRoot(), "sandboxes have separate uids only if the server runs as root");
        try (var directory = TestDirectory.create()) {
            var closed = Files.createDirectory(directory.path().resolve("closed"));
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
            var data = closed.resolve("data").toString();

            assertStartFails(
                    ServerLaunch.of(Map.of("ASH_DATA_DIR", data), directory), closed.toString());
        }
    }

    @Test
    void reportsFullDisk() throws Exception {
        try (var directory = TestDirectory.create();
                var mount = SmallDisk.mount(directory.path().resolve("full"), "size=64k")) {
            var data = mount.path().toString();

            var launch = ServerLaunch.of(Map.of("ASH_DATA_DIR", data), directory);

            assertStartFails(launch, "full");
            assertThat(mount.path().resolve("server.pid")).doesNotExist();
        }
    }

    @Test
    void rejectsDataDirectoryInUse() throws Exception {
        try (var ash = AshExtension.demo().open()) {
            var second =
                    ServerLaunch.of(
                            Map.of("ASH_DATA_DIR", ash.data().toString()), TestDirectory.create());

            assertStartFails(second, ash.data().toString());

            second.directory().close();
            ash.api().get("/health").expect(200);
            assertThat(ash.data().resolve("server.pid")).exists();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ASH_TLS, yes",
        "ASH_PORT, many",
        "ASH_PORT, 65536",
        "ASH_ENGINE, abacus",
        "ASH_MODE, coordinator",
        "ASH_MODE, cluster",
        "CLAUDE_CODE_EXECUTABLE, /nowhere/claude",
        "ASH_MAX_SANDBOXES, 0",
        "ASH_MAX_SANDBOXES, lots"
    })
    void reportsInvalidSetting(String name, String value) throws Exception {
        try (var directory = TestDirectory.create()) {
            assertStartFails(ServerLaunch.of(Map.of(name, value), directory), name, value);
        }
    }

    @Test
    void rejectsDatabaseUrlWithoutPrintingPassword() throws Exception {
        try (var directory = TestDirectory.create()) {
            directory.write(
                    directory.data().getFileName().toString(),
                    Map.of(
                            "config.json",
                            "{\"ASH_DATABASE_URL\":\"postgres://ash:hunter2@db/ash\"}"));

            var launch = ServerLaunch.of(Map.of(), directory);

            assertStartFails(launch, "ASH_DATABASE_URL", "not available yet", "SQLite");
            assertThat(launch.output()).doesNotContain("hunter2");
            assertThat(directory.data().resolve("ash.db")).doesNotExist();
        }
    }

    @Test
    void rejectsPlainHttpOnPublicAddressAndNamesAlternatives() throws Exception {
        try (var directory = TestDirectory.create()) {
            assertStartFails(
                    ServerLaunch.of(Map.of("ASH_HOST", "::"), directory),
                    "ASH_TLS=on",
                    "ASH_TLS=proxy",
                    "ASH_INSECURE_HTTP=1");
        }
    }

    @Test
    void rejectsWeakKeyOnPublicAddress() throws Exception {
        try (var directory = TestDirectory.create()) {
            var settings = Map.of("ASH_HOST", "0.0.0.0", "ASH_TLS", "on", "ASH_API_KEY", "hunter2");

            assertStartFails(ServerLaunch.of(settings, directory), "ASH_API_KEY", "openssl rand");
        }
    }

    private static void assertStartFails(ServerLaunch launch, String... inMessage)
            throws Exception {
        int exit = launch.awaitExit();

        var output = launch.output();
        assertThat(exit).as(output).isBetween(1, 125);
        assertThat(output).contains(inMessage);
        assertThat(output).doesNotContain("\tat ", "Exception");
        // An unprivileged server also warns about limits that it cannot enforce.
        assertThat(
                        output.lines()
                                .filter(line -> !line.isBlank())
                                .filter(line -> !line.contains("SANDBOXES ARE NOT FULLY ISOLATED")))
                .as(output)
                .hasSize(1);
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
