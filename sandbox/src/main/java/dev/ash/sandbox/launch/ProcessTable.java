package dev.ash.sandbox.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * The processes of this machine as {@code /proc} shows them; none where there is no {@code /proc}.
 * A process may end at any moment, so a question about one that is gone is answered with no.
 */
final class ProcessTable {
    private static final Path PROC = Path.of("/proc");

    /** Those that match and are not merely waiting to be reaped. */
    static List<ProcessHandle> living(LongPredicate matches) {
        var found = new ArrayList<ProcessHandle>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                long pid = Long.parseLong(entry.getFileName().toString());
                if (matches.test(pid)) {
                    // Asked again once there is a handle: that one remembers the start time, so
                    // that a signal cannot reach another process that got the same number.
                    ProcessHandle.of(pid)
                            .filter(_ -> matches.test(pid) && !isZombie(pid))
                            .ifPresent(found::add);
                }
            }
        } catch (IOException e) {
            return List.of();
        }
        return found;
    }

    /** The real user; {@code /proc/<pid>} itself belongs to root for a process that hides. */
    static boolean runsAs(long pid, int uid) {
        for (var line : read(pid, "status").lines().toList()) {
            if (line.startsWith("Uid:")) {
                return line.substring(4).trim().startsWith(uid + "\t");
            }
        }
        return false;
    }

    static boolean isInPidNamespace(long pid, long namespace) {
        try {
            var link = Files.readSymbolicLink(PROC.resolve(pid + "/ns/pid"));
            return link.toString().equals("pid:[" + namespace + "]");
        } catch (IOException e) {
            return false;
        }
    }

    static boolean isInSession(long pid, long session) {
        return stat(pid, 3).equals(Long.toString(session));
    }

    static boolean isChildOf(long pid, long parent) {
        return stat(pid, 1).equals(Long.toString(parent));
    }

    static boolean hasVariable(long pid, String assignment) {
        return ("\0" + read(pid, "environ")).contains("\0" + assignment + "\0");
    }

    private static boolean isZombie(long pid) {
        var state = stat(pid, 0);
        return state.isEmpty() || state.equals("Z") || state.equals("X");
    }

    /** The fields after the name, which may hold spaces and brackets: state, parent, group, … */
    private static String stat(long pid, int field) {
        var text = read(pid, "stat");
        var fields = text.substring(text.lastIndexOf(')') + 1).trim().split(" ", -1);
        return field < fields.length ? fields[field] : "";
    }

    private static String read(long pid, String file) {
        try {
            // Bytes, for names and environments need not be UTF-8.
            return new String(
                    Files.readAllBytes(PROC.resolve(pid + "/" + file)),
                    StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    private ProcessTable() {}
}
