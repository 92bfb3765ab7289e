package dev.ash.sandbox.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The shell script at the start of every launch. It runs as the server's user, before any code of
 * the sandbox: sets the process limits, and joins the control groups or exits.
 */
public final class LaunchScript {
    // POSIX counts file sizes in blocks of 512 bytes.
    private static final String LIMITS =
            "ulimit -c 0 && ulimit -f \"$1\" && ulimit -n \"$2\" || exit 125; shift 2; ";

    private static final String JOIN =
            "while [ \"$1\" != -- ]; do echo $$ > \"$1\" || exit 125; shift; done; shift; ";

    /** The variable with the number of the nonce's descriptor. */
    public static final String NONCE_FD = "ASH_BRIDGE_NONCE_FD";

    /** The descriptor for bridges that do not read the nonce from standard input. */
    public static final int NONCE_DESCRIPTOR = 6;

    // The server passes the nonce as standard input: a pipe, which is empty once read.
    private static final String NONCE =
            "[ \"$"
                    + NONCE_FD
                    + "\" != "
                    + NONCE_DESCRIPTOR
                    + " ] || exec "
                    + NONCE_DESCRIPTOR
                    + "<&0 </dev/null; ";

    private static final int BLOCK = 512;

    /** Returns a command that joins control groups and exits. */
    public static Command join(List<Path> groups) {
        var arguments = new ArrayList<>(List.of("/bin/sh", "-c", JOIN, "sh"));
        groups.forEach(group -> arguments.add(group.toString()));
        arguments.add("--");
        return Command.quiet(arguments.toArray(String[]::new));
    }

    /**
     * Returns the arguments that run this script and then {@code lines} with the arguments that
     * follow.
     */
    static List<String> arguments(Launch launch, String lines) {
        var arguments =
                new ArrayList<>(List.of("/bin/sh", "-c", LIMITS + JOIN + NONCE + lines, "sh"));
        arguments.add(Long.toString(launch.rlimits().fileBytes() / BLOCK));
        arguments.add(Long.toString(launch.rlimits().openFiles()));
        launch.groups().forEach(group -> arguments.add(group.toString()));
        arguments.add("--");
        return arguments;
    }

    /** Returns arguments that remove the variables that shells add. */
    static List<String> cleanEnvironment() {
        return List.of("/usr/bin/env", "-u", "PWD", "-u", "OLDPWD", "-u", "SHLVL", "-u", "_");
    }

    private LaunchScript() {}
}
