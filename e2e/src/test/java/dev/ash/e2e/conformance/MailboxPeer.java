package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.TestDirectory;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** An MCP client of {@code ash mcp pair} with its own JSON-RPC implementation. */
final class MailboxPeer implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Process process;
    private final Path errors;
    private final Writer in;
    private final BufferedReader out;
    private final List<JsonNode> received = new ArrayList<>();
    private int lastId;

    private MailboxPeer(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        this.in = process.outputWriter();
        this.out = process.inputReader();
    }

    /** Starts the peer with this name in run 7, with the directory as its home. */
    static MailboxPeer start(TestDirectory directory, String peer) {
        var dist = Path.of(System.getProperty("ash.dist", "../dist")).toAbsolutePath().normalize();
        try {
            var errors = Files.createTempFile(directory.path(), "stderr", "");
            var builder =
                    new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            jars(dist.resolve("cli")),
                            "dev.ash.cli.Main",
                            "mcp",
                            "pair",
                            "--run",
                            "7",
                            "--peer",
                            peer,
                            "--peers",
                            "claude,codex",
                            "--repo",
                            directory.path().toString());
            builder.environment().keySet().retainAll(Set.of("PATH", "LANG"));
            builder.environment().put("HOME", directory.path().toString());
            var made = new MailboxPeer(builder.redirectError(errors.toFile()).start(), errors);
            made.request("initialize", "{\"protocolVersion\":\"2025-06-18\"}");
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String jars(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(Path::toString)
                    .filter(name -> name.endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    /** Returns the result of a request. */
    JsonNode request(String method, String params) {
        try {
            in.write(
                    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}\n"
                            .formatted(++lastId, method, params.replace("\n", " ")));
            in.flush();
            var line = out.readLine();
            assertThat(line).as("answer; stderr: %s", Files.readString(errors)).isNotNull();
            var answer = MAPPER.readTree(line);
            assertThat(answer.path("id").asInt()).isEqualTo(lastId);
            assertThat(answer.has("error")).as("%s", answer).isFalse();
            return answer.path("result");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the result of a tool, including failures. */
    JsonNode call(String tool, JsonNode arguments) {
        return request(
                "tools/call",
                "{\"name\":\"%s\",\"arguments\":%s}".formatted(tool, arguments.toString()));
    }

    /** Sends a message of the document; its {@code from} is this peer. */
    JsonNode send(String message) {
        var fields = MAPPER.readTree(message);
        var arguments = MAPPER.createObjectNode();
        arguments.set("message_type", fields.path("type"));
        for (var name : List.of("to", "content", "signal")) {
            if (fields.has(name)) {
                arguments.set(name, fields.path(name));
            }
        }
        return call("send_to_agent", arguments);
    }

    /** Returns all messages that this peer has received so far, including new ones. */
    List<JsonNode> received() {
        while (true) {
            var result = call("receive_messages", MAPPER.createObjectNode());
            var messages = result.at("/structuredContent/messages");
            assertThat(messages.isArray()).as("%s", result).isTrue();
            if (messages.isEmpty()) {
                return List.copyOf(received);
            }
            messages.forEach(received::add);
        }
    }

    List<JsonNode> received(String content) {
        return received().stream()
                .filter(message -> message.path("content").asString().equals(content))
                .toList();
    }

    /** Returns the counts of {@code bridge_status}. */
    JsonNode status() {
        return call("bridge_status", MAPPER.createObjectNode()).path("structuredContent");
    }

    static ObjectNode json(String text) {
        return (ObjectNode) MAPPER.readTree(text);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
