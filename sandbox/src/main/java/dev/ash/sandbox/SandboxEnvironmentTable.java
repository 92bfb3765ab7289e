package dev.ash.sandbox;

import dev.ash.protocol.SandboxEnvironment;
import dev.ash.sandbox.launch.HostTools;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Every variable that a bridge starts with, and no other. Later rows win.
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><td>from the host, if set there</td><td>{@code PATH} (else a usual one), {@code NODE_PATH},
 * {@code LANG}, {@code TERM}, {@code ANTHROPIC_API_KEY}, {@code ASH_DEBUG_TIMING}</td></tr>
 * <tr><td>a user and its places</td><td>{@code HOME}, {@code USER}, {@code LOGNAME}, {@code SHELL},
 * {@code TMPDIR}</td></tr>
 * <tr><td>how engines behave</td><td>{@code IS_SANDBOX}, {@code DISABLE_TELEMETRY}, {@code
 * DISABLE_AUTOUPDATER}, {@code CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC}, {@code
 * CLAUDE_CODE_ENTRYPOINT}, {@code CLAUDE_CODE_EXECUTABLE} (if there is one)</td></tr>
 * <tr><td>from the server</td><td>{@link SandboxConfig#ashEnvironment()}, then {@link
 * SandboxSpec#ashEnvironment()}: {@code ASH_ENGINE}, {@code ANTHROPIC_BASE_URL}, {@code
 * ANTHROPIC_AUTH_TOKEN}, {@code CLAUDE_CODE_OAUTH_TOKEN}</td></tr>
 * <tr><td>who it is</td><td>{@code ASH_BRIDGE_SOCKET}, {@code ASH_AGENT_DIR}, {@code
 * ASH_WORKSPACE_DIR}, {@code ASH_SANDBOX_ID}, {@code ASH_SESSION_ID} (unless it is warm), {@code
 * ASH_BRIDGE_NONCE}, {@code ASH_EGRESS_SOCKET} (where the network is closed)</td></tr>
 * </table>
 *
 * Bubblewrap adds {@code PWD}.
 */
record SandboxEnvironmentTable(
        Map<String, String> host, Map<String, String> ash, Optional<String> claudeProgram) {

    /** Where things are, as the bridge sees them. */
    record Places(
            String home,
            String temporary,
            String socket,
            String agent,
            String workspace,
            Optional<String> egress) {}

    private static final Map<String, String> FIXED =
            Map.of(
                    "USER", "agent",
                    "LOGNAME", "agent",
                    "SHELL", "/bin/bash",
                    "IS_SANDBOX", "1",
                    "DISABLE_TELEMETRY", "1",
                    "DISABLE_AUTOUPDATER", "1",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1",
                    "CLAUDE_CODE_ENTRYPOINT", "sdk-java");

    Map<String, String> rows(SandboxSpec spec, Places places, String nonce) {
        var rows = new TreeMap<String, String>();
        rows.put("PATH", HostTools.DEFAULT_PATH);
        for (var name : SandboxEnvironment.FROM_HOST) {
            var value = host.getOrDefault(name, "");
            if (!value.isEmpty()) {
                rows.put(name, value);
            }
        }
        rows.put("HOME", places.home());
        rows.put("TMPDIR", places.temporary());
        rows.putAll(FIXED);
        claudeProgram.ifPresent(program -> rows.put("CLAUDE_CODE_EXECUTABLE", program));
        rows.putAll(ash);
        rows.putAll(spec.ashEnvironment());
        rows.put("ASH_BRIDGE_SOCKET", places.socket());
        rows.put("ASH_AGENT_DIR", places.agent());
        rows.put("ASH_WORKSPACE_DIR", places.workspace());
        places.egress().ifPresent(socket -> rows.put("ASH_EGRESS_SOCKET", socket));
        rows.put("ASH_SANDBOX_ID", spec.id().value());
        if (spec.session() != null) {
            rows.put("ASH_SESSION_ID", spec.session().value());
        }
        rows.put("ASH_BRIDGE_NONCE", nonce);
        return rows;
    }
}
