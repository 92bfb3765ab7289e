package dev.ash.sandbox;

import dev.ash.protocol.engine.EngineProfile.Program;
import java.nio.file.Path;

/**
 * A program of an engine for sandboxes.
 *
 * @param path its path on the host
 */
public record SandboxProgram(Program program, Path path) {}
