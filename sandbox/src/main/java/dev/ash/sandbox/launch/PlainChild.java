package dev.ash.sandbox.launch;

import dev.ash.sandbox.launch.Launch.Reach;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;

/**
 * No wall: an ordinary process, in a session of its own and, under a root server, as a user of its
 * own. What stands between it and the host are file permissions.
 */
public record PlainChild(HostTools tools) implements Confinement {
    @Override
    public Command command(Launch launch, Redirect stdout, Redirect stderr) {
        var words = new ArrayList<>(Gate.words(launch, "exec \"$@\""));
        words.addAll(Gate.cleanEnvironment());
        words.addAll(tools.prefix(launch.user()));
        words.addAll(launch.program());
        return new Command(
                words, launch.environment(), launch.workspace().source(), stdout, stderr);
    }

    @Override
    public Reach leastReach() {
        return Reach.HOST;
    }
}
