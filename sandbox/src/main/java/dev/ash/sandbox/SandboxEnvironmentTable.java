package dev.ash.sandbox;

import dev.ash.protocol.Limits;
import dev.ash.protocol.SandboxEnvironment;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.sandbox.files.BridgeProgram;
import dev.ash.sandbox.files.CommandBridge;
import dev.ash.sandbox.launch.HostTools;
import dev.ash.sandbox.launch.LaunchScript;
import dev.ash.sandbox.limits.ResolvedLimits;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Builds the complete environment of a bridge. Later rows override earlier ones.
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><td>from the host, if set there</td><td>{@code PATH} (or a default), {@code NODE_PATH},
 * {@code LANG}, {@code TERM}, {@code ASH_DEBUG_TIMING}</td></tr>
 * <tr><td>the user and its directories</td><td>{@code HOME}, {@code USER}, {@code LOGNAME},
 * {@code SHELL}, {@code TMPDIR}</td></tr>
 * <tr><td>settings of engines</td><td>{@code IS_SANDBOX}, {@code DISABLE_TELEMETRY}, {@code
 * DISABLE_AUTOUPDATER}, those of each {@link EngineProfile#environment}, and the path of each
 * engine's program in its {@link EngineProfile.Program#variable}</td></tr>
 * <tr><td>from the server</td><td>{@link SandboxConfig#ashEnvironment()}, then {@link
 * SandboxSpec#ashEnvironment()}: {@code ASH_ENGINE}</td></tr>
 * <tr><td>access to the model</td><td>{@code ANTHROPIC_API_KEY} (a placeholder), {@code
 * ANTHROPIC_BASE_URL}, {@code ANTHROPIC_UNIX_SOCKET}; for engines of other providers the same
 * as {@code ASH_MODEL_KEY} and {@code ASH_MODEL_SOCKET}</td></tr>
 * <tr><td>access to other hosts, if the network is closed</td><td>{@code ASH_EGRESS_SOCKET},
 * {@code HTTP_PROXY}, {@code HTTPS_PROXY}, {@code ALL_PROXY}, {@code NO_PROXY}, the same in lower
 * case, {@code NODE_USE_ENV_PROXY}</td></tr>
 * <tr><td>identity and paths</td><td>{@code ASH_BRIDGE_SOCKET}, {@code ASH_AGENT_DIR}, {@code
 * ASH_WORKSPACE_DIR}, {@code ASH_PROJECT} (if that is not a copy of the agent),
 * {@code ASH_SANDBOX_ID}, {@code ASH_SESSION_ID} (unless warm), {@code
 * ASH_BRIDGE_NONCE_FD}, {@code ASH_BRIDGE_NONCE} (only for a program set by {@code
 * ASH_BRIDGE_COMMAND}), {@code ASH_BRIDGE_PEERS} (if confined)</td></tr>
 * <tr><td>limits</td><td>{@code ASH_SANDBOX_MEMORY_MB}</td></tr>
 * </table>
 *
 * Bubblewrap adds {@code PWD}.
 */
record SandboxEnvironmentTable(
        Map<String, String> host,
        Map<String, String> ash,
        Map<String, String> enginePrograms,
        String modelKey) {

    /** Paths as the bridge sees them, and its isolation. */
    record SandboxPaths(
            String home,
            String temporary,
            String socket,
            String agent,
            String workspace,
            String egress,
            boolean confined,
            boolean closed) {}

    private static final String PROXY = "http://127.0.0.1:" + Limits.EGRESS_PORT;
    private static final String LOCAL = "localhost,127.0.0.1,::1";

    private static final Map<String, String> FIXED =
            Map.of(
                    "USER", "agent",
                    "LOGNAME", "agent",
                    "SHELL", "/bin/bash",
                    "IS_SANDBOX", "1",
                    "DISABLE_TELEMETRY", "1",
                    "DISABLE_AUTOUPDATER", "1");

    Map<String, String> variables(SandboxSpec spec, SandboxPaths paths, BridgeProgram bridge) {
        var variables = new TreeMap<String, String>();
        variables.put("PATH", HostTools.DEFAULT_PATH);
        for (var name : SandboxEnvironment.FROM_HOST) {
            var value = host.getOrDefault(name, "");
            if (!value.isEmpty() && !SandboxEnvironment.isModelVariable(name)) {
                variables.put(name, value);
            }
        }
        variables.put("HOME", paths.home());
        variables.put("TMPDIR", paths.temporary());
        variables.putAll(FIXED);
        EngineTable.builtIn().all().forEach(profile -> variables.putAll(profile.environment()));
        variables.putAll(enginePrograms);
        variables.putAll(ash);
        variables.putAll(spec.ashEnvironment());
        variables.put("ASH_BRIDGE_SOCKET", paths.socket());
        variables.put("ASH_AGENT_DIR", paths.agent());
        variables.put("ASH_WORKSPACE_DIR", paths.workspace());
        if (spec.project() != null) {
            variables.put("ASH_PROJECT", "1");
        }
        addModel(variables, paths);
        variables.put(
                "ASH_SANDBOX_MEMORY_MB",
                Long.toString(ResolvedLimits.of(spec.limits()).memoryMb()));
        if (paths.closed()) {
            addProxy(variables, paths);
        }
        variables.put("ASH_SANDBOX_ID", spec.id().value());
        if (spec.session() != null) {
            variables.put("ASH_SESSION_ID", spec.session().value());
        }
        variables.put(LaunchScript.NONCE_FD, Integer.toString(bridge.nonceDescriptor()));
        if (bridge instanceof CommandBridge) { // it may predate the descriptor
            variables.put("ASH_BRIDGE_NONCE", spec.nonce());
        }
        if (paths.confined()) {
            variables.put("ASH_BRIDGE_PEERS", "outside");
        }
        return variables;
    }

    /** Adds the model variables; the host name is a dummy, as calls go to the socket. */
    private void addModel(Map<String, String> variables, SandboxPaths paths) {
        variables.put("ANTHROPIC_API_KEY", modelKey);
        variables.put("ANTHROPIC_BASE_URL", "http://model.ash.internal");
        variables.put("ANTHROPIC_UNIX_SOCKET", paths.egress());
        variables.put("ASH_MODEL_KEY", modelKey);
        variables.put("ASH_MODEL_SOCKET", paths.egress());
    }

    /** Adds the proxy variables in upper and lower case, as programs differ. */
    private static void addProxy(Map<String, String> variables, SandboxPaths paths) {
        variables.put("ASH_EGRESS_SOCKET", paths.egress());
        variables.put("NODE_USE_ENV_PROXY", "1");
        for (var name : List.of("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")) {
            variables.put(name, PROXY);
            variables.put(name.toLowerCase(Locale.ROOT), PROXY);
        }
        variables.put("NO_PROXY", LOCAL);
        variables.put("no_proxy", LOCAL);
    }
}
