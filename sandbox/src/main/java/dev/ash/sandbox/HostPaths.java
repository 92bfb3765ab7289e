package dev.ash.sandbox;

import java.nio.file.Path;

/**
 * Resolves the agents and projects that a {@link SandboxSpec} names to directories of this host.
 */
public interface HostPaths {
    /** Returns the directory of the version's files; every user can read them by path. */
    Path agent(AgentVersion agent);

    /** Returns the directory of the project; throws if its tenant may not use it (any longer). */
    ProjectDirectory project(ProjectRef project);
}
