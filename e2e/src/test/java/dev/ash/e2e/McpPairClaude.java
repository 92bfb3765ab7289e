package dev.ash.e2e;

import dev.ash.e2e.model.ModelRequest;
import dev.ash.e2e.model.ScriptedModelApi;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Runs the real Claude Code as a {@link McpPairEngine}. */
final class McpPairClaude implements McpPairEngine {
    private static final JsonMapper MAPPER = new JsonMapper();

    private final ScriptedModelApi api;
    private final int earlierRequests;
    private final Process process;
    private final Writer in;
    private final BlockingQueue<String> results = new LinkedBlockingQueue<>();
    private int requests = Integer.MAX_VALUE;

    McpPairClaude(ScriptedModelApi api, Path home, MailboxConnection connection) {
        this.api = api;
        this.earlierRequests = api.turns().size();
        var builder =
                new ProcessBuilder(
                        NeedsClaude.Condition.program().toString(),
                        "--input-format",
                        "stream-json",
                        "--output-format",
                        "stream-json",
                        "--verbose",
                        "--permission-mode",
                        "bypassPermissions",
                        "--strict-mcp-config",
                        "--mcp-config",
                        connection.json());
        var env = builder.environment();
        env.keySet().retainAll(Set.of("PATH", "LANG"));
        env.put("HOME", home.toString());
        env.put("ASH_PAIR_DIR", home.resolve("../pairs").normalize().toString());
        env.put("ANTHROPIC_BASE_URL", api.url());
        env.put("ANTHROPIC_API_KEY", "dummy");
        env.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        env.put("DISABLE_TELEMETRY", "1");
        env.put("DISABLE_AUTOUPDATER", "1");
        env.put("IS_SANDBOX", "1");
        // On a busy machine the first turn would start before the MCP server is ready.
        env.put("MCP_CONNECTION_NONBLOCKING", "0");
        env.put("MCP_CONNECT_TIMEOUT_MS", "60000");
        env.put("MCP_TIMEOUT", "60000");
        try {
            Files.createDirectories(home);
            process =
                    builder.directory(home.toFile())
                            .redirectError(home.resolve("stderr").toFile())
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        in = process.outputWriter();
        var out = process.inputReader();
        Thread.ofVirtual().start(() -> readResults(out));
    }

    @Override
    public String tool(String name) {
        return "mcp__pair__" + name;
    }

    @Override
    public void begin(List<String> steps) {
        prompt(String.join("\n", steps));
    }

    private void prompt(String text) {
        var line = MAPPER.createObjectNode().put("type", "user").put("session_id", "");
        line.putNull("parent_tool_use_id");
        line.putObject("message").put("role", "user").put("content", text);
        try {
            in.write(MAPPER.writeValueAsString(line) + "\n");
            in.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void awaitEnd() {
        try {
            var result = results.poll(180, TimeUnit.SECONDS);
            if (result == null || !result.contains("\"is_error\":false")) {
                throw new AssertionError("the turn failed: " + result);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public List<String> toolAnswers() {
        return api.turns().stream()
                .limit(requests)
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
        var processes =
                Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
        processes.forEach(ProcessHandle::destroyForcibly);
        processes.forEach(one -> one.onExit().orTimeout(60, TimeUnit.SECONDS).join());
        requests =
                Math.min(requests, api.turns().size()); // later requests belong to the next process
    }

    @Override
    public void close() {
        kill();
    }

    private void readResults(BufferedReader out) {
        out.lines().filter(line -> line.startsWith("{\"type\":\"result\"")).forEach(results::add);
    }
}
