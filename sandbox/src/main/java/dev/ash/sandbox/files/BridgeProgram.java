package dev.ash.sandbox.files;

import java.nio.file.Path;
import java.util.List;

/** The program that runs in every sandbox. */
public sealed interface BridgeProgram permits JavaBridge, CommandBridge {
    /** Where sandboxes have its files. */
    Path PLACE = Path.of("/opt/ash");

    /** Where the host has its files. */
    Path folder();

    /** The words that start it, by the paths that are true inside a sandbox. */
    List<String> confined();

    /** The words that start it, by the host's paths, where there is no wall. */
    List<String> unconfined();

    /** The descriptor from which it reads the nonce of its launch. */
    int nonceDescriptor();
}
