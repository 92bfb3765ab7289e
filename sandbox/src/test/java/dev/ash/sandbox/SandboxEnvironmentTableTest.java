package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.SandboxEnvironmentTable.SandboxPaths;
import dev.ash.sandbox.files.CommandBridge;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SandboxEnvironmentTableTest {
    private static final SandboxPaths PATHS =
            new SandboxPaths(
                    "/home/agent",
                    "/tmp",
                    "/tmp/s.sock",
                    "/opt/agent",
                    "/workspace",
                    "/run/egress/proxy.sock",
                    true,
                    true);

    private static Map<String, String> variables(
            Map<String, String> host, Map<String, String> ash, Map<String, String> session) {
        var spec =
                new SandboxSpec(
                        SandboxId.random(),
                        SessionId.random(),
                        TestBed.AGENT,
                        session,
                        ResourceLimits.DEFAULT,
                        Network.CLOSED,
                        LaunchIds.random());
        return new SandboxEnvironmentTable(
                        host, ash, Map.of("CODEX_EXECUTABLE", "/opt/codex/codex"), "placeholder")
                .variables(spec, PATHS, new CommandBridge(Path.of("/bridge"), List.of()));
    }

    @Test
    void inheritsOnlySevenVariablesFromHost() {
        var variables =
                variables(
                        Map.of(
                                "PATH", "/opt/bin",
                                "NODE_PATH", "/node",
                                "TERM", "xterm",
                                "ASH_DEBUG_TIMING", "1",
                                "AWS_SECRET_ACCESS_KEY", "secret",
                                "LD_PRELOAD", "/evil.so"),
                        Map.of(),
                        Map.of());

        assertThat(variables)
                .containsEntry("PATH", "/opt/bin")
                .containsEntry("NODE_PATH", "/node")
                .containsEntry("TERM", "xterm")
                .containsEntry("ASH_DEBUG_TIMING", "1")
                .doesNotContainKeys("AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "LANG");
    }

    @Test
    void doesNotInheritHome() {
        assertThat(variables(Map.of("HOME", "/root"), Map.of(), Map.of()))
                .containsEntry("HOME", "/home/agent");
    }

    @Test
    void hasDefaultPathIfHostHasNone() {
        assertThat(variables(Map.of(), Map.of(), Map.of()))
                .containsEntry("PATH", "/usr/local/bin:/usr/bin:/bin");
        assertThat(variables(Map.of("PATH", ""), Map.of(), Map.of()))
                .containsEntry("PATH", "/usr/local/bin:/usr/bin:/bin");
    }

    @Test
    void sessionVariablesOverrideServerVariablesButNotIdentity() {
        var variables =
                variables(
                        Map.of(),
                        Map.of("ASH_ENGINE", "auto", "ASH_OTHER", "x"),
                        Map.of("ASH_ENGINE", "demo", "ASH_SANDBOX_ID", "another"));

        assertThat(variables).containsEntry("ASH_ENGINE", "demo").containsEntry("ASH_OTHER", "x");
        assertThat(variables.get("ASH_SANDBOX_ID")).isNotEqualTo("another");
    }

    @Test
    void accessesModelThroughSocketWithPlaceholder() {
        var variables =
                variables(
                        Map.of("ANTHROPIC_API_KEY", "sk-real"),
                        Map.of("ANTHROPIC_BASE_URL", "http://elsewhere"),
                        Map.of("HTTPS_PROXY", "http://elsewhere"));

        assertThat(variables)
                .containsEntry("ANTHROPIC_API_KEY", "placeholder")
                .containsEntry("ANTHROPIC_UNIX_SOCKET", "/run/egress/proxy.sock")
                .containsEntry("ASH_MODEL_KEY", "placeholder")
                .containsEntry("ASH_MODEL_SOCKET", "/run/egress/proxy.sock")
                .containsEntry("CODEX_EXECUTABLE", "/opt/codex/codex")
                .containsEntry("https_proxy", "http://127.0.0.1:3128");
        assertThat(variables.values()).doesNotContain("sk-real", "http://elsewhere");
    }

    @Test
    void omitsProgramOfMissingEngine() {
        assertThat(variables(Map.of(), Map.of(), Map.of()))
                .doesNotContainKey("CLAUDE_CODE_EXECUTABLE");
    }

    @Test
    void includesVariablesOfEveryEngine() {
        assertThat(variables(Map.of(), Map.of(), Map.of()))
                .containsEntry("IS_SANDBOX", "1")
                .containsEntry("DISABLE_TELEMETRY", "1")
                .containsEntry("DISABLE_AUTOUPDATER", "1")
                .containsEntry("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
                .containsEntry("CLAUDE_CODE_ENTRYPOINT", "sdk-java");
    }
}
