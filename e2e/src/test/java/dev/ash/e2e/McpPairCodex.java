package dev.ash.e2e;

import static org.awaitility.Awaitility.await;

import dev.ash.e2e.model.ModelRequest;
import dev.ash.e2e.model.ScriptedModelApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the real Codex as a {@link McpPairEngine}: {@code codex exec}, one process per prompt. */
final class McpPairCodex implements McpPairEngine {
    private final ScriptedModelApi api;
    private final Path home;
    private final MailboxConnection connection;
    private final List<String> earlierResults = new ArrayList<>();
    private int earlierRequests;
    private Process process;

    McpPairCodex(ScriptedModelApi api, Path home, MailboxConnection connection) {
        this.api = api;
        this.home = home;
        this.connection = connection;
        try {
            Files.createDirectories(home.resolve(".codex"));
            Files.writeString(home.resolve(".codex/config.toml"), config());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String config() {
        return """
        model = "scripted"
        model_provider = "scripted"
        check_for_update_on_startup = false
        analytics.enabled = false
        [model_providers.scripted]
        name = "scripted"
        base_url = "%s/v1"
        env_key = "OPENAI_API_KEY"
        wire_api = "responses"
        [mcp_servers.pair]
        %s
        required = true
        startup_timeout_sec = 60
        tool_timeout_sec = 120
        default_tools_approval_mode = "approve"
        """
                .formatted(
                        api.url(),
                        connection.toml(home.resolve("../pairs").normalize().toString()));
    }

    @Override
    public String tool(String name) {
        return "mcp__pair/" + name;
    }

    @Override
    public void begin(List<String> steps) {
        earlierRequests = api.turns().size();
        var builder =
                new ProcessBuilder(
                        NeedsCodex.Condition.program().toString(),
                        "exec",
                        "--json",
                        "--skip-git-repo-check",
                        "--disable",
                        "plugins",
                        "--dangerously-bypass-approvals-and-sandbox",
                        "-");
        var env = builder.environment();
        env.keySet().retainAll(Set.of("PATH", "LANG"));
        env.put("HOME", home.toString());
        env.put("CODEX_HOME", home.resolve(".codex").toString());
        env.put("OPENAI_API_KEY", "dummy");
        env.put("PAIR_TOKEN", connection.token());
        try {
            process =
                    builder.directory(home.toFile())
                            .redirectOutput(home.resolve("stdout").toFile())
                            .redirectError(home.resolve("stderr").toFile())
                            .start();
            try (var in = process.outputWriter()) {
                in.write(String.join("\n", steps));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void awaitEnd() {
        await().atMost(Duration.ofSeconds(180)).until(() -> !process.isAlive());
        if (process.exitValue() != 0) {
            throw new AssertionError(
                    "codex exited with code " + process.exitValue() + ", see " + home);
        }
        earlierResults.addAll(currentResults());
        process = null;
    }

    @Override
    public List<String> toolAnswers() {
        return Stream.concat(
                        earlierResults.stream(),
                        process == null ? Stream.of() : currentResults().stream())
                .toList();
    }

    private List<String> currentResults() {
        return api.turns().stream()
                .skip(earlierRequests)
                .map(ModelRequest::toolResults)
                .max(
                        Comparator.comparing(
                                List::size)) // the latest turn request; engines also send others
                .orElse(List.of())
                .stream()
                .map(ModelRequest.ToolResult::text)
                .toList();
    }

    @Override
    public void kill() {
        if (process != null) {
            var processes =
                    Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
            processes.forEach(ProcessHandle::destroyForcibly);
            processes.forEach(one -> one.onExit().orTimeout(60, TimeUnit.SECONDS).join());
            earlierResults.addAll(currentResults());
            process = null;
        }
    }

    @Override
    public void close() {
        kill();
    }
}
