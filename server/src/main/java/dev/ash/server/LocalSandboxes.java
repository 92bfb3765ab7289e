package dev.ash.server;

import dev.ash.protocol.Limits;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.sandbox.ConfinedCommands;
import dev.ash.sandbox.Network;
import dev.ash.sandbox.SandboxConfig;
import dev.ash.server.agent.AgentDirectories;
import dev.ash.server.egress.EgressProxies;
import dev.ash.server.egress.http.EgressLimits;
import dev.ash.server.egress.model.Placeholders;
import dev.ash.server.egress.model.PriceTable;
import dev.ash.server.egress.model.RequestCounts;
import dev.ash.server.project.Projects;
import dev.ash.server.runner.LocalRunnerBackend;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.runner.SandboxRowStore;
import dev.ash.server.runner.ServerPaths;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.store.Storage;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Assembles the engines, the local runner and the egress proxies of sandboxes. */
record LocalSandboxes(
        Engines engines,
        RunnerCoordinator runners,
        EgressProxies proxies,
        ConfinedCommands commands)
        implements AutoCloseable {

    static LocalSandboxes open(
            ServerConfig config, Storage storage, AgentDirectories agents, Projects projects) {
        var programs = EnginePrograms.find(config);
        var placeholders = new Placeholders(() -> storage.sealer().deriveAll("placeholders"));
        var local =
                LocalRunnerBackend.open(
                        config(config, programs, placeholders),
                        new ServerPaths(agents, projects),
                        config.quotas()::sandboxesOf,
                        new SandboxRowStore(storage.database(), storage.clock()));
        boolean confined = !local.isolation(Network.CLOSED).kind().equals("none");
        return new LocalSandboxes(
                new Engines(
                        config.engines().table(),
                        config.engines().engine(),
                        programs.installed(confined),
                        credentials(config.environment())),
                new RunnerCoordinator(local),
                new EgressProxies(
                        placeholders,
                        EgressLimits.DEFAULT,
                        config.sandboxes().isolation().allow(),
                        () -> config.sessions().prices().orElseGet(PriceTable::builtIn)),
                local.commands());
    }

    private static SandboxConfig config(
            ServerConfig config, EnginePrograms programs, Placeholders placeholders) {
        return new SandboxConfig(
                config.dataDir(),
                Dist.jars("bridge"),
                config.engines().bridgeCommand(),
                config.environment(),
                bridgeVariables(config.engines()),
                programs.inSandboxes(),
                config.sandboxes().maxCount(),
                config.sandboxes().requireIsolation(),
                Limits.READY_TIMEOUT,
                placeholders::of,
                config.sandboxes().disk());
    }

    /** Passes the configured engines only if there are any: reading them takes time. */
    private static Map<String, String> bridgeVariables(EngineSettings engines) {
        var grace = Long.toString(engines.bridgeGrace().toMillis());
        return engines.configured().isEmpty()
                ? Map.of("ASH_BRIDGE_GRACE_MS", grace)
                : Map.of("ASH_BRIDGE_GRACE_MS", grace, "ASH_ENGINES", engines.configured());
    }

    private static Set<ModelProvider> credentials(Map<String, String> environment) {
        return Stream.of(ModelProvider.values())
                .filter(provider -> provider.hasCredential(environment))
                .collect(Collectors.toUnmodifiableSet());
    }

    RequestCounts counts() {
        return proxies.requestCounts();
    }

    boolean isRunning(SandboxId sandbox) {
        return runners.find(sandbox).isPresent();
    }

    @Override
    public void close() {
        runners.close();
        proxies.close();
    }
}
