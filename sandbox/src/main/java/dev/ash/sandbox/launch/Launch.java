package dev.ash.sandbox.launch;

import dev.ash.sandbox.limits.Rlimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parameters of one start of an isolated program.
 *
 * @param control directory that only the server writes to, for files exchanged with bubblewrap
 * @param user host user that the program runs as; absent for the server's user
 * @param workspace working directory; one of the mounts
 * @param groups {@code cgroup.procs} files of the control groups that the program joins
 * @param networkAccess requested network access, as far as the confinement supports it
 */
public record Launch(
        Path control,
        Optional<HostUser> user,
        Mount workspace,
        List<Mount> mounts,
        NetworkAccess networkAccess,
        List<Path> groups,
        Rlimits rlimits,
        List<String> program,
        Map<String, String> environment) {

    /** The network access of a program, in ascending order. */
    public enum NetworkAccess {
        NONE,
        HOST;

        public NetworkAccess atLeast(NetworkAccess minimum) {
            return compareTo(minimum) < 0 ? minimum : this;
        }
    }

    public Launch {
        mounts = List.copyOf(mounts);
        groups = List.copyOf(groups);
        program = List.copyOf(program);
        environment = Map.copyOf(environment);
    }

    /** Returns the file to which bubblewrap writes the host pid of the sandbox's pid 1. */
    public Path info() {
        return control.resolve("info.json");
    }

    Path argumentsFile() {
        return control.resolve("launch.args");
    }
}
