package dev.ash.sandbox.launch;

import dev.ash.sandbox.limits.Rlimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One start of a program in a sandbox.
 *
 * @param control a folder that only the server writes, for what it and bubblewrap tell each other
 * @param user the host's user that the program runs as; absent to run as the server's own
 * @param workspace where the program starts; one of the mounts
 * @param groups files into which it writes its number before it runs, to be in its control groups
 * @param reach what it is to reach of the network, if the wall can do that
 */
public record Launch(
        Path control,
        Optional<HostUser> user,
        Mount workspace,
        List<Mount> mounts,
        Reach reach,
        List<Path> groups,
        Rlimits rlimits,
        List<String> program,
        Map<String, String> environment) {

    /** What a program reaches of the network; the least first. */
    public enum Reach {
        NOTHING,
        HOST;

        public Reach atLeast(Reach least) {
            return compareTo(least) < 0 ? least : this;
        }
    }

    public Launch {
        mounts = List.copyOf(mounts);
        groups = List.copyOf(groups);
        program = List.copyOf(program);
        environment = Map.copyOf(environment);
    }

    /** Bubblewrap writes here which process is number one of the sandbox. */
    public Path info() {
        return control.resolve("info.json");
    }

    Path arguments() {
        return control.resolve("launch.args");
    }
}
