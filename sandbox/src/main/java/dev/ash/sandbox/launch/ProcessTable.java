package dev.ash.sandbox.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * The processes of this machine as {@code /proc} shows them; none where there is no {@code /proc}.
 * A process may end at any moment, so a question about one that is gone is answered with no.
 */
final class ProcessTable {
    private static final Path PROC = Path.of("/proc");
    private static final String BOOT_ID = read(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    private static final int START = 19;

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
        return parent(pid) == parent;
    }

    /** 0 if the process is gone. */
    static long parent(long pid) {
        var parent = stat(pid, 1);
        return parent.isEmpty() ? 0 : Long.parseLong(parent);
    }

    static boolean hasVariable(long pid, String assignment) {
        return ("\0" + read(pid, "environ")).contains("\0" + assignment + "\0");
    }

    static boolean hasVariable(long pid, String name, Set<String> values) {
        for (var variable : read(pid, "environ").split("\0", -1)) {
            if (variable.startsWith(name) && values.contains(variable.substring(name.length()))) {
                return true;
            }
        }
        return false;
    }

    /**
     * When a living process began, in a form that no other process of that number ever had: which
     * boot of the machine, and how many ticks later. Empty if it is gone or waits to be reaped.
     */
    static String birth(long pid) {
        var stat = stat(pid);
        return stat.size() <= START || isDead(stat.getFirst())
                ? ""
                : BOOT_ID + " " + stat.get(START);
    }

    private static boolean isZombie(long pid) {
        return isDead(stat(pid, 0));
    }

    private static boolean isDead(String state) {
        return state.isEmpty() || state.equals("Z") || state.equals("X");
    }

    private static String stat(long pid, int field) {
        var fields = stat(pid);
        return field < fields.size() ? fields.get(field) : "";
    }

    /** The fields after the name, which may hold spaces and brackets: state, parent, group, … */
    private static List<String> stat(long pid) {
        var text = read(pid, "stat");
        return List.of(text.substring(text.lastIndexOf(')') + 1).trim().split(" ", -1));
    }

    private static String read(long pid, String file) {
        return read(PROC.resolve(pid + "/" + file));
    }

    private static String read(Path file) {
        try {
            // Bytes, for names and environments need not be UTF-8.
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    private ProcessTable() {}
}
