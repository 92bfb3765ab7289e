package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.sandbox.ConfinedCommand.Result;
import dev.ash.sandbox.launch.HostTools;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.sandbox.launch.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The isolation of commands on directories of the host. */
@Timeout(60)
class ConfinedCommandsTest {
    private static final HostUser USER = new HostUser(4711, 4712);
    private static final Duration LONG = Duration.ofSeconds(30);

    private TestBed bed;
    private SandboxManager manager;
    private Path directory;
    private Optional<HostUser> owner = Optional.empty();

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
        manager = bed.manager("serves");
        directory = Files.createDirectory(bed.root.resolve("directory"));
        if (TestBed.isRoot()) {
            owner = Optional.of(USER);
            Files.setAttribute(directory, "unix:uid", USER.uid());
        }
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private ConfinedCommand command(String script) {
        return ConfinedCommand.in(
                Mount.writable(directory, directory.toString()),
                owner,
                script,
                Map.of("A", "b"),
                LONG);
    }

    private Result run(String script) throws InterruptedException {
        return manager.commands().run(command(script));
    }

    private String output(String script) throws InterruptedException {
        var result = run(script);
        assertThat(result.exitCode()).as(result.toString()).isZero();
        return result.stdout().strip();
    }

    @Test
    void filtersSystemCallsAndDropsPrivileges() throws Exception {
        assertThat(output("grep -E '^(Seccomp|NoNewPrivs|Cap...):' /proc/self/status").lines())
                .contains("Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000")
                .contains("CapPrm:\t0000000000000000", "CapBnd:\t0000000000000000");
        assertThat(run("unshare -Ur true").exitCode()).as("a nested user namespace").isNotZero();
        assertThat(run("unshare -Urm true").exitCode()).isNotZero();
    }

    @Test
    void isolatesCommandsOnDirectoriesOfRoot() throws Exception {
        TestBed.needsRoot();
        owner = Optional.empty();
        Files.setAttribute(directory, "unix:uid", 0);

        filtersSystemCallsAndDropsPrivileges();
        assertThat(run("test -w /proc/sys/kernel/core_pattern").exitCode())
                .as("a writable core_pattern would run a program as root on the host")
                .isNotZero();
        assertThat(output("find /proc/sys /proc/sysrq-trigger /proc/irq -writable | head -n 3"))
                .isEmpty();
        assertThat(run("cat " + bed.dataDir + "/seccomp.bpf").exitCode()).isNotZero();
    }

    /** A sandbox has root's uid only if setpriv or unused uids are missing. */
    @Test
    void deniesKernelSettingsToSandboxWithRootUid() throws Exception {
        TestBed.needsRoot();
        var tools = bed.machine.tools();
        bed.machine =
                bed.machine.with(
                        new HostTools(tools.bubblewrap(), Optional.empty(), tools.setsid()));
        var sandbox = bed.manager("serves").launch(bed.spec());

        assertThat(TestBed.exec(sandbox, "test -w /proc/sys/kernel/core_pattern").exitCode())
                .isNotZero();
    }

    @Test
    void appliesLimits() throws Exception {
        assertThat(output("ulimit -c; ulimit -n; ulimit -f").lines())
                .containsExactly("0", "4096", Long.toString(8L * 1024 * 1024 * 1024 / 512));
        if (TestBed.isRoot()) {
            var forks = "i=0; while [ $i -lt 700 ]; do sleep 20 & i=$((i+1)); done; echo all";
            assertThat(run(forks).stdout()).as("700 processes").isEmpty();
        }
    }

    @Test
    void hidesNetworkOtherFilesAndVariables() throws Exception {
        Files.writeString(bed.root.resolve("secret"), "secret");

        assertThat(output("tail -n +3 /proc/net/dev | grep -v ' lo:' | wc -l")).isEqualTo("0");
        assertThat(run("ls " + bed.root.resolve("secret")).exitCode()).isNotZero();
        assertThat(output("ls " + bed.root)).isEqualTo("directory");
        assertThat(output("env | cut -d= -f1 | sort | tr '\\n' ' '"))
                .isEqualTo("A ASH_COMMAND_ID PATH PWD");
        assertThat(output("id -u; touch new; stat -c %u .")).isEqualTo("1000\n1000");
        assertThat(directory.resolve("new")).exists();
    }

