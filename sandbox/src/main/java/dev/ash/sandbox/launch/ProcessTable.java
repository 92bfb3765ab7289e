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
 * Reads the processes of this machine from {@code /proc}; empty if there is no {@code /proc}. A
 * process may exit at any moment, so every predicate is false for a missing process.
 */
final class ProcessTable {
    private static final Path PROC = Path.of("/proc");
    private static final String BOOT_ID = read(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    private static final int START = 19;

    /** Returns the matching processes, except zombies. */
    static List<ProcessHandle> living(LongPredicate matches) {
        var found = new ArrayList<ProcessHandle>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                long pid = Long.parseLong(entry.getFileName().toString());
                if (matches.test(pid)) {
                    // Test again after creating the handle: a handle includes the start time, so a
                    // signal cannot reach another process that reuses the pid.
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

    /**
     * Compares the real uid; {@code /proc/<pid>} itself belongs to root if the process is not
     * dumpable.
     */
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

    /** Returns the parent's pid; 0 if the process is gone. */
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
     * Returns the start time of a live process in a form that no other process with the same pid
     * ever has: the boot id and the clock ticks since boot. Empty for a missing process or a
     * zombie.
     */
    static String startTime(long pid) {
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

    /**
     * Returns the fields after the name, which may contain spaces and parentheses: state, parent, …
     */
    private static List<String> stat(long pid) {
        var text = read(pid, "stat");
        return List.of(text.substring(text.lastIndexOf(')') + 1).trim().split(" ", -1));
    }

    private static String read(long pid, String file) {
        return read(PROC.resolve(pid + "/" + file));
    }

    private static String read(Path file) {
        try {
            // Names and environments need not be UTF-8.
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    private ProcessTable() {}
}
