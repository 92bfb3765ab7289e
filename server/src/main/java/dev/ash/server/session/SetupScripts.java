package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Runs what an agent wants done in a fresh workspace, {@code install.sh} and then {@code
 * startup.sh}: inside the sandbox, with its limits and its network, like any command of the agent.
 */
final class SetupScripts {
    private static final List<String> NAMES = List.of("install.sh", "startup.sh");
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int TAIL = 2000;

    static boolean areIn(Path agent) {
        return NAMES.stream().anyMatch(name -> isIn(agent, name));
    }

    private static boolean isIn(Path agent, String name) {
        return Files.isRegularFile(agent.resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    /** {@code agent} is the folder that was deployed, not the copy that agents write to. */
    static void run(LiveSession live, Path agent) throws AsleepException {
        for (var name : NAMES) {
            if (isIn(agent, name)) {
                run(live, name);
            }
        }
    }

    private static void run(LiveSession live, String name) throws AsleepException {
        if (!live.speaksOurs()) {
            throw failure(name, "cannot be run: the bridge of this server has no exec");
        }
        var result = live.exec("bash " + name, PATIENCE.toMillis());
        if (result.exitCode() != 0) {
            var said = (result.stdout() + result.stderr()).strip();
            throw failure(
                    name,
                    "of the agent ended with code %d after at most %d s: %s"
                            .formatted(
                                    result.exitCode(),
                                    PATIENCE.toSeconds(),
                                    said.substring(Math.max(0, said.length() - TAIL))));
        }
    }

    private static ApiException failure(String name, String why) {
        return new ApiException(ErrorCode.SANDBOX_FAILED, name + " " + why);
    }

    private SetupScripts() {}
}
