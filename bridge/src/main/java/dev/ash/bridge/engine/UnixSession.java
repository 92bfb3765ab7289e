package dev.ash.bridge.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A session of the kernel with an engine's process as its leader. The engine's children stay in it
 * when their parent exits, so that they can still be found: an engine may start itself again as a
 * child and exit without it.
 */
public final class UnixSession {
    private static final Path SETSID = Path.of("/usr/bin/setsid");
    private static final Path PROCESSES = Path.of("/proc");

    /** A process that forks while it is killed leaves a child for the next round. */
    private static final int ROUNDS = 3;

    private UnixSession() {}

    /** Returns whether this machine supports it; if not, only descendants can be found. */
    public static boolean isSupported() {
        return Files.isExecutable(SETSID) && Files.isDirectory(PROCESSES.resolve("self"));
    }

    /** Returns a command that runs the given one as the leader of a new session. */
    public static List<String> leading(List<String> command) {
        var leading = new ArrayList<String>();
        leading.add(SETSID.toString());
        leading.addAll(command);
        return leading;
    }

    /** Kills the processes of the session and their descendants, also if the leader has exited. */
    public static void kill(long leader) {
        for (int round = 0; round < ROUNDS; round++) {
            var members = members(leader);
            if (members.isEmpty()) {
                return;
            }
            members.forEach(ProcessTree::kill);
        }
    }

    /** Returns the running processes of the session. */
    static List<ProcessHandle> members(long leader) {
        var members = new ArrayList<ProcessHandle>();
        try (var entries = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (var entry : entries) {
                if (isMember(entry, leader)) {
                    ProcessHandle.of(Long.parseLong(entry.getFileName().toString()))
                            .ifPresent(members::add);
                }
            }
        } catch (IOException e) {
            System.err.println("bridge: cannot list processes: " + e);
        }
        return members;
    }

    /** The fields after the name are: state, parent, group, session. */
    private static boolean isMember(Path process, long leader) {
        try {
            var text =
                    new String(
                            Files.readAllBytes(process.resolve("stat")),
                            StandardCharsets.ISO_8859_1);
            var fields = text.substring(text.lastIndexOf(')') + 2).split(" ", 5);
            return fields[3].equals(Long.toString(leader)) && !fields[0].equals("Z");
        } catch (IOException e) {
            return false; // it has exited
        }
    }
}
