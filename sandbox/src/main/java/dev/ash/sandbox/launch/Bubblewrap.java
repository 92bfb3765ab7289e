package dev.ash.sandbox.launch;

import dev.ash.sandbox.launch.Launch.Reach;
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
 * The wall: new user, mount, pid, ipc, uts and cgroup namespaces, uid 1000 inside, no capabilities,
 * a read-only root, a filter of system calls; a network namespace where the launch is to reach
 * nothing.
 *
 * <p>Arguments travel through a file and not on the command line, where every user of the host, and
 * the agent in {@code /proc/1/cmdline}, could read the host's paths. The environment is that of the
 * process, for the same reason.
 */
public record Bubblewrap(
        Path program,
        HostTools tools,
        Nesting nesting,
        Reach leastReach,
        Optional<Path> filter,
        Lifetime lifetime,
        KernelFiles kernelFiles)
        implements Confinement {
    /**
     * Whether files below {@code /proc} can be written. Root's user id is enough to write settings
     * of the whole kernel there, without any capability, so what may run with it must not.
     */
    public enum KernelFiles {
        BY_OWNER,
        READ_ONLY
    }

    /** What ends a program when nobody ends it. */
    public enum Lifetime {
        ITS_OWN,
        UNTIL_THE_SERVER_ENDS
    }

    public Bubblewrap(
            Path program,
            HostTools tools,
            Nesting nesting,
            Reach leastReach,
            Optional<Path> filter) {
        this(program, tools, nesting, leastReach, filter, Lifetime.ITS_OWN, KernelFiles.BY_OWNER);
    }

    public Bubblewrap withReadOnlyKernelFiles() {
        return new Bubblewrap(
                program, tools, nesting, leastReach, filter, lifetime, KernelFiles.READ_ONLY);
    }

    /** The same for commands of the server: never with a network, and never longer than it runs. */
    public Bubblewrap forCommands() {
        return new Bubblewrap(
                program,
                tools,
                nesting,
                Reach.NOTHING,
                filter,
                Lifetime.UNTIL_THE_SERVER_ENDS,
                KernelFiles.READ_ONLY);
    }

    /** Whether programs inside can make user namespaces of their own. */
    public enum Nesting {
        DISABLED,
        POSSIBLE
    }

    // Opens the files as the server's user, before the switch to the sandbox's.
    private static final String FILES =
            "exec 3>\"$1\" 4<\"$2\"; [ -z \"$3\" ] || exec 5<\"$3\"; shift 3; exec \"$@\"";

    /**
     * The first process of the sandbox. With its end the kernel ends all others, so that daemons do
     * not outlive a bridge that ends by itself; nobody inside can kill or stop it; and it reaps
     * children whose parents are gone. Bubblewrap's own waits for the daemons.
     */
    private static final List<String> FIRST = List.of("/bin/sh", "-c", "\"$@\"; exit $?", "sh");

    @Override
    public Command command(Launch launch, Redirect stdout, Redirect stderr) throws IOException {
        Files.write(launch.arguments(), nulTerminated(arguments(launch)));
        var words = new ArrayList<>(Gate.words(launch, FILES));
        words.add(launch.info().toString());
        words.add(launch.arguments().toString());
        words.add(filter.map(Path::toString).orElse(""));
        words.addAll(Gate.cleanEnvironment()); // bubblewrap sets PWD anew
        words.addAll(tools.prefix(launch.user()));
        words.addAll(List.of(program.toString(), "--args", "4", "--info-fd", "3"));
        if (filter.isPresent()) {
            words.addAll(List.of("--seccomp", "5"));
        }
        words.add("--");
        words.addAll(FIRST);
        words.addAll(launch.program());
        return new Command(words, launch.environment(), Path.of("/"), stdout, stderr);
    }

    private List<String> arguments(Launch launch) {
        return arguments(launch.mounts(), launch.workspace().target(), launch.reach());
    }

    List<String> arguments(List<Mount> mounts, String directory, Reach reach) {
        requireNoneBelowWritable(mounts);
        var words = new ArrayList<>(List.of("--unshare-all", "--unshare-user", "--as-pid-1"));
        if (reach.atLeast(leastReach) == Reach.HOST) {
            words.add("--share-net");
        }
        if (nesting == Nesting.DISABLED) {
            words.add("--disable-userns");
        }
        if (lifetime == Lifetime.UNTIL_THE_SERVER_ENDS) {
            words.add("--die-with-parent");
        }
        words.addAll(List.of("--uid", "1000", "--gid", "1000", "--hostname", "sandbox"));
        words.addAll(List.of("--new-session", "--cap-drop", "ALL"));
        words.addAll(HostRoot.arguments(Path.of("/")));
        words.addAll(List.of("--proc", "/proc"));
        if (kernelFiles == KernelFiles.READ_ONLY) {
            words.addAll(List.of("--remount-ro", "/proc"));
        }
        words.addAll(List.of("--dev", "/dev", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"));
        for (var mount : mounts) {
            if (mount.access() == Access.TEMPORARY) {
                words.addAll(List.of("--tmpfs", mount.target()));
                continue;
            }
            words.add(mount.access() == Access.READ ? "--ro-bind" : "--bind");
            words.add(mount.source().toString());
            words.add(mount.target());
        }
        words.addAll(List.of("--remount-ro", "/", "--chdir", directory));
        return words;
    }

    /**
     * Bubblewrap makes missing mount points, and would follow a link that an agent has put in their
     * way, out of the sandbox. So nothing is ever mounted where agents have written.
     */
    private static void requireNoneBelowWritable(List<Mount> mounts) {
        for (var outer : mounts) {
            for (var inner : mounts) {
                if (outer.access() == Access.WRITE
                        && inner.target().startsWith(outer.target() + "/")) {
                    throw new IllegalArgumentException(
                            inner.target() + " would be mounted in the writable " + outer.target());
                }
            }
        }
    }

    private static byte[] nulTerminated(List<String> words) {
        return (String.join("\0", words) + "\0").getBytes(StandardCharsets.UTF_8);
    }
}
