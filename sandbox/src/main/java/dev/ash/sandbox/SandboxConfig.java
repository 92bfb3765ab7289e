package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.engine.EngineName;
import dev.ash.sandbox.disk.DiskSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * How sandboxes are made.
 *
 * @param bridgeJars our own bridge; unused where there is a {@code bridgeCommand}
 * @param bridgeCommand the words of another program to run as bridge; empty for our own. Words that
 *     name files of the host outside {@code /usr} are shown inside at {@code /opt/ash}
 * @param hostEnvironment the server's whole environment; only seven names are taken
 * @param ashEnvironment variables that the server sets in every sandbox
 * @param enginePrograms the programs of the engines that the host has
 * @param requireIsolation whether to refuse to run without a wall
 * @param readyTimeout from the start of the process to the bridge's {@code ready}
 * @param modelKeys what a sandbox holds in the place of the key for the model
 * @param disk how disk space is limited
 */
public record SandboxConfig(
        Path dataDir,
        List<Path> bridgeJars,
        List<String> bridgeCommand,
        Map<String, String> hostEnvironment,
        Map<String, String> ashEnvironment,
        Map<EngineName, Path> enginePrograms,
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
        enginePrograms = Map.copyOf(enginePrograms);
    }

    /** With the default limits of disk space. */
    public SandboxConfig(
            Path dataDir,
            List<Path> bridgeJars,
            List<String> bridgeCommand,
            Map<String, String> hostEnvironment,
            Map<String, String> ashEnvironment,
            Map<EngineName, Path> enginePrograms,
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
