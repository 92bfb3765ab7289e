package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.Mounts;
import dev.ash.e2e.Processes;
import dev.ash.e2e.TestSession;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the disk image of a sandbox: its size limit and its lifecycle. */
class DiskImageTest {
    @RegisterExtension static final AshExtension ash = AshExtension.demo().agent("hello");

    @BeforeAll
    static void start() {

        var disk = ash.api().get("/health").expect(200).at("/isolation/disk").asString();
        if ("true".equals(System.getenv("CI"))) {
            assertThat(disk).as("disk images need root and loop devices").isEqualTo("image");
        }
        assumeThat(disk).as("disk images need root and loop devices").isEqualTo("image");
    }

    private static TestSession session(int diskMb) {
        return ash.session(Map.of("agent", "hello", "limits", Map.of("diskMb", diskMb)));
    }

    private static String python(TestSession session, String program) {
        var command = "python3 - <<'EOF'\n" + program + "\nEOF";
        return session.exec(command).path("stdout").asString().strip();
    }

    private static Path image(TestSession session) {
        return ash.data().resolve("disks").resolve(session.sandbox().getFileName() + ".img");
    }

    private static String error(TestSession session) {
        return ash.api().get(session.path()).at("/session/error").asString("");
    }

    /** Descriptors in unread socket messages belong to no process, so /proc does not show them. */
    @Test
    void countsDeletedFilesHeldInSockets() {
        var session = session(64);
        assertThat(session.created().at("/isolation/disk").asString()).isEqualTo("image");

        assertDiskLimit(ash.server(), session);
    }

    /**
     * Checks that writes fail at the limit, or that the session ended with the limit as its error.
     */
    private static void assertDiskLimit(AshServer host, TestSession session) {
        var command = "python3 - <<'EOF'\n" + HiddenFiles.program(320) + "\nEOF";
        var answer = host.api().post(session.path() + "/exec", Map.of("command", command));
        if (answer.status() == 200) {
            var written = answer.json().path("stdout").asString().strip();
            assertThat(written).startsWith("28 ");
            assertThat(Integer.parseInt(written.substring(3))).isBetween(32, 64);
        } else {
            assertThat(answer.json().path("error").asString()).contains("disk limit of 64 MB");
        }
    }

    @Test
    void failsSessionWithTooManyEmptyFiles() {
        var session = session(16);

        ash.api()
                .post(
                        session.path() + "/exec",
                        Map.of("command", "i=0; while : > f$i; do i=$((i+1)); done; sleep 60"));

        session.awaitStatus("error");
        assertThat(error(session)).contains("disk limit of 16 MB", "limits.diskMb");
        assertThat(session.sandbox().resolve("workspace").toFile().list().length)
                .isBetween(3000, 6000);
    }

    @Test
    void countsReservedSpaceButNoHoles() {
        var session = session(64);

        var lines =
                python(
                        session,
                        """
                        import os
                        free = lambda: os.statvfs('.').f_bavail * os.statvfs('.').f_frsize >> 20
                        before = free()
                        os.truncate(os.open('sparse', os.O_CREAT | os.O_RDWR), 60 << 20)
                        print(before, before - free())
                        reserved = os.open('reserved', os.O_CREAT | os.O_RDWR)
                        os.posix_fallocate(reserved, 0, 40 << 20)
                        print(before - free())
                        try: os.posix_fallocate(reserved, 40 << 20, 24 << 20)
                        except OSError as e: print(e.errno)
                        os.truncate(reserved, 0)
                        os.unlink('reserved')
                        os.close(reserved)
                        print(before - free())
                        """);

        assertThat(lines.lines())
                .satisfiesExactly(
                        line -> assertThat(line).matches("6[0-3] 0"),
                        line -> assertThat(line).isEqualTo("40"),
                        line -> assertThat(line).isEqualTo("28"),
                        line -> assertThat(line).isEqualTo("0"));
        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    void ignoresSetuidAndDevices() {
        var options = session(64).exec("grep ' /workspace ' /proc/self/mountinfo").path("stdout");

        assertThat(options.asString()).contains("nosuid", "nodev", "ext4");
    }

    @Test
    void givesForksTheirOwnImageAndRemovesItAtTheEnd() {
        var session = session(64);
        session.exec("echo kept > note; head -c 8M /dev/zero > large");

        var id = ash.api().post(session.path() + "/fork", Map.of()).expect(201);
        var fork = TestSession.of(ash.server(), id.at("/session/id").asString());
        assertThat(fork.workspaceFile("note")).isEqualTo("kept\n");
        assertThat(image(fork)).hasSize(image(session).toFile().length());
        fork.post("resume").expect(200);
        fork.exec("echo other > note");
        assertThat(session.workspaceFile("note")).isEqualTo("kept\n");

        var image = image(fork);
        fork.end().expect(200);
        fork.awaitRemoval();
        assertThat(image).doesNotExist();
        assertThat(Mounts.below(ash.data())).doesNotContain(fork.sandbox());
    }

    @Test
    void remountsImagesAfterStopKillAndReboot() throws Exception {
        try (var first = AshServer.start()) {
            first.deploy("hello");
            var session = first.session(Map.of("agent", "hello", "limits", Map.of("diskMb", 64)));
            session.exec("echo kept > note");
            first.stop(); // fails if anything is mounted
            assertThat(session.sandbox()).isEmptyDirectory();

            var second = first.startAgain();
            var asleep = session.on(second);
            var files = second.api().get(asleep.path() + "/files").expect(200);
            assertThat(files.json().toString()).contains("note");
            asleep.post("resume").expect(200);

            second.kill();
            var third = second.startAgain();
            var adopted = session.on(third);
            assertThat(adopted.exec("cat note").path("stdout").asString()).isEqualTo("kept\n");
            assertThat(Mounts.below(third.data())).containsExactly(session.sandbox());

            third.kill();
            Processes.kill(adopted.bridgePid());
            assertThat(Mounts.run("umount", session.sandbox().toString())).isZero();
            try (var fourth = third.startAgain()) {
                var resumed = session.on(fourth);
                resumed.post("resume").expect(200);
                assertThat(resumed.exec("cat note").path("stdout").asString()).isEqualTo("kept\n");
                resumed.end().expect(200);
                resumed.awaitRemoval();
                assertThat(fourth.data().resolve("disks")).isDirectoryNotContaining("glob:**.img");
            }
        }
    }
}
