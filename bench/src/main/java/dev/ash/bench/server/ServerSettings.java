package dev.ash.bench.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A server to start with {@code ash start}, so that it has the flags of a user's server, and its
 * settings that differ from the default ones.
 *
 * @param isStandIn whether its sessions run {@code bridge.py}, which has almost no overhead
 */
public record ServerSettings(Map<String, String> variables, boolean isStandIn) {
    /** Disables AOT caches, whose training takes more than a minute; for tests of benchmarks. */
    static final String NO_AOT = "ASH_NO_AOT";

    public ServerSettings {
        variables = Map.copyOf(variables);
    }

    /** Default settings and the bridge of Ash. */
    public static ServerSettings standard() {
        return new ServerSettings(Map.of(), false);
    }

    /** Without warm sandboxes, so that every start is a cold one. */
    public static ServerSettings cold() {
        return standard().with("ASH_PREWARM", "0");
    }

    /** Sessions run the stand-in bridge, so that the server is the bottleneck. */
    public static ServerSettings standIn() {
        return new ServerSettings(Map.of("ASH_BRIDGE_COMMAND", "python3 bridge.py"), true)
                .with("ASH_PREWARM", "0");
    }

    public ServerSettings with(String name, String value) {
        var all = new HashMap<>(variables);
        all.put(name, value);
        return new ServerSettings(all, isStandIn);
    }

    /** Starts the server; {@code owner} closes it if the program is terminated. */
    public BenchServer start(
            Installation installation, WorkDirectory work, UnaryOperator<BenchServer> owner)
            throws IOException, InterruptedException {
        AshCommand.trainCaches(installation, work);
        var server =
                owner.apply(
                        new BenchServer(
                                work.directory("s"),
                                directory -> command(installation, directory)));
        server.environment(environment(work));
        server.start();
        if (isStandIn) {
            server.deployStandIn();
        } else {
            server.deploy("notes.txt", new byte[0]);
            server.awaitAotCache();
        }
        return server;
    }

    private static ProcessBuilder command(Installation installation, Path directory) {
        return new ProcessBuilder(
                installation.root().resolve("ash").toString(),
                "start",
                "--data-dir",
                BenchServer.data(directory).toString());
    }

    private Map<String, String> environment(WorkDirectory work) {
        var environment = new HashMap<>(baseEnvironment(work));
        environment.put("ASH_PORT", "0");
        environment.put("ASH_GATEWAY_PORT", "0");
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.putAll(variables);
        return environment;
    }

    /** Returns the environment of programs of this run: nothing of the user's configuration. */
    public static Map<String, String> baseEnvironment(WorkDirectory work) {
        var environment = new HashMap<>(System.getenv());
        environment
                .keySet()
                .retainAll(Set.of("PATH", "LANG", "LC_ALL", "TERM", "JAVA_HOME", NO_AOT));
        environment.put("HOME", work.home().toString());
        environment.put("XDG_CACHE_HOME", work.cache().toString());
        return environment;
    }
}
