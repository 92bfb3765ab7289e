package dev.ash.sandbox;

import java.nio.file.Path;

/**
 * Resolves the agents and projects that a {@link SandboxSpec} names to directories of this host.
 */
public interface HostPaths {
    /** The directory of the version's files, readable by every user who knows its path. */
    Path agent(AgentVersion agent);

    /** The directory of the project; refuses one that its tenant may not or no longer use. */
    ProjectFolder project(ProjectRef project);
}
