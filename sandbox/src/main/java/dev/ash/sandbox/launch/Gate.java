package dev.ash.sandbox.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The few lines of shell that every launch passes as the server's user, before anything of the
 * sandbox runs: the limits of a process, then the control groups, which are joined or nothing
 * starts.
 */
public final class Gate {
    // Sizes of files are counted in blocks of 512 bytes, as POSIX has it.
    private static final String LIMITS =
            "ulimit -c 0 && ulimit -f \"$1\" && ulimit -n \"$2\" || exit 125; shift 2; ";

    private static final String JOIN =
            "while [ \"$1\" != -- ]; do echo $$ > \"$1\" || exit 125; shift; done; shift; ";

    /** The variable that names the descriptor of the nonce, where there is one. */
    public static final String NONCE_FD = "ASH_BRIDGE_NONCE_FD";

    /** Where it is for a bridge that does not read it from its standard input. */
    public static final int NONCE_DESCRIPTOR = 6;

    // The server passes the nonce as standard input: a pipe, so nothing is left once it is read.
    private static final String NONCE =
            "[ \"$"
                    + NONCE_FD
                    + "\" != "
                    + NONCE_DESCRIPTOR
                    + " ] || exec "
                    + NONCE_DESCRIPTOR
                    + "<&0 </dev/null; ";

    private static final int BLOCK = 512;

    /** A process that only tries to join groups. */
    public static Command trial(List<Path> groups) {
        var words = new ArrayList<>(List.of("/bin/sh", "-c", JOIN, "sh"));
        groups.forEach(group -> words.add(group.toString()));
        words.add("--");
        return Command.quiet(words.toArray(String[]::new));
    }

    /** The words of a command that passes the gate, runs more lines, and then the words after. */
    static List<String> words(Launch launch, String lines) {
        var words = new ArrayList<>(List.of("/bin/sh", "-c", LIMITS + JOIN + NONCE + lines, "sh"));
        words.add(Long.toString(launch.rlimits().fileBytes() / BLOCK));
        words.add(Long.toString(launch.rlimits().openFiles()));
        launch.groups().forEach(group -> words.add(group.toString()));
        words.add("--");
        return words;
    }

    /** Without what shells add to the environment on their own. */
    static List<String> cleanEnvironment() {
        return List.of("/usr/bin/env", "-u", "PWD", "-u", "OLDPWD", "-u", "SHLVL", "-u", "_");
    }

    private Gate() {}
}
