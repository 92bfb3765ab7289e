package dev.ash.sandbox.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.sandbox.launch.Bubblewrap.Nesting;
import dev.ash.sandbox.launch.Launch.NetworkAccess;
import dev.ash.sandbox.limits.Rlimits;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BubblewrapTest {
    private static final HostTools TOOLS =
            new HostTools(
                    Optional.of(Path.of("/usr/bin/bwrap")),
                    Optional.of(Path.of("/usr/bin/setpriv")),
                    Optional.of(Path.of("/usr/bin/setsid")));
    private static final Bubblewrap BUBBLEWRAP =
            new Bubblewrap(
                    Path.of("/usr/bin/bwrap"),
                    TOOLS,
                    Nesting.DISABLED,
                    NetworkAccess.NONE,
                    Optional.of(Path.of("/data/seccomp.bpf")));

    @TempDir private Path control;

    private Command command(Optional<HostUser> user) throws IOException {
        var mounts = List.of(Mount.writable(Path.of("/data/run"), "/tmp"));
        var secret = Map.of("ANTHROPIC_API_KEY", "sk-secret");
        var launch =
                new Launch(
                        control,
                        user,
                        Mount.writable(Path.of("/ws"), "/workspace"),
                        mounts,
                        NetworkAccess.NONE,
                        List.of(Path.of("/sys/fs/cgroup/ash/cgroup.procs")),
                        new Rlimits(1024 * 1024, 4096),
                        List.of("program"),
                        secret);
        return BUBBLEWRAP.command(launch, Redirect.DISCARD, Redirect.DISCARD);
    }

    @Test
    void hidesMountsAndSecretsFromCommandLine() throws IOException {
        var command = command(Optional.of(new HostUser(4711, 4712)));

        var inside =
                command.arguments()
                        .subList(
                                command.arguments().indexOf("/usr/bin/bwrap"),
                                command.arguments().size());
        assertThat(inside)
                .containsExactly(
                        "/usr/bin/bwrap",
                        "--args",
                        "4",
                        "--info-fd",
                        "3",
                        "--seccomp",
                        "5",
                        "--",
                        "/bin/sh",
                        "-c",
                        "\"$@\"; exit $?",
                        "sh",
                        "program");
        assertThat(command.arguments()).noneMatch(argument -> argument.contains("sk-secret"));
        assertThat(command.arguments())
                .containsSequence(
                        "/usr/bin/setsid",
                        "/usr/bin/setpriv",
                        "--reuid=4711",
                        "--regid=4712",
                        "--clear-groups",
                        "--no-new-privs",
                        "--",
                        "/usr/bin/bwrap");
    }

    @Test
    void appliesLimitsAndGroupsFirst() throws IOException {
        assertThat(command(Optional.empty()).arguments().subList(3, 8))
                .containsExactly("sh", "2048", "4096", "/sys/fs/cgroup/ash/cgroup.procs", "--");
    }

    @Test
    void keepsUserIfServerIsNotRoot() throws IOException {
        assertThat(command(Optional.empty()).arguments())
                .containsSequence("/usr/bin/setsid", "/usr/bin/bwrap");
    }

    @Test
    void remountsRootReadOnlyAfterAllMounts() throws IOException {
        command(Optional.empty());

        var arguments = List.of(Files.readString(control.resolve("launch.args")).split("\0"));
        assertThat(arguments).containsSequence("--bind", "/data/run", "/tmp", "--remount-ro", "/");
        assertThat(arguments).contains("--unshare-all", "--disable-userns", "--cap-drop");
        assertThat(arguments).doesNotContain("--setenv", "--die-with-parent", "--share-net");
    }

    @Test
    void sharesHostNetworkOnRequestOrAsFallback() {
        var weak =
                new Bubblewrap(
                        Path.of("/usr/bin/bwrap"),
                        TOOLS,
                        Nesting.DISABLED,
                        NetworkAccess.HOST,
                        Optional.empty());

        assertThat(BUBBLEWRAP.arguments(List.of(), "/", NetworkAccess.HOST))
                .contains("--share-net");
        assertThat(weak.arguments(List.of(), "/", NetworkAccess.NONE)).contains("--share-net");
    }

    @Test
    void rejectsMountBelowWritableMount() {
        var mounts =
                List.of(
                        Mount.writable(Path.of("/a"), "/workspace"),
                        Mount.readOnly(Path.of("/b"), "/workspace/.git"));

        assertThatThrownBy(() -> BUBBLEWRAP.arguments(mounts, "/", NetworkAccess.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/workspace/.git");
    }

    @Test
    void mountsBelowEmptyDirectory() {
        var mounts =
                List.of(
                        Mount.empty(Path.of("/a"), "/tmp"),
                        Mount.writable(Path.of("/tmp/project"), "/tmp/project"));

        assertThat(BUBBLEWRAP.arguments(mounts, "/tmp/project", NetworkAccess.NONE))
                .containsSequence("--bind", "/tmp/project", "/tmp/project", "--remount-ro", "/")
                .endsWith("--chdir", "/tmp/project");
    }

    @Test
    void mountsDirectoriesAndRecreatesLinks(@TempDir Path root) throws IOException {
        Files.createSymbolicLink(root.resolve("bin"), Path.of("usr/bin"));
        Files.createDirectory(root.resolve("lib"));
        Files.createSymbolicLink(root.resolve("lib64"), Path.of("usr/lib64"));

        assertThat(SystemMounts.arguments(root))
                .containsExactly(
                        "--ro-bind",
                        "/usr",
                        "/usr",
                        "--symlink",
                        "usr/bin",
                        "/bin",
                        "--ro-bind",
                        "/lib",
                        "/lib",
                        "--symlink",
                        "usr/lib64",
                        "/lib64");
    }
}
