package dev.ash.sandbox.limits;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads and writes the interface files of control groups. */
final class ControlGroupFiles {
    static final String PROCS = "cgroup.procs";

    static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.US_ASCII).strip();
    }

    static void write(Path file, String value) throws IOException {
        Files.writeString(file, value, StandardCharsets.US_ASCII);
    }

    /** Returns the pids in a group; empty if the group does not exist. */
    static List<Long> members(Path group) throws IOException {
        var members = new ArrayList<Long>();
        try {
            for (var line : read(group.resolve(PROCS)).lines().toList()) {
                members.add(Long.parseLong(line.strip()));
            }
        } catch (NoSuchFileException e) {
            return List.of();
        }
        return members;
    }

    /** Returns a counter of a group; zero if the line or file does not exist. */
    static long count(Path group, ControlGroupVersion.Count count) {
        try {
            for (var line : read(group.resolve(count.file())).lines().toList()) {
                if (line.startsWith(count.line() + " ")) {
                    return Long.parseLong(line.substring(count.line().length()).strip());
                }
            }
        } catch (IOException | NumberFormatException e) {
            return 0; // removed concurrently, or not supported by the kernel
        }
        return 0;
    }

    private ControlGroupFiles() {}
}
