package dev.ash.bridge;

import dev.ash.bridge.relay.EgressRelay;
import dev.ash.protocol.Limits;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.protocol.json.JsonLinesWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.socket.ChannelInput;
import dev.ash.protocol.socket.ChannelOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A bridge that talks to itself, so that a JVM which records an AOT cache sees everything that an
 * ordinary sandbox does: a server that attaches and acknowledges, a turn of the demo, a turn of a
 * program that speaks like Claude Code, a shell command, and a connection through the relay.
 */
final class Training {
    private static final String SESSION = "00000000-0000-4000-8000-000000000000";

    private static final String CLAUDE =
            """
            #!/bin/sh
            read -r initialize
            echo '{"type":"control_response","response":{"subtype":"success","request_id":"ash-initialize"}}'
            read -r prompt
            echo '{"type":"system","subtype":"init","session_id":"none","tools":[]}'
            echo '{"type":"stream_event","event":{"type":"message_start"}}'
            echo '{"type":"assistant","message":{"role":"assistant","content":[]}}'
            echo '{"type":"result","subtype":"success","is_error":false,"session_id":"none"}'
            read -r end
            """;

    static void run() throws IOException {
        var folder = Files.createTempDirectory("ash-train");
        try (var _ = Bridge.open(BridgeSettings.from(environment(folder)));
                var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket(folder)))) {
            var in = new JsonLinesReader(new ChannelInput(channel), Limits.MAX_LINE_BYTES);
            var out = new JsonLinesWriter(new ChannelOutput(channel));
            ask(out, new BridgeCommand.Attach(0));
            ask(out, new BridgeCommand.Exec("1", "echo hello", 5000));
            await(in, BridgeEvent.ExecResult.class);
            ask(out, query("2"));
            await(in, BridgeEvent.Done.class);
            ask(out, new BridgeCommand.Ack(1));
            ask(out, new BridgeCommand.Configure(SESSION, claude(folder)));
            ask(out, query("3"));
            await(in, BridgeEvent.Done.class);
            relay(socket(folder));
        } finally {
            delete(folder);
        }
    }

    /** One connection through the relay; the bridge's own socket stands in for the proxy's. */
    private static void relay(Path socket) throws IOException {
        try (var relay = EgressRelay.open(socket, 0);
                var client =
                        SocketChannel.open(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), relay.port()))) {
            if (new ChannelInput(client).read() < 0) {
                throw new IOException("the training run could not use the relay");
            }
        }
    }

    private static Map<String, String> environment(Path folder) throws IOException {
        Files.writeString(folder.resolve("CLAUDE.md"), "# Training\n");
        return Map.of(
                "ASH_BRIDGE_SOCKET",
                socket(folder).toString(),
                "ASH_WORKSPACE_DIR",
                folder.toString(),
                "ASH_SESSION_ID",
                SESSION,
                "ASH_ENGINE",
                "demo",
                "HOME",
                folder.toString(),
                "PATH",
                "/usr/local/bin:/usr/bin:/bin");
    }

    private static Path socket(Path folder) {
        return folder.resolve("bridge.sock");
    }

    private static EngineConfig claude(Path folder) throws IOException {
        var program = folder.resolve("claude");
        Files.writeString(program, CLAUDE);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return new EngineConfig(
                "claude",
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(),
                List.of(),
                List.of(),
                Map.of("CLAUDE_CODE_EXECUTABLE", program.toString()),
                null);
    }

    private static BridgeCommand query(String turnId) {
        var options = new TurnOptions(true, null, null, null, null, null, null);
        return new BridgeCommand.Query(RawJson.string("hello"), SESSION, turnId, options);
    }

    private static void ask(JsonLinesWriter out, BridgeCommand command) throws IOException {
        out.write(BridgeProtocol.encode(command));
    }

    private static void await(JsonLinesReader in, Class<? extends BridgeEvent> wanted)
            throws IOException {
        for (var line = in.next(); line != null; line = in.next()) {
            var event = BridgeProtocol.decodeEvent(line).event();
            if (event instanceof BridgeEvent.Failed(var error, _)) {
                throw new IOException("the training run failed: " + error);
            }
            if (wanted.isInstance(event)) {
                return;
            }
        }
        throw new IOException("the training run ended early");
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private Training() {}
}
