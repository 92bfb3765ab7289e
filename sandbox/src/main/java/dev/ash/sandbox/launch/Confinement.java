package dev.ash.sandbox.launch;

import dev.ash.sandbox.launch.Launch.NetworkAccess;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;

/** The isolation of a program from the host, or the absence of it. */
public sealed interface Confinement permits Bubblewrap, NoConfinement {
    /** Returns the command that runs the program of a launch with this isolation. */
    Command command(Launch launch, Redirect stdout, Redirect stderr) throws IOException;

    /** Returns the minimum network access that it can restrict a program to. */
    NetworkAccess minNetworkAccess();
}
