package dev.ash.server.session.lifecycle;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.session.live.AsleepException;
import dev.ash.server.session.live.LiveSession;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Runs the set-up scripts of an agent in a new workspace, {@code install.sh} and then {@code
 * startup.sh}: inside the sandbox, with its limits and network, like any command of the agent.
 */
final class SetupScripts {
    private static final List<String> NAMES = List.of("install.sh", "startup.sh");
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final int MAX_OUTPUT_CHARS = 2000;

    /** The exit code of a command that the bridge killed after a timeout. */
    private static final int TIMED_OUT = 124;

    static boolean exist(Path agent) {
        return NAMES.stream().anyMatch(name -> exists(agent, name));
    }

    private static boolean exists(Path agent, String name) {
        return Files.isRegularFile(agent.resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    /** {@code agent} is the deployed directory, not the copy that agents can write to. */
    static void run(LiveSession live, Path agent) throws AsleepException {
        for (var name : NAMES) {
            if (exists(agent, name)) {
                run(live, name);
            }
        }
    }

    private static void run(LiveSession live, String name) throws AsleepException {
        if (live.isPlain()) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "The agent's %s cannot run: the bridge program set by ASH_BRIDGE_COMMAND does not support exec"
                            .formatted(name));
        }
        var result = live.exec("bash " + name, TIMEOUT.toMillis());
        if (result.exitCode() != 0) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    failure(name, result.exitCode(), result.stdout() + result.stderr()));
        }
    }

    /** A session keeps the files it was created with: a corrected script needs a new session. */
    static String failure(String name, int exitCode, String output) {
        var printed = output.strip();
        var tail = printed.substring(Math.max(0, printed.length() - MAX_OUTPUT_CHARS));
        return "The agent's %s %s. %s. To run it again, resume the session; to use a corrected script, deploy the agent and create a new session"
                .formatted(
                        name,
                        exitCode == TIMED_OUT
                                ? "did not finish within %d s and was killed"
                                        .formatted(TIMEOUT.toSeconds())
                                : "failed with exit code " + exitCode,
                        tail.isEmpty() ? "It printed nothing" : "Its output ends with: " + tail);
    }

    private SetupScripts() {}
}
