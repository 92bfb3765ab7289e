package dev.ash.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.terminal.Check;
import dev.ash.sdk.FakeServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorCommandTest {
    @TempDir Path root;

    /**
     * Creates a data directory that is also suitable for root, whose sandboxes have other users.
     */
    @BeforeEach
    void createDataDirectory() throws IOException {
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x--x"));
        Files.createDirectory(root.resolve("data"));
    }

    private Ash ash(String path) {
        return new Ash(root)
                .with("PATH", path)
                .with("ASH_PORT", "0")
                .with("ASH_DATA_DIR", root.resolve("data").toString())
                .with("ASH_SERVER_URL", "http://localhost:1");
    }

    private void program(String name, String script) throws IOException {
        var file = Files.createDirectories(root.resolve("bin")).resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void suggestsRemediesForMissingPrograms() {
        var result = ash(root.resolve("bin").toString()).run("doctor");

        assertThat(result.out())
                .contains("ok    java")
                .contains("weak  git")
                .contains("ash engines install claude")
                .contains("other engines", "codex, opencode, goose")
                .contains("ANTHROPIC_API_KEY")
                .contains("Start one: ash start");
    }

    @Test
    void reportsInstalledPrograms() throws IOException {
        program("git", "echo git version 9");
        program("bwrap", "echo bubblewrap 1.0");
        program("claude", "echo '2.1.197 (Claude Code)'");

        var result =
                ash(root.resolve("bin").toString())
                        .with("ANTHROPIC_API_KEY", "secret")
                        .run("doctor");

        assertThat(result.out())
                .contains("ok    git              git version 9")
                .contains("ok    bubblewrap       bubblewrap 1.0")
                .contains("ok    user namespaces")
                .contains("ok    claude           2.1.197")
                .contains("ok    credential       ANTHROPIC_API_KEY is set")
                .doesNotContain("secret");
    }

    @Test
    void reportsWhySandboxesCannotBeCreated() throws IOException {
        program("bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1");

        assertThat(ash(root.resolve("bin").toString()).run("doctor").out())
                .contains("weak  user namespaces  rejected: bwrap: setting up uid map");
    }

    private Check bubblewrap(String path) throws IOException {
        var host = ash(path).host(new ByteArrayOutputStream(), new ByteArrayOutputStream());
        return new ProgramChecks(host, new SystemFiles(root.resolve("system"))).bubblewrap();
    }

    @Test
    void findsBubblewrapLikeTheServer() throws IOException {
        assertThat(bubblewrap("/nowhere").advice()).contains("apt-get install bubblewrap");

        program("bwrap", "echo bubblewrap 1.0");
        assertThat(bubblewrap("bin").status())
                .as("a relative directory")
                .isEqualTo(Check.Status.WEAK);
        assertThat(bubblewrap(root.resolve("bin").toString()).status()).isEqualTo(Check.Status.OK);

        var standardDirectory = Files.createDirectories(root.resolve("system/usr/sbin"));
        Files.move(root.resolve("bin/bwrap"), standardDirectory.resolve("bwrap"));
        assertThat(bubblewrap("/nowhere").found()).isEqualTo("bubblewrap 1.0");
    }

    @Test
    void printsRemedyAfterEachFinding() throws IOException {
        try (var server = new FakeServer()) {
            server.on(
                    "GET /health",
                    "{\"status\":\"ok\",\"version\":\"9\",\"isolation\":{\"kind\":\"bubblewrap\",\"network\":\"closed\",\"missing\":\"memory is not limited: the server is not permitted to create control groups in /sys/fs/cgroup/user.slice\"}}");

            var lines = ash("").server(server).run("doctor").out().lines().toList();

            var found = lines.stream().filter(line -> line.contains("version 9")).findFirst();
            assertThat(found.orElseThrow())
                    .startsWith("weak")
                    .contains("isolation bubblewrap: memory is not limited");
            assertThat(lines.get(lines.indexOf(found.get()) + 1))
                    .contains("→ ", "Delegate=yes", "systemd-run --user --scope");
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).startsWith("weak") || lines.get(i).startsWith("missing")) {
                    assertThat(lines.get(i + 1)).as(lines.get(i)).contains("→ ");
                }
            }
        }
    }

    @Test
    void failsIfDataDirectoryIsNotWritable() throws IOException {
        Files.writeString(root.resolve("file"), "");

        var result =
                ash("").with("ASH_DATA_DIR", root.resolve("file/data").toString())
                        .run("doctor", "--json");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out())
                .startsWith("{\"ok\":false,\"checks\":[{\"name\":\"java\",\"status\":\"ok\"")
                .contains("\"name\":\"data directory\",\"status\":\"missing\"");
    }
}
