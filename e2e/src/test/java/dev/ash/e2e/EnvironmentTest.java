package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Checks that the environment of a sandbox contains exactly the documented variables. */
class EnvironmentTest {
    private static final Map<String, String> SERVER =
            Map.of(
                    "ANTHROPIC_BASE_URL", "http://127.0.0.1:1",
                    "LANG", "C.UTF-8",
                    "TERM", "dumb",
                    "ASH_DEBUG_TIMING", "1",
                    "AWS_SECRET_ACCESS_KEY", "must not be seen",
                    "DATABASE_URL", "must not be seen",
                    "ASH_MAX_SANDBOXES", "7");

    @Test
    void containsExactlyDocumentedVariablesAfterColdResume() {
        try (var server = AshServer.start(SERVER)) {
            server.deploy("hello");
            server.api()
                    .patch(
                            "/api/agents/hello",
                            Map.of("env", Map.of("FROM_AGENT", "1", "BOTH", "a")))
                    .expect(200);
            var session =
                    server.session(
                            Map.of(
                                    "agent",
                                    "hello",
                                    "extraEnv",
                                    Map.of("FROM_SESSION", "2", "BOTH", "line 1\nline 2")));
            assumeThat(session.created().at("/isolation/kind").asString()).isEqualTo("bubblewrap");

            assertThat(environmentOf(session)).isEqualTo(expected(server, session));

            session.post("stop").expect(200);
            session.post("resume").expect(200);
            assertThat(environmentOf(session)).isEqualTo(expected(server, session));
        }
    }

    @Test
    void omitsVariablesThatHostDoesNotSet() {
        try (var ash = AshExtension.demo().agent("hello").open()) {
            assertThat(environmentOf(ash.session("hello")))
                    .doesNotContainKeys(
                            "ASH_DEBUG_TIMING",
                            "ANTHROPIC_AUTH_TOKEN",
                            "CLAUDE_CODE_OAUTH_TOKEN",
                            "ASH_BRIDGE_NONCE",
                            "ASH_BRIDGE_NONCE_FD",
                            "ASH_DATA_DIR",
                            "ASH_PORT");
        }
    }

    private static Map<String, String> expected(AshServer server, TestSession session) {
        var sandbox = session.created().path("sandboxId").asString();
        var table = new HashMap<String, String>();
        table.put("PATH", System.getenv("PATH"));
        table.put("NODE_PATH", server.marker());
        table.put("LANG", "C.UTF-8");
        table.put("TERM", "dumb");
        table.put("ASH_DEBUG_TIMING", "1");
        table.put("HOME", "/home/agent");
        table.put("USER", "agent");
        table.put("LOGNAME", "agent");
        table.put("SHELL", "/bin/bash");
        table.put("TMPDIR", "/tmp");
        table.put("PWD", "/workspace");
        table.put("ASH_BRIDGE_SOCKET", "/tmp/ash-" + sandbox.substring(0, 8) + ".sock");
        table.put("ASH_AGENT_DIR", "/opt/agent");
        table.put("ASH_WORKSPACE_DIR", "/workspace");
        table.put("ASH_SANDBOX_ID", sandbox);
        table.put("ASH_SESSION_ID", session.id());
        table.put("ASH_ENGINE", "demo");
        table.put("IS_SANDBOX", "1");
        table.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        table.put("DISABLE_TELEMETRY", "1");
        table.put("DISABLE_AUTOUPDATER", "1");
        table.put("CLAUDE_CODE_ENTRYPOINT", "sdk-java");
        table.put("ANTHROPIC_BASE_URL", "http://model.ash.internal");
        table.put("ANTHROPIC_UNIX_SOCKET", "/run/egress/proxy.sock");
        table.put("ASH_MODEL_SOCKET", "/run/egress/proxy.sock");
        table.put("ASH_EGRESS_SOCKET", "/run/egress/proxy.sock");
        table.put("ASH_SANDBOX_MEMORY_MB", "2048");
        table.put(
                "JAVA_TOOL_OPTIONS",
                "-XX:MaxRAM=2048m -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128"
                        + " -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128");
        table.put("NODE_USE_ENV_PROXY", "1");
        for (var name : List.of("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")) {
            table.put(name, "http://127.0.0.1:3128");
            table.put(name.toLowerCase(Locale.ROOT), "http://127.0.0.1:3128");
        }
        table.put("NO_PROXY", "localhost,127.0.0.1,::1");
        table.put("no_proxy", "localhost,127.0.0.1,::1");
        table.put("FROM_AGENT", "1");
        table.put("FROM_SESSION", "2");
        table.put("BOTH", "line 1\nline 2");
        return new TreeMap<>(table);
    }

    private static Map<String, String> environmentOf(TestSession session) {
        JsonNode result = session.exec("env -0");
        assertThat(result.path("exitCode").asInt()).isZero();
        var table = new TreeMap<String, String>();
        for (var entry : result.path("stdout").asString().split("\0")) {
            int equals = entry.indexOf('=');
            table.put(entry.substring(0, equals), entry.substring(equals + 1));
        }
        // bash sets these for the command.
        table.remove("_");
        table.remove("SHLVL");
        table.remove("OLDPWD");
        var placeholder = table.remove("ANTHROPIC_API_KEY");
        assertThat(placeholder).matches("sk-ash-[A-Za-z0-9_-]{43}");
        assertThat(table.remove("ASH_MODEL_KEY")).isEqualTo(placeholder);
        return table;
    }
}
