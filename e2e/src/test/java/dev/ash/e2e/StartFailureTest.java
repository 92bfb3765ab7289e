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

/** A server that cannot start says why in one sentence, exits with a code, and leaves no mess. */
class StartFailureTest {
    @Test
    void aPortThatIsInUseIsNamed() throws Exception {
        try (var folder = TestFolder.create();
                var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var port = Integer.toString(taken.getLocalPort());

            var launch = ServerLaunch.of(Map.of("ASH_PORT", port), folder);

            assertRefused(launch, port, "ASH_PORT");
            assertThat(folder.data().resolve("server.pid")).doesNotExist();
        }
    }

    @Test
    void aDataDirectoryThatCannotBeMadeIsNamed() throws Exception {
        try (var folder = TestFolder.create()) {
            folder.write(".", Map.of("file", "not a folder"));
            var data = folder.path().resolve("file").resolve("data").toString();

            assertRefused(ServerLaunch.of(Map.of("ASH_DATA_DIR", data), folder), data);
        }
    }

    @Test
    void aDataDirectoryThatCannotBeWrittenIsNamed() throws Exception {
        try (var folder = TestFolder.create();
                var mount = SmallDisk.mount(folder.path().resolve("ro"), "ro")) {
            var data = mount.path().toString();

            assertRefused(ServerLaunch.of(Map.of("ASH_DATA_DIR", data), folder), data);
        }
    }

    @Test
    void aDataDirectoryOfSomebodyElseIsNamed() throws Exception {
        assumeTrue(!isRoot(), "nothing is closed to root");
        try (var folder = TestFolder.create()) {
            Files.createDirectory(
                    folder.data(),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("r-x------")));

            assertRefused(ServerLaunch.of(Map.of(), folder), folder.data().toString());
        }
    }

    @Test
    void aDataDirectoryThatSandboxesCannotReachIsRefused() throws Exception {
        assumeTrue(isRoot(), "sandboxes have other uids only where the server is root");
        try (var folder = TestFolder.create()) {
            var closed = Files.createDirectory(folder.path().resolve("closed"));
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
            var data = closed.resolve("data").toString();

            assertRefused(ServerLaunch.of(Map.of("ASH_DATA_DIR", data), folder), closed.toString());
        }
    }

    @Test
    void aFullDiskIsSaidInOneSentence() throws Exception {
        try (var folder = TestFolder.create();
                var mount = SmallDisk.mount(folder.path().resolve("full"), "size=64k")) {
            var data = mount.path().toString();

            var launch = ServerLaunch.of(Map.of("ASH_DATA_DIR", data), folder);

            assertRefused(launch, "full");
            assertThat(mount.path().resolve("server.pid")).doesNotExist();
        }
    }

    @Test
    void aDataDirectoryThatIsInUseIsRefused() throws Exception {
        try (var ash = AshExtension.demo().open()) {
            var second =
                    ServerLaunch.of(
                            Map.of("ASH_DATA_DIR", ash.data().toString()), TestFolder.create());

            assertRefused(second, ash.data().toString());

            second.folder().close();
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
    void aBadSettingIsNamed(String name, String value) throws Exception {
        try (var folder = TestFolder.create()) {
            assertRefused(ServerLaunch.of(Map.of(name, value), folder), name, value);
        }
    }

    @Test
    void rejectsADatabaseUrlWithoutShowingItsPassword() throws Exception {
        try (var folder = TestFolder.create()) {
            folder.write(
                    folder.data().getFileName().toString(),
                    Map.of(
                            "config.json",
                            "{\"ASH_DATABASE_URL\":\"postgres://ash:hunter2@db/ash\"}"));

            var launch = ServerLaunch.of(Map.of(), folder);

            assertRefused(launch, "ASH_DATABASE_URL", "not available yet", "SQLite");
            assertThat(launch.output()).doesNotContain("hunter2");
            assertThat(folder.data().resolve("ash.db")).doesNotExist();
        }
    }

    @Test
    void plainHttpForOtherMachinesNamesTheWaysOut() throws Exception {
        try (var folder = TestFolder.create()) {
            assertRefused(
                    ServerLaunch.of(Map.of("ASH_HOST", "::"), folder),
                    "ASH_TLS=on",
                    "ASH_TLS=proxy",
                    "ASH_INSECURE_HTTP=1");
        }
    }

    @Test
    void aWeakKeyForOtherMachinesIsRefused() throws Exception {
        try (var folder = TestFolder.create()) {
            var settings = Map.of("ASH_HOST", "0.0.0.0", "ASH_TLS", "on", "ASH_API_KEY", "hunter2");

            assertRefused(ServerLaunch.of(settings, folder), "ASH_API_KEY", "openssl rand");
        }
    }

    private static void assertRefused(ServerLaunch launch, String... inSentence) throws Exception {
        int exit = launch.awaitExit();

        var output = launch.output();
        assertThat(exit).as(output).isBetween(1, 125);
        assertThat(output).contains(inSentence);
        assertThat(output).doesNotContain("\tat ", "Exception");
        // A normal user is also told which limits this host does not let the server enforce.
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
