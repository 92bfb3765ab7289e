package dev.ash.server.http;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The names of this machine: its host name, the first label of it, and that in mDNS. */
final class MachineNames {
    private static final Path LINUX = Path.of("/proc/sys/kernel/hostname");

    static Set<String> all() {
        var name = hostName().strip().toLowerCase(Locale.ROOT);
        if (name.isEmpty()) {
            return Set.of();
        }
        int dot = name.indexOf('.');
        var label = dot < 0 ? name : name.substring(0, dot);
        return new HashSet<>(List.of(name, label, label + ".local"));
    }

    /** On Linux without a name service, which may be slow or say what others want it to say. */
    private static String hostName() {
        try {
            return Files.exists(LINUX)
                    ? Files.readString(LINUX)
                    : InetAddress.getLocalHost().getHostName();
        } catch (IOException e) {
            return "";
        }
    }

    private MachineNames() {}
}
