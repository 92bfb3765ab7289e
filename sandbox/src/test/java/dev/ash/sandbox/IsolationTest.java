package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.exec;
import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The isolation as seen from inside. All tests share one sandbox, as none changes it. */
@TestInstance(Lifecycle.PER_CLASS)
class IsolationTest {
    private TestBed bed;
    private SandboxManager manager;
    private Sandbox sandbox;

    @BeforeAll
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
        manager = bed.manager("serves");
        sandbox = manager.launch(bed.spec());
    }

    @AfterAll
    void close() throws IOException {
        if (bed != null) {
            bed.close();
        }
    }

    @Test
    void runsAsOrdinaryUserWithoutCapabilities() throws IOException {
        assertThat(run(sandbox, "id -u; id -g; whoami; hostname; echo ~"))
                .isEqualTo("1000\n1000\nagent\nsandbox\n/home/agent");
        assertThat(run(sandbox, "grep -h -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status"))
                .isEqualTo("CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1");
        assertThat(exec(sandbox, "unshare --user true").exitCode()).isNotZero();
    }

    @Test
    void seesOnlyItsOwnProcesses() throws IOException {
        assertThat(run(sandbox, "cd /proc; ls -d [0-9]* | wc -l").strip())
                .satisfies(count -> assertThat(Integer.parseInt(count)).isLessThan(8));
        assertThat(run(sandbox, "tr '\\0' ' ' < /proc/1/cmdline"))
                .startsWith("/bin/sh -c ")
                .doesNotContain(bed.dataDir.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/etc",
                "/usr",
                "/dev",
                "/opt/agent",
                "/opt/ash",
                "/home",
                "/opt",
                "/run",
                "/run/egress"
            })
    void cannotWrite(String directory) throws IOException {
        var result = exec(sandbox, "touch " + directory + "/x");

        assertThat(result.exitCode()).isNotZero();
        assertThat(result.stderr()).contains("Read-only file system");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/workspace", "/home/agent", "/tmp", "/dev/shm"})
    void canWrite(String directory) throws IOException {
        assertThat(run(sandbox, "touch %s/x && echo yes".formatted(directory))).isEqualTo("yes");
    }

    @Test
    void cannotAccessFilesOfHostOrOtherSandbox() throws IOException {
        var spec = bed.spec();
        try (var other = manager.launch(spec)) {
            run(other, "echo private > secret");
            var secret = manager.workspace(spec.id()).resolve("secret");
            assertThat(secret).exists();

            for (var path :
                    new Path[] {secret, bed.dataDir, Path.of("/root"), Path.of("/var"), bed.root}) {
                assertThat(exec(sandbox, "ls " + path).exitCode()).as(path.toString()).isNotZero();
            }
        }
        assertThat(run(sandbox, "cat /etc/shadow; ls /etc/ssl"))
                .contains("No such file")
                .doesNotContain("private");
    }

    @Test
    void providesBasicSystemFiles() throws IOException {
        assertThat(run(sandbox, "getent hosts localhost >/dev/null && echo resolves"))
                .isEqualTo("resolves");
        assertThat(run(sandbox, "echo data > /dev/null && head -c1 /dev/zero | wc -c"))
                .isEqualTo("1");
    }

    @Test
    void ownsFilesByDedicatedUser() throws IOException {
        TestBed.needsRoot();
        var spec = bed.spec();
        try (var other = manager.launch(spec)) {
            run(other, "touch mine");
            int uid = manager.owner(spec.id()).orElseThrow();

            assertThat(uid).isBetween(2_100_000_000, 2_100_065_535);
            assertThat(uid).isNotEqualTo(manager.owner(sandbox.id()).orElseThrow());
            assertThat(attribute(manager.workspace(spec.id()).resolve("mine"), "unix:uid"))
                    .isEqualTo(uid);
            var directory = manager.workspace(spec.id()).getParent();
            assertThat(attribute(directory, "unix:uid")).isEqualTo(0);
            assertThat(attribute(directory, "unix:mode") & 0777).isEqualTo(0711);
            assertThat(attribute(directory.resolve("home"), "unix:mode") & 0777).isEqualTo(0700);
            assertThat(attribute(directory.resolve("workspace"), "unix:mode") & 0777)
                    .isEqualTo(0700);
        }
    }

    private static int attribute(Path path, String name) throws IOException {
        return (Integer) Files.getAttribute(path, name);
    }

    @Test
    void inheritsNoDescriptors() throws IOException {
        // Besides the bridge's own sockets and the pipes to its shell: stdin, stdout, stderr.
        assertThat(run(sandbox, "ls -l /proc/$PPID/fd | grep -v -e socket: -e pipe: | grep -c '>'"))
                .isEqualTo("3");
        assertThat(run(sandbox, "readlink /proc/$PPID/fd/0")).isEqualTo("/dev/null");
    }
}
