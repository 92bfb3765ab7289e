package dev.ash.sandbox.files;

import java.nio.file.Path;
import java.util.List;

/** The bridge program to run in sandboxes, with its files and command line. */
public sealed interface BridgeProgram permits JavaBridge, CommandBridge {
    /** The directory of its files inside sandboxes. */
    Path SANDBOX_DIRECTORY = Path.of("/opt/ash");

    /** Returns the directory of its files on the host. */
    Path directory();

    /** Returns the command line with paths inside a sandbox. */
    List<String> confined();

    /** Returns the command line with host paths, for sandboxes without isolation. */
    List<String> unconfined();

    /** Returns the descriptor from which it reads the nonce of its launch. */
    int nonceDescriptor();
}
