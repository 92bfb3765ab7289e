package dev.ash.pair.run;

import java.nio.file.Path;

/**
 * The directory of a run.
 *
 * @param runId the number of the run; 0 if its name is not a number
 * @param legacy whether the public tool created it
 */
public record RunDirectory(Path path, String name, int runId, boolean legacy) {}
