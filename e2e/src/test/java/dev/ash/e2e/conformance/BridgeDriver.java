package dev.ash.e2e.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ash.e2e.Programs;
import dev.ash.e2e.TestDirectory;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server written from document 000: starts the bridge program of Ash and sends only the four
 * commands.
 */
final class BridgeDriver implements AutoCloseable {
    static final String SESSION = "550e8400-e29b-41d4-a716-446655440000";

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final TestDirectory directory = TestDirectory.create();
    private final Path socket = directory.path().resolve("ash-12345678.sock");
    private final Process process;
    private SocketChannel channel;
    private BufferedReader lines;

    private BridgeDriver(Map<String, String> environment) throws IOException {
        var agent = directory.write("agent", Map.of("CLAUDE.md", "You are plain.\n"));
        var builder = new ProcessBuilder(Programs.bridge()).directory(agent.toFile());
        var env = builder.environment();
        env.keySet().retainAll(List.of("PATH", "LANG"));
        env.put("HOME", directory.path().toString());
        env.put("ASH_BRIDGE_SOCKET", socket.toString());
        env.put("ASH_AGENT_DIR", agent.toString());
        env.put("ASH_WORKSPACE_DIR", agent.toString());
        env.put("ASH_SANDBOX_ID", "12345678-e29b-41d4-a716-446655440000");
        env.put("ASH_SESSION_ID", SESSION);
        env.putAll(environment);
        process = builder.redirectErrorStream(true).redirectOutput(log().toFile()).start();
    }

    /** Starts a bridge with this environment and connects to it. */
    static BridgeDriver start(Map<String, String> environment) throws IOException {
        var driver = new BridgeDriver(environment);
        driver.connect();
        return driver;
    }

    static BridgeDriver startDemo() throws IOException {
        return start(Map.of("ASH_ENGINE", "demo"));
    }

    /** Reconnects like a restarted server. */
    void connect() throws IOException {
        var deadline = System.nanoTime() + START_NANOS;
        while (true) {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(UnixDomainSocketAddress.of(socket));
                lines = new BufferedReader(Channels.newReader(channel, UTF_8));
                return;
            } catch (IOException e) {
                channel.close();
                if (System.nanoTime() > deadline || !process.isAlive()) {
                    throw new AssertionError(
                            "the bridge does not listen: " + Files.readString(log()), e);
                }
                Thread.onSpinWait();
            }
        }
    }

    void disconnect() throws IOException {
        channel.close();
    }

    /** Sends a line unchanged. */
    void send(String line) throws IOException {
        var bytes = ByteBuffer.wrap((line + "\n").getBytes(UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Returns the next line without its newline. */
    String line() throws IOException {
        var line = lines.readLine();
        if (line == null) {
            throw new AssertionError(
                    "the bridge closed the connection: " + Files.readString(log()));
        }
        return line;
    }

    /** Returns the next event; skips kinds that the document does not define. */
    JsonNode event() throws IOException {
        while (true) {
            var event = MAPPER.readTree(line());
            if (List.of("ready", "message", "error", "done").contains(ev(event))) {
                return event;
            }
        }
    }

    JsonNode until(Predicate<JsonNode> wanted) throws IOException {
        var event = event();
        while (!wanted.test(event)) {
            event = event();
        }
        return event;
    }

    /** Sends a command and returns the events up to its {@code done}. */
    List<JsonNode> turn(String command) throws IOException {
        send(command);
        return rest();
    }

    /** Returns the events up to the next {@code done}. */
    List<JsonNode> rest() throws IOException {
        var events = new ArrayList<JsonNode>();
        do {
            events.add(event());
        } while (!ev(events.getLast()).equals("done"));
        return events;
    }

    static String query(String prompt) {
        return "{\"cmd\":\"query\",\"prompt\":\""
                + prompt
                + "\",\"sessionId\":\""
                + SESSION
                + "\"}";
    }

    static String ev(JsonNode event) {
        return event.path("ev").asString("");
    }

    static List<String> kinds(List<JsonNode> events) {
        return events.stream().map(BridgeDriver::ev).distinct().toList();
    }

    /** Returns the types of the SDK messages, in order. */
    static List<String> types(List<JsonNode> events) {
        return events.stream()
                .filter(event -> ev(event).equals("message"))
                .map(event -> event.at("/data/type").asString(""))
                .toList();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int awaitExit() throws InterruptedException {
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new AssertionError("the bridge is still running");
        }
        return process.exitValue();
    }

    private Path log() {
        return directory.path().resolve("bridge.log");
    }

    @Override
    public void close() throws IOException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
        channel.close();
        directory.close();
    }
}
