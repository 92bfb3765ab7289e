package dev.ash.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs {@code ash mcp pair} as a separate process and acts as its client. */
final class McpPairProgram implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Process process;
    private final Path errors;
    private final Writer in;
    private final BufferedReader out;
    private int ids;

    private McpPairProgram(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        this.in = process.outputWriter();
        this.out = process.inputReader();
    }

    /** Returns the command line that starts it, for an engine or for this test. */
    static List<String> command(Path repository, String peer, String... more) {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                ServerLaunch.jars(ServerLaunch.dist().resolve("cli")),
                                "dev.ash.cli.Main",
                                "mcp",
                                "pair",
                                "--run",
                                "1",
                                "--peer",
                                peer,
                                "--repo",
                                repository.toString()));
        command.addAll(List.of(more));
        return command;
    }

    static McpPairProgram start(TestDirectory directory, String peer) throws IOException {
        var errors = Files.createTempFile(directory.path(), "stderr", "");
        var builder = new ProcessBuilder(command(directory.path(), peer));
        builder.environment().keySet().retainAll(Set.of("PATH", "LANG"));
        builder.environment().put("HOME", directory.path().toString());
        return new McpPairProgram(builder.redirectError(errors.toFile()).start(), errors);
    }

    void send(String method, String params) throws IOException {
        in.write(
                "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}\n"
                        .formatted(++ids, method, params));
        in.flush();
    }

    /** Reads the next response. */
    JsonNode readResponse() throws IOException {
        var line = out.readLine();
        if (line == null) {
            throw new AssertionError("ash mcp pair exited: " + Files.readString(errors));
        }
        return MAPPER.readTree(line);
    }

    /** Calls a tool and returns its structured content. */
    JsonNode call(String tool, String arguments) throws IOException {
        send("tools/call", "{\"name\":\"%s\",\"arguments\":%s}".formatted(tool, arguments));
        return readResponse().path("result").path("structuredContent");
    }

    List<String> receive(String arguments) throws IOException {
        return call("receive_messages", arguments)
                .path("messages")
                .valueStream()
                .map(message -> message.path("content").asString())
                .toList();
    }

    long pid() {
        return process.pid();
    }

    void kill() {
        Processes.kill(process.pid());
    }

    /** Closes its input and returns its exit code. */
    int closeInput() throws IOException, InterruptedException {
        in.close();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("still running");
        }
        return process.exitValue();
    }

    String errors() throws IOException {
        return Files.readString(errors);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
