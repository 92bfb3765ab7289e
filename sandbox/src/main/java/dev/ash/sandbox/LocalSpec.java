package dev.ash.sandbox;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A sandbox spec whose names are resolved to directories of this host. */
record LocalSpec(SandboxSpec spec, Path agentDir, @Nullable ProjectDirectory project) {
    static LocalSpec of(SandboxSpec spec, HostPaths paths) {
        var project = spec.project();
        return new LocalSpec(
                spec, paths.agent(spec.agent()), project == null ? null : paths.project(project));
    }
}
