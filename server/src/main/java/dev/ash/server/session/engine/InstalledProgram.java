package dev.ash.server.session.engine;

import java.nio.file.Path;

/**
 * The program of an engine on this host.
 *
 * @param version the version of its package; empty if unknown
 * @param problem why sandboxes cannot run it; empty if they can
 */
public record InstalledProgram(Path path, String version, String problem) {}
