package dev.ash.bridge;

import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A bridge with {@code fake-acp.py} as an engine that only the operator's configuration names. */
final class FakeAgent implements AutoCloseable {
    private final Path directory;
    private final Path log;
    private final Map<String, String> environment = new HashMap<>();
    private TestBridge bridge;
    private RawClient client;

    private FakeAgent(Path directory) {
        this.directory = directory;
        this.log = directory.resolve("acp.log");
    }

    static FakeAgent in(Path directory) throws IOException {
        var agent = new FakeAgent(directory);
        var program = directory.resolve("fake-acp");
        try (InputStream script =
                Objects.requireNonNull(FakeAgent.class.getResourceAsStream("/fake-acp.py"))) {
            Files.write(program, script.readAllBytes());
        }
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        agent.environment.put("ASH_ENGINE", "fake");
        agent.environment.put(
                "ASH_ENGINES",
                """
                {"fake":{"driver":"acp","command":%s,"provider":"openai","product":"Fake Agent",
                 "args":["--acp"],"env":{"MODEL_URL":"{model.url}","MODEL_KEY":"{model.key}"}}}"""
                        .formatted(RawJson.string(program.toString())));
        agent.environment.put("OPENAI_API_KEY", "key-1");
        agent.environment.put("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
        agent.environment.put("FAKE_LOG", agent.log.toString());
        return agent;
    }

    FakeAgent with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Opens a bridge whose session has this configuration, such as {@code ,"model":"m"}. */
    RawClient open(String configuration) throws IOException {
        bridge = TestBridge.open(directory, environment);
        client = bridge.client();
        return configure(configuration);
    }

    RawClient configure(String configuration) throws IOException {
        return client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\"%s\"%s}"
                        .formatted(TestBridge.SESSION, configuration));
    }

    /** Closes the bridge and opens a new one with the same home and workspace. */
    RawClient reopen(String configuration) throws IOException {
        close();
        return open(configuration);
    }

    TestBridge bridge() {
        return bridge;
    }

    /** Runs a turn and returns its events without {@code done}. */
    List<RawClient.Event> turn(String prompt, String more) throws IOException {
        client.query(prompt, more);
        return client.untilDone().stream().filter(event -> !event.kind().equals("done")).toList();
    }

    void approve(RawClient.Event question, boolean allow, String more) throws IOException {
        client.send(
                "{\"cmd\":\"approve\",\"id\":%s,\"allow\":%s%s}"
                        .formatted(RawJson.string(question.text("id")), allow, more));
    }

    /** Returns the messages that the agent has read. */
    List<RawClient.Event> received(String method) throws IOException {
        return entries().stream().filter(entry -> entry.text("method").equals(method)).toList();
    }

    List<RawClient.Event> entries() throws IOException {
        return Files.exists(log)
                ? Files.readAllLines(log).stream().map(RawClient.Event::new).toList()
                : List.of();
    }

    List<RawClient.Event> starts() throws IOException {
        return entries().stream().filter(entry -> entry.json().raw("start").isPresent()).toList();
    }

    /** Returns the last process that the agent started. */
    ProcessHandle child() throws IOException {
        var child =
                entries().stream()
                        .filter(entry -> entry.json().raw("child").isPresent())
                        .toList()
                        .getLast();
        return process(child, "child");
    }

    ProcessHandle process() throws IOException {
        return process(starts().getLast(), "start");
    }

    private static ProcessHandle process(RawClient.Event entry, String field) {
        return ProcessHandle.of(Long.parseLong(entry.json().raw(field).orElseThrow().toString()))
                .orElseThrow(() -> new AssertionError("not running: " + entry.line()));
    }

    @Override
    public void close() throws IOException {
        if (client != null) {
            client.close();
            bridge.close();
        }
    }
}
