package dev.ash.sandbox.launch;

import dev.ash.sandbox.launch.Launch.NetworkAccess;
import dev.ash.sandbox.launch.Mount.Access;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Isolation by bubblewrap: new user, mount, pid, ipc, uts and cgroup namespaces, uid 1000 inside,
 * no capabilities, a read-only root, a system call filter, and a network namespace if the launch
 * has no network access.
 *
 * <p>Passes the arguments in a file and the environment in the process's own environment: on the
 * command line every user of the host, and the agent through {@code /proc/1/cmdline}, could read
 * the host's paths.
 */
public record Bubblewrap(
        Path program,
        HostTools tools,
        Nesting nesting,
        NetworkAccess minNetworkAccess,
        Optional<Path> filter,
        Lifetime lifetime,
        KernelFiles kernelFiles)
        implements Confinement {
    /**
     * Whether files below {@code /proc} are writable. Root's uid alone, without any capability, is
     * enough to write settings of the whole kernel there, so a launch that may have it mounts them
     * read-only.
     */
    public enum KernelFiles {
        WRITABLE_BY_OWNER,
        READ_ONLY
    }

    /** Whether the program is killed when the server exits. */
    public enum Lifetime {
        INDEPENDENT,
        BOUND_TO_SERVER
    }

    public Bubblewrap(
            Path program,
            HostTools tools,
            Nesting nesting,
            NetworkAccess minNetworkAccess,
            Optional<Path> filter) {
        this(
                program,
                tools,
                nesting,
                minNetworkAccess,
                filter,
                Lifetime.INDEPENDENT,
                KernelFiles.WRITABLE_BY_OWNER);
    }

    public Bubblewrap withReadOnlyKernelFiles() {
        return new Bubblewrap(
                program, tools, nesting, minNetworkAccess, filter, lifetime, KernelFiles.READ_ONLY);
    }

    /** Returns this isolation for commands: without network, and killed when the server exits. */
    public Bubblewrap forCommands() {
        return new Bubblewrap(
                program,
                tools,
                nesting,
                NetworkAccess.NONE,
                filter,
                Lifetime.BOUND_TO_SERVER,
                KernelFiles.READ_ONLY);
    }

    /** Whether programs inside can create user namespaces. */
    public enum Nesting {
        DISABLED,
        POSSIBLE
    }

    // Opens the files as the server's user, before the switch to the sandbox's user.
    private static final String FILES =
            "exec 3>\"$1\" 4<\"$2\"; [ -z \"$3\" ] || exec 5<\"$3\"; shift 3; exec \"$@\"";

    /**
     * Pid 1 of the sandbox. When it exits, the kernel kills all other processes, so daemons do not
     * outlive the bridge. Processes inside cannot kill or stop it, and it reaps orphaned children.
     * Bubblewrap's own pid 1 would wait for the daemons.
     */
    private static final List<String> INIT = List.of("/bin/sh", "-c", "\"$@\"; exit $?", "sh");

    @Override
    public Command command(Launch launch, Redirect stdout, Redirect stderr) throws IOException {
        Files.write(launch.argumentsFile(), nulTerminated(arguments(launch)));
        var arguments = new ArrayList<>(LaunchScript.arguments(launch, FILES));
        arguments.add(launch.info().toString());
        arguments.add(launch.argumentsFile().toString());
        arguments.add(filter.map(Path::toString).orElse(""));
        arguments.addAll(LaunchScript.cleanEnvironment()); // bubblewrap sets PWD itself
        arguments.addAll(tools.prefix(launch.user()));
        arguments.addAll(List.of(program.toString(), "--args", "4", "--info-fd", "3"));
        if (filter.isPresent()) {
            arguments.addAll(List.of("--seccomp", "5"));
        }
        arguments.add("--");
        arguments.addAll(INIT);
        arguments.addAll(launch.program());
        return new Command(arguments, launch.environment(), Path.of("/"), stdout, stderr);
    }

    private List<String> arguments(Launch launch) {
        return arguments(launch.mounts(), launch.workspace().target(), launch.networkAccess());
    }

    List<String> arguments(List<Mount> mounts, String directory, NetworkAccess access) {
        requireNoneBelowWritable(mounts);
        var arguments = new ArrayList<>(List.of("--unshare-all", "--unshare-user", "--as-pid-1"));
        if (access.atLeast(minNetworkAccess) == NetworkAccess.HOST) {
            arguments.add("--share-net");
        }
        if (nesting == Nesting.DISABLED) {
            arguments.add("--disable-userns");
        }
        if (lifetime == Lifetime.BOUND_TO_SERVER) {
            arguments.add("--die-with-parent");
        }
        arguments.addAll(List.of("--uid", "1000", "--gid", "1000", "--hostname", "sandbox"));
        arguments.addAll(List.of("--new-session", "--cap-drop", "ALL"));
        arguments.addAll(SystemMounts.arguments(Path.of("/")));
        arguments.addAll(List.of("--proc", "/proc"));
        if (kernelFiles == KernelFiles.READ_ONLY) {
            arguments.addAll(List.of("--remount-ro", "/proc"));
        }
        arguments.addAll(List.of("--dev", "/dev", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"));
        for (var mount : mounts) {
            if (mount.access() == Access.TEMPORARY) {
                arguments.addAll(List.of("--tmpfs", mount.target()));
                continue;
            }
            arguments.add(mount.access() == Access.READ ? "--ro-bind" : "--bind");
            arguments.add(mount.source().toString());
            arguments.add(mount.target());
        }
        arguments.addAll(List.of("--remount-ro", "/", "--chdir", directory));
        return arguments;
    }

    /**
     * Bubblewrap creates missing mount points and would follow a link that an agent put there, out
     * of the sandbox. So no mount point may be in a directory that agents have written to.
     */
    private static void requireNoneBelowWritable(List<Mount> mounts) {
        for (var outer : mounts) {
            for (var inner : mounts) {
                if (outer.access() == Access.WRITE
                        && inner.target().startsWith(outer.target() + "/")) {
                    throw new IllegalArgumentException(
                            inner.target()
                                    + " would be mounted inside the writable "
                                    + outer.target());
                }
            }
        }
    }

    private static byte[] nulTerminated(List<String> arguments) {
        return (String.join("\0", arguments) + "\0").getBytes(StandardCharsets.UTF_8);
    }
}
