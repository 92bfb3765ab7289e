package dev.ash.sandbox.launch;

import dev.ash.sandbox.launch.Launch.NetworkAccess;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;

/**
 * No isolation: an ordinary process in its own session and, if the server is root, with a dedicated
 * user. Only file permissions separate it from the host.
 */
public record NoConfinement(HostTools tools) implements Confinement {
    @Override
    public Command command(Launch launch, Redirect stdout, Redirect stderr) {
        var arguments = new ArrayList<>(LaunchScript.arguments(launch, "exec \"$@\""));
        arguments.addAll(LaunchScript.cleanEnvironment());
        arguments.addAll(tools.prefix(launch.user()));
        arguments.addAll(launch.program());
        return new Command(
                arguments, launch.environment(), launch.workspace().source(), stdout, stderr);
    }

    @Override
    public NetworkAccess minNetworkAccess() {
        return NetworkAccess.HOST;
    }
}
