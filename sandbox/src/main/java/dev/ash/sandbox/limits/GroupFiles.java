package dev.ash.sandbox.limits;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of control groups: each holds a few words, and writing to one is an order. */
final class GroupFiles {
    static final String MEMBERS = "cgroup.procs";

    static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.US_ASCII).strip();
    }

    static void write(Path file, String value) throws IOException {
        Files.writeString(file, value, StandardCharsets.US_ASCII);
    }

    /** Those in a group; none if there is no such group. */
    static List<Long> members(Path group) throws IOException {
        var members = new ArrayList<Long>();
        try {
            for (var line : read(group.resolve(MEMBERS)).lines().toList()) {
                members.add(Long.parseLong(line.strip()));
            }
        } catch (NoSuchFileException e) {
            return List.of();
        }
        return members;
    }

    /** The number on a line that begins with a name; zero if there is no such line or file. */
    static long count(Path group, Version.Count count) {
        try {
            for (var line : read(group.resolve(count.file())).lines().toList()) {
                if (line.startsWith(count.line() + " ")) {
                    return Long.parseLong(line.substring(count.line().length()).strip());
                }
            }
        } catch (IOException | NumberFormatException e) {
            return 0; // the group has just been removed, or the kernel is too old to count
        }
        return 0;
    }

    private GroupFiles() {}
}
