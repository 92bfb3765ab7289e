package dev.ash.sandbox;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A spec with the directories of this host that it names. */
record LocalSpec(SandboxSpec spec, Path agentDir, @Nullable ProjectFolder project) {
    static LocalSpec of(SandboxSpec spec, HostPaths paths) {
        var project = spec.project();
        return new LocalSpec(
                spec, paths.agent(spec.agent()), project == null ? null : paths.project(project));
    }
}