    @Test
    void leavesNoProcessesOrFiles() throws Exception {
        output("setsid -f sleep 4711");
        var late = command("setsid -f sleep 4711; sleep 4711");
        late =
                ConfinedCommand.in(
                        late.directory(), owner, late.script(), Map.of(), Duration.ofMillis(300));
        assertThat(manager.commands().run(late).exitCode()).isEqualTo(124);

        assertThat(Processes.with("ASH_COMMAND_ID=")).isEmpty();
        assertThat(bed.dataDir.resolve("commands")).isEmptyDirectory();
        assertThat(manager.orphans()).isZero();
    }

    @Test
    void redirectsInputAndOutputToFilesOfServer() throws Exception {
        var closed =
                Files.createDirectory(
                        bed.root.resolve("closed"),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
        var in = Files.writeString(closed.resolve("in"), "content\n");
        var out = closed.resolve("out");

        // Reopen the descriptor, as git does.
        var script = "cat; cat /dev/stdin; ls " + closed + " 2>/dev/null || echo closed";
        var result = manager.commands().run(command(script).withInput(in).withOutput(out));

        assertThat(result.stdout()).isEmpty();
        assertThat(out).hasContent("content\ncontent\nclosed\n");
        assertThat(run("echo more 2>/dev/null > /proc/1/fd/0").stdout()).isEmpty();
        assertThat(in).hasContent("content\n");
    }

    @Test
    void doesNotRunInReplacedDirectory() throws Exception {
        var key = Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
        var path = directory.toString();
        assertThat(manager.commands().run(command("echo ran").withIdentity(path, key)).stdout())
                .isEqualTo("ran\n");

        var other = Files.createDirectory(bed.root.resolve("other"));
        Files.move(directory, bed.root.resolve("moved"));
        Files.createSymbolicLink(directory, other);
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rwxrwxrwx"));
        var result = manager.commands().run(command("touch ran").withIdentity(path, key));

        assertThat(result.exitCode()).isEqualTo(126);
        assertThat(result.stderr()).contains(path, "another directory");
        assertThat(other).isEmptyDirectory();
    }

    /** The owner exchanges the directory and a link continuously. */
    @Test
    void doesNotRunInOtherDirectoryDuringRenames() throws Exception {
        TestBed.needs(Files.isExecutable(Path.of("/usr/bin/python3")), "python3");
        var other = Files.createDirectory(bed.root.resolve("other"));
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rwxrwxrwx"));
        var parent = Files.createDirectory(bed.root.resolve("parent"));
        var link = Files.createSymbolicLink(parent.resolve("link"), other);
        directory = Files.move(directory, parent.resolve("directory"));
        var key = Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
        var program =
                "import ctypes, os, sys\n"
                        + "libc = ctypes.CDLL(None)\n"
                        + "for i in range(10 ** 9):\n"
                        + "    if os.getppid() == 1: break\n"
                        + "    libc.renameat2(-100, sys.argv[1].encode(), -100,"
                        + " sys.argv[2].encode(), 2)\n";
        var renamer =
                new ProcessBuilder(
                                "/usr/bin/python3",
                                "-c",
                                program,
                                directory.toString(),
                                link.toString())
                        .start();
        int ran = 0;
        int refused = 0;
        try {
            var command = command("touch ran").withIdentity(directory.toString(), key);
            for (int i = 0; i < 200 && (i < 20 || ran == 0 || refused == 0); i++) {
                var code = manager.commands().run(command).exitCode();
                ran += code == 0 ? 1 : 0;
                refused += code == 126 ? 1 : 0;
            }
            assertThat(renamer.isAlive()).as("the renaming process is running").isTrue();
        } finally {
            renamer.destroyForcibly().waitFor();
        }

        assertThat(other).isEmptyDirectory();
        assertThat(ran).as("commands that ran").isPositive();
        assertThat(refused).as("commands that were refused").isPositive();
    }

    @Test
    void rejectsMountBelowWritableDirectory() {
        var inner = Mount.writable(bed.root, directory + "/inner");

        assertThatThrownBy(() -> manager.commands().run(command("true").withMounts(List.of(inner))))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("did not start");
    }

    @Test
    void rejectsCommandsWithoutBubblewrap() throws Exception {
        bed.withoutBubblewrap();
        var unconfined = bed.manager("serves");

        assertThatThrownBy(() -> unconfined.commands().run(command("true")))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("bubblewrap");
    }
}
