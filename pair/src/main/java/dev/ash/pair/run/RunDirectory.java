package dev.ash.pair.run;

import java.nio.file.Path;

/**
 * The directory of one run. {@code runId} is 0 where the run has a name that is no number; {@code
 * legacy} where the public tool made it.
 */
public record RunDirectory(Path path, String name, int runId, boolean legacy) {}
