package dev.ash.server.http;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The names of this machine: its host name, the first label, and the mDNS name. */
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

    /** Reads it from the kernel on Linux: a name service can be slow or controlled by others. */
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
