package dev.ash.sandbox;

import dev.ash.protocol.Limits;
import dev.ash.protocol.SandboxEnvironment;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.sandbox.files.BridgeProgram;
import dev.ash.sandbox.files.CommandBridge;
import dev.ash.sandbox.launch.Gate;
import dev.ash.sandbox.launch.HostTools;
import dev.ash.sandbox.limits.Bounds;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Every variable that a bridge starts with, and no other. Later rows win.
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><td>from the host, if set there</td><td>{@code PATH} (else a usual one), {@code NODE_PATH},
 * {@code LANG}, {@code TERM}, {@code ASH_DEBUG_TIMING}</td></tr>
 * <tr><td>a user and its places</td><td>{@code HOME}, {@code USER}, {@code LOGNAME}, {@code SHELL},
 * {@code TMPDIR}</td></tr>
 * <tr><td>how engines behave</td><td>{@code IS_SANDBOX}, {@code DISABLE_TELEMETRY}, {@code
 * DISABLE_AUTOUPDATER}, those of each {@link EngineProfile#environment}, and the path of each
 * engine's program in its {@link EngineProfile.Program#variable}</td></tr>
 * <tr><td>from the server</td><td>{@link SandboxConfig#ashEnvironment()}, then {@link
 * SandboxSpec#ashEnvironment()}: {@code ASH_ENGINE}</td></tr>
 * <tr><td>the way to the model</td><td>{@code ANTHROPIC_API_KEY} (a placeholder), {@code
 * ANTHROPIC_BASE_URL}, {@code ANTHROPIC_UNIX_SOCKET}; for engines of other makers the same as {@code
 * ASH_MODEL_KEY} and {@code ASH_MODEL_SOCKET}</td></tr>
 * <tr><td>the way to other hosts, where the network is closed</td><td>{@code ASH_EGRESS_SOCKET},
 * {@code HTTP_PROXY}, {@code HTTPS_PROXY}, {@code ALL_PROXY}, {@code NO_PROXY}, the same in lower
 * case, {@code NODE_USE_ENV_PROXY}</td></tr>
 * <tr><td>who it is</td><td>{@code ASH_BRIDGE_SOCKET}, {@code ASH_AGENT_DIR}, {@code
 * ASH_WORKSPACE_DIR}, {@code ASH_PROJECT} (if that is no copy of the agent), {@code ASH_SANDBOX_ID}, {@code ASH_SESSION_ID} (unless it is warm), {@code
 * ASH_BRIDGE_NONCE_FD}, {@code ASH_BRIDGE_NONCE} (only for a program set by {@code
 * ASH_BRIDGE_COMMAND}), {@code ASH_BRIDGE_PEERS} (where no server is inside)</td></tr>
 * <tr><td>how much it may use</td><td>{@code ASH_SANDBOX_MEMORY_MB}</td></tr>
 * </table>
 *
 * Bubblewrap adds {@code PWD}.
 */
record SandboxEnvironmentTable(
        Map<String, String> host,
        Map<String, String> ash,
        Map<String, String> enginePrograms,
        String modelKey) {

    /** Where things are, as the bridge sees them, and how far it is from the host. */
    record Places(
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

    Map<String, String> rows(SandboxSpec spec, Places places, BridgeProgram bridge) {
        var rows = new TreeMap<String, String>();
        rows.put("PATH", HostTools.DEFAULT_PATH);
        for (var name : SandboxEnvironment.FROM_HOST) {
            var value = host.getOrDefault(name, "");
            if (!value.isEmpty() && !SandboxEnvironment.isModelVariable(name)) {
                rows.put(name, value);
            }
        }
        rows.put("HOME", places.home());
        rows.put("TMPDIR", places.temporary());
        rows.putAll(FIXED);
        EngineProfiles.ALL.forEach(profile -> rows.putAll(profile.environment()));
        rows.putAll(enginePrograms);
        rows.putAll(ash);
        rows.putAll(spec.ashEnvironment());
        rows.put("ASH_BRIDGE_SOCKET", places.socket());
        rows.put("ASH_AGENT_DIR", places.agent());
        rows.put("ASH_WORKSPACE_DIR", places.workspace());
        if (spec.project() != null) {
            rows.put("ASH_PROJECT", "1");
        }
        addModel(rows, places);
        rows.put("ASH_SANDBOX_MEMORY_MB", Long.toString(Bounds.of(spec.limits()).memoryMb()));
        if (places.closed()) {
            addProxy(rows, places);
        }
        rows.put("ASH_SANDBOX_ID", spec.id().value());
        if (spec.session() != null) {
            rows.put("ASH_SESSION_ID", spec.session().value());
        }
        rows.put(Gate.NONCE_FD, Integer.toString(bridge.nonceDescriptor()));
        if (bridge instanceof CommandBridge) { // it may be older than the descriptor
            rows.put("ASH_BRIDGE_NONCE", spec.nonce());
        }
        if (places.confined()) {
            rows.put("ASH_BRIDGE_PEERS", "outside");
        }
        return rows;
    }

    /** Whatever the host is, calls go to the socket; a name is needed for the form alone. */
    private void addModel(Map<String, String> rows, Places places) {
        rows.put("ANTHROPIC_API_KEY", modelKey);
        rows.put("ANTHROPIC_BASE_URL", "http://model.ash.internal");
        rows.put("ANTHROPIC_UNIX_SOCKET", places.egress());
        rows.put("ASH_MODEL_KEY", modelKey);
        rows.put("ASH_MODEL_SOCKET", places.egress());
    }

    /** Programs disagree on the case of these names. */
    private static void addProxy(Map<String, String> rows, Places places) {
        rows.put("ASH_EGRESS_SOCKET", places.egress());
        rows.put("NODE_USE_ENV_PROXY", "1");
        for (var name : List.of("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")) {
            rows.put(name, PROXY);
            rows.put(name.toLowerCase(Locale.ROOT), PROXY);
        }
        rows.put("NO_PROXY", LOCAL);
        rows.put("no_proxy", LOCAL);
    }
}
