package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.disk.DiskSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Configuration of the sandboxes of a host.
 *
 * @param bridgeJars the jars of Ash's bridge; unused if there is a {@code bridgeCommand}
 * @param bridgeCommand the command line of another program to run as bridge; empty for Ash's own.
 *     Files of the host outside {@code /usr} that it names are mounted at {@code /opt/ash}
 * @param hostEnvironment the server's whole environment; only seven variables are used
 * @param ashEnvironment variables that the server sets in every sandbox
 * @param enginePrograms the programs of the engines that the host has
 * @param requireIsolation whether to refuse to run without full isolation
 * @param readyTimeout maximum time from the start of the process to the bridge's {@code ready}
 * @param modelKeys returns the placeholder that a sandbox has in place of the model key
 * @param disk how disk space is limited
 */
public record SandboxConfig(
        Path dataDir,
        List<Path> bridgeJars,
        List<String> bridgeCommand,
        Map<String, String> hostEnvironment,
        Map<String, String> ashEnvironment,
        List<SandboxProgram> enginePrograms,
        int maxSandboxes,
        boolean requireIsolation,
        Duration readyTimeout,
        Function<SandboxId, String> modelKeys,
        DiskSettings disk) {

    public SandboxConfig {
        bridgeJars = List.copyOf(bridgeJars);
        bridgeCommand = List.copyOf(bridgeCommand);
        hostEnvironment = Map.copyOf(hostEnvironment);
        ashEnvironment = Map.copyOf(ashEnvironment);
        enginePrograms = List.copyOf(enginePrograms);
    }

    /** Creates a configuration with the default disk settings. */
    public SandboxConfig(
            Path dataDir,
            List<Path> bridgeJars,
            List<String> bridgeCommand,
            Map<String, String> hostEnvironment,
            Map<String, String> ashEnvironment,
            List<SandboxProgram> enginePrograms,
            int maxSandboxes,
            boolean requireIsolation,
            Duration readyTimeout,
            Function<SandboxId, String> modelKeys) {
        this(
                dataDir,
                bridgeJars,
                bridgeCommand,
                hostEnvironment,
                ashEnvironment,
                enginePrograms,
                maxSandboxes,
                requireIsolation,
                readyTimeout,
                modelKeys,
                DiskSettings.DEFAULT);
    }
}
