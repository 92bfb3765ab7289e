package dev.ash.sandbox.launch;

import dev.ash.sandbox.launch.Launch.Reach;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;

/** The wall around a program, or the lack of one. */
public sealed interface Confinement permits Bubblewrap, PlainChild {
    /** The command that runs the program of a launch behind this wall. */
    Command command(Launch launch, Redirect stdout, Redirect stderr) throws IOException;

    /** The least of the network that a program can be given behind it. */
    Reach leastReach();
}
