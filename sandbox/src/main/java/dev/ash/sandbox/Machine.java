package dev.ash.sandbox;

import dev.ash.sandbox.files.UidRange;
import dev.ash.sandbox.files.UidRegistry;
import dev.ash.sandbox.launch.HostTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The facilities of the host that sandboxes depend on; tests restrict them.
 *
 * @param self the server's own directory below {@code /proc}, which lists its control groups
 */
record Machine(HostTools tools, Path uidRegistry, Path etc, Path self) {
    static final Path SELF = Path.of("/proc/self");
    private static final Path UID_MAP = SELF.resolve("uid_map");

    static Machine current(String path) {
        return new Machine(HostTools.find(path), UidRegistry.MACHINE_WIDE, Path.of("/etc"), SELF);
    }

    Machine with(HostTools others) {
        return new Machine(others, uidRegistry, etc, self);
    }

    /**
     * Returns the registry of dedicated uids; empty unless the server is root and a uid range is
     * mapped.
     */
    Optional<UidRegistry> uids(int serverUid) throws IOException {
        if (serverUid != 0 || tools.setpriv().isEmpty()) {
            return Optional.empty();
        }
        var map = Files.isReadable(UID_MAP) ? Files.readAllLines(UID_MAP) : List.<String>of();
        var range = UidRange.mappedIn(map);
        return range.isPresent()
                ? Optional.of(new UidRegistry(uidRegistry, range.get()))
                : Optional.empty();
    }
}
