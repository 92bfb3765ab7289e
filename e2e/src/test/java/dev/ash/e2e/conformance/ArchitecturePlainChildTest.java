package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.TestDirectory;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Documents 001 and 003: the macOS columns. macOS has neither bubblewrap nor control groups, so a
 * server uses its launch path for such hosts. This test forces that path with a broken bubblewrap
 * as the first one on the PATH.
 */
class ArchitecturePlainChildTest {
    private static final String MACOS = "docs/differences.md#macos";
    private static final String HERE =
            "shown on Linux where bubblewrap fails; macOS itself is not tested";

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with(
                            "PATH",
                            directory -> brokenBubblewrap(directory) + ":" + System.getenv("PATH"))
                    .with("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
                    .agent("hello");

    private static TestSession session;
    private static ArchitectureSandbox sandbox;
    private static Map<String, String> environment;

    private static Path brokenBubblewrap(TestDirectory directory) {
        var bin = directory.write("bin", Map.of("bwrap", "#!/bin/sh\nexit 1\n"));
        try {
            Files.setPosixFilePermissions(
                    bin.resolve("bwrap"), PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bin;
    }

    @BeforeAll
    static void start() throws IOException {
        session = ash.session("hello");
        sandbox = new ArchitectureSandbox(session);
        environment = sandbox.environment();
    }

    @Test
    @Statement(
            id = "001-114",
            says = "Process, memory and CPU limits on macOS: skipped",
            verdict = Verdict.DIFFERS,
            instead = HERE,
            see = MACOS)
    void reportsMissingLimits() {
        assertThat(session.created().at("/isolation/kind").asString()).isEqualTo("none");
        assertThat(session.created().at("/isolation/missing").asString()).isNotBlank();
    }

    @Test
    @Statement(
            id = "001-117",
            says = "File size limits on macOS: ulimit -f",
            verdict = Verdict.DIFFERS,
            instead = HERE,
            see = MACOS)
    void limitsFilesByUlimit() {
        var kilobytes = session.created().at("/limits/diskMb").asLong() * 1024;

        assertThat(sandbox.sh("bash -c 'ulimit -f'")).isEqualTo(kilobytes + "\n");
    }

    @Test
    @Statement(
            id = "001-118",
            says = "Environment on macOS: strict allowlist",
            verdict = Verdict.DIFFERS,
            instead = HERE,
            see = MACOS)
    void passesOnlyTheAllowlist() {
        assertThat(environment).containsKeys("PATH", "HOME", "ASH_SESSION_ID");
        assertThat(environment).doesNotContainKeys("AWS_ACCESS_KEY_ID", "ASH_DATA_DIR", "ASH_PORT");
    }

    @Test
    @Statement(
            id = "001-119",
            says = "Filesystem on macOS: restricted cwd",
            verdict = Verdict.DIFFERS,
            instead = HERE,
            see = MACOS)
    void worksInTheDirectoryOfTheSession() {
        assertThat(sandbox.sh("pwd -P")).isEqualTo(session.sandbox().resolve("workspace") + "\n");
    }

    @Test
    @Statement(
            id = "001-120",
            says = "Network on macOS: unrestricted",
            verdict = Verdict.DIFFERS,
            instead = HERE,
            see = MACOS)
    void sharesTheNetworkOfTheHost() throws IOException {
        assertThat(session.created().at("/isolation/network").asString()).isEqualTo("host");
        assertThat(Files.readSymbolicLink(sandbox.process().resolve("ns/net")))
                .isEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns/net")));
    }

    @Test
    @Statement(
            id = "003-69",
            says = "File size limits on macOS: ulimit -f",
            verdict = Verdict.DIFFERS,
            instead = HERE,
            see = MACOS)
    void refusesAFileBeyondTheLimit() {
        assertThat(sandbox.sh("truncate -s 2G big 2>/dev/null || echo too large"))
                .isEqualTo("too large\n");
    }

    @Test
    @Statement(
            id = "003-70",
            says = "Environment on macOS: strict allowlist",
            verdict = Verdict.DIFFERS,
            instead = HERE,
            see = MACOS)
    void keepsHostCredentialsOut() {
        assertThat(environment.values()).doesNotContain("AKIAIOSFODNN7EXAMPLE");
    }

    @Test
    @Statement(
            id = "003-71",
            says = "Filesystem on macOS: restricted cwd",
            verdict = Verdict.DIFFERS,
            instead = HERE,
            see = MACOS)
    void writesRelativePathsBelowTheSession() {
        sandbox.sh("echo here > relative.txt");

        assertThat(session.workspaceFile("relative.txt")).isEqualTo("here\n");
    }
}
